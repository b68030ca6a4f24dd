"""The trainings of a cross-validation: each alone, here or in other processes, kept in a folder or not."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Event
from typing import Any, TypeAlias

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.features.folds import rotate
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.learning_curve import LearningCurve
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.ltr.saving.card import fingerprint
from gradeval.version import __version__


@dataclass(frozen=True)
class Trial:
    """One training that is to be done: what for, from which seed, on which fold (from 0)."""

    objective: Objective
    seed: int
    fold: int


@dataclass(frozen=True, eq=False, repr=False)
class Training(LearningCurve):
    """One of the trainings of a cross-validation, done.

    Attributes
    ----------
    fold, test : which fold, from 1, and the part that the ranker was tested on.
    seconds : how long it took; reading a training that was kept takes next to nothing.
    """

    fold: int
    test: str
    seconds: float


Result: TypeAlias = tuple[Array, Training]
"""The scores of the documents of the test part, and how the training went."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What all trainings have in common; it travels to other processes.

    Attributes
    ----------
    parts : disjoint, of the same features and levels.
    ranker, parameters : the class, and its parameters beside the objective and the seed.
    validate_by : the measure that stops training; None: that of the objective.
    work : a folder that keeps what was trained, under names that tell data and parameters; None: nothing is kept.
    """

    parts: tuple[Features, ...]
    ranker: type[Ranker]
    parameters: dict[str, Any]
    validate_by: Measure | None
    work: str | None

    def train(self, trial: Trial) -> Result:
        """Train on a fold, score its test part."""
        begin = time.perf_counter()
        fold = next(rotate([*self.parts[trial.fold :], *self.parts[: trial.fold]]))
        train = replace(fold.train, name=f"training part of fold {trial.fold + 1}")
        measure = trial.objective.measure if self.validate_by is None else self.validate_by
        try:
            ranker = self._trained(trial, train, fold.valid, measure)
            scores = ranker.score(fold.test)
        except InputError as error:
            raise InputError(f"fold {trial.fold + 1}, {trial.objective}, seed {trial.seed}: {error}") from error
        curve = ranker.learning_curve
        return scores, Training(
            **{each.name: getattr(curve, each.name) for each in fields(curve)},
            fold=trial.fold + 1,
            test=fold.test.name,
            seconds=time.perf_counter() - begin,
        )

    def _trained(self, trial: Trial, train: Features, valid: Features, measure: Measure) -> Ranker:
        """The ranker, from the folder where it is kept; one that was interrupted goes on."""
        ranker = self.ranker(trial.objective, seed=trial.seed, **self.parameters)
        if self.work is None:
            return ranker.fit(train, valid, measure)
        place = os.path.join(self.work, self._name(ranker, train, valid, measure))
        if os.path.isdir(place):
            return self.ranker.load(place)
        checkpoint = f"{place}.checkpoint"
        ranker.fit(train, valid, measure, checkpoint=checkpoint, resume=True)
        ranker.save(place)
        with suppress(FileNotFoundError):
            os.unlink(checkpoint)
        return ranker

    def _name(self, ranker: Ranker, train: Features, valid: Features, measure: Measure) -> str:
        """A name for the folder of a model: its kind and a digest of all that it depends on."""
        known = [
            __version__,
            ranker.kind,
            ranker.objective.parameters,
            ranker.parameters,
            str(measure),
            list(train.columns),
            list(train.levels),
            [fingerprint(train), fingerprint(valid)],
        ]
        return f"{ranker.kind}-{hashlib.sha256(json.dumps(known).encode()).hexdigest()[:24]}"


def trained(plan: Plan, trials: Sequence[Trial], jobs: int) -> Iterator[tuple[Trial, Result]]:
    """The results of trials, as they are done, by so many processes (0: one for each core)."""
    if plan.work is not None:
        try:
            os.makedirs(plan.work, exist_ok=True)
        except OSError as error:
            raise InputError(f"{plan.work}: no folder can be made there ({error.strerror}); name another") from error
    processes = min(jobs or os.cpu_count() or 1, len(trials))
    if processes == 1:
        for trial in trials:
            yield trial, plan.train(trial)
        return
    # Processes start afresh: forked ones inherit the threads' locks of PyTorch and LightGBM, but not the threads.
    context = get_context("spawn")
    over = context.Event()
    pool = ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(plan, over))
    try:
        # In a thread, as Ctrl-C comes to the first: it must not part the start of a process from what that is to do.
        with ThreadPoolExecutor(1) as starter:
            waiting = starter.submit(lambda: {pool.submit(_train, trial): trial for trial in trials}).result()
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool:
        raise InputError(
            "a training process ended before it was done: it was killed (for its memory?), or the calling script lacks "
            'if __name__ == "__main__":; try jobs=1'
        ) from None
    except BaseException:
        over.set()  # what is being trained ends here, with the epoch that it has reached
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_plan: Plan


def _begin(plan: Plan, over: Event) -> None:
    """In another process: keep what all its trainings need, and do not outlive the one that waits for them."""
    global _plan
    _plan = plan
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.Thread(target=_end_when, args=(over,), daemon=True).start()


def _end_when(over: Event) -> None:
    over.wait()
    os._exit(1)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()  # it returns when the parent is gone, killed or not
        os._exit(1)


def _train(trial: Trial) -> Result:
    return _plan.train(trial)
