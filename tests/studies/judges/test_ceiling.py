from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from gradeval import JudgedRankings, parse_measure
from gradeval.studies.judges import ceiling
from gradeval.studies.judges.ceiling import score_ceiling

LEVELS = (0.0, 1.0, 2.0)
MEASURES = [parse_measure(name) for name in ("AP", "GAP", "nDCG@3", "ERR", "RR")]
HUMAN = np.array([2.0, 0, 1, 0, 2, 1, 0, 0])
JUDGE = np.array([1.0, 1, 2, 0, 0, 2, 2, 1])
TOPIC = np.array([0, 0, 0, 0, 0, 1, 1, 1])
POOL = np.array([[4, 1, 2], [3, 1, 0]])


def enumerated(topic: int) -> np.ndarray:
    """The mean over all orders of the documents in which a better grade of the judge comes first."""
    here = [(judge, human) for judge, human, one in zip(JUDGE, HUMAN, TOPIC, strict=True) if one == topic]
    groups = [[human for judge, human in here if judge == grade] for grade in (2, 1, 0)]
    values = []
    for orders in product(*map(permutations, groups)):
        ranking = [int(grade) for group in orders for grade in group]
        judged = JudgedRankings.of(ranking, pool=POOL[topic].tolist(), levels=LEVELS)
        values.append([float(measure(judged)[0]) for measure in MEASURES])
    return np.mean(values, axis=0)


def test_the_ceiling_is_the_mean_over_all_orders_of_tied_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceiling, "ORDERS", 4000)
    values = score_ceiling(MEASURES, HUMAN, JUDGE, TOPIC, POOL, LEVELS, seed=0)
    error = values.std(0) / np.sqrt(len(values))
    for topic in range(2):
        assert (np.abs(values.mean(0)[:, topic] - enumerated(topic)) <= 5 * error[:, topic] + 1e-12).all()


def test_without_ties_every_order_is_the_same() -> None:
    values = score_ceiling(MEASURES, HUMAN[:3], np.array([0.0, 1, 2]), TOPIC[:3], POOL[:1], LEVELS, seed=0)
    judged = JudgedRankings.of([1, 0, 2], pool=POOL[0].tolist(), levels=LEVELS)
    expected = [measure(judged)[0] for measure in MEASURES]
    np.testing.assert_allclose(values[:, :, 0], np.tile(expected, (len(values), 1)), atol=1e-12)


def test_orders_are_cut_as_the_runs_are() -> None:
    values = score_ceiling([parse_measure("AP")], HUMAN, JUDGE, TOPIC, POOL, LEVELS, seed=0, depth=3)
    cut = score_ceiling([parse_measure("AP@3")], HUMAN, JUDGE, TOPIC, POOL, LEVELS, seed=0)
    np.testing.assert_array_equal(values, cut)
