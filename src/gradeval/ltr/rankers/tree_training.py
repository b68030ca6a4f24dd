"""The training of a TreeRanker, whatever engine grows the trees: gradients, samples, validation and checkpoints."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.task import Task
from gradeval.ltr.data.trainable import leave_out_weightless, select_rows, select_without_table, trainable_places
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.objective import METHODS
from gradeval.ltr.rankers.forests import Forest
from gradeval.ltr.rankers.learning_curve import Epoch, best_of
from gradeval.ltr.saving import read_checkpoint, write_checkpoint
from gradeval.messages import Given

SLOW = 0.1  # seconds: a checkpoint that takes longer to write may take a tenth of the training time


def no_split(name: str, measure: Measure, rows: int | None) -> InputError:
    """The error that the data called ``name`` give no tree; ``rows``: the smallest number in a leaf, where there is
    one."""
    if rows is None:
        return InputError(f"{name}: no split improves {measure}: do the features not differ within a query?")
    return InputError(
        f"{name}: no split with at least {rows} rows (weighted by their hessians) on each side improves {measure}; ",
        "lower ",
        Given("min_rows", rows),
        ", or give more rows",
    )


class TreeTraining(ABC):
    """The state of a training: the trees so far, the learning curve, and their checkpoint.

    Attributes
    ----------
    train, weights, tables : the queries that can be learnt from, without features, the weights of their rows, and their
        features, one table after another.
    before : the number of trees that training goes on from.
    forest_kind : the trees as they are kept.
    min_rows : the smallest number of rows in a leaf; None where there is none.
    """

    forest_kind: ClassVar[type[Forest]]
    min_rows: int | None = None

    def __init__(self, ranker: Any, task: Task) -> None:
        self.ranker, self.task = ranker, task
        self.curve: list[Epoch] = []
        self.before = 0 if task.start is None else task.start.forest.trees
        objective = ranker.objective
        self.train, self.weights, self.position, self.tables = self._select_trainable()
        self.queries = len(self.train.topics)
        boosting = import_module(str(METHODS[objective.method].trees))
        self.objective = boosting.boost(objective, task.levels, ranker.norm, ranker.threads, ranker.seed)
        if self.position is not None:
            self.objective = replace(self.objective, position=self.position)
        self.averages = objective.measure.definition.aggregate == "mean"
        self.train_value = 0.0  # the mean of the measure on the training data before the present tree
        self.valid_scores = [np.zeros(len(each)) for each in task.valid_tables]
        self.watched: list[list[float]] = []  # after each tree, the validations after the first
        self.sample_size = max(1, round(ranker.subsample * self.queries))  # queries that a tree is trained on
        self.use_all_queries = False  # for the next tree, since a sample gave no split
        self.most = ranker.epochs  # trees to grow
        self.has_no_more_splits = False
        self.learnt_offset: Array | None = None  # of positions, at the checkpoint from which training goes on
        self.resumed_bias: list[list[float | None]] | None = None  # at that checkpoint
        self.last_write = (0.0, 0.0)  # when the last checkpoint was written, and how long that took
        if task.start is not None:
            self._go_on_from(task.start.forest)
        if task.resume:
            self._resume()
        if self.grown:
            self._add_scores(newest=False)

    def train_trees(self, most: int | None = None) -> None:
        """Train trees until there are ``most`` of them, by default ``epochs``, or validation stops the training. Called
        again, it goes on to more."""
        self.most = self.ranker.epochs if most is None else most
        if self.finished:
            return
        if not self._has_features_that_differ():
            raise InputError(f"{self.train.name}: every feature has one value throughout; there is nothing to split by")
        if self.position is not None:
            self.objective.learnt.offset = self.learnt_offset
        self._grow()

    def rest(self) -> None:
        """Let go of what the engine needs to grow trees; ``train_trees`` then goes on as from a checkpoint."""
        if self.grown:
            self._go_on_from(self.keep(self.grown))

    @abstractmethod
    def keep(self, trees: int) -> Forest:
        """The first trees."""

    @abstractmethod
    def _grow(self) -> None:
        """Add trees until the training is finished: each by ``_gradients``, and then ``_finish_tree``."""

    @abstractmethod
    def _go_on_from(self, forest: Forest) -> None:
        """Take trees that are grown."""

    @abstractmethod
    def _serialize(self) -> bytes:
        """The trees so far, as ``forest_kind`` reads them."""

    @abstractmethod
    def _predict_validation(self, place: int, *, newest: bool) -> Array:
        """float64[row]: the part of the scores of ``task.valid_tables[place]`` that the newest tree gives, or else all
        trees so far."""

    def _add_scores(self, *, newest: bool) -> None:
        for place, scores in enumerate(self.valid_scores):
            scores += self._predict_validation(place, newest=newest)

    def _select_trainable(self) -> tuple[Features, Array | None, Array | None, list[Array]]:
        """The queries that can be learnt from, the weights and positions of their rows, and the tables of their
        features."""
        task = self.task
        places = trainable_places(task.train, task.levels, self.ranker.objective.measures)
        places = leave_out_weightless(places, task.weights, task.train)
        weights, position = (
            None if values is None else select_rows(values, task.train, places)
            for values in (task.weights, task.position)
        )
        scaled = task.train if task.scaler is None else task.scaler.apply(task.train)
        return select_without_table(task.train, places), weights, position, _tables(scaled, places)

    @cached_property
    def train_measure(self) -> Callable[[Array], float]:
        """The measure on the training queries. It is made when first needed, after the engine's bins, in memory that
        the engine has freed by then."""
        return Validation.of(self.train, self.ranker.objective.measure).mean_function(self.ranker.threads)

    @cached_property
    def valid_measures(self) -> list[Callable[[Array], float]]:
        """The measures on the validation queries."""
        return [each.mean_function(self.ranker.threads) for each in self.task.validations]

    @property
    def grown(self) -> int:
        """The number of trees so far."""
        return self.before + len(self.curve)

    def _has_features_that_differ(self) -> bool:
        first = self.tables[0][0]
        return not all(np.array_equal(first, row, equal_nan=True) for table in self.tables for row in table)

    @property
    def finished(self) -> bool:
        """Whether there are enough trees, or the last ``patience`` of them brought no improvement."""
        grown = len(self.curve)
        without_improvement = grown - best_of(self.curve) if grown and self.task.validation is not None else 0
        enough = grown >= self.most or without_improvement >= self.ranker.patience
        return bool(enough or self.has_no_more_splits)

    def _gradients(self, scores: Array) -> tuple[Array, Array]:
        """Gradient and hessian by row; 0 for queries outside the sample."""
        offsets = self.train.offsets
        gradient, hessian, values = self._weighted_gradients(scores)
        self.train_value = self.train_measure(scores) if values is None else float(values.mean())
        if not self.uses_all_queries:
            order = np.random.default_rng([self.ranker.seed, len(self.curve)]).permutation(self.queries)
            sampled = order < self.sample_size
            by_row = np.repeat(sampled, np.diff(offsets))
            gradient, hessian = gradient * by_row, hessian * by_row
        return gradient, hessian

    def _weighted_gradients(self, scores: Array) -> tuple[Array, Array, Array | None]:
        """Gradient and hessian by row; and the measure by query, where it is worked out with them."""
        (gradient, hessian), values = self.objective.gradients_and_values(
            scores, self.train.grades, self.train.offsets, self.weights
        )
        return gradient, hessian, values if self.averages else None

    def _finish_tree(self) -> None:
        """After a tree was added: its epoch, the checkpoint, and progress."""
        self.use_all_queries = False
        self._add_scores(newest=True)
        scored = [self.valid_scores[place] for place in self.task.valid_places]
        values = [measure(scores) for measure, scores in zip(self.valid_measures, scored, strict=True)]
        epoch = Epoch(len(self.curve) + 1, self.train_value, values[0] if values else None)
        self.curve.append(epoch)
        self.watched.append(values[1:])
        self._write_checkpoint()
        if self.task.progress is not None:
            self.task.progress(epoch)

    def _tries_again(self) -> bool:
        """Where a tree has no split: whether to try again with all queries. Otherwise training ends, in an error where
        there is no tree."""
        if not self.uses_all_queries:
            self.use_all_queries = True
            return True
        if not self.curve:
            raise no_split(self.task.train.name, self.ranker.objective.measure, self.min_rows)
        self.has_no_more_splits = True
        return False

    @property
    def uses_all_queries(self) -> bool:
        """Whether the next tree is trained on all queries."""
        return self.use_all_queries or self.sample_size == self.queries

    @property
    def position_bias(self) -> list[list[float | None]] | None:
        """The estimated position bias, a row for each position; None without positions."""
        bias = None if self.position is None else self.objective.position_bias
        return self.resumed_bias if bias is None else bias.rows()

    def _write_checkpoint(self) -> None:
        """Write the checkpoint, unless writing would take more than a tenth of the training time."""
        if self.task.checkpoint is None:
            return
        begin = time.monotonic()
        at, took = self.last_write
        if took > SLOW and begin - at < 10 * took and not self.finished:
            return
        progress: dict[str, Any] = {"curve": self.curve, "watched": self.watched}
        if self.position is not None and self.objective.learnt.offset is not None:
            progress["offsets"] = self.objective.learnt.offset.tolist()
            progress["position_bias"] = self.position_bias
        write_checkpoint(self.task.checkpoint, self.task.identity, progress, self._serialize())
        self.last_write = begin, time.monotonic() - begin

    def _resume(self) -> None:
        """Continue from the checkpoint, if there is one."""
        assert self.task.checkpoint is not None  # fit() requires it
        checkpoint = read_checkpoint(self.task.checkpoint, self.task.identity)
        if checkpoint is not None:
            progress, state = checkpoint
            place = os.fspath(self.task.checkpoint)
            self._go_on_from(self.forest_kind.parse(state, place))
            self.curve = [Epoch(*epoch) for epoch in progress["curve"]]
            self.watched = progress.get("watched", [[] for _ in self.curve])
            self.learnt_offset = np.array(progress["offsets"]) if "offsets" in progress else None
            self.resumed_bias = progress.get("position_bias")
            if len(self.curve) > self.ranker.epochs:
                raise InputError(
                    f"{place}: {len(self.curve)} trees are grown, and ",
                    Given("epochs", self.ranker.epochs),
                    " asks for fewer: give as many or more, or train from the beginning",
                )


def _tables(features: Features, places: Array) -> list[Array]:
    """The rows of the queries at some places, ascending: views of the features, one for queries that stand together."""
    ends = np.flatnonzero(np.diff(places) > 1) + 1
    runs = [run for run in np.split(places, ends) if len(run)]
    return [features.X[features.offsets[run[0]] : features.offsets[run[-1] + 1]] for run in runs]
