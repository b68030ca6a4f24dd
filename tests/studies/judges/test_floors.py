"""Figures of judges: their bounds, and what judges reach that know nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, norm, t
from two_assessors import TwoAssessors, two_assessors

from gradeval import CoverageWarning, compare, evaluate, judges
from gradeval.formula.aggregation import widening
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.floors import add_interval, compare_with_floor, find_bounds, shuffle_within_topics

NAN = float("nan")


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4)


@pytest.fixture(scope="module")
def comparison(drawn: TwoAssessors) -> JudgeComparison:
    return judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", samples=20, draws=0)


def test_a_figure_stands_beside_its_floor_with_intervals() -> None:
    rng = np.random.default_rng(0)
    resampled = 0.9 + 0.05 * rng.standard_normal(400)
    floors, again = np.array([0.5, 0.7]), 0.6 + 0.1 * rng.standard_normal((150, 2))
    found = compare_with_floor(0.95, resampled, floors, again, 20, 0.05, within=(0, 1))
    assert found.value is not None
    assert found.floor is not None
    assert found.skill is not None
    assert found.floor.value == pytest.approx(0.6)
    assert found.skill.value == pytest.approx((0.95 - 0.6) / (1 - 0.6))
    low, middle, high = np.quantile(resampled, [0.025, 0.5, 0.975])
    wide = np.sqrt(20 / 19) * 2.0930240544082634 / 1.959963984540054  # t of 19 degrees of freedom
    assert widening(20, 0.05) == pytest.approx(wide)
    assert found.value.bounds == pytest.approx((0.95 + wide * (low - middle), min(1.0, 0.95 + wide * (high - middle))))
    assert found.skill.bounds is not None
    assert found.skill.bounds[0] < found.skill.value <= found.skill.bounds[1] <= 1
    errors = compare_with_floor(
        0.1, 0.1 * np.ones(9), np.array([0.4]), np.full((9, 1), 0.4), 20, 0.05, within=(0, 1), best=0
    )
    assert errors.skill is not None
    assert errors.skill.value == pytest.approx(1 - 0.1 / 0.4)  # without errors it would be 1


def test_what_is_the_same_in_all_resamples_has_no_interval() -> None:
    found = add_interval(1.0, np.ones(50), 10, 0.05)
    assert found is not None
    assert found.bounds is None


def test_shuffled_grades_stay_in_their_topic_and_what_has_none_keeps_none() -> None:
    rng = np.random.default_rng(0)
    topic = np.repeat(np.arange(5), [3, 1, 9, 20, 7])
    grades = rng.integers(0, 4, len(topic)).astype(float)
    grades[rng.random(len(topic)) < 0.2] = np.nan
    shuffled = shuffle_within_topics(grades, topic, 30, seed=1)
    np.testing.assert_array_equal(np.isnan(shuffled), np.broadcast_to(np.isnan(grades), shuffled.shape))
    for place in range(5):
        here = (topic == place) & ~np.isnan(grades)
        assert all(Counter(row[here]) == Counter(grades[here]) for row in shuffled)
    assert len({row[topic == 3].tobytes() for row in shuffled}) > 1


def test_every_order_of_a_topic_is_as_likely_as_any_other() -> None:
    shuffled = shuffle_within_topics(np.array([0.0, 1, 2, 9]), np.array([0, 0, 0, 1]), 6000, seed=2)
    counts = Counter(map(tuple, shuffled[:, :3].tolist()))
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts.values()) < 5 * np.sqrt(1000 * 5 / 6)


@pytest.mark.parametrize("bias", [-0.03, 0.0, 0.02])
@pytest.mark.parametrize("topics", [20, 80])
def test_bounds_hold_what_is_expected_over_as_many_topics_and_over_50(bias: float, topics: int) -> None:
    """An independent statement: two intervals, about the figure over as many topics and over 50 of them, as one.

    Over n topics a figure is off by c / n, and resampling shows this bias.
    """
    samples = 0.8 + bias + 0.02 * np.random.default_rng(0).standard_normal(4000)
    low, high = np.quantile(samples - np.median(samples), [0.025, 0.975])
    wide = np.sqrt(topics / (topics - 1)) * t.ppf(0.975, topics - 1) / norm.ppf(0.975)
    c = topics * (np.median(samples) - 0.8)
    centres = (0.8, 0.8 - c / topics + c / max(50, topics))
    expected = (min(centres) + wide * low, max(centres) + wide * high)
    assert find_bounds(0.8, np.append(samples, NAN), topics, 0.05, (-1, 1)) == pytest.approx(expected)
    assert find_bounds(0.8, samples, topics, 0.05, (0.79, 0.81)) == (0.79, 0.81)


def test_the_floor_is_the_tau_of_shuffled_grades(comparison: JudgeComparison, drawn: TwoAssessors) -> None:
    """An independent estimate, by judgments shuffled here; both are means of random numbers."""
    rng = np.random.default_rng(9)
    human = evaluate(drawn.human, drawn.runs, "AP").mean()[:, 0]
    taus = []
    for _ in range(60):
        blind = {
            topic: dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
            for topic, grades in drawn.human.items()
        }
        taus.append(kendalltau(human, evaluate(blind, drawn.runs, "AP").mean()[:, 0]).statistic)
    floor = comparison.of("model", "AP").orders.floor
    assert floor is not None
    assert floor.value == pytest.approx(np.mean(taus), abs=5 * np.std(taus) * np.sqrt(1 / 60 + 1 / 20))
    constant = {topic: dict.fromkeys(grades, 3.0) for topic, grades in drawn.human.items()}
    expected = kendalltau(human, evaluate(constant, drawn.runs, "AP").mean()[:, 0]).statistic
    assert comparison.of("model", "AP").orders.constant == pytest.approx(expected)


def test_the_floor_of_what_is_kept_is_what_shuffled_grades_keep(
    comparison: JudgeComparison, drawn: TwoAssessors
) -> None:
    """An independent estimate, by judgments shuffled here; both are means of random numbers."""
    rng = np.random.default_rng(9)

    def signs(judged: Any) -> Any:
        found = compare(evaluate(judged, drawn.runs, "AP"), correction="none")
        return np.where(found.significant[0], np.sign(found.difference[0]), 0)

    human, kept = signs(drawn.human), []
    for _ in range(60):
        blind = {
            topic: dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
            for topic, grades in drawn.human.items()
        }
        kept.append((signs(blind) * human > 0).sum() / (human != 0).sum())
    floor = comparison.of("model", "AP").shares.kept.floor
    assert floor is not None
    assert floor.value == pytest.approx(np.mean(kept), abs=5 * np.std(kept) * np.sqrt(1 / 60 + 1 / 20))


def test_a_judge_of_few_documents_has_a_floor_of_its_own(drawn: TwoAssessors) -> None:
    partial = {topic: dict(list(grades.items())[:8]) for topic, grades in drawn.judge.items()}
    others = {"partial": partial, "model": drawn.judge}
    with pytest.warns(CoverageWarning, match="partial: judged 64 of 240"):
        found = judges(drawn.human, others, drawn.runs, "AP", samples=20)
    floors = [found.of(judge, "AP").orders.floor for judge in others]
    assert floors[0] is not None
    assert floors[1] is not None
    assert floors[0].value != floors[1].value
    own = {topic: {one: drawn.human[topic][one] for one in grades} for topic, grades in partial.items()}
    constant = {topic: dict.fromkeys(grades, 3.0) for topic, grades in own.items()}
    means = [evaluate(one, drawn.runs, "AP").mean()[:, 0] for one in (own, constant)]
    assert found.of("partial", "AP").orders.constant == pytest.approx(kendalltau(*means).statistic)
