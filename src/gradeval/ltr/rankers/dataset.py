"""The training data of a gradient descent: batches of queries, and the gradient of the loss by their scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.lambda_queries import LambdaQueries
from gradeval.ltr.data.trainable import select_without_table, trainable_places
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.loss import loss
from gradeval.ltr.objectives.objective import Objective

PAIRS = 1 << 24  # of documents in a batch at most, whatever the number of queries


@dataclass(frozen=True, eq=False)
class TrainingBatch(ABC):
    """Some queries that can be learnt from, row after row.

    Attributes
    ----------
    X : float32[row, column], on the device of the training.
    rows : which rows of the dataset they are.
    queries : how many there are.
    objective : what is trained for.
    """

    X: Tensor
    rows: Array
    queries: int
    objective: Objective

    @abstractmethod
    def backward(self, scores: Tensor) -> tuple[float | None, Tensor]:
        """For finite scores float[row]: the loss where it is known, and its gradient by the scores, float32[row]; the
        loss is ``objectives.loss``."""


@dataclass(frozen=True, eq=False)
class CompiledBatch(TrainingBatch):
    """LambdaRank by the compiled pair loops, many times as fast as by tensors on a CPU; without the loss itself."""

    pairs: LambdaQueries
    threads: int

    def backward(self, scores: Tensor) -> tuple[None, Tensor]:
        sigma, truncation = self.objective.sigma, self.objective.truncation
        gradient, _ = self.pairs.gradients(scores.double().numpy(), sigma, truncation, False, self.threads)
        return None, torch.from_numpy((gradient / self.queries).astype(np.float32))


@dataclass(frozen=True, eq=False)
class PaddedBatch(TrainingBatch):
    """Any objective by tensors, on any device. ``place``: of each row in the padded list of all queries."""

    batch: Batch
    place: Tensor

    def backward(self, scores: Tensor) -> tuple[float, Tensor]:
        shape = self.batch.level.shape
        padded = scores.new_zeros(shape[0] * shape[1])
        padded[self.place] = scores
        padded = padded.reshape(shape).requires_grad_()
        value = loss(self.objective, padded, self.batch)
        (gradient,) = torch.autograd.grad(value, padded)
        return float(value.detach()), gradient.reshape(-1)[self.place]


@dataclass(frozen=True, eq=False)
class Dataset:
    """All training data that can be learnt from.

    Attributes
    ----------
    batches : of queries of like length, the shortest first.
    features : the queries that can be learnt from (see ``trainable_places``), without the features themselves, which
        the batches have.
    quality : by LambdaRank, the measure of all their rankings; softrank has its loss for that.
    """

    batches: list[TrainingBatch]
    features: Features
    quality: Validation | None

    @classmethod
    def of(
        cls,
        features: Features,
        levels: Levels,
        objective: Objective,
        queries: int,
        device: str,
        threads: int,
        scaler: Scaler | None = None,
    ) -> Self:
        """A dataset in batches of so many queries; an InputError where no query can be learnt from.

        Each batch takes its own rows and scales them: beside the features and the batches there is no third table.
        """
        trainable = trainable_places(features, levels, objective.measure)
        usable = select_without_table(features, trainable)
        first = features.offsets[trainable]  # row of each query in ``features``
        compiled = objective.method == "lambdarank" and device == "cpu"
        sizes = np.diff(usable.offsets)
        batches: list[TrainingBatch] = []
        for places in _of_like_length(sizes, queries):
            rows = np.concatenate([np.arange(usable.offsets[place], usable.offsets[place + 1]) for place in places])
            moved = np.repeat(first[places] - usable.offsets[places], sizes[places])
            table = features.X[rows + moved]
            if scaler is not None:
                table = scaler.apply_to_rows(table, features.name)
            X = torch.from_numpy(table).to(device)
            if compiled:
                offsets = np.concatenate([[0], np.cumsum(sizes[places])])
                pairs = LambdaQueries.of(objective.measure, levels, usable.grades[rows], offsets)
                batches.append(CompiledBatch(X, rows, len(places), objective, pairs, threads))
            else:
                batch, place = _padded(usable, places, levels)
                place_on_device = torch.from_numpy(place).to(device)
                batches.append(PaddedBatch(X, rows, len(places), objective, batch, place_on_device))
        quality = Validation.of(usable, objective.measure) if objective.method == "lambdarank" else None
        return cls(batches, usable, quality)


def _of_like_length(sizes: Array, queries: int) -> Iterator[Array]:
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
