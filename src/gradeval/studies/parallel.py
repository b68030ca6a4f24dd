"""Tasks in parallel on several cores, with progress, and an end at the first error or interruption."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import TypeVar

from gradeval import checks
from gradeval.progress import ShowProgress, Step

T = TypeVar("T")


class _Stopped(Exception):
    """Ends a task whose result is no longer needed."""


def run_in_parallel(
    tasks: Iterable[Callable[[Step], T]], threads: int, progress: ShowProgress = False, total: int = 0
) -> list[T]:
    """Run the tasks on some threads (0: one a core) and return their results in the order of the tasks.

    ``progress`` is called with the sum of the steps of all tasks, and with ``total``. After an error in a task or in
    ``progress``, or an interruption, no further task begins, and those that run end at their next step.
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
            if callable(progress):
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
                if not isinstance(
                    finished.exception(), _Stopped
                ):  # the error that stopped it is raised by another task
                    finished.result()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [finished.result() for finished in running]
