"""Collections with many grades: each topic is scored on its own, with the same value."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import GAP, JudgedRankings, Measure, eGAP, evaluate, xGAP
from gradeval.measures import thresholds
from gradeval.measures.curves import graded_precision


def gap(grades: list[float], pool: list[float], levels: list[float]) -> float:
    """GAP with uniform g as its definition reads, threshold by threshold."""
    value = base = 0.0
    for level in levels:
        hits = 0
        for rank, grade in enumerate(grades, 1):
            if grade >= level:
                hits += 1
                value += hits / rank
        base += sum(grade >= level for grade in pool)
    return value / base


def test_gap_of_continuous_grades_is_that_of_its_definition() -> None:
    draw = np.random.default_rng(1)
    qrels = {str(topic): {f"d{i}": round(float(draw.random()), 6) for i in range(30)} for topic in range(4)}
    run = {topic: {document: float(draw.random()) for document in judged} for topic, judged in qrels.items()}
    levels = sorted({grade for judged in qrels.values() for grade in judged.values()} - {0.0})
    assert len(levels) > thresholds.MANY
    scores = evaluate(qrels, run, [GAP])
    for topic, value in zip(scores.topics, scores.values[0, :, 0].tolist(), strict=True):
        ranked = sorted(run[topic], key=lambda document: run[topic][document], reverse=True)
        grades = [qrels[topic][document] for document in ranked]
        assert value == pytest.approx(gap(grades, grades, levels), rel=1e-12)


@pytest.mark.parametrize("measure", [GAP, GAP @ 3, GAP(norm="min") @ 3, eGAP, eGAP(renormalise=True), xGAP, xGAP @ 4])
@pytest.mark.parametrize("g", [None, [0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, 0.0]])
def test_own_levels_change_no_value(monkeypatch: pytest.MonkeyPatch, measure: Measure, g: list[float] | None) -> None:
    draw = np.random.default_rng(2)
    lists = [
        JudgedRankings.of(list(draw.choice([0, 1, 3, 4, None], 9)), pool=[9, 9, 0, 12, 10], levels=range(5))
        for _ in range(20)
    ]
    asked = measure if g is None else measure(g=g)
    few = [float(asked(ranking)[0]) for ranking in lists]
    curves = [graded_precision(ranking) for ranking in lists]
    monkeypatch.setattr(thresholds, "MANY", 0)
    fresh = [JudgedRankings(**{name: getattr(ranking, name) for name in FIELDS}) for ranking in lists]
    assert [float(asked(ranking)[0]) for ranking in fresh] == pytest.approx(few, rel=1e-12)
    for ranking, curve in zip(fresh, curves, strict=True):
        assert graded_precision(ranking) == pytest.approx(curve, rel=1e-12)


FIELDS = "grades ranks judged document pool levels retrieved".split()


def test_own_levels_broadcast_over_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = JudgedRankings.of([2, 0, 1, 3], pool=[2, 2, 2, 1])
    fields = {name: getattr(ranking, name) for name in FIELDS}
    pools = np.array([[[2, 2, 2, 1]], [[5, 1, 1, 1]]])  # two pools, one ranking
    expected = xGAP(JudgedRankings(**(fields | {"pool": pools})))
    monkeypatch.setattr(thresholds, "MANY", 0)
    assert xGAP(JudgedRankings(**(fields | {"pool": pools}))) == pytest.approx(expected, rel=1e-12)
    assert expected.shape == (2, 1)
