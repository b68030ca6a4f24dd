"""The trainings of a cross-validation: each on one fold, in this process or in several, kept in a folder or not."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Event
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.features.folds import rotate
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.leaks import LEAKS_ASKED
from gradeval.ltr.engine_search import EngineSearch
from gradeval.ltr.engine_trees import Budget, EngineObjective, EngineTrees
from gradeval.ltr.objectives.objective import CASCADE_ASKED, Objective
from gradeval.ltr.rankers.auto import AutoRanker
from gradeval.ltr.rankers.learning_curve import LearningCurve
from gradeval.ltr.rankers.ranker import Ranker, load_ranker
from gradeval.ltr.rankers.trees import Shape, TreeRanker, count_leaves
from gradeval.ltr.saving import digest_of_weights, fingerprint
from gradeval.version import __version__
from gradeval.warning_categories import silenced


@dataclass(frozen=True)
class Trial:
    """One training to run: its objective, its seed, its fold (from 0), and the tested measure that validates it; None
    where the plan, or else the objective, says what validates."""

    objective: Objective | EngineObjective
    seed: int
    fold: int
    measure: Measure | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Training(LearningCurve):
    """One finished training of a cross-validation.

    Attributes
    ----------
    fold, test : the fold, from 1, and the name of the part that the ranker was tested on.
    settings : how many settings were tried, of which the best by validation was kept.
    left_out : the reason for each setting that could not be tried.
    seconds : how long the training took, or reading it from the folder ``work``.
    shape, leaves : of the trees that were kept, their shape and how many leaves each may have; None of other rankers.
    """

    fold: int
    test: str
    settings: int
    seconds: float
    shape: Shape | None = None
    leaves: int | None = None
    left_out: tuple[str, ...] = ()


Result: TypeAlias = tuple[Array, Training]
"""The scores of the documents of the test part, and the training."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What all trainings of a cross-validation share; it is sent to the worker processes.

    Attributes
    ----------
    parts : the disjoint parts, with the same features and levels.
    ranker, parameters : the class, and its parameters other than the objective and the seed.
    searches : for each engine whose own objectives are trained the settings that they try.
    validate_by : the validation measure; None for the measure of the objective.
    work : a folder that keeps finished trainings; None to keep none.
    weights : float64[row] by topic, the weights of its rows in training; None for no weights.
    """

    parts: tuple[Features, ...]
    ranker: type[Ranker]
    parameters: dict[str, Any]
    searches: Mapping[str, EngineSearch]
    validate_by: Measure | None
    work: str | None
    weights: Mapping[str, Array] | None = None

    def train(self, trial: Trial) -> Result:
        """Train on a fold, score its test part."""
        begin = time.perf_counter()
        fold = next(rotate([*self.parts[trial.fold :], *self.parts[: trial.fold]]))
        train = replace(fold.train, name=f"training part of fold {trial.fold + 1}")
        measure = trial.measure or self.validate_by or trial.objective.measure
        try:
            with silenced(CASCADE_ASKED), silenced(LEAKS_ASKED):  # before the first training
                ranker = self._fit_or_load(trial, train, fold.valid, measure)
            scores = ranker.score(fold.test)
        except InputError as error:
            raise error.within(f"fold {trial.fold + 1}, {trial.objective}, seed {trial.seed}") from error
        curve = ranker.learning_curve
        assert curve is not None
        trained = {each.name: getattr(curve, each.name) for each in fields(curve)}
        reasons = self._about_attempts(trial, ranker)
        left_out = tuple(reason for reason in reasons if reason)
        return scores, Training(  # what an AutoRanker saved is a TreeRanker
            **trained | {"objective": str(trial.objective), "ranker": self.ranker.kind},
            fold=trial.fold + 1,
            test=fold.test.name,
            settings=len(reasons) - len(left_out),
            left_out=left_out,
            seconds=time.perf_counter() - begin,
            **_size_of(ranker),
        )

    def _fit_or_load(self, trial: Trial, train: Features, valid: Features, measure: Measure) -> Ranker | EngineTrees:
        """Load the ranker from ``work`` if it is there; else train it, continuing an interrupted training. Trees of an
        engine's own objective are trained anew."""
        weights = None if self.weights is None else np.concatenate([self.weights[topic] for topic in train.topics])
        if isinstance(trial.objective, EngineObjective):
            search = self.searches[trial.objective.engine]
            return search.train(trial.objective, trial.seed, train, valid, measure, weights)
        ranker = self.ranker(trial.objective, seed=trial.seed, **self.parameters)
        if self.work is None:
            return ranker.fit(train, valid, measure, sample_weight=weights)
        name = self._folder_name(ranker, train, valid, measure, weights)
        place = os.path.join(self.work, name)
        if os.path.isdir(place):
            try:
                return load_ranker(place)
            except InputError as error:
                raise InputError(f"{error}; or remove {place}: it is then trained anew") from error
        checkpoint = f"{place}.checkpoint"
        ranker.fit(train, valid, measure, sample_weight=weights, checkpoint=checkpoint, resume=True)
        ranker.save(place)
        with suppress(FileNotFoundError):
            os.unlink(checkpoint)
        return ranker

    def _about_attempts(self, trial: Trial, ranker: Ranker | EngineTrees) -> list[str]:
        """For each setting of a training why it was left out; empty: it was tried."""
        if isinstance(trial.objective, EngineObjective):
            return [""] * len(self.searches[trial.objective.engine].settings)
        tried = [] if isinstance(ranker, EngineTrees) else ranker.require_trained().tried
        return [one["reason"] for one in tried] or [""] * len(trial.objective.candidates)

    def _folder_name(
        self, ranker: Ranker, train: Features, valid: Features, measure: Measure, weights: Array | None
    ) -> str:
        """The name of a model's folder: the kind of ranker, and a digest of everything the model depends on."""
        known = [
            __version__,
            ranker.kind,
            ranker.objective.parameters,
            ranker.parameters,
            str(measure),
            list(train.columns),
            list(train.levels),
            [fingerprint(train), fingerprint(valid)],
            *([] if weights is None else [digest_of_weights(weights)]),
        ]
        return f"{ranker.kind}-{hashlib.sha256(json.dumps(known).encode()).hexdigest()[:24]}"


def _size_of(ranker: Ranker | EngineTrees) -> dict[str, Any]:
    """The shape and the leaves of the trees that a training kept; nothing of rankers without trees."""
    kept = ranker.chosen if isinstance(ranker, AutoRanker) else ranker
    trees = kept.budget if isinstance(kept, EngineTrees) else kept
    if not isinstance(trees, Budget | TreeRanker):
        return {}
    return {"shape": trees.shape, "leaves": count_leaves(trees.shape, trees.leaves)}


def run_trials(plan: Plan, trials: Sequence[Trial], jobs: int) -> Iterator[tuple[Trial, Result]]:
    """Run trials in ``jobs`` processes (0: one for each core) and yield each result when it is done."""
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
    # Spawn, since a forked process inherits the locks of PyTorch's and LightGBM's threads, but not the threads.
    context = get_context("spawn")
    stopped = context.Event()
    pool = ProcessPoolExecutor(processes, context, initializer=_start_worker, initargs=(plan, stopped))
    try:
        # In a thread of its own: Ctrl-C interrupts the main thread, which must not happen between starting a process
        # and handing it its work.
        with ThreadPoolExecutor(1) as starter:
            waiting = starter.submit(lambda: {pool.submit(_train, trial): trial for trial in trials}).result()
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool:
        raise InputError(
            "a training process ended early: it was killed (for its memory?), or the calling script lacks "
            'if __name__ == "__main__":; try jobs=1'
        ) from None
    except BaseException:  # Ctrl-C, too
        stopped.set()  # ends the workers; checkpoints keep their finished epochs
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_plan: Plan


def _start_worker(plan: Plan, stopped: Event) -> None:
    """Store the plan, and exit when the parent ends, killed or not, or stops the trainings."""
    global _plan
    _plan = plan
    parent = parent_process()
    for wait in (stopped.wait, *([] if parent is None else [parent.join])):
        threading.Thread(target=_exit_after, args=(wait,), daemon=True).start()


def _exit_after(wait: Callable[[], object]) -> None:
    wait()
    os._exit(1)


def _train(trial: Trial) -> Result:
    return _plan.train(trial)
