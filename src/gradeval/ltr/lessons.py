"""Batches of queries to learn from: how good their rankings are, and where their scores should go."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradeval._core import InputError
from gradeval.features import Features
from gradeval.judged import Array, Levels
from gradeval.ltr.batch import Batch
from gradeval.ltr.objective import Objective, teaches
from gradeval.ltr.rows import Rows
from gradeval.ltr.validation import Validation

PAIRS = 1 << 24  # of documents in a batch at most, whatever the number of queries


@dataclass(frozen=True, eq=False)
class Lesson(ABC):
    """Some queries that can teach, row after row.

    Attributes
    ----------
    X : float32[row, column], on the device of the training.
    queries : how many there are.
    objective : what they teach.
    """

    X: Tensor
    queries: int
    objective: Objective

    @abstractmethod
    def pull(self, scores: Tensor) -> tuple[float, Tensor]:
        """For finite scores float[row]: the mean of the objective's measure (softrank: of its soft form), and the
        gradient of ``objective.loss`` by the scores, float32[row]."""


@dataclass(frozen=True, eq=False)
class Compiled(Lesson):
    """LambdaRank by the compiled pair loops, some thirty times as fast as by tensors on a CPU."""

    rows: Rows
    quality: Validation
    threads: int

    def pull(self, scores: Tensor) -> tuple[float, Tensor]:
        by_row = scores.double().numpy()
        objective = self.objective
        gradient, _ = self.rows.gradients(by_row, objective.sigma, objective.truncation, False, self.threads)
        return self.quality(by_row), torch.from_numpy((gradient / self.queries).astype(np.float32))


@dataclass(frozen=True, eq=False)
class Padded(Lesson):
    """Any objective by tensors, on any device. ``place``: of each row in the padded list of all queries."""

    batch: Batch
    place: Tensor
    quality: Validation | None

    def pull(self, scores: Tensor) -> tuple[float, Tensor]:
        shape = self.batch.level.shape
        padded = scores.new_zeros(shape[0] * shape[1])
        padded[self.place] = scores
        padded = padded.reshape(shape).requires_grad_()
        loss = self.objective.loss(padded, self.batch)
        (gradient,) = torch.autograd.grad(loss, padded)
        mean = -float(loss.detach()) if self.quality is None else self.quality(scores.cpu().numpy())
        return mean, gradient.reshape(-1)[self.place]


def lessons(
    features: Features, levels: Levels, objective: Objective, queries: int, device: str, threads: int
) -> list[Lesson]:
    """All queries that can teach, so many in a batch and of like length, the shortest first.

    What can teach are queries with documents of different grades, and something to be found for the measure; an
    InputError where there is none.
    """
    sizes = np.diff(features.offsets)
    made: list[Lesson] = []
    for some in _batches(np.flatnonzero(sizes > 1), sizes, queries):
        able = some[teaches(_batch(features, some, levels)[0], objective.measure)]
        if not len(able):
            continue
        part = features.select([features.topics[place] for place in able])
        X = torch.from_numpy(part.X).to(device)
        count = len(able)
        compiled = objective.method == "lambdarank" and device == "cpu"
        quality = Validation.of(part, objective.measure) if objective.method == "lambdarank" else None
        if compiled:
            assert quality is not None
            rows = Rows.of(objective.measure, levels, part.grades, part.offsets)
            made.append(Compiled(X, count, objective, rows, quality, threads))
        else:
            batch, place = _batch(part, np.arange(count), levels)
            made.append(Padded(X, count, objective, batch, torch.from_numpy(place).to(device), quality))
    if not made:
        raise InputError(
            f"{features.name}: nothing to learn: no query has documents of different grades among which there is "
            f"something to be found for {objective.measure}"
        )
    return made


def _batches(places: Array, sizes: Array, queries: int) -> Iterator[Array]:
    """The places of queries, of like length together and ascending within a batch."""
    order = places[np.argsort(sizes[places], kind="stable")]
    begin = 0
    while begin < len(order):
        end = min(begin + queries, len(order))
        while end > begin + 1 and (end - begin) * int(sizes[order[end - 1]]) ** 2 > PAIRS:
            end -= 1
        yield np.sort(order[begin:end])
        begin = end


def _batch(features: Features, places: Array, levels: Levels) -> tuple[Batch, Array]:
    """Some queries padded to one length, and the place of each of their rows in it."""
    sizes = np.diff(features.offsets)[places]
    column = np.arange(int(sizes.max(initial=1)))
    here = column < sizes[:, None]
    row = np.where(here, features.offsets[places][:, None] + column, 0)
    return Batch.of(features.grades[row], levels=levels, mask=here), np.flatnonzero(here)
