"""The loss of an objective: what training by gradient descent minimises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Protocol, Self

import numpy as np
import torch
from torch import Tensor

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.features.feature_arrays import offsets_of
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.pairs import pool_of
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.trainable import are_trainable
from gradeval.ltr.objectives.batch import Batch, check_scores, in_full_precision
from gradeval.ltr.objectives.objective import METHODS, Objective, require_descent, warn_of_cascade


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
            return (self.by_query(check_scores(scores, self.padding)) * self.weights).sum()


@known_arguments()
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
    require_descent(parsed)
    if parsed.method == "lambdarank":
        warn_of_cascade(parsed.measure, parsed.draws)
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


class RowLoss(Protocol):
    """The loss of queries whose documents are rows, one query after the other."""

    def __call__(self, scores: Array, threads: int, with_loss: bool = True, /) -> tuple[Array | None, Array]:
        """The loss of each query float64[query], or perhaps None without ``with_loss``; and the gradient float64[row]
        of its sum over queries, by scores float64[row]. A query with a score that is not finite has none that is
        finite."""


def prepare_rows(objective: Objective, queries: GradedQueries) -> RowLoss | None:
    """The loss of an objective by the compiled core; None where there is only the one by tensors."""
    prepared: RowLoss | None = import_module(METHODS[objective.method].module).prepare_rows(objective, queries)
    return prepared


@dataclass(frozen=True, eq=False)
class LossByQuery:
    """The loss of each query of a batch, float[query], of fitted scores float[query, n].

    On a CPU ``rows`` computes it, in double precision and without second derivatives; elsewhere, and for PyTorch's
    compiler, ``tensors``.

    Attributes
    ----------
    tensors : the loss by PyTorch's functions, on any device.
    rows : the same by the compiled core, or None.
    present : bool[query, n], False in the padding; None where there is none.
    """

    tensors: Callable[[Tensor], Tensor]
    rows: RowLoss | None
    present: Array | None

    @classmethod
    def of(
        cls,
        batch: Batch,
        measure: Measure,
        like: Tensor,
        tensors: Callable[[Tensor], Tensor],
        prepare: Callable[[GradedQueries], RowLoss | None],
    ) -> Self:
        """For scores of the precision and on the device of ``like``."""
        rows = prepare(queries_of(batch, measure)) if like.device.type == "cpu" else None
        present = batch.level >= 0
        return cls(tensors, rows, None if present.all() else present)

    def __call__(self, scores: Tensor) -> Tensor:
        if self.rows is None or torch.compiler.is_compiling():
            return self.tensors(scores)
        loss: Tensor = _Compiled.apply(scores, self)[0]
        return loss

    def differentiate(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of each query, and its gradient float[query, n]."""
        assert self.rows is not None
        given = scores.detach().double().numpy()
        rows = given.ravel() if self.present is None else given[self.present]
        loss, by_row = self.rows(rows, torch.get_num_threads())
        gradient = np.zeros_like(given)
        gradient[... if self.present is None else self.present] = (
            by_row.reshape(given.shape) if self.present is None else by_row
        )
        return torch.from_numpy(loss).to(scores.dtype), torch.from_numpy(gradient).to(scores.dtype)


class _Compiled(torch.autograd.Function):  # type: ignore[misc]  # PyTorch leaves its type Any
    """Values [query] whose gradients [query, n] are computed with them.

    They are computed in here, as transforms such as ``torch.func.grad`` give plain numbers only to ``forward``.
    """

    @staticmethod
    def forward(scores: Tensor, loss: LossByQuery) -> tuple[Tensor, Tensor]:
        return loss.differentiate(scores)

    @staticmethod
    def setup_context(ctx: Any, _: Any, output: Any) -> None:
        _, gradient = output
        ctx.mark_non_differentiable(gradient)
        ctx.save_for_backward(gradient)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]  # of PyTorch
    def backward(ctx: Any, outer: Tensor, _: Any) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors
        return outer[:, None] * gradient, None


def queries_of(batch: Batch, measure: Measure) -> GradedQueries:
    """The queries of a batch as rows, with the kernels of a measure."""
    offsets = offsets_of(batch.lengths)
    level = batch.level[batch.level >= 0]
    return batch.keep(
        ("rows", measure), lambda: GradedQueries.of_pools(measure, batch.levels, level, offsets, batch.pool)
    )
