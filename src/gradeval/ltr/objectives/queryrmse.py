"""QueryRMSE: squared error of grades, without what all documents of a query have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.graded_queries import GradedQueries, Gradients, weighted
from gradeval.ltr.objectives.engine_objective import CustomObjective, read_rows
from gradeval.ltr.objectives.objective import Objective

if TYPE_CHECKING:  # trees need no PyTorch
    from torch import Tensor

    from gradeval.ltr.objectives.batch import Batch
    from gradeval.ltr.objectives.loss import RowLoss


def prepare(_: Objective, batch: Batch, like: Tensor) -> Callable[[Tensor], Tensor]:
    """The squared error by query, for scores of the precision and on the device of ``like``:

        L(y, s) = 1/2 sum_j (s_j - y_j - c)^2,    c = 1/n sum_k (s_k - y_k),

    over the n documents j of the query with grades y: no constant that is added to the scores of a query changes it. It
    is half of n times the square of CatBoost's QueryRMSE, and 0 for a query without documents.
    """
    padding = batch.padding_at(like.device)
    grades = like.new_tensor(np.take(batch.levels, batch.level))
    count = (~padding).sum(1, keepdim=True).clamp(min=1)

    def by_query(scores: Tensor) -> Tensor:
        error = (scores - grades).masked_fill(padding, 0)
        centred = (error - error.sum(1, keepdim=True) / count).masked_fill(padding, 0)
        return (centred**2).sum(1) / 2

    return by_query


def prepare_rows(_: Objective, queries: GradedQueries) -> RowLoss:
    """The same for queries whose documents are rows, by NumPy."""
    grades = np.take(queries.levels, queries.level)

    def by_row(scores: Array, _: int, __: bool = True, /) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore"):  # of scores that are not finite
            error = centre_by_query(scores - grades, queries.offsets)
            return sum_by_query(error**2, queries.offsets) / 2, error

    return by_row


@dataclass(frozen=True)
class QueryRMSEObjective(CustomObjective):
    """For trees: the gradient by s_j is s_j - y_j - c, and the second derivative 1 - 1/n."""

    def gradients(self, scores: Any, grades: Any, offsets: Any, weights: Array | None = None) -> Gradients:
        scores, grades, offsets, weights = read_rows(scores, grades, offsets, weights)
        sizes = np.diff(offsets)
        return weighted((centre_by_query(scores - grades, offsets), 1 - 1 / np.repeat(sizes, sizes)), weights)

    def gradients_and_values(
        self, scores: Array, grades: Array, offsets: Array, weights: Array | None = None
    ) -> tuple[Gradients, None]:
        """The same times weights float64[row]; the values of the measure are not among what it works out."""
        return self.gradients(scores, grades, offsets, weights), None


def boost(*_: object) -> QueryRMSEObjective:
    """The gradients for trees; nothing is to be chosen."""
    return QueryRMSEObjective()


def centre_by_query(values: Array, offsets: Array) -> Array:
    """Values float64[row] less the mean of their query."""
    sizes = np.diff(offsets)
    return np.asarray(values - np.repeat(sum_by_query(values, offsets) / np.maximum(sizes, 1), sizes))


def sum_by_query(values: Array, offsets: Array) -> Array:
    """float64[query]: the sum over the rows of each query; 0 for a query without rows."""
    sizes = np.diff(offsets)
    return np.bincount(np.repeat(np.arange(len(sizes)), sizes), values, len(sizes))
