"""Training on one worker of several: its share of the queries, and what it settles with the others."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.ltr.data.task import Task
from gradeval.ltr.data.trainable import trainable_places, without_ids
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.distributed.exchange import Member
from gradeval.ltr.distributed.parts import Part, hash_names
from gradeval.ltr.distributed.totals import NOTHING, Total, mean_of, total_of
from gradeval.ltr.rankers.growing import TreeTraining
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.trees import TreeRanker
from gradeval.ltr.saving import load_checkpoint, parse_checkpoint

CONNECT = 2  # minutes that LightGBM's workers wait for each other


@dataclass(frozen=True)
class Plan:
    """What all workers are told.

    Attributes
    ----------
    ranker : with the parameters of the training.
    levels : the grades of the collection.
    watched : the validation measure; None without validation data.
    checkpoint, resume : see ``Ranker.fit``; only the first worker reads and writes the file.
    identity : the data and parameters with which a checkpoint must agree.
    name : what messages call the table.
    reports : whether the first worker reports each epoch to the client.
    """

    ranker: TreeRanker
    levels: Levels
    watched: Measure | None
    checkpoint: str | os.PathLike[str] | None
    resume: bool
    identity: dict[str, Any]
    name: str
    reports: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the first worker returns: the text of the trees, the learning curve, and the best epoch."""

    text: str
    curve: tuple[Epoch, ...]
    best: int


class ShareTraining(TreeTraining):
    """The training of one worker: the same trees as on all others, grown with their help.

    Every worker has some of the queries. LightGBM adds up the histograms of all. Measures are added up over all
    queries, so every worker decides alike when to stop.
    """

    def __init__(self, plan: Plan, member: Member, host: str, parts: Sequence[Part], valid: Sequence[Part]) -> None:
        self.plan, self.member, self.host, self.parts = plan, member, host, parts
        self.train_total = NOTHING
        self.valid_tables = [part.features.X[:] for part in valid]
        validation = None
        if plan.watched is not None and valid:
            joined = _join_without_tables([part.features for part in valid], plan)
            validation = Validation.of(joined, plan.watched)
        task = Task(
            train=replace(parts[0].features, levels=plan.levels, name=plan.name),
            weights=None,
            categories=(),
            scaler=None,
            levels=plan.levels,
            valid=validation,
            progress=member.report if plan.reports and member.rank == 0 else None,
            checkpoint=plan.checkpoint if member.rank == 0 else None,
            resume=plan.resume,
            identity=plan.identity,
        )
        super().__init__(plan.ranker, task)

    def train_trees(self) -> None:
        """Train trees until there are ``epochs`` of them or validation stops the training; then part from the
        others."""
        try:
            super().train_trees()
        finally:
            if self.forest is not None:
                self.forest.free_network()

    def _select_trainable(self) -> tuple[Features, Array | None, list[Array]]:
        measure = self.plan.ranker.objective.measure
        bare: list[Features] = []
        tables: list[Array] = []
        for part in self.parts:
            features = part.features
            places = trainable_places(features, self.plan.levels, measure)
            whole = len(places) == len(features.topics)
            kept = features if whole else features.select([features.topics[place] for place in places])
            bare.append(kept)
            tables.append(kept.X)
        return _join_without_tables(bare, self.plan), None, tables

    def _count_queries(self) -> int:
        """Count the queries of all workers; an error where one is on two of them, which would train another model."""
        queries = np.sort(hash_names(self.train.topics))
        shared = self.member.share(queries)
        together = np.sort(np.concatenate(shared))
        if (together[1:] == together[:-1]).any():
            raise InputError(f"{self.plan.name}: a query has rows on two workers; give fit_dask the whole table")
        self.first = sum(map(len, shared[: self.member.rank]))
        return len(together)

    def _has_features_that_differ(self) -> bool:
        first = np.array([table[0] for table in self.tables[:1]])
        differ = super()._has_features_that_differ()
        shared = self.member.share((differ, first))
        rows = np.concatenate([row for _, row in shared])
        return any(flag for flag, _ in shared) or not (rows == rows[0]).all()

    def _measure_training(self, scores: Array) -> None:
        self.train_total = total_of(self.train_measure.score(scores))

    def _measure(self) -> tuple[float, float | None]:
        valid = NOTHING if self.task.valid is None else total_of(self.task.valid.score(self.valid_scores))
        shared: list[tuple[Total, Total]] = self.member.share((self.train_total, valid))
        train_totals, valid_totals = zip(*shared, strict=True)
        self.train_value = mean_of(self.plan.ranker.objective.measure, train_totals)
        return self.train_value, None if self.plan.watched is None else mean_of(self.plan.watched, valid_totals)

    @property
    def is_validated(self) -> bool:
        """Whether any worker has validation data."""
        return self.plan.watched is not None

    def _predict_validation(self, first: int, trees: int) -> Array:
        return np.concatenate([self._predict(table, first, trees) for table in self.valid_tables])

    def _resume(self) -> None:
        """Continue from the file that the first worker reads; the others get its content."""
        path = self.plan.checkpoint
        content = load_checkpoint(path) if self.member.rank == 0 and path is not None else None
        (content, *_) = self.member.share(content)
        if content is not None:
            place = os.fspath(path or "")
            self._continue_from(*parse_checkpoint(content, place, self.plan.identity), place)

    def _boost(self, settings: dict[str, Any], data: Any, iterations: int, **options: Any) -> None:
        """Connect LightGBM with its like on the other workers, and let it grow trees."""
        if self.member.size > 1:
            places = self.member.share((self.host, find_port(self.host)))
            settings |= {
                "machines": ",".join(f"{host}:{port}" for host, port in places),
                "local_listen_port": places[self.member.rank][1],
                "num_machines": self.member.size,
                "time_out": CONNECT,
                "tree_learner": "data",
            }
        super()._boost(settings, data, iterations, **options)


def _join_without_tables(parts: Sequence[Features], plan: Plan) -> Features:
    """The queries of several parts, without features and ids."""
    bare = [replace(without_ids(part), X=part.X[:, :0], columns=(), levels=plan.levels) for part in parts]
    return replace(Features.concat(bare, name=plan.name), levels=plan.levels)


def find_port(host: str) -> int:
    """A port that is free on this machine now."""
    with closing(socket.socket()) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, 0))
        port: int = opened.getsockname()[1]
        return port


def train_share(
    kind: type[ShareTraining],
    plan: Plan,
    exchange: Any,
    rank: int,
    size: int,
    parts: list[Part],
    valid: list[Part],
) -> Outcome:
    """Train on one worker of ``size``, in a task of Dask; all of them return the same."""
    from distributed import get_worker

    worker = get_worker()
    plan = replace(plan, ranker=replace(plan.ranker, threads=worker.state.nthreads))
    training = kind(plan, Member(exchange, rank, size), worker.ip, parts, valid)
    training.train_trees()
    return Outcome(training.text(training.best), tuple(training.curve), training.best)
