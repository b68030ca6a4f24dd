"""Topic set sizes against published sample sizes of the paired t test, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from gradeval import InputError
from gradeval.studies.topic_set_size import power, residual_variance, topic_set_size, topics_for

from ..support.score_tables import scores_of


@pytest.mark.parametrize(
    ("effect", "alpha", "beta", "topics"),
    # Cohen's small, medium and large effect; the sizes that textbooks and sample size programs print.
    [(0.2, 0.05, 0.2, 199), (0.5, 0.05, 0.2, 34), (0.8, 0.05, 0.2, 15), (0.2, 0.05, 0.1, 265), (0.5, 0.05, 0.1, 44)],
)
def test_published_sizes_of_the_paired_test(effect: float, alpha: float, beta: float, topics: int) -> None:
    assert topics_for(effect, alpha, beta) == topics


def test_the_power_is_what_a_simulation_finds() -> None:
    rng = np.random.default_rng(0)
    for effect, topics in ((0.5, 20), (0.3, 60), (1.5, 5)):
        t = stats.ttest_1samp(rng.normal(effect, 1, (40_000, topics)), 0, axis=1).pvalue
        assert power(effect, topics, 0.05) == pytest.approx((t < 0.05).mean(), abs=0.01)


def integrated_power(effect: float, topics: int, alpha: float) -> float:
    """The same without a noncentral distribution: the normal mean, integrated over the chi density of s.

    sqrt(n) (mean - 0) / s is beyond c where the mean is beyond c s / sqrt(n), in both tails.
    """
    freedom = topics - 1
    critical = stats.t.isf(alpha / 2, freedom)

    def beyond(s: float) -> float:
        shift = effect * np.sqrt(topics)
        both = stats.norm.sf(critical * s - shift) + stats.norm.cdf(-critical * s - shift)
        return float(both * stats.chi.pdf(s * np.sqrt(freedom), freedom) * np.sqrt(freedom))

    return quad(beyond, 0, 1, limit=200)[0] + quad(beyond, 1, 10, limit=200)[0]


def test_the_power_is_that_of_both_tails_integrated() -> None:
    for effect in (0.1, 0.5, 1.0, 3.0):
        for topics in (2, 7, 60):
            for alpha in (0.01, 0.05):
                assert power(effect, topics, alpha) == pytest.approx(integrated_power(effect, topics, alpha), abs=1e-9)


def test_where_an_approximation_says_6_topics_7_are_needed() -> None:
    """Guenther's formula, (z + z')^2 / effect^2 + z^2 / 2, stops at 6 from an effect of 2.355 on; 6 have too little."""
    z, other = stats.norm.isf(0.005), stats.norm.isf(0.1)
    for effect in (2.36, 2.38, 2.4):
        assert np.ceil((z + other) ** 2 / effect**2 + z**2 / 2) == 6
        assert integrated_power(effect, 6, 0.01) < 0.9 < integrated_power(effect, 7, 0.01)
        assert topics_for(effect, 0.01, 0.1) == 7


def test_one_topic_less_is_too_few() -> None:
    for effect in np.geomspace(0.01, 100, 25):
        for alpha, beta in ((0.05, 0.2), (0.01, 0.05)):
            needed = topics_for(float(effect), alpha, beta)
            assert power(float(effect), needed, alpha) >= 1 - beta
            assert needed == 2 or power(float(effect), needed - 1, alpha) < 1 - beta


@pytest.mark.parametrize("effect", [0.012154742500762865, 0.0121547, 0.02, 0.5])
def test_so_many_topics_that_nothing_is_missed_have_full_power(effect: float) -> None:
    assert power(effect, 10_000_000, 0.05) == 1


def test_the_variance_is_what_topics_and_runs_do_not_explain() -> None:
    rng = np.random.default_rng(0)
    topic, run = rng.random((200, 1)), rng.random(15)
    noise = rng.normal(0, 0.1, (200, 15))
    assert residual_variance(topic + run) == pytest.approx(0, abs=1e-20)
    assert residual_variance(topic + run + noise) == pytest.approx(0.01, rel=0.1)
    # Of two runs it is half the variance of their differences.
    two = rng.random((30, 2))
    assert residual_variance(two) == pytest.approx((two[:, 0] - two[:, 1]).var(ddof=1) / 2)


def test_the_observed_difference_does_not_matter() -> None:
    values = np.random.default_rng(0).random((30, 4)) * 0.5
    one = topic_set_size(scores_of(values.T), differences=[0.05, 0.1])
    other = topic_set_size(scores_of((values + np.linspace(0, 0.4, 4)).T), differences=[0.05, 0.1])
    assert one.needed.tolist() == other.needed.tolist()
    assert one.needed[0, 0] > one.needed[0, 1]
    frame = one.to_frame()
    assert frame.column("value").to_pylist() == one.needed[0].tolist()


@pytest.mark.parametrize(
    ("differences", "options", "message"),
    [
        (0, {}, "difference"),
        ([0.1, -1], {}, "difference"),
        ([], {}, "differences is empty"),
        (1e-9, {}, "more than"),
        (0.1, {"alpha": 1}, "alpha"),
        (0.1, {"beta": 0}, "beta"),
    ],
)
def test_bad_values_are_one_line(differences: float, options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        topic_set_size(scores_of(np.random.default_rng(0).random((9, 3)).T), differences=differences, **options)
