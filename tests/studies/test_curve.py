"""Precision-recall curves of runs: against the measures that their areas are, and a literal slow definition."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import AP, GAP, InputError, JudgedRuns, P, curve, evaluate, judge

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2}, "2": {"a": 1, "b": 0, "c": 2}, "3": {"a": 0, "b": 0}}
RUNS = [
    {"1": {"b": 5.0, "c": 4.0, "a": 3.0, "x": 2.0, "d": 1.0}, "2": {"b": 2.0, "c": 1.0}, "3": {"a": 1.0}},
    {"1": {"a": 2.0, "e": 1.0}, "3": {"b": 1.0}},
]


@pytest.fixture
def judged() -> JudgedRuns:
    return judge(QRELS, RUNS)


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("empty", ["zero", "skip"])
@pytest.mark.parametrize("choice", [{"rel": [1, 2]}, {"g": [0.3, 0.7]}, {"g": "uniform"}])
def test_areas_are_the_values_of_the_measure(
    judged: JudgedRuns, choice: dict[str, object], missing: str, empty: str
) -> None:
    curves = curve(judged, **choice, missing=missing, empty=empty)
    scores = evaluate(QRELS, RUNS, curves.measures, missing=missing, empty=empty)
    assert curves.areas.values == pytest.approx(scores.values, abs=1e-12)
    assert curves.areas.mean() == pytest.approx(scores.mean(), abs=1e-12)
    assert curves.scores.mean().tolist() == scores.mean().tolist()


def test_points_are_those_of_the_book(judged: JudgedRuns) -> None:
    points = curve(judged).points_of("run", "1", AP)
    assert points.tolist() == pytest.approx(np.array([[1, 1 / 4, 1], [3, 2 / 4, 2 / 3], [5, 3 / 4, 3 / 5]]))
    best = curve(judged, interpolated=True, rel=2).points_of("run", "2", AP(rel=2))
    assert best.tolist() == [[2, 1, 1 / 2]]


def test_graded_points_follow_the_definition_of_robertson(judged: JudgedRuns) -> None:
    points = curve(judged, g=[0.5, 0.5], topics="2").points_of("run", "2", GAP(g=[0.5, 0.5]))
    # Rank 2 holds grade 2, which all accept, below a document that nobody accepts; half accept the other of grade 1.
    assert points.tolist() == [[2, pytest.approx(1 / (1 + 1 / 2)), pytest.approx(1 / 2)]]


def test_the_mean_precision_by_rank_is_that_of_the_measure(judged: JudgedRuns) -> None:
    curves = curve(judged, rel=[1, 2])
    for n in (1, 3, 5):
        means = evaluate(QRELS, RUNS, [P @ n, P(rel=2) @ n]).mean()
        assert curves.mean_by_rank()[:, :, n - 1] == pytest.approx(means)
    assert curves.by_rank.shape == (2, 3, 2, 5)


def test_the_mean_at_recall_is_interpolated_precision(judged: JudgedRuns) -> None:
    curves = curve(judged)
    means = evaluate(QRELS, RUNS, [f"IPrec@{tenth / 10}" for tenth in range(11)]).mean()
    assert curves.mean_at_recall()[:, 0].tolist() == pytest.approx(means)
    credited = curve(judged, empty="one").mean_at_recall()[:, 0]
    assert credited == pytest.approx(means + 1 / 3)


def test_some_runs_and_topics(judged: JudgedRuns) -> None:
    some = curve(judged, runs=["run 2"], topics=["2", "1"])
    assert (some.runs, some.topics) == (["run 2"], ["1", "2"])
    assert some.areas.values[0, :, 0].tolist() == [pytest.approx(1 / 2), 0]


def test_the_table_has_the_mean_or_every_topic_and_every_point(judged: JudgedRuns) -> None:
    curves = curve(judged, g=[0.5, 0.5])
    (mean, ranks), (topics, _, points) = curves.table().grids, curves.table(per_topic=True).grids
    assert [len(mean.rows), len(ranks.rows), len(topics.rows), len(points.rows)] == [2, 2, 2 * 4, 3 + 1 + 2]
    statistics = set(curves.table(per_topic=True).records.fields["statistic"])
    assert "precision at document" in statistics
    assert "GAP" in str(curves)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"rel": 3}, "rel=3 is not a positive level"),
        ({"rel": 1, "g": [1, 0]}, "give one of the two"),
        ({"g": [0.5, 0.6]}, "sum to 1"),
        ({"g": [1]}, "g has 1 probabilities"),
        ({"runs": "none"}, "none"),
        ({"topics": []}, "no topic to trace"),
    ],
)
def test_what_cannot_be_traced_is_refused(judged: JudgedRuns, choice: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        curve(judged, **choice)
