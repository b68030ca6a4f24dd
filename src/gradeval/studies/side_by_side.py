"""Tasks side by side on several cores: they tell how far they are, and an interruption stops them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import TypeVar

from gradeval import checks
from gradeval.studies.progress import Progress, Step

T = TypeVar("T")


class _Stopped(Exception):
    """Ends a task whose result nobody waits for any more."""


def side_by_side(
    tasks: Iterable[Callable[[Step], T]], threads: int, progress: Progress | None = None, total: int = 0
) -> list[T]:
    """The results of the tasks, in their order, on so many threads (0: one a core).

    ``progress`` is told the sum of what the tasks stepped, out of ``total``. An error in a task or in ``progress``,
    or an interruption, lets no further task begin and ends the others at their next step.
    """
    threads = checks.threads(threads)
    stopped, lock = Event(), Lock()
    done = 0

    def step(number: int) -> None:
        nonlocal done
        if stopped.is_set():
            raise _Stopped
        with lock:
            done += number
            if progress is not None:
                progress(done, total)

    def run(task: Callable[[Step], T]) -> T:
        if stopped.is_set():
            raise _Stopped
        try:
            return task(step)
        except BaseException:
            stopped.set()
            raise

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            running = [pool.submit(run, task) for task in tasks]
            for finished in as_completed(running):
                if not isinstance(finished.exception(), _Stopped):  # what stopped it comes yet
                    finished.result()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [finished.result() for finished in running]
