"""Training by gradient descent: epochs over batches of queries, early stopping, and going on after a kill."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor
from torch.optim.adam import adam

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.dataset import Dataset, TrainingBatch
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.ranker import Task
from gradeval.ltr.saving.checkpoint import read_checkpoint, write_checkpoint

Weights: TypeAlias = dict[str, Array]
Net: TypeAlias = Callable[[Mapping[str, Any], Any, Callable[[Any], Any]], Any]
"""The scores [...] for weights and features [..., column], of arrays or of tensors, with their tanh."""


@dataclass(frozen=True)
class Settings:
    """How to descend: see ``DescentRanker``."""

    epochs: int
    patience: int
    learning_rate: float
    queries: int
    seed: int
    device: str
    threads: int


def descend(
    net: Net, start: Weights, task: Task, objective: Objective, settings: Settings
) -> tuple[Weights, tuple[Epoch, ...], int]:
    """Train a net by Adam: the weights of the best epoch, the learning curve, and the number of that epoch.

    The batches stay the same; their order is drawn for each epoch from the seed and the number of the epoch. So a
    training that goes on needs the weights and Adam's moments, and no state of a random generator.
    """
    with _threads(settings.threads):
        dataset = Dataset.of(
            task.train, task.levels, objective, settings.queries, settings.device, settings.threads, task.scaler
        )
        return _Descent(net, start, task, objective, settings).run(dataset)


class _Descent:
    """The state of a training: all weights in one tensor, Adam over it, the weights to keep, the curve."""

    def __init__(self, net: Net, start: Weights, task: Task, objective: Objective, settings: Settings) -> None:
        self.net, self.task, self.objective, self.settings = net, task, objective, settings
        self.shapes = {name: values.shape for name, values in start.items()}
        flat = np.concatenate([values.ravel() for values in start.values()]).astype(np.float32)
        self.weights = torch.from_numpy(flat).to(settings.device).requires_grad_()
        self.best_weights = self.weights.detach().clone()
        self.moments = {name: torch.zeros_like(self.best_weights) for name in ("exp_avg", "exp_avg_sq")}
        self.steps = torch.tensor(0.0)
        self.curve: list[Epoch] = []
        self.best = 0
        self.valid = None if task.valid is None else task.valid.features.X.astype(float)

    def run(self, dataset: Dataset) -> tuple[Weights, tuple[Epoch, ...], int]:
        task = self.task
        if task.resume:
            self._resume()
        while len(self.curve) < self.settings.epochs and not self._stale:
            epoch = self._epoch(dataset, len(self.curve) + 1)
            self.curve.append(epoch)
            if self._better(epoch):
                self.best = epoch.number
                self.best_weights = self.weights.detach().clone()
            if task.checkpoint is not None:
                write_checkpoint(task.checkpoint, task.identity, [self.best, self.curve], self._state())
            if task.progress is not None:
                task.progress(epoch)
        return self._named(self.best_weights.cpu().numpy()), tuple(self.curve), self.best

    def _better(self, epoch: Epoch) -> bool:
        if epoch.valid is None or not self.best:
            return True
        before = self.curve[self.best - 1].valid
        return before is None or epoch.valid > before

    @property
    def _stale(self) -> bool:
        """Whether validation has not got better for as many epochs as patience lasts."""
        return self.task.valid is not None and len(self.curve) - self.best >= self.settings.patience

    def _epoch(self, dataset: Dataset, number: int) -> Epoch:
        order = np.random.default_rng([self.settings.seed, number]).permutation(len(dataset.batches))
        seen = np.empty(len(dataset.features), np.float32)
        total, moved = 0.0, False
        for place in order:
            batch = dataset.batches[place]
            scores, loss, gradient = self._step(batch, number)
            moved = moved or number > 1 or bool(gradient.any())
            if dataset.quality is not None:
                seen[batch.rows] = scores.detach().cpu().numpy()
            elif loss is not None:
                total -= loss * batch.queries
        if not moved:
            raise InputError(
                f"{self.task.train.name}: nothing to learn: no weight changes {self.objective}; do the features not "
                "differ within a query, is what differs in grade worth the same to the measure, or is sigma="
                f"{self.objective.sigma:g} too far from the distances of scores?"
            )
        if not (math.isfinite(total) and bool(torch.isfinite(self.weights).all())):
            raise self._diverged(number)
        mean = total / len(dataset.features.topics) if dataset.quality is None else dataset.quality(seen)
        return Epoch(number, mean, self._validate())

    def _step(self, batch: TrainingBatch, number: int) -> tuple[Tensor, float | None, Tensor]:
        """A step down the gradient of a batch: its scores before the step, its loss where that is known, and the
        gradient by the weights."""
        scores = self.net(self._named(self.weights), batch.X, torch.tanh)
        if not bool(torch.isfinite(scores).all()):
            raise self._diverged(number)
        loss, by_score = batch.backward(scores.detach())
        (gradient,) = torch.autograd.grad(scores, self.weights, by_score)
        self._descend(gradient)
        return scores, loss, gradient

    @torch.no_grad()
    def _descend(self, gradient: Tensor) -> None:
        """A step of Adam, by PyTorch's function: its class imports 800 modules of the compiler, which take 75 MB."""
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
            lr=self.settings.learning_rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )

    def _validate(self) -> float | None:
        if self.task.valid is None:
            return None
        weights = self._named(self.weights.detach().cpu().numpy().astype(float))
        return self.task.valid(self.net(weights, self.valid, np.tanh))

    def _diverged(self, number: int) -> InputError:
        return InputError(
            f"training diverged in epoch {number}: a weight or score is not finite; take a lower learning_rate than "
            f"{self.settings.learning_rate:g}, or scale the features"
        )

    def _named(self, flat: Any) -> dict[str, Any]:
        """The weights by name, as parts of all of them."""
        named, begin = {}, 0
        for name, shape in self.shapes.items():
            end = begin + math.prod(shape)
            named[name] = flat[begin:end].reshape(shape)
            begin = end
        return named

    def _state(self) -> bytes:
        weights = {"weights": self.weights.detach(), "kept": self.best_weights}
        tensors: dict[str, Tensor] = {**weights, "step": self.steps, **self.moments}
        saved: bytes = save({name: tensor.cpu() for name, tensor in tensors.items()})
        return saved

    def _resume(self) -> None:
        assert self.task.checkpoint is not None
        checkpoint = read_checkpoint(self.task.checkpoint, self.task.identity)
        if checkpoint is None:
            return
        (self.best, curve), state = checkpoint
        self.curve = [Epoch(*epoch) for epoch in curve]
        if len(self.curve) > self.settings.epochs:
            raise InputError(
                f"{self.task.checkpoint}: {len(self.curve)} epochs are done, epochs={self.settings.epochs} wanted: "
                "give as many or more, or train from the beginning"
            )
        tensors = load(state)
        with torch.no_grad():
            self.weights.copy_(tensors.pop("weights"))
            self.best_weights.copy_(tensors.pop("kept"))
        self.steps = tensors.pop("step")
        self.moments = {name: tensor.to(self.weights.device) for name, tensor in tensors.items()}


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """PyTorch on some cores; 0: on as many as it had."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
