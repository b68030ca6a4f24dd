"""Tasks on several threads: their results, what they tell, and how they end; products cut into small ones."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from functools import partial
from threading import Barrier, main_thread
from typing import Any

import numpy as np
import pytest
from score_tables import drawn_scores

from gradeval import InputError, Qrels, Run, judge
from gradeval.papers.swaps import swaps
from gradeval.progress import Progress, Step
from gradeval.studies.compare import compare
from gradeval.studies.discriminate import discriminate
from gradeval.studies.informativeness.inform import inform
from gradeval.studies.parallel import inner_products, product, run_in_parallel
from gradeval.studies.robustness import robustness
from gradeval.studies.simulate import simulate_collection


def stepping(steps: int, place: int, step: Step) -> int:
    for _ in range(steps):
        step(2)
    return place


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_results_keep_the_order_of_the_tasks_and_progress_sums_their_steps(threads: int) -> None:
    told: list[tuple[int, int]] = []
    tasks = [partial(stepping, 4, place) for place in range(5)]
    assert run_in_parallel(tasks, threads, lambda *now: told.append(now), 40) == [0, 1, 2, 3, 4]
    assert told == [(done, 40) for done in range(2, 41, 2)]


def work_on(step: Step) -> None:
    """Ten seconds of work, unless a step ends it."""
    for _ in range(1000):
        time.sleep(0.01)
        step(1)
    pytest.fail("nobody stopped it")


def test_an_error_in_a_task_is_that_of_the_whole_and_ends_the_others() -> None:
    begun: list[int] = []
    both = Barrier(2)

    def work(place: int, step: Step) -> None:
        begun.append(place)
        both.wait()
        if place == 0:
            raise InputError("no")
        work_on(step)

    begin = time.monotonic()
    with pytest.raises(InputError, match="no"):
        run_in_parallel([partial(work, place) for place in range(9)], 2)
    assert sorted(begun) == [0, 1]
    assert time.monotonic() - begin < 9


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of POSIX")
def test_ctrl_c_ends_the_tasks() -> None:
    def work(place: int, step: Step) -> None:
        if place == 0:
            time.sleep(0.2)  # all tasks are waited for by now
            signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
        work_on(step)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_in_parallel([partial(work, place) for place in range(9)], 2)
    finally:
        signal.signal(signal.SIGINT, before)


STUDY = simulate_collection(topics=8, systems=5, levels=3, depth=30, documents=80, seed=1)
JUDGED = judge(Qrels.from_dict(STUDY.qrels), [Run.from_dict(run, name) for name, run in STUDY.runs.items()])
STUDIES: dict[str, Callable[..., Any]] = {
    "robustness": lambda **how: robustness(JUDGED, "AP", samples=4, **how),
    "discriminate": lambda **how: discriminate(drawn_scores(), samples=100, **how),
    "tukey": lambda **how: discriminate(drawn_scores(), method="tukey-hsd", samples=100, **how),
    "compare": lambda **how: compare(drawn_scores(), test="permutation", samples=100, **how),
    "compare-tukey": lambda **how: compare(drawn_scores(), test="tukey-hsd", samples=100, **how),
    "wilcoxon": lambda **how: compare(drawn_scores(), test="wilcoxon", samples=100, **how),
    "inform": lambda **how: inform(JUDGED, "AP nDCG", least=1, **how),
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the little data of these tests is cut into several pieces."""
    monkeypatch.setattr("gradeval.studies.significance.RESAMPLES_AT_ONCE", 300)
    monkeypatch.setattr("gradeval.studies.significance.MEANS_AT_ONCE", 300)
    monkeypatch.setattr("gradeval.studies.significance.PAIRS_AT_ONCE", 10)
    monkeypatch.setattr("gradeval.studies.informativeness.inform.PORTION", 8)


@pytest.mark.parametrize("study", [*STUDIES.values(), swaps], ids=[*STUDIES, "swaps"])
def test_one_measure_tells_its_progress_piece_by_piece(study: Callable[..., Any]) -> None:
    told: list[tuple[int, int]] = []
    study(progress=lambda *now: told.append(now))
    (total,) = {total for _, total in told}
    done = [done for done, _ in told]
    assert done[-1] == total
    assert len(done) >= 3
    assert (np.diff(done) >= 0).all()


@pytest.mark.parametrize("name", STUDIES)
def test_an_interruption_stops_a_study(name: str) -> None:
    told = 0

    def interrupted(*_: int) -> None:
        nonlocal told
        told += 1
        raise KeyboardInterrupt

    progress: Progress = interrupted
    with pytest.raises(KeyboardInterrupt):
        STUDIES[name](threads=1, progress=progress)
    assert told == 1


@pytest.mark.parametrize("small", [1, 7, 40, 2**18])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 8), (13, 4, 11), (2, 30, 1)])
def test_cutting_changes_nothing(small: int, shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.studies.parallel.SMALL", small * 64)
    monkeypatch.setattr("gradeval.studies.parallel.COLUMNS", 3)
    n, k, s = shape
    rng = np.random.default_rng(0)
    a, b = rng.random((n, k)), rng.random((k, s))
    assert product(a, b) == pytest.approx(a @ b)
    assert product(a, b.T.copy().T) == pytest.approx(a @ b)
    x, y = rng.random((2, n, k)), rng.random((2, s, k))
    assert inner_products(x, y) == pytest.approx(np.einsum("lak,lbk->lab", x, y))


def test_there_may_be_nothing_to_multiply() -> None:
    assert product(np.ones((0, 3)), np.ones((3, 4))).shape == (0, 4)
