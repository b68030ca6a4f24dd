"""The training data of a gradient descent: batches of queries, each with the gradient of its loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradeval.features.feature_arrays import offsets_of
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.files.feature_cache import is_mapped
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.trainable import (
    leave_out_weightless,
    scale_to_mean_one,
    select_rows,
    select_without_table,
    trainable_places,
)
from gradeval.ltr.data.training_data import DiskTables
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.loss import RowLoss, prepare_loss, prepare_rows
from gradeval.ltr.objectives.methods import METHODS
from gradeval.ltr.objectives.objective import Objective

PAIRS = 1 << 24  # largest number of document pairs in a batch, whatever the number of queries


@dataclass(frozen=True, eq=False)
class TrainingBatch(ABC):
    """Some queries, all of which can be learnt from: their documents are rows, one query after the other.

    Attributes
    ----------
    X : float32[row, column], on the training device.
    rows : the indices of these rows in the dataset.
    queries : the number of queries.
    objective : what the ranker is trained for.
    weights : float32[row], by which the gradient of each score is multiplied; None for no weights.
    """

    X: Tensor
    rows: Array
    queries: int
    objective: Objective
    weights: Tensor | None

    @abstractmethod
    def backward(self, scores: Tensor) -> tuple[Tensor | None, Tensor]:
        """The loss (see ``prepare_loss``), or None where only its gradient is computed, and the gradient float32[row]
        with respect to scores float[row]. Neither is finite where a score is not."""

    @cached_property
    def row_index(self) -> Tensor:
        """``rows``, on the training device."""
        return torch.from_numpy(self.rows).to(self.X.device)


@dataclass(frozen=True, eq=False)
class CompiledBatch(TrainingBatch):
    """A loss by the compiled core, much faster on a CPU than tensors. It is computed itself only where it approaches
    the measure."""

    loss: RowLoss
    threads: int

    def backward(self, scores: Tensor) -> tuple[Tensor | None, Tensor]:
        with_loss = METHODS[self.objective.method].approaches
        loss, gradient = self.loss(scores.numpy().astype(float), self.threads, with_loss)
        by_row = torch.from_numpy((gradient / self.queries).astype(np.float32))
        return torch.tensor(loss.mean()) if with_loss and loss is not None else None, by_row


@dataclass(frozen=True, eq=False)
class PaddedBatch(TrainingBatch):
    """Any objective by tensors, on any device. ``place`` is the index of each row in the flattened padded batch."""

    batch: Batch
    place: Tensor

    def backward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        shape = self.batch.level.shape
        padded = scores.new_zeros(shape[0] * shape[1]).index_copy(0, self.place, scores)
        padded = padded.view(shape).requires_grad_()
        value = prepare_loss(self.objective, self.batch, dtype=scores.dtype, device=scores.device)(padded)
        (gradient,) = torch.autograd.grad(value, padded)
        return value.detach(), gradient.flatten().index_select(0, self.place)


@dataclass(frozen=True, eq=False)
class Dataset:
    """All training queries that can be learnt from.

    Attributes
    ----------
    batches : batches of queries of similar length, the shortest first.
    features : the queries that can be learnt from (see ``trainable_places``), with an empty X, as the batches hold it.
    train_measure : the mean of the measure over all rankings; None where minus the loss approaches that mean, as for
        SoftRank.
    """

    batches: list[TrainingBatch]
    features: Features
    train_measure: Validation | None

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
        weights: Array | None = None,
        documents: int | None = None,
    ) -> Self:
        """A dataset in batches of ``queries`` queries, or else of ``documents`` documents; an InputError where no query
        can be learnt from.

        Each batch takes its own rows and scales them: beside the features and the batches there is no third table.
        ``weights`` are those of the rows of ``features``.
        Where features are mapped from a cache, batches are, too, from a file beside it.
        """
        trainable = leave_out_weightless(trainable_places(features, levels, objective.measure), weights, features)
        usable = select_without_table(features, trainable)
        first = features.offsets[trainable]  # row of each query in ``features``
        sizes = np.diff(usable.offsets)
        if weights is not None:
            weights = scale_to_mean_one(select_rows(weights, features, trainable), usable.offsets)
        disk = DiskTables(features.X, len(usable)) if is_mapped(features.X) else None
        batches: list[TrainingBatch] = []
        for places in _group_by_length(sizes, queries, documents):
            rows = np.concatenate([np.arange(usable.offsets[place], usable.offsets[place + 1]) for place in places])
            moved = np.repeat(first[places] - usable.offsets[places], sizes[places])
            table = features.X[rows + moved]
            if scaler is not None:
                table = scaler.apply_to_rows(table, features.name)
            X = torch.from_numpy(table if disk is None else disk.keep(table)).to(device)
            by_row = None if weights is None else torch.from_numpy(weights[rows].astype(np.float32)).to(device)
            loss = None
            if device == "cpu":
                offsets = offsets_of(sizes[places])
                queries_of_batch = GradedQueries.of(objective.measure, levels, usable.grades[rows], offsets)
                loss = prepare_rows(objective, queries_of_batch)
            if loss is not None:
                batches.append(CompiledBatch(X, rows, len(places), objective, by_row, loss, threads))
            else:
                batch, place = _pad(usable, places, levels)
                place_on_device = torch.from_numpy(place).to(device)
                batches.append(PaddedBatch(X, rows, len(places), objective, by_row, batch, place_on_device))
        approaches = METHODS[objective.method].approaches
        train_measure = None if approaches else Validation.of(usable, objective.measure)
        return cls(batches, usable, train_measure)


def _group_by_length(sizes: Array, queries: int, documents: int | None = None) -> Iterator[Array]:
    """The indices of the queries of each batch, ascending; queries of similar size are in one batch.

    A batch has ``queries`` queries, or where ``documents`` is given as many as have so many documents when padded; one
    query at least, and no more than have PAIRS pairs of documents.
    """
    order = np.argsort(sizes, kind="stable")
    begin = 0
    while begin < len(order):
        longest = sizes[order[begin : begin + (queries if documents is None else documents)]]
        number = np.arange(1, len(longest) + 1)
        fits = number * longest**2 <= PAIRS
        if documents is not None:
            fits &= number * longest <= documents
        end = begin + max(1, int(fits.sum()))
        yield np.sort(order[begin:end])
        begin = end


def _pad(features: Features, places: Array, levels: Levels) -> tuple[Batch, Array]:
    """Some queries padded to one length, and the index of each of their rows in the flattened batch."""
    sizes = np.diff(features.offsets)[places]
    column = np.arange(int(sizes.max(initial=1)))
    listed = column < sizes[:, None]
    row = np.where(listed, features.offsets[places][:, None] + column, 0)
    return Batch.of(features.grades[row], levels=levels, mask=listed), np.flatnonzero(listed)
