"""Intervals of means over topics: their formulas, their form, and how often they hold the true mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gradeval import AP, DCG, RR, InputError, Measure, NumRelRet, P, Scores, Success, evaluate, gmAP
from gradeval.formula.definition import values_only
from gradeval.scores.intervals import has_range, wilson_bounds

MEANS = Path(__file__).resolve().parents[2] / "docs" / "inference" / "means.md"

Z = stats.norm.ppf(0.975)
UNIT = st.floats(0, 1)


def made(values: Any, measures: list[Measure], **given_: Any) -> Scores:
    """Scores of values[run, topic, measure], which all count."""
    values = np.array(values, dtype=float)
    runs, topics, _ = values.shape
    return Scores(
        values=values,
        present=np.ones((runs, topics), bool),
        vacant=np.array(given_.pop("vacant", np.zeros((topics, len(measures)), bool))),
        runs=[f"run {number}" for number in range(1, runs + 1)],
        topics=[str(300 + number) for number in range(1, topics + 1)],
        measures=measures,
        **given_,
    )


def one(values: Any, measure: Measure = AP, **how: Any) -> list[float]:
    """The bounds of the mean of the values of one run by one measure."""
    bounds: list[float] = made(np.reshape(values, (1, -1, 1)), [measure]).ci(**how)[0, 0].tolist()
    return bounds


@pytest.fixture
def many() -> Scores:
    rng = np.random.default_rng(7)
    return made(rng.beta(2, 3, (3, 200, 2)), [AP, P @ 5])


# Wilson


def test_bounds_lie_where_the_distance_is_z_standard_errors_of_their_own() -> None:
    values = [0.1, 0.5, 0.3, 0.9, 0.0, 0.2]
    n, mean = 6, math.fsum(values) / 6
    squares = math.fsum((value - mean) ** 2 for value in values)
    phi = (squares + mean * (1 - mean)) / (n * mean * (1 - mean))
    for bound in one(values):
        assert (mean - bound) ** 2 == pytest.approx(Z**2 / n * phi * bound * (1 - bound), rel=1e-9)


@pytest.mark.parametrize("successes", [1, 4, 9])
def test_of_successes_the_interval_is_scipys_but_for_one_topic_more_of_variance(successes: int) -> None:
    n = 10
    level = 2 * stats.norm.cdf(Z * math.sqrt((n + 1) / n)) - 1
    expected = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert one([1.0] * successes + [0.0] * (n - successes), P @ 1) == pytest.approx([expected.low, expected.high])


def test_ten_of_ten_successes_have_scipys_interval() -> None:
    expected = stats.binomtest(10, 10).proportion_ci(0.95, method="wilson")
    assert one([1.0] * 10, Success @ 10) == pytest.approx([expected.low, 1.0])


@given(st.lists(UNIT, min_size=2, max_size=60), st.sampled_from([0.01, 0.05, 0.5]))
def test_bounds_stay_in_the_range_around_the_mean_and_apart(values: list[float], alpha: float) -> None:
    low, high = one(values, alpha=alpha)
    mean = math.fsum(values) / len(values)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert low < high


@given(st.lists(st.integers(0, 64).map(lambda part: part / 64), min_size=2, max_size=20))
def test_losses_have_the_mirrored_interval(values: list[float]) -> None:
    low, high = one(values)
    assert one([1 - value for value in values]) == pytest.approx([1 - high, 1 - low], abs=1e-9)


def test_more_confidence_is_wider() -> None:
    values = np.random.default_rng(1).random(20)
    widths = [np.ptp(one(values, alpha=alpha)) for alpha in (0.5, 0.1, 0.05, 0.01)]
    assert widths == sorted(widths)


# The other methods


def test_the_t_interval_is_students(many: Scores) -> None:
    interval = many.ci(method="t", alpha=0.1)
    for run in range(3):
        values = many.values[run, :, 0]
        low, high = stats.t.interval(0.9, 199, values.mean(), stats.sem(values))
        assert interval[run, 0] == pytest.approx([low, high], rel=1e-12)


@pytest.mark.parametrize("method", ["t", "wilson"])
def test_the_interval_is_over_the_topics_that_count(method: str) -> None:
    vacant = np.array([[False], [True], [False], [False]])
    scores = made([[[0.75], [1.0], [0.5], [0.1]]], [AP], vacant=vacant, empty="skip")
    assert scores.ci(method=method)[0, 0].tolist() == one([0.75, 0.5, 0.1], method=method)


def test_a_geometric_mean_has_the_t_interval_of_logarithms() -> None:
    values = np.array([0.5, 0.25, 0.125, 0.1])
    logs = np.log(values)
    assert one(values, gmAP) == pytest.approx(np.exp(stats.t.interval(0.95, 3, logs.mean(), stats.sem(logs))), rel=1e-9)


def test_a_sum_has_the_t_interval_of_the_mean_times_the_topics() -> None:
    values = np.array([3.0, 4.0, 0.0, 7.0])
    assert one(values, NumRelRet) == pytest.approx(
        np.multiply(4, stats.t.interval(0.95, 3, values.mean(), stats.sem(values)))
    )


@pytest.mark.parametrize("measure", [AP, gmAP])
def test_bounds_by_t_stop_at_the_end_of_the_range(measure: Measure) -> None:
    assert one([1.0, 1.0, 0.2], measure, method="t")[1] == 1


def test_a_seed_reproduces_the_bootstrap(many: Scores) -> None:
    first, again, other = (many.ci(method="bootstrap", seed=seed).tolist() for seed in (3, 3, 4))
    assert first == again != other


def test_over_many_topics_all_methods_agree(many: Scores) -> None:
    width = np.diff(many.ci())
    assert (np.abs(many.ci(method="t") - many.ci()) < 0.03 * width).all()
    assert (np.abs(many.ci(method="bootstrap", samples=5000) - many.ci()) < 0.1 * width).all()


def test_the_bootstrap_resamples_topics_jointly() -> None:
    column = np.random.default_rng(1).random((1, 20, 1))
    interval = made(np.concatenate([column, column + 1], axis=2), [AP, DCG @ 5]).ci(method="bootstrap")
    np.testing.assert_allclose(interval[0, 1], interval[0, 0] + 1)


def test_resamples_without_a_topic_that_counts_are_left_out() -> None:
    vacant = np.ones((20, 1), bool)
    vacant[:2] = False
    values = np.linspace(0.25, 0.75, 20).reshape(1, 20, 1)
    bounds = made(values, [AP], vacant=vacant, empty="skip").ci(method="bootstrap")
    assert bounds.tolist() == [[values[0, :2, 0].tolist()]]


@pytest.mark.parametrize(("beyond", "ranged"), [(0.9, True), (1.1, False)])
@pytest.mark.parametrize("end", [0, 1])
def test_rounding_alone_takes_no_measure_out_of_its_range(beyond: float, end: int, ranged: bool) -> None:
    """A value may lie 1e-9 beyond 0 or 1, and no further."""
    values = np.array([[end + (1e-9 * beyond if end else -1e-9 * beyond), 0.5]])
    assert has_range(AP, values, np.ones_like(values, bool)) is ranged
    assert has_range(AP, values, np.array([[False, True]]))  # a topic that does not count says nothing


def test_bounds_that_meet_at_the_end_of_the_range_are_no_interval() -> None:
    """Rounding may take all values a little beyond 1, and both bounds with them: cut at 1, they meet."""
    values = 1 + np.array([2e-10, 3e-10, 4e-10, 5e-10]).reshape(1, 4, 1)
    assert np.isnan(made(values, [AP]).ci(method="t")).all()


# Which one, and where there is none


def test_without_a_method_the_range_of_the_measure_decides() -> None:
    values = np.random.default_rng(2).random((2, 20, 1)).repeat(3, axis=2)
    scores = made(values, [AP, DCG @ 10, values_only("latency")])
    bounds = scores.ci()
    assert bounds[:, [0, 2]].tolist() == scores.sel(measures=["AP", "latency"]).ci(method="wilson").tolist()
    assert bounds[:, 1].tolist() == scores.ci(method="t")[:, 1].tolist()
    assert scores.about_ci() == [
        "intervals: 95% confidence over topics, Wilson's score interval; Student's t for DCG@10"
    ]


def test_below_20_topics_it_is_said_how_often_intervals_hold() -> None:
    measures = [AP, DCG @ 10, NumRelRet, gmAP]
    scores = made(np.random.default_rng(2).random((2, 19, 1)).repeat(4, axis=2), measures)
    rows = MEANS.read_text(encoding="utf-8").splitlines()
    held = {row.split(" | ")[0].strip("| "): row.split(" | ")[2] for row in rows if row.startswith("| ")}
    said = scores.about_ci()[1:]
    for row, measure, sentence in zip(["`wilson`", *map(str, measures[1:])], map(str, measures), said, strict=True):
        mean, worst = (round(100 * float(one)) for one in held[row].split(" / "))
        assert sentence.startswith(
            f"{measure}: 95% intervals over 10 topics held the true mean of public runs in {mean}%"
        )
        assert sentence.partition(";")[0].endswith(f"of the worst run in {worst}%")
    assert scores.about_ci(method="bootstrap")[1].startswith("AP, DCG@10, NumRelRet, gmAP: ")


def test_values_beyond_1_show_that_a_measure_has_no_range() -> None:
    values = [0.5, 1.5, 0.25, 0.75]
    assert one(values, values_only("seconds")) == one(values, values_only("seconds"), method="t")
    with pytest.raises(InputError, match="from 0 to 1, which seconds is not; use method='t'"):
        one(values, values_only("seconds"), method="wilson")


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_where_all_topics_are_equal_there_is_none_and_it_is_said(method: Any) -> None:
    scores = made(np.full((1, 5, 2), 0.25), [AP, DCG @ 10])
    assert np.isnan(scores.ci(method=method)).all()
    (_, said) = scores.about_ci(method=method)
    assert said == "no interval where all topics have the same value: AP, DCG@10"
    table = scores.table(ci=method)
    assert table.grids[0].texts() == [["run 1", "0.2500", "0.2500"]]
    assert said in table.notes
    assert table.records.fields["low"] == [None] * 2


def test_an_interval_needs_two_topics(many: Scores) -> None:
    with pytest.raises(InputError, match="needs at least 2 topics"):
        many.sel(topics="301").ci()
    missing = np.zeros((3, 200), bool)
    missing[:, 0] = True
    with pytest.raises(InputError, match="needs at least 2 topics"):
        replace(many, present=missing, missing="skip").ci()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"alpha": 95}, "alpha=95 is not between 0 and 1"),
        ({"alpha": 0.0}, "alpha=0.0 is not between 0 and 1"),
        ({"method": "normal"}, "method='normal' is not 'wilson', 't' or 'bootstrap'"),
        ({"samples": 0}, "samples=0 is not a whole number from 1"),
    ],
)
def test_wrong_arguments_of_an_interval_are_errors(many: Scores, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        many.ci(**wrong)


# How often the truth is held

SAMPLES = 2000
Draw = Callable[[np.random.Generator, tuple[int, int]], Any]
KNOWN: dict[str, tuple[Draw, float]] = {
    "like AP": (lambda rng, size: rng.beta(1, 3, size), 1 / 4),
    "like nDCG": (lambda rng, size: rng.beta(3, 1.5, size), 3 / 4.5),
    "like RR": (lambda rng, size: 1 / rng.geometric(0.7, size), -0.7 * math.log(0.7) / 0.3),
    "like P@5": (lambda rng, size: rng.binomial(5, 0.8, size) / 5, 0.8),
    "successes": (lambda rng, size: rng.random(size) < 0.9, 0.9),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("topics", [10, 30])
def test_intervals_hold_a_known_mean_as_often_as_they_say(name: str, topics: int) -> None:
    draw, truth = KNOWN[name]
    values = np.asarray(draw(np.random.default_rng(5), (SAMPLES, topics)), float)[..., None]
    low, high = wilson_bounds(values, np.ones(values.shape, bool), 0.05)
    held = np.mean((low <= truth) & (truth <= high))
    error = math.sqrt(0.95 * 0.05 / SAMPLES)
    assert 0.92 - 2 * error <= held <= 0.985 + 2 * error


@pytest.mark.realdata
def test_on_a_real_collection_they_hold_the_means_of_all_its_topics(data: Callable[[str], Path]) -> None:
    folder = data("trec-dl21-passage")
    scores = evaluate(folder / "qrels.txt", folder / "runs", [AP, RR, P @ 1, Success @ 5])
    rng = np.random.default_rng(6)
    for topics in (10, 20):
        held = []
        for _ in range(400):
            drawn = rng.integers(len(scores.topics), size=topics)
            sample = replace(scores, values=scores.values[:, drawn], topics=[str(place) for place in range(topics)],
                             present=scores.present[:, drawn], vacant=scores.vacant[drawn])  # fmt: skip
            low, high = np.moveaxis(sample.ci(), -1, 0)
            held.append((low <= scores.mean() + 1e-12) & (scores.mean() - 1e-12 <= high))
        by_run = np.mean(held, axis=0)
        assert 0.94 <= by_run.mean() <= 0.98
        assert by_run.min() >= 0.84 - 3 * math.sqrt(0.84 * 0.16 / 400)
