"""Sample sizes of the paired t test against published ones, and its power by simulation and integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from gradeval.studies.paired_power import power, topics_for


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
