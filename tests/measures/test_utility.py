from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, topics

from gradeval import SCU, JudgedRankings, Utility


def example(golden: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [one for one in golden["examples"] if one["name"].startswith(name)]
    return found


@given(topics(unjudged=6), st.integers(1, 5), st.integers(1, 5), st.integers(1, 6), st.integers(1, 3))
def test_scaled_utility_follows_its_definition(topic: Topic, A: int, B: int, s: int, rel: int) -> None:
    found = topic.count(len(topic.ranking), rel)
    utility = A * found - B * (len(topic.ranking) - found)
    floor, most = -B * s, A * topic.base(rel)
    expected = Fraction(max(utility, floor) - floor, most - floor)
    assert SCU(A=A, B=B, s=s, rel=rel)(topic.judged) == pytest.approx(float(expected))


def test_scaled_utility_worked_example_lf1(golden: dict[str, Any]) -> None:
    judged = JudgedRankings.of([1] * 10 + [0] * 20, pool=[50, 30])
    # u = 3 * 10 - 2 * 20 = -10, U(25) = -50, MaxU = 90
    assert SCU(s=25)(judged) == pytest.approx((-10 + 50) / (90 + 50))
    assert SCU(s=25)(judged) == pytest.approx(example(golden, "scaled utility LF1")["expected"]["value"], abs=1e-12)


def test_scaled_utility_reaches_its_floor_lf2(golden: dict[str, Any]) -> None:
    judged = JudgedRankings.of([0] * 500, pool=[500, 12])
    assert SCU(A=3, B=1)(judged) == example(golden, "scaled utility LF2")["expected"]["value"] == 0


def test_retrieving_nothing_is_the_best_where_nothing_is_relevant() -> None:
    assert SCU(JudgedRankings.of([], pool=[3, 0])) == 1
    assert SCU(JudgedRankings.of([0], pool=[3, 0])) == (200 - 2) / 200
    assert SCU.base(JudgedRankings.of([], pool=[3, 0])) is None


WEIGHTS = st.sampled_from([1, -1, 0, 0.5, -2])


@given(topics(unjudged=6), WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, st.sampled_from([0, 100]), st.integers(1, 3))
def test_utility_weighs_the_four_kinds_of_documents(
    topic: Topic, p1: float, p2: float, p3: float, p4: float, documents: int, rel: int
) -> None:
    retrieved, relevant = len(topic.ranking), topic.base(rel)
    both = topic.count(retrieved, rel)
    neither = documents - (retrieved + relevant - both)
    expected = p1 * both + p2 * (retrieved - both) + p3 * (relevant - both) + p4 * neither
    measure = Utility(p1=p1, p2=p2, p3=p3, p4=p4, documents=documents, rel=rel)
    assert measure(topic.judged) == pytest.approx(expected)


def test_utility_counts_what_is_relevant_against_what_is_not() -> None:
    judged = JudgedRankings.of([1, 0, None, 2], pool=[5, 3, 1])
    assert Utility(judged) == 2 - 2
    assert Utility(p3=-1)(judged) == 2 - 2 - 2
    assert Utility(p4=0.5, documents=10)(judged) == 2 - 2 + (10 - 4 - 2) / 2
    assert Utility.base(judged) is None
