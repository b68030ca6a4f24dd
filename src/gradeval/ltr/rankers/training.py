"""Training by gradient descent: batches of queries with the gradient of their loss, epochs, early stopping, and
resuming from a checkpoint."""

from __future__ import annotations

import math
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor
from torch.optim.adam import adam

from gradeval._core import InputError
from gradeval.features.feature_arrays import offsets_of
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.single_precision import to_single_precision
from gradeval.files.feature_cache import folder_of, is_mapped
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.task import Task
from gradeval.ltr.data.trainable import (
    leave_out_weightless,
    scale_to_mean_one,
    select_rows,
    select_without_table,
    trainable_places,
)
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.loss import RowLoss, prepare_loss, prepare_rows
from gradeval.ltr.objectives.objective import METHODS, Objective
from gradeval.ltr.rankers.learning_curve import Epoch, Watched, watched_of
from gradeval.ltr.rankers.net import BLOCK, ModuleNet, Net
from gradeval.ltr.saving import read_checkpoint, write_checkpoint
from gradeval.messages import Given

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


class DiskTables:
    """Room for so many rows of a mapped table in a file in its folder. The file has no name, and ends with the
    process."""

    def __init__(self, mapped: Array, rows: int) -> None:
        folder = folder_of(mapped)
        shape = (rows, mapped.shape[1])
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                size = rows * mapped.shape[1] * 4
                if hasattr(os, "posix_fallocate"):  # room now, where the system can give it, not a fault later
                    os.posix_fallocate(file.fileno(), 0, size)
                os.ftruncate(file.fileno(), size)
                self.table = np.memmap(file, np.float32, mode="r+", shape=shape)
        except OSError as error:
            raise InputError(
                f"{folder}: training keeps its batches next to the cache, but cannot write there ({error.strerror}); "
                "it needs as much room as the cache"
            ) from error
        self.rows = 0

    def keep(self, table: Array) -> Array:
        """The same table, mapped from the file."""
        begin = self.rows
        self.rows += len(table)
        kept: Array = self.table[begin : self.rows]
        kept[:] = table
        return kept


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

        Each batch takes its own rows and scales them: besides the features and the batches there is no third table.
        ``weights`` are for the rows of ``features``.
        Where features are mapped from a cache, batches are, too, from a file next to it.
        """
        if scaler is None:
            features = replace(features, X=to_single_precision(features, "a network"))
        trainable = leave_out_weightless(trainable_places(features, levels, objective.measures), weights, features)
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


def _group_by_length(sizes: Array, queries: int, documents: int | None) -> Iterator[Array]:
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


Weights: TypeAlias = dict[str, Array]


class Descended(NamedTuple):
    """What a training by gradient descent comes to: the weights of the best epoch, the learning curve, the number of
    that epoch, and further validations."""

    weights: Weights
    curve: tuple[Epoch, ...]
    best: int
    watched: tuple[Watched, ...]


def descend(net: Net, start: Weights, task: Task, ranker: Any) -> Descended:
    """Train the net of a DescentRanker by Adam.

    The batches stay the same; their order is random in each epoch and depends only on the seed and the number of the
    epoch. So a checkpoint needs the weights and Adam's moments, but no state of a random generator.
    """
    with _use_threads(ranker.threads), _keep_random_state(net):
        dataset = Dataset.of(
            task.train,
            task.levels,
            ranker.objective,
            ranker.queries,
            ranker.device,
            ranker.threads,
            task.scaler,
            task.weights,
            ranker.documents,
        )
        return _Descent(net, start, task, ranker).run(dataset)


class _Descent:
    """The state of a training: all weights in one tensor, Adam for it, the best weights so far, the learning curve."""

    def __init__(self, net: Net, start: Weights, task: Task, ranker: Any) -> None:
        self.net, self.task, self.ranker = net, task, ranker
        self.shapes = {name: values.shape for name, values in start.items()}
        flat = np.concatenate([values.ravel() for values in start.values()]).astype(np.float32)
        self.weights = torch.from_numpy(flat).to(ranker.device).requires_grad_()
        self.best_weights = self.weights.detach().clone()
        self.moments = {name: torch.zeros_like(self.best_weights) for name in ("exp_avg", "exp_avg_sq")}
        self.steps = torch.tensor(0.0)
        self.curve: list[Epoch] = []
        self.watched: list[list[float]] = []  # after each epoch, the validations except the first
        self.best = 0
        self.means: dict[Validation, Callable[[Array], float]] = {}

    def run(self, dataset: Dataset) -> Descended:
        task = self.task
        if task.resume:
            self._resume()
        while len(self.curve) < self.ranker.epochs and not self._has_stalled:
            epoch = self._run_epoch(dataset, len(self.curve) + 1)
            self.curve.append(epoch)
            if self._is_better(epoch):
                self.best = epoch.number
                self.best_weights = self.weights.detach().clone()
            if task.checkpoint is not None:
                progress = [self.best, self.curve, self.watched]
                write_checkpoint(task.checkpoint, task.identity, progress, self._serialize_state())
            if task.progress is not None:
                task.progress(epoch)
        weights = self._split_by_name(self.best_weights.cpu().numpy())
        return Descended(weights, tuple(self.curve), self.best, watched_of(task, self.watched))

    def _is_better(self, epoch: Epoch) -> bool:
        if epoch.valid is None or not self.best:
            return True
        before = self.curve[self.best - 1].valid
        return before is None or epoch.valid > before

    @property
    def _has_stalled(self) -> bool:
        """Whether the last ``patience`` epochs brought no improvement on the validation data."""
        return self.task.validation is not None and len(self.curve) - self.best >= self.ranker.patience

    def _run_epoch(self, dataset: Dataset, number: int) -> Epoch:
        order = np.random.default_rng([self.ranker.seed, number]).permutation(len(dataset.batches))
        all_scores = self.weights.new_zeros(len(dataset.features))
        total, largest = self.weights.new_zeros((), dtype=torch.float64), self.weights.new_zeros(())
        self._set_mode(number)
        for place in order:
            batch = dataset.batches[place]
            scores, loss, gradient = self._take_step(batch)
            if number == 1:
                largest = torch.maximum(largest, gradient.abs().max())
            if dataset.train_measure is not None:
                all_scores.index_copy_(0, batch.row_index, scores.detach())
            elif loss is not None:
                total -= loss * batch.queries
        # Until here no number was read, so that a GPU was never waited for.
        if not (math.isfinite(float(total)) and bool(torch.isfinite(self.weights).all())):
            raise self._divergence_error(number)
        if number == 1 and not bool(largest):
            raise InputError(
                f"{self.task.train.name}: nothing to learn: no weight changes {self.ranker.objective}; do features "
                "differ within a query? have different grades different gains in the measure? does sigma="
                f"{self.ranker.objective.sigma:g} fit the distances of scores?"
            )
        mean = float(total) / len(dataset.features.topics)
        if dataset.train_measure is not None:
            mean = self._mean_over(dataset.train_measure, all_scores)
        values = self._validate()
        self.watched.append(values[1:])
        return Epoch(number, mean, values[0] if values else None)

    def _set_mode(self, epoch: int | None) -> None:
        """Let the user's own module train in an epoch, whose dropout depends on the seed and its number; None: let it
        score."""
        if isinstance(self.net, ModuleNet):
            self.net.module.train(epoch is not None)
            if epoch is not None:
                torch.manual_seed(int(np.random.SeedSequence([self.ranker.seed, epoch]).generate_state(1)[0]))

    def _take_step(self, batch: TrainingBatch) -> tuple[Tensor, Tensor | None, Tensor]:
        """Take a step for one batch. Return its scores before the step, its loss where that is computed, and the
        gradient with respect to the weights."""
        scores = self.net(self._split_by_name(self.weights), batch.X, torch.tanh)
        loss, by_score = batch.backward(scores.detach())
        if batch.weights is not None:
            by_score = by_score * batch.weights
        # The weighted sum has the derivatives by_score. Given them instead, autograd would import SymPy, of 25 MB.
        (gradient,) = torch.autograd.grad((scores * by_score).sum(), self.weights)
        self._descend(gradient)
        return scores, loss, gradient

    def _descend(self, gradient: Tensor) -> None:
        """A step of Adam, by PyTorch's function: its class imports hundreds of modules of the compiler."""
        rate = self.ranker.learning_rate
        with torch.no_grad():
            if self.ranker.weight_decay:
                self.weights.mul_(1 - rate * self.ranker.weight_decay)
            adam(
                [self.weights],
                [gradient],
                [self.moments["exp_avg"]],
                [self.moments["exp_avg_sq"]],
                [],
                [self.steps],
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=rate,
                weight_decay=0.0,
                eps=1e-8,
                maximize=False,
            )

    def _validate(self) -> list[float]:
        """The validation measures, of scores in double precision on the training device."""
        if not self.task.validations:
            return []
        self._set_mode(None)
        with torch.no_grad():
            weights = self._split_by_name(self.weights.detach())
            scores = [score_tensors(self.net, weights, table) for table in self.valid_features]
        places = self.task.valid_places
        return [self._mean_over(each, scores[at]) for at, each in zip(places, self.task.validations, strict=True)]

    @cached_property
    def valid_features(self) -> list[Tensor]:
        """float32[row, column]: the validation data on the training device; on a CPU they are not copied."""
        return [torch.from_numpy(each.X[:]).to(self.weights.device) for each in self.task.valid_tables]

    def _mean_over(self, validation: Validation, scores: Tensor) -> float:
        """The mean of the measure for scores on the device: one number a document goes to the compiled core."""
        if validation not in self.means:
            self.means[validation] = validation.mean_function(self.ranker.threads)
        return self.means[validation](scores.double().cpu().numpy())

    def _divergence_error(self, number: int) -> InputError:
        return InputError(
            f"training diverged in epoch {number}: a weight or score is not finite; lower ",
            Given("learning_rate", self.ranker.learning_rate),
            ", or scale the features",
        )

    def _split_by_name(self, flat: Any) -> dict[str, Any]:
        """The weights by name, cut from the one tensor or array of all weights."""
        named, begin = {}, 0
        for name, shape in self.shapes.items():
            end = begin + math.prod(shape)
            named[name] = flat[begin:end].reshape(shape)
            begin = end
        return named

    def _serialize_state(self) -> bytes:
        weights = {"weights": self.weights.detach(), "kept": self.best_weights}
        tensors: dict[str, Tensor] = {**weights, "step": self.steps, **self.moments}
        saved: bytes = save({name: tensor.cpu() for name, tensor in tensors.items()})
        return saved

    def _resume(self) -> None:
        assert self.task.checkpoint is not None
        checkpoint = read_checkpoint(self.task.checkpoint, self.task.identity)
        if checkpoint is None:
            return
        (self.best, curve, *watched), state = checkpoint
        self.curve = [Epoch(*epoch) for epoch in curve]
        self.watched = watched[0] if watched else [[] for _ in curve]
        if len(self.curve) > self.ranker.epochs:
            raise InputError(
                f"{self.task.checkpoint}: {len(self.curve)} epochs are done, and ",
                Given("epochs", self.ranker.epochs),
                " asks for fewer: give as many or more, or train from the beginning",
            )
        tensors = load(state)
        with torch.no_grad():
            self.weights.copy_(tensors.pop("weights"))
            self.best_weights.copy_(tensors.pop("kept"))
        self.steps = tensors.pop("step")
        self.moments = {name: tensor.to(self.weights.device) for name, tensor in tensors.items()}


def score_tensors(net: Net, weights: Mapping[str, Tensor], X: Tensor) -> Tensor:
    """float64[row]: the scores of features float32[row, column], computed in double precision as in
    ``score_in_blocks``; in a user's own module's precision."""
    kind = torch.float32 if isinstance(net, ModuleNet) else torch.float64
    weights = {name: values.to(kind) for name, values in weights.items()}
    step = max(1, BLOCK // X.shape[1])
    return torch.cat([net(weights, rows.to(kind), torch.tanh) for rows in X.split(step)]).double()


@contextmanager
def _keep_random_state(net: Net) -> Iterator[None]:
    """Leave PyTorch's random numbers as they were before the dropout of a user's own module."""
    if not isinstance(net, ModuleNet):
        yield
        return
    with torch.random.fork_rng():
        yield


@contextmanager
def _use_threads(count: int) -> Iterator[None]:
    """Let PyTorch use ``count`` threads for a while; 0 leaves the number as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
