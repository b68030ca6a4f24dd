from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau
from two_assessors import two_assessors

from gradeval import evaluate
from gradeval.studies.correlation import tau_ap
from gradeval.studies.judges.floors import around, shuffle_within_topics
from gradeval.studies.judges.orders import (
    OrderAgreement,
    correlate_halves,
    correlate_means,
    ordered_means,
    resample_correlations,
)
from gradeval.tables.grid import Estimate


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


@pytest.mark.parametrize("statistic", ["kendall", "tau-ap"])
def test_resampled_correlations_are_those_of_means_over_topics_drawn_anew(statistic: str) -> None:
    drawn = two_assessors(3)
    human, judge = (evaluate(one, drawn.runs, "AP nDCG@10") for one in (drawn.human, drawn.judge))
    weights = np.random.default_rng(0).multinomial(8, np.full(8, 1 / 8), size=15).astype(float)
    values = resample_correlations(statistic, human, [judge], weights)  # type: ignore[arg-type]
    for sample, measure in np.ndindex(15, 2):
        topics = np.repeat(np.arange(8), weights[sample].astype(int))
        x, y = (one.values[:, topics, measure].mean(1) for one in (human, judge))
        expected = kendalltau(x, y).statistic if statistic == "kendall" else tau_ap(x, y)
        assert values[sample, 0, measure] == pytest.approx(expected, abs=1e-12)


def test_a_judge_that_ties_all_runs_has_no_tau() -> None:
    drawn = two_assessors()
    human = evaluate(drawn.human, drawn.runs, "AP")
    values = correlate_means("kendall", ordered_means(human), np.full((1, 1, 6), 0.25))
    assert np.isnan(values).all()
    assert around(float(values[0, 0]), np.full(9, np.nan), 8, 0.05) is None


@pytest.mark.parametrize(
    ("tau", "floor", "skill"), [(0.9, 0.75, (0.9 - 0.75) / 0.25), (0.7, 0.75, -0.05 / 0.25), (1.0, -0.2, 1.0)]
)
def test_skill_is_the_share_of_the_way_from_the_floor_to_one(tau: float, floor: float, skill: float) -> None:
    assert OrderAgreement(Estimate(tau), Estimate(floor), None).skill == pytest.approx(skill)


def test_without_tau_or_floor_or_room_above_it_there_is_no_skill() -> None:
    assert OrderAgreement(None, Estimate(0.5), None).skill is None
    assert OrderAgreement(Estimate(0.5), None, None).skill is None
    assert OrderAgreement(Estimate(1.0), Estimate(1.0), None).skill is None


def test_halves_of_the_topics_order_alike_where_topics_do_not_differ() -> None:
    drawn = two_assessors(3, topics=7)
    human = evaluate(drawn.human, drawn.runs, "AP")
    assert 0 < correlate_halves("kendall", human, 0)[0] < 1
    alike = replace(human, values=np.repeat(human.values[:, :1], 7, axis=1))
    assert correlate_halves("kendall", alike, 0).tolist() == [1.0]
    tied = replace(human, values=np.full_like(human.values, 0.5))
    assert np.isnan(correlate_halves("kendall", tied, 0)).all()


def test_where_topics_drawn_leave_a_run_without_any_there_is_no_order() -> None:
    drawn = two_assessors(3)
    runs = {**drawn.runs, "run5": {"t00": drawn.runs["run5"]["t00"]}}
    human, judge = (evaluate(one, runs, "AP", missing="skip") for one in (drawn.human, drawn.judge))
    weights = np.ones((2, 8))
    weights[1, 0] = 0
    values = resample_correlations("kendall", human, [judge], weights)
    assert np.isnan(values[:, 0, 0]).tolist() == [False, True]
