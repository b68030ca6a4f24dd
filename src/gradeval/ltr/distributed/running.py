"""Run the training on all workers, and tell at once where one of them fails or is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gradeval._core import InputError
from gradeval.ltr.data.task import Progress
from gradeval.ltr.distributed.exchange import Exchange
from gradeval.ltr.distributed.share import Outcome, Plan
from gradeval.ltr.rankers.learning_curve import Epoch

WATCH = 0.5  # seconds from one look at the workers to the next
NOTICE = 30.0  # seconds until a scheduler has noticed at the latest that a connection broke because a worker ended


class WorkerLostError(RuntimeError):
    """A worker was lost while it trained. The trees so far are in the checkpoint, where one is written."""


def train_together(
    client: Any,
    train: Callable[..., Outcome],
    plan: Plan,
    shares: Mapping[str, list[Any]],
    valid: Mapping[str, list[Any]],
    progress: Progress | None = None,
) -> Outcome:
    """Train on all workers of ``shares`` at once; the result of the first of them.

    ``shares``, ``valid``: the parts of each worker, futures of Dask. ``progress``: called with each epoch, of which the
    first worker reports; a moment after it is done.
    """
    import distributed

    workers = list(shares)
    meeting = client.submit(Exchange, len(workers), actor=True, workers=workers[:1], pure=False)
    exchange = meeting.result()
    tasks = [
        client.submit(
            train,
            plan,
            exchange,
            rank,
            len(workers),
            shares[worker],
            valid.get(worker, []),
            workers=[worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        for rank, worker in enumerate(workers)
    ]
    told = 0
    try:
        while not all(task.status == "finished" for task in tasks):
            _require_workers(client, workers, plan)
            if any(task.status == "error" for task in tasks):
                _stop(exchange)
                raise _explain(client, tasks, workers, plan)
            pending = [task for task in tasks if task.status == "pending"]
            with suppress(TimeoutError):
                distributed.wait(pending, timeout=WATCH, return_when="FIRST_COMPLETED")  # type: ignore[no-untyped-call]
            told += _pass_on(exchange, told, progress)
        _pass_on(exchange, told, progress)  # the last ones
        outcome: Outcome = tasks[0].result()
        return outcome
    except BaseException:
        _stop(exchange)
        client.cancel(tasks, force=True)
        raise


def _pass_on(exchange: Any, told: int, progress: Progress | None) -> int:
    """Tell of the epochs since the first ``told``; how many there were."""
    if progress is None:
        return 0
    epochs: list[Epoch] = []
    with suppress(Exception):  # whatever Dask raises where the first worker is gone, as the next look at it tells
        epochs = exchange.epochs_from(told).result(timeout=5)
    for epoch in epochs:
        progress(epoch)
    return len(epochs)


def _stop(exchange: Any) -> None:
    """Let no worker wait any longer; where the first worker was lost, the meeting is lost with it."""
    with suppress(Exception):  # whatever Dask raises for an actor that is gone
        exchange.stop("the training was stopped, as another worker failed").result(timeout=5)


def _require_workers(client: Any, workers: list[str], plan: Plan) -> None:
    alive = client.ncores()  # scheduler_info() is at times without workers, while the client refreshes it
    if lost := [worker for worker in workers if worker not in alive]:
        place = plan.checkpoint and os.fspath(plan.checkpoint)
        remedy = (
            f"call again with resume=True to continue from {place}"
            if place
            else "call again; with checkpoint= the trees so far would be kept, and resume=True would continue"
        )
        raise WorkerLostError(f"{plan.name}: worker {lost[0]} was lost, so training stopped; {remedy}")


def _explain(client: Any, tasks: list[Any], workers: list[str], plan: Plan) -> BaseException:
    """The error that stopped the training: bad input before all; else a lost worker, which breaks the connections of
    the others; else the first error."""
    deadline = time.monotonic() + NOTICE
    while True:
        errors: list[BaseException] = [task.exception() for task in tasks if task.status == "error"]
        if refused := [error for error in errors if isinstance(error, InputError)]:
            return refused[0]
        _require_workers(client, workers, plan)
        if time.monotonic() > deadline or len(errors) == len(tasks):
            return errors[0]
        time.sleep(WATCH)
