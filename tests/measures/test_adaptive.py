"""Users who go on or stop by what they have found: against the probability to go on, rank by rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, topics

from gradeval import BPM, INSQ, INST, NERR8, NERR9, NERR10, NERR11, JudgedRankings, gP
from gradeval.measures.rates import trigamma

FAR = 20_000
GoingOn = Callable[[int, list[float]], float]
"""The probability to go on from rank n, of the gains at the ranks 1..n."""


def gains(topic: Topic, cutoff: int | None) -> list[float]:
    """g(n) down to rank FAR."""
    found = [grade / (len(topic.pool) - 1) for grade in topic.grades[:cutoff]]
    return found + [0.0] * (FAR - len(found))


def rate(found: list[float], going_on: GoingOn, last: int = FAR) -> tuple[float, float, float]:
    """What is gained and the ranks that are read, as the user goes on from rank to rank; and who is at the last."""
    there, gained, read, so_far = 1.0, 0.0, 0.0, []
    for n, gain in enumerate(found[:last], 1):
        so_far.append(gain)
        gained, read = gained + there * gain, read + there
        there *= going_on(n, so_far)
        if there == 0:
            break
    return gained, read, there


wanted = st.sampled_from([0.5, 1, 2, 3.5])
places = st.none() | st.integers(1, 12)


@given(topics(), wanted, places)
def test_inst_follows_from_what_is_still_to_be_found(topic: Topic, T: float, cutoff: int | None) -> None:
    found = gains(topic, cutoff)
    total = sum(found)
    memory = {0: 0.0}

    def going_on(n: int, so_far: list[float]) -> float:
        memory[n] = memory[n - 1] + so_far[-1]
        return float(((n + T + (T - memory[n]) - 1) / (n + T + (T - memory[n]))) ** 2)

    gained, read, there = rate(found, going_on)
    beyond = there * (FAR + 2 * T - 0.5 - total)  # the ranks read beyond, as an integral
    assert INST(T=T, cutoff=cutoff)(topic.judged) == pytest.approx(gained / (read + beyond), rel=1e-6)


@given(topics(), st.sampled_from([0.3, 0.5, 1, 2, 100]), st.integers(1, 12))
def test_bpm_stops_when_enough_is_found_or_read(topic: Topic, T: float, cutoff: int) -> None:
    top = len(topic.pool) - 1
    grades = (topic.grades + [0] * cutoff)[:cutoff]
    read = next((n for n in range(1, cutoff + 1) if sum(grades[:n]) / top >= T), cutoff)
    assert BPM(T=T, cutoff=cutoff)(topic.judged) == pytest.approx(sum(grades[:read]) / top / read)


def test_bpm_of_a_user_who_wants_everything_is_generalised_precision() -> None:
    judged = JudgedRankings.of([1, 0, 3, None, 2], pool=[2, 1, 1, 2])
    assert (BPM(T=100) @ 4)(judged) == (gP @ 4)(judged)


def test_thirds_add_up_to_a_document() -> None:
    assert (BPM(T=1) @ 10)(JudgedRankings.of([1, 1, 1, 3], levels=range(4))) == pytest.approx((1 / 3 * 3) / 3)
    assert (BPM(T=0.3) @ 4)(JudgedRankings.of([1, 1, 1, 10], levels=range(11))) == pytest.approx(0.3 / 3)


@given(topics(), st.integers(1, 12))
def test_kin_of_err_down_to_a_cutoff(topic: Topic, cutoff: int) -> None:
    found = gains(topic, None)
    gained, read, _ = rate(found, lambda _, so_far: 1 - so_far[-1], cutoff)
    assert (NERR8 @ cutoff)(topic.judged) == pytest.approx(gained / read)
    gained, read, _ = rate(found, lambda n, so_far: n / (n + 1) * (1 - so_far[-1]), cutoff)
    assert (NERR9 @ cutoff)(topic.judged) == pytest.approx(gained / read)


@given(topics(), st.sampled_from([0, 0.5, 0.9]), wanted, places)
def test_kin_of_err_that_read_on(topic: Topic, p: float, T: float, cutoff: int | None) -> None:
    found = gains(topic, cutoff)
    gained, read, _ = rate(found, lambda _, so_far: p * (1 - so_far[-1]))
    assert NERR10(p=p, cutoff=cutoff)(topic.judged) == pytest.approx(gained / read)
    gained, read, there = rate(found, lambda n, so_far: ((n + 2 * T - 1) / (n + 2 * T)) ** 2 * (1 - so_far[-1]))
    beyond = there * (FAR + 2 * T - 0.5)
    assert NERR11(T=T, cutoff=cutoff)(topic.judged) == pytest.approx(gained / (read + beyond), rel=1e-6)


def test_who_has_found_something_reads_less() -> None:
    judged = JudgedRankings.of([0, 0, 0, 2], pool=[3, 1, 1])
    assert INST(T=2)(judged) > INSQ(T=2)(judged)


def tail(x: float) -> float:
    return sum(1 / (n + x) ** 2 for n in range(200_000)) + 1 / (199_999.5 + x)  # the rest, as an integral


@pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 3.7, 250.0])
def test_the_trigamma_function_is_a_sum_of_inverse_squares(x: float) -> None:
    assert trigamma(np.float64(x)) == pytest.approx(tail(x), rel=1e-10)
