"""How studies use several cores: tasks in parallel, and matrix products that stay on the core of their task.

``run_in_parallel`` reports progress, and ends at the first error or interruption. ``product`` and ``inner_products``
cut a product into small ones, which the linear algebra library computes on the calling core: its own threads would wait
for each other longer than they work. So the result is the same on any number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock
from typing import TypeVar

import numpy as np

from gradeval import arguments
from gradeval.formula.arithmetic import Array
from gradeval.progress import ShowProgress, Step

T = TypeVar("T")


KEPT = 2**25 - 2**16
"""Bytes that are taken and given back at once: the allocator of glibc then keeps what arrays of up to that size leave.
Else it gives it back to the system and takes it again, page by page, for a fifth of the time of a study."""


class _Stopped(Exception):
    """Ends a task whose result is no longer needed."""


def run_in_parallel(
    tasks: Iterable[Callable[[Step], T]], threads: int, progress: ShowProgress = False, total: int = 0
) -> list[T]:
    """Run the tasks on some threads (0: one a core) and return their results in the order of the tasks.

    ``progress`` is called with the sum of the steps of all tasks, and with ``total``. After an error in a task or in
    ``progress``, or an interruption, no further task begins, and those that run end at their next step.
    """
    # Tasks use SciPy. A library that starts threads of its own, as OpenBLAS does, may wait for them for ever where
    # memory is short and it is first imported in a thread.
    import scipy.special  # noqa: F401 - imported first

    np.empty(KEPT, np.uint8)
    threads = arguments.threads(threads)
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
        except BaseException:  # an interruption, too, stops the other tasks
            stopped.set()
            raise

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            try:
                running = [pool.submit(run, task) for task in tasks]
            except RuntimeError as error:  # no memory for the stack of a thread
                raise MemoryError(str(error)) from error
            for finished in as_completed(running):
                if not isinstance(
                    finished.exception(), _Stopped
                ):  # the error that stopped it is raised by another task
                    finished.result()
        except BaseException:  # Ctrl-C, too
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [finished.result() for finished in running]


SMALL = 2**18  # multiplications up to which OpenBLAS takes one core
COLUMNS = 1024


def product(a: Array, b: Array) -> Array:
    """[n, s]: a[n, k] @ b[k, s], in their precision."""
    (size, inner), width = a.shape, b.shape[-1]
    columns = min(width, COLUMNS, max(1, SMALL // inner))
    rows = max(1, SMALL // (inner * columns))
    whole = size // rows * rows
    result = np.empty((size, width), a.dtype)
    stacked = result[:whole].reshape(-1, rows, width)
    for begin in range(0, width, columns):
        part = slice(begin, begin + columns)
        np.matmul(a[:whole].reshape(-1, rows, inner), b[:, part], out=stacked[..., part])
        np.matmul(a[whole:], b[:, part], out=result[whole:, part])
    return result


def inner_products(x: Array, y: Array) -> Array:
    """float64[..., a, b]: the sums over the last axis of x[..., a, :] y[..., b, :]."""
    a, b = x.shape[-2], y.shape[-2]
    if a * b > SMALL // 64:
        if a < b:
            return np.swapaxes(inner_products(y, x), -1, -2)
        halves = [inner_products(part, y) for part in (x[..., : a // 2, :], x[..., a // 2 :, :])]
        return np.concatenate(halves, axis=-2)
    width = SMALL // (a * b)
    whole = x.shape[-1] // width * width
    # [..., part, a, width]: views, nothing is copied.
    parts = [np.swapaxes(v[..., :whole].reshape(*v.shape[:-1], -1, width), -2, -3) for v in (x, y)]
    total: Array = (parts[0] @ np.swapaxes(parts[1], -1, -2)).sum(-3, dtype=float)
    total += x[..., whole:] @ np.swapaxes(y[..., whole:], -1, -2)
    return total
