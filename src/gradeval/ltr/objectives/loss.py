"""The loss of an objective: what training by gradient descent minimises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import torch
from torch import Tensor

from gradeval._core import InputError
from gradeval.kernels.pairs import pool_of
from gradeval.ltr.data.trainable import are_trainable
from gradeval.ltr.objectives.batch import Batch, fit_scores, in_full_precision
from gradeval.ltr.objectives.compiled import LossByQuery, prepare_rows
from gradeval.ltr.objectives.methods import METHODS
from gradeval.ltr.objectives.objective import Objective


@dataclass(frozen=True, eq=False)
class Loss:
    """The loss of a batch as a function of scores alone: everything else is prepared, on its device.

    It waits for nothing on the device and reads no value there, so it suits CUDA graphs and
    ``torch.compile(loss, fullgraph=True)``. On a CPU the compiled core computes it, see LossByQuery. Make it with
    ``prepare_loss``.

    Attributes
    ----------
    by_query : the loss of each query, float[query], of scores float[query, n].
    padding : bool[query, n].
    weights : float[query], 1 / the number of queries that can be learnt from; 0 for the others.
    """

    by_query: Callable[[Tensor], Tensor]
    padding: Tensor
    weights: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        """The loss of scores float[query, n]; not finite where a score is not."""
        with in_full_precision(scores):
            return (self.by_query(fit_scores(scores, self.padding)) * self.weights).sum()


def prepare_loss(
    objective: Objective | str, batch: Batch, *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu"
) -> Loss:
    """The loss of an objective for a batch and for scores of this precision on this device.

        loss = torch.compile(prepare_loss("softrank:nDCG@10", batch, device="cuda"), fullgraph=True)
        loss(model(X)).backward()

    It is the mean over the queries that can be learnt from: those whose documents differ in grade, with something
    relevant to the measure. The batch keeps it, so that preparing it again takes no time.

    Raises
    ------
    InputError : the objective has no loss for these grades; grades that are no Batch.
    """
    if not isinstance(batch, Batch):
        raise InputError(
            f"a loss is prepared for a Batch, not {type(batch).__name__}; write Batch.of(grades, levels=...)"
        )
    parsed = Objective.parse(objective)
    like = torch.empty(0, dtype=dtype, device=device)
    return batch.keep(("loss", parsed, like.dtype, like.device), lambda: _prepare(parsed, batch, like))


def _prepare(objective: Objective, batch: Batch, like: Tensor) -> Loss:
    tensors: Callable[[Tensor], Tensor] = import_module(METHODS[objective.method].module).prepare(
        objective, batch, like
    )
    by_query = LossByQuery.of(batch, objective.measure, like, tensors, partial(prepare_rows, objective))
    trainable = are_trainable(objective.measure, pool_of(batch.level, batch.levels), batch.pool, batch.levels)
    weights = torch.tensor(trainable / max(1, trainable.sum()), dtype=like.dtype, device=like.device)
    return Loss(by_query, batch.padding_at(like.device), weights)
