"""Means over topics on several workers, and where the workers meet."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradeval import AP, Measure, NumRelRet, Scores, gmAP
from gradeval.ltr.distributed.exchange import Exchange
from gradeval.ltr.distributed.totals import NOTHING, mean_of, total_of


def run(calls: Coroutine[Any, Any, Any]) -> Any:
    """The result of asynchronous calls, in a thread of their own: tests with a browser leave a loop running here."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, calls).result()


def scores_of(values: list[float], measure: Measure) -> Scores:
    return Scores(
        values=np.array(values).reshape(1, -1, 1),
        present=np.ones((1, len(values)), bool),
        vacant=np.zeros((len(values), 1), bool),
        runs=["run"],
        topics=[str(number) for number in range(len(values))],
        measures=[measure],
    )


@example([1.0, 1.0, 2.0**-52, 1e-50], [2], AP)  # just above the middle of two doubles
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=3),
    st.sampled_from([AP, gmAP, NumRelRet]),
)
def test_totals_of_any_parts_give_the_mean_of_the_whole(values: list[float], cuts: list[int], measure: Measure) -> None:
    ends = sorted({0, len(values), *(cut for cut in cuts if cut < len(values))})
    parts = [scores_of(values[begin:end], measure) for begin, end in pairwise(ends)]
    totals = [NOTHING, *(total_of(part) for part in parts)]
    assert mean_of(measure, totals) == scores_of(values, measure).mean()[0, 0]


def test_a_mean_is_no_mean_of_means() -> None:
    parts = [scores_of([1.0], AP), scores_of([0.0, 0.0, 0.0], AP)]
    assert mean_of(AP, [total_of(part) for part in parts]) == 1 / 4


def test_topics_that_do_not_count_are_left_out() -> None:
    some = replace(scores_of([1.0, 0.0], AP), vacant=np.array([[False], [True]]), empty="skip")
    assert mean_of(AP, [total_of(some)]) == 1.0


def meet(exchange: Exchange, *calls: tuple[int, int, Any]) -> list[Any]:
    async def all_calls() -> list[Any]:
        return await asyncio.gather(*(exchange.share(*call) for call in calls), return_exceptions=True)

    answers: list[Any] = run(all_calls())
    return answers


def test_every_worker_gets_the_values_of_all_by_rank() -> None:
    exchange = Exchange(3)
    for number in (1, 2):
        assert meet(exchange, (number, 2, "c"), (number, 0, "a"), (number, 1, "b")) == [["a", "b", "c"]] * 3
    assert not exchange.rounds  # nothing is kept


def test_a_worker_that_begins_again_is_refused() -> None:
    exchange = Exchange(1)
    assert meet(exchange, (1, 0, "a")) == [["a"]]
    (error,) = meet(exchange, (1, 0, "a"))
    assert str(error).startswith("a worker was lost and began again")


def test_who_waits_is_told_when_the_training_stops() -> None:
    exchange = Exchange(2)

    async def wait_and_stop() -> Any:
        waiting = asyncio.create_task(exchange.share(1, 0, "a"))
        await asyncio.sleep(0)
        await exchange.stop("no more")
        return await waiting

    with pytest.raises(RuntimeError, match=r"^no more$"):
        run(wait_and_stop())
