"""The regression estimator: its formulas written out, its law as a prediction, and how often its intervals cover."""

from __future__ import annotations

import math
from statistics import mean, variance

import numpy as np
import pytest
from scipy import stats

from gradeval.formula.arithmetic import Array
from gradeval.studies.assisted_estimates import TopicsAre, estimate_means

both_designs = pytest.mark.parametrize("topics_are", ["sample", "all"])


def drawn(seed: int, n: int = 12, topics: int = 30) -> tuple[Array, Array, Array]:
    """Human values of some topics, model values of all, and which the human ones are."""
    rng = np.random.default_rng(seed)
    model = rng.random((topics, 1))
    both = rng.choice(topics, n, replace=False)
    return 0.2 + 0.5 * model[both] + 0.1 * rng.standard_normal((n, 1)), model, both


@both_designs
def test_it_is_the_formula_of_the_documentation(topics_are: TopicsAre) -> None:
    human, model, both = drawn(1)
    h, m, every = human[:, 0].tolist(), model[both, 0].tolist(), model[:, 0].tolist()
    n, topics = len(h), len(every)
    squares = sum((x - mean(m)) ** 2 for x in m)
    lam = sum((y - mean(h)) * (x - mean(m)) for y, x in zip(h, m, strict=True)) / squares
    theta = mean(h) + lam * (mean(every) - mean(m))
    s2 = sum((y - mean(h) - lam * (x - mean(m))) ** 2 for y, x in zip(h, m, strict=True)) / (n - 2)
    factor = 1 + n * (mean(every) - mean(m)) ** 2 / squares
    wanted = {"sample": s2 / n * factor + lam**2 * variance(every) / topics, "all": (1 - n / topics) * s2 / n * factor}[
        topics_are
    ]
    found = estimate_means(human, model, both, topics_are, 0.1)
    assert found.value[0] == pytest.approx(theta, rel=1e-12)
    assert found.error[0] == pytest.approx(math.sqrt(wanted), rel=1e-12)
    assert found.reach[0] == pytest.approx(math.sqrt(wanted) * stats.t.ppf(0.95, n - 2), rel=1e-9)
    assert found.slope[0] == pytest.approx(lam, rel=1e-12)
    assert found.correlation[0] == pytest.approx(stats.pearsonr(h, m).statistic, rel=1e-12)
    # The topics that it is worth have, alone, the same variance; without end of the model's topics it is the limit.
    worth = found.worth[0]
    alone = {"sample": variance(h) / worth, "all": (1 - worth / topics) * variance(h) / worth}[topics_are]
    assert alone == pytest.approx(wanted, rel=1e-12)
    assert found.limit[0] == pytest.approx(variance(h) / (s2 / n), rel=1e-12)


def test_it_is_the_prediction_of_a_regression_at_the_mean_of_all_topics() -> None:
    human, model, both = drawn(2)
    line = stats.linregress(model[both, 0], human[:, 0])
    found = estimate_means(human, model, both, "sample")
    assert found.value[0] == pytest.approx(line.intercept + line.slope * model.mean(), rel=1e-12)
    x = np.column_stack([np.ones(len(both)), model[both, 0]])
    residual = human[:, 0] - x @ [line.intercept, line.slope]
    covariance = residual @ residual / (len(both) - 2) * np.linalg.inv(x.T @ x)
    at = np.array([1, model.mean()])
    spread = line.slope**2 * model.var(ddof=1) / len(model)
    assert found.error[0] ** 2 == pytest.approx(at @ covariance @ at + spread, rel=1e-10)


@both_designs
def test_human_topics_alone_have_the_interval_of_student(topics_are: TopicsAre) -> None:
    human, model, both = drawn(3)
    found = estimate_means(human, model, both, topics_are)
    low, high = stats.t.interval(0.95, len(human) - 1, human.mean(), stats.sem(human[:, 0]))
    finite = math.sqrt(1 - len(human) / len(model)) if topics_are == "all" else 1
    assert found.human[0] == pytest.approx(human.mean())
    assert found.human_reach[0] == pytest.approx((high - low) / 2 * finite)


@both_designs
def test_a_constant_model_leaves_the_human_topics_alone(topics_are: TopicsAre) -> None:
    human, model, both = drawn(4)
    found = estimate_means(human, np.full_like(model, 0.1), both, topics_are)
    assert (found.value, found.error, found.reach) == (found.human, found.human_error, found.human_reach)
    assert (found.slope, found.worth, found.limit) == (0, len(human), len(human))
    assert np.isnan(found.correlation[0])


@both_designs
def test_a_slope_that_rests_on_one_topic_is_none(topics_are: TopicsAre) -> None:
    model = np.zeros((30, 1))
    model[[3, 25]] = 0.5
    human = np.full((10, 1), 0.2)
    human[3] = 0.7  # the line through the two points fits all ten: their residuals are 0
    found = estimate_means(human, model, np.arange(10), topics_are)
    assert (found.value, found.error, found.reach) == (found.human, found.human_error, found.human_reach)
    assert (found.slope, found.worth, found.limit, found.freedom) == (0, 10, 10, 9)
    assert np.isnan(found.correlation[0])
    model[5] = 0.1
    assert estimate_means(human, model, np.arange(10), topics_are).error[0] > 0


def test_a_model_of_two_values_that_does_not_fit_exactly_is_a_line_like_any_other() -> None:
    rng = np.random.default_rng(6)
    model = np.repeat([0.0, 1.0], [12, 18])[:, None]
    both = np.array([0, 1, 2, 3, 14, 15, 16, 17, 18, 19])
    human = 0.2 + 0.5 * model[both] + 0.1 * rng.standard_normal((10, 1))
    line = stats.linregress(model[both, 0], human[:, 0])
    found = estimate_means(human, model, both, "sample")
    assert found.slope[0] == pytest.approx(line.slope, rel=1e-12)
    assert found.value[0] == pytest.approx(line.intercept + line.slope * model.mean(), rel=1e-12)
    assert found.freedom[0] == 8


def test_measures_with_two_values_are_covered_little_worse_than_by_human_topics_alone() -> None:
    rng = np.random.default_rng(16)
    shape = (53, 4000)
    quality = rng.standard_normal(shape)
    human = (quality > -1.3).astype(float)  # as P@1: right in nine topics of ten
    model = (quality + 0.7 * rng.standard_normal(shape) > -1.5).astype(float)
    found = estimate_means(human[:20], model, np.arange(20), "all")
    truth = human.mean(0)
    assisted, alone = (
        (np.abs(value - truth) <= reach + 1e-12).mean()
        for value, reach in ((found.value, found.reach), (found.human, found.human_reach))
    )
    assert assisted > alone - 0.02
    assert not ((found.error == 0) & (found.human_error > 0)).any()


@both_designs
def test_a_model_that_is_right_but_for_a_bias_is_worth_all_its_topics(topics_are: TopicsAre) -> None:
    _, model, both = drawn(5)
    found = estimate_means(0.3 + 0.25 * model[both], model, both, topics_are)
    assert found.value[0] == pytest.approx(0.3 + 0.25 * model.mean(), rel=1e-12)
    assert found.slope[0] == pytest.approx(0.25, rel=1e-12)
    if topics_are == "all":
        assert found.error[0] == 0
        assert found.worth[0] == pytest.approx(len(model))
    else:
        assert found.error[0] == pytest.approx(0.25 * model.std(ddof=1) / math.sqrt(len(model)), rel=1e-9)


@both_designs
@pytest.mark.parametrize("correlation", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("topics", [20, 40])
@pytest.mark.parametrize("skewed", [False, True])
def test_intervals_cover_what_they_promise_though_the_judge_is_biased(
    topics_are: TopicsAre, correlation: float, topics: int, skewed: bool
) -> None:
    rng = np.random.default_rng([topics, int(10 * correlation), skewed])
    shape = (100, 3000)  # topics of the model x repetitions; the first of them are a random sample
    quality = rng.standard_normal(shape)
    seen = correlation * quality + math.sqrt(1 - correlation**2) * rng.standard_normal(shape)
    human, model = quality, 0.5 + 2 * seen  # lenient, and on another scale
    truth = np.zeros(shape[1])
    if skewed:  # values between 0 and 1, most of them low; the judge sees little difference between good topics
        human, model = stats.norm.cdf(quality - 1), np.minimum(0.1 + 1.3 * stats.norm.cdf(seen), 1)
        truth = np.full(shape[1], stats.norm.cdf(-1 / math.sqrt(2)))  # E[Phi(x - 1)]
    if topics_are == "all":
        truth = human.mean(0)
    found = estimate_means(human[:topics], model, np.arange(topics), topics_are)
    covered = (np.abs(found.value - truth) <= found.reach).mean()
    assert 0.92 <= covered <= 0.97


def test_what_human_topics_are_worth_is_at_most_what_the_model_graded_and_has_an_interval() -> None:
    rng = np.random.default_rng(7)
    model = rng.random((30, 500))
    human = model[:10] + 0.1 * rng.standard_normal((10, 500))
    found = estimate_means(human, model, np.arange(10), "sample")
    assert (found.worth <= 30).all()
    assert (found.worth == 30).any()
    low, high = found.worth_bounds.T
    assert ((low <= found.worth) & (found.worth <= high) & (high <= 30)).all()
    r = np.array([stats.pearsonr(h, m) for h, m in zip(human.T, model[:10].T, strict=True)])[:, 0]
    ends = np.tanh(np.arctanh(r) + stats.norm.ppf(0.975) / math.sqrt(7))
    inside = r > 0
    np.testing.assert_allclose(high[inside], np.maximum(1 / ((1 - ends**2) / 10 + ends**2 / 30), found.worth)[inside])
    true = 0.288675 / math.hypot(0.288675, 0.1)  # of uniform model values, with errors of .1
    worth = 1 / ((1 - true**2) / 10 + true**2 / 30)
    assert 0.9 < ((low <= worth) & (worth <= high)).mean() <= 1
