"""Batches of queries to learn from: how good their rankings are, and where their scores should go."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.rows import Rows
from gradeval.ltr.data.teaching import teaching
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.objective import Objective

PAIRS = 1 << 24  # of documents in a batch at most, whatever the number of queries


@dataclass(frozen=True, eq=False)
class Lesson(ABC):
    """Some queries that can teach, row after row.

    Attributes
    ----------
    X : float32[row, column], on the device of the training.
    rows : which rows of the course they are.
    queries : how many there are.
    objective : what they teach.
    """

    X: Tensor
    rows: Array
    queries: int
    objective: Objective

    @abstractmethod
    def pull(self, scores: Tensor) -> tuple[float | None, Tensor]:
        """For finite scores float[row]: the loss where it is known, and its gradient by the scores, float32[row]; the
        loss is ``objective.loss``."""


@dataclass(frozen=True, eq=False)
class Compiled(Lesson):
    """LambdaRank by the compiled pair loops, many times as fast as by tensors on a CPU. They tell no loss."""

    pairs: Rows
    threads: int

    def pull(self, scores: Tensor) -> tuple[None, Tensor]:
        given = self.objective
        gradient, _ = self.pairs.gradients(scores.double().numpy(), given.sigma, given.truncation, False, self.threads)
        return None, torch.from_numpy((gradient / self.queries).astype(np.float32))


@dataclass(frozen=True, eq=False)
class Padded(Lesson):
    """Any objective by tensors, on any device. ``place``: of each row in the padded list of all queries."""

    batch: Batch
    place: Tensor

    def pull(self, scores: Tensor) -> tuple[float, Tensor]:
        shape = self.batch.level.shape
        padded = scores.new_zeros(shape[0] * shape[1])
        padded[self.place] = scores
        padded = padded.reshape(shape).requires_grad_()
        loss = self.objective.loss(padded, self.batch)
        (gradient,) = torch.autograd.grad(loss, padded)
        return float(loss.detach()), gradient.reshape(-1)[self.place]


@dataclass(frozen=True, eq=False)
class Course:
    """All that training data can teach.

    Attributes
    ----------
    lessons : batches of queries of like length, the shortest first.
    features : the queries that can teach (see ``teaching``), without the features themselves, which the lessons have.
    quality : by LambdaRank, the measure of all their rankings; softrank has its loss to tell of them.
    """

    lessons: list[Lesson]
    features: Features
    quality: Validation | None

    @classmethod
    def of(
        cls, features: Features, levels: Levels, objective: Objective, queries: int, device: str, threads: int
    ) -> Self:
        """A course in batches of so many queries; an InputError where no query can teach."""
        whole = teaching(features, levels, objective.measure)
        compiled = objective.method == "lambdarank" and device == "cpu"
        sizes = np.diff(whole.offsets)
        lessons: list[Lesson] = []
        for some in _batches(sizes, queries):
            rows = np.concatenate([np.arange(whole.offsets[place], whole.offsets[place + 1]) for place in some])
            X = torch.from_numpy(whole.X[rows]).to(device)
            if compiled:
                offsets = np.concatenate([[0], np.cumsum(sizes[some])])
                pairs = Rows.of(objective.measure, levels, whole.grades[rows], offsets)
                lessons.append(Compiled(X, rows, len(some), objective, pairs, threads))
            else:
                batch, place = _padded(whole, some, levels)
                lessons.append(Padded(X, rows, len(some), objective, batch, torch.from_numpy(place).to(device)))
        whole = replace(whole, X=np.empty((len(whole), 0), np.float32), columns=())  # the lessons have them
        quality = Validation.of(whole, objective.measure) if objective.method == "lambdarank" else None
        return cls(lessons, whole, quality)


def _batches(sizes: Array, queries: int) -> Iterator[Array]:
    """The places of queries of these sizes, of like size together and ascending within a batch."""
    order = np.argsort(sizes, kind="stable")
    begin = 0
    while begin < len(order):
        end = min(begin + queries, len(order))
        while end > begin + 1 and (end - begin) * int(sizes[order[end - 1]]) ** 2 > PAIRS:
            end -= 1
        yield np.sort(order[begin:end])
        begin = end


def _padded(features: Features, places: Array, levels: Levels) -> tuple[Batch, Array]:
    """Some queries padded to one length, and the place of each of their rows in it."""
    sizes = np.diff(features.offsets)[places]
    column = np.arange(int(sizes.max(initial=1)))
    here = column < sizes[:, None]
    row = np.where(here, features.offsets[places][:, None] + column, 0)
    return Batch.of(features.grades[row], levels=levels, mask=here), np.flatnonzero(here)
