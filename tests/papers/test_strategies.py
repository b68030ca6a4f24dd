from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, Features, MeannDCG, evaluate, judge, read_letor
from gradeval.papers.strategies import Judgment, judge_strategies, ranks_as_grades, values_as_grades
from gradeval.papers.virtual_users import LABELS, USERS


def small() -> Features:
    """Two topics, three features; the third topic has nothing relevant to anybody."""
    X = [[3, 0.5, 1], [1, 2.5, 1], [9, 1.5, 1], [1, -0.5, 1], [3, 4.5, 1], [1, -0.5, 1]]
    return Features.from_arrays(X, [1, 0, 2, 0, 1, 0], sizes=[3, 2, 1], name="f")


@pytest.fixture(scope="module")
def ohsumed(data: Callable[[str], Path]) -> Features:
    return Features.concat([read_letor(data("ohsumed-letor2") / f"S{part}.txt") for part in range(1, 6)])


@pytest.fixture(scope="module")
def figures(ohsumed: Features) -> list[Judgment]:
    """Figures 6, 7 and 8."""
    return judge_strategies(ohsumed, {user.name: user.grades(ohsumed) for user in (LABELS, *USERS)})


MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


def test_values_are_ranked_over_the_whole_collection_or_shifted_to_0() -> None:
    assert ranks_as_grades(small(), 1).tolist() == [1, 0, 2, 0, 1, 0]
    assert values_as_grades(small(), 2).tolist() == [1, 3, 2, 0, 5, 0]
    assert ranks_as_grades(small(), 2).tolist() == [1, 3, 2, 0, 4, 0]
    assert values_as_grades(small(), 1).tolist() == [2, 0, 8, 0, 2, 0]


def test_strategies_are_measured_as_the_registered_measures_do() -> None:
    features = small()
    users = {"ranks": ranks_as_grades(features, 1), "values": values_as_grades(features, 2)}
    for judgment in judge_strategies(features, users, [1, 2, 3]):
        rated = features.with_grades(users[judgment.user])
        runs = [features.run(strategy, name=str(strategy)) for strategy in (1, 2, 3)]
        whole = evaluate(rated.qrels, runs, "muAP nDCG(dcg='exp-log2') NDCNG", ties="order")
        assert judgment.values[..., :3] == pytest.approx(whole.values)
        measures = [AP(rel=level) for level in judgment.thresholds]
        assert judgment.by_threshold == pytest.approx(evaluate(rated.qrels, runs, measures, ties="order").mean())
        assert (judgment.strategies, judgment.topics) == (["1", "2", "3"], ["1", "2", "3"])
        assert judgment.mean() == pytest.approx(judgment.values.mean(axis=1))
        for topic, length in enumerate((3, 2, 1)):
            alone = judge(rated.select(str(topic + 1)).qrels, runs, ties="order")
            mean = (MeannDCG(dcg="exp-log2") @ length)(alone)
            assert judgment.values[:, topic, MEAN_NDCG] == pytest.approx(mean[:, 0])


def test_a_hand_worked_topic() -> None:
    # Feature 1 ranks grades 2, 1, 0; feature 3 ties all and leaves the order of the file: 1, 0, 2.
    (judgment,) = judge_strategies(small(), {"labels": small().grades}, [1, 3])
    assert judgment.values[0, 0].tolist() == [1] * 5
    ap1, ap2 = (1 / 1 + 2 / 3) / 2, 1 / 3
    assert judgment.values[1, 0, MUAP] == pytest.approx((ap1 + ap2) / 2)
    ideal = 3 + 1 / np.log2(3)
    assert judgment.values[1, 0, NDCG] == pytest.approx((1 + 3 / 2) / ideal)
    assert judgment.values[1, 0, MEAN_NDCG] == pytest.approx((1 / 3 + 1 / ideal + (1 + 3 / 2) / ideal) / 3)
    assert judgment.values[:, 2].tolist() == [[0] * 5] * 2  # nothing relevant
    assert judgment.by_threshold[1].tolist() == pytest.approx([(ap1 + 1 / 2 + 0) / 3, ap2 / 3])


def test_scaling_the_grades_changes_what_ndcg_says_alone() -> None:
    grades = small().grades
    once, twice = judge_strategies(small(), {"once": grades, "twice": 2 * grades}, [2, 3])
    for measure in (MUAP, NDCNG, MEAN_NDCNG):
        assert twice.values[..., measure] == pytest.approx(once.values[..., measure])
    assert (twice.values[1, 0, [NDCG, MEAN_NDCG]] < once.values[1, 0, [NDCG, MEAN_NDCG]]).all()


@pytest.mark.realdata
def test_strategies_that_know_the_query_alone_leave_the_order_of_the_file(
    ohsumed: Features, figures: list[Judgment]
) -> None:
    for strategy in ("5", "15"):
        values = ohsumed.column(strategy)
        assert all(len(set(values[a:b].tolist())) == 1 for a, b in pairwise(ohsumed.offsets))
    for figure in figures:
        first, second = (figure.strategies.index(name) for name in ("5", "15"))
        assert np.array_equal(figure.values[first], figure.values[second])
