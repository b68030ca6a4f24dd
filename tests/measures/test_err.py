from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, by_grade, gained_topics, golden_cases, share, together, topics

from gradeval import ERR, InputError, JudgedRankings, nERR


def err(gains: list[int], top: int, cutoff: int | None = None) -> Fraction:
    """The mean of 1/rank of the document at which the user stops, literally."""
    value, arrived = Fraction(0), Fraction(1)
    for n, gain in enumerate(gains[:cutoff], 1):
        stop = Fraction(gain, top + 1)
        value += arrived * stop / n
        arrived *= 1 - stop
    return value


def test_golden_expected_reciprocal_rank(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "err"):
        assert ERR(cutoff=params.get("cutoff"))(judged) == pytest.approx(value, abs=1e-12), what


@given(gained_topics(), st.none() | st.integers(1, 12))
def test_it_follows_its_definition(drawn: tuple[Topic, list[int]], cutoff: int | None) -> None:
    topic, gains = drawn
    found = [gains[item] if isinstance(item, int) else 0 for item in topic.ranking]
    documents = [gains[grade] for grade, count in enumerate(topic.pool) for _ in range(count)]
    value = err(found, max(gains), cutoff)
    ideal = err(sorted(documents, reverse=True), max(gains), cutoff)
    parameters = {"gains": by_grade(gains), "cutoff": cutoff}
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        assert ERR(**parameters)(topic.judged) == pytest.approx(float(value))
        assert nERR(**parameters)(topic.judged) == pytest.approx(float(share(value, ideal)))


@given(topics())
def test_the_default_gain_is_exponential(topic: Topic) -> None:
    levels = range(len(topic.pool))
    stops = {float(grade): float(2**grade - 1) for grade in levels}
    assert ERR(topic.judged) == ERR(gains=stops)(topic.judged)
    assert ERR(topic.judged) == pytest.approx(float(err([2**a - 1 for a in topic.grades], 2 ** max(levels) - 1)))


def test_the_probability_of_stopping_belongs_to_the_collection() -> None:
    assert ERR(JudgedRankings.of([1, 1])) == pytest.approx(1 / 2 + 1 / 2 * 1 / 2 * 1 / 2)
    assert ERR(JudgedRankings.of([1, 1], pool=[0, 2, 0])) == pytest.approx(1 / 4 + 1 / 2 * 3 / 4 * 1 / 4)


def test_grades_that_gains_do_not_name_keep_theirs() -> None:
    judged = JudgedRankings.of([1, 2], pool=[0, 1, 1])
    assert ERR(gains={2: 4})(judged) == pytest.approx(1 / 5 + 1 / 2 * 4 / 5 * 4 / 5)
    assert ERR(gains={1: 4})(judged) == pytest.approx(4 / 5 + 1 / 2 * 1 / 5 * 3 / 5)


def test_gaps_count_as_ranks() -> None:
    assert ERR(JudgedRankings.of([None, 1, "U", 1])) == pytest.approx(1 / 2 * 1 / 2 + 1 / 4 * 1 / 2 * 1 / 2)


def test_grades_may_be_fractions() -> None:
    judged = JudgedRankings.of([0.5, 0, 1.5], levels=[0, 0.5, 1.5])
    low, high = (2**0.5 - 1) / 2**1.5, (2**1.5 - 1) / 2**1.5
    assert ERR(judged) == pytest.approx(low + (1 - low) * high / 3)
    assert nERR(judged) == pytest.approx((low + (1 - low) * high / 3) / (high + (1 - high) * low / 2))


def test_very_large_grades_stop_everybody() -> None:
    judged = JudgedRankings.of([900, 900])
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        assert ERR(judged) == 1
        assert nERR(judged) == 1
    with pytest.raises(InputError, match=r"the gain of grade 1001 is beyond 2\^1000"):
        ERR(JudgedRankings.of([1001], levels=[0, 1001]))


def test_many_large_pools_are_normalised_piece_by_piece() -> None:
    pools = np.array([[0, 60_000 + size, size] for size in range(1, 41)])
    judged = together([JudgedRankings.of([1, 2, 0], pool=[1, *pool[1:]]) for pool in pools])
    one = nERR(JudgedRankings.of([1, 2, 0], pool=[1, 60_020, 20]))
    assert nERR(judged)[19] == one
