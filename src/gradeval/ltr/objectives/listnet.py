"""ListNet: the cross entropy between the chances of documents to be first, by grades and by scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.graded_queries import GradedQueries, Gradients, weighted
from gradeval.ltr.objectives.objective import Objective

if TYPE_CHECKING:  # trees need no PyTorch
    from torch import Tensor

    from gradeval.ltr.objectives.batch import Batch
    from gradeval.ltr.objectives.loss import RowLoss


def prepare(_: Objective, batch: Batch, like: Tensor) -> Callable[[Tensor], Tensor]:
    """ListNet's loss by query, for scores of the precision and on the device of ``like``:

        L(y, s) = -sum_j P_y(j) log P_s(j),    P_s(j) = exp(s_j) / sum_k exp(s_k),

    with the grades y in place of s for P_y: the probability of document j to be ranked first by the Luce model.
    It is 0 for a query without documents.

    Source: Cao, Qin, Liu, Tsai & Li (2007), "Learning to rank: from pairwise approach to listwise approach", ICML,
    with the top one probability.
    """
    padding = batch.padding_at(like.device)
    grades = like.new_tensor(np.take(batch.levels, batch.level))
    by_grades = grades.masked_fill(padding, -np.inf).softmax(1).masked_fill(padding, 0)

    def by_query(scores: Tensor) -> Tensor:
        logarithm = scores.masked_fill(padding, -np.inf).log_softmax(1).masked_fill(padding, 0)
        return -(by_grades * logarithm).sum(1)

    return by_query


def prepare_rows(_: Objective, queries: GradedQueries) -> RowLoss:
    """The same for queries whose documents are rows, by NumPy."""
    offsets = queries.offsets
    by_grades = softmax_by_query(np.take(queries.levels, queries.level), offsets)[0]

    def by_row(scores: Array, _: int, __: bool = True, /) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore"):  # of scores that are not finite
            by_scores, from_best, total = softmax_by_query(scores, offsets)
            loss = np.log(np.maximum(total, 1)) - _by_query(np.add, by_grades * from_best, offsets)
        return loss, by_scores - by_grades

    return by_row


@dataclass(frozen=True)
class ListNetObjective:
    """For trees: the gradient by s_j is P_s(j) - P_y(j), and the second derivative P_s(j) (1 - P_s(j)), which is
    positive: the loss is convex in the scores."""

    def gradients(self, scores: Array, grades: Array, offsets: Array) -> Gradients:
        """Gradient and hessian, float64[row]; the rows of query q are offsets[q]:offsets[q + 1]."""
        by_scores, by_grades = (softmax_by_query(np.asarray(one, float), offsets)[0] for one in (scores, grades))
        return by_scores - by_grades, by_scores * (1 - by_scores)

    def gradients_and_values(
        self, scores: Array, grades: Array, offsets: Array, weights: Array | None = None
    ) -> tuple[Gradients, None]:
        """The same times weights float64[row]; the values of the measure are not among what it works out."""
        return weighted(self.gradients(scores, grades, offsets), weights), None


def boost(*_: object) -> ListNetObjective:
    """The gradients for trees; nothing is to be chosen."""
    return ListNetObjective()


def softmax_by_query(values: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """exp(value) as a share of its sum over the query, and value less the largest of its query, float64[row] each; and
    the sum of the exponentials of these differences, float64[query]."""
    sizes = np.diff(offsets)
    from_best = values - np.repeat(_by_query(np.maximum, values, offsets), sizes)
    power = np.exp(from_best)
    total = _by_query(np.add, power, offsets)
    return power / np.repeat(total, sizes), from_best, total


def _by_query(reduce: np.ufunc, values: Array, offsets: Array) -> Array:
    """float64[query]: the values of each query reduced; 0 for a query without rows, which reduceat does not take."""
    filled = np.flatnonzero(np.diff(offsets))
    reduced = np.zeros(len(offsets) - 1)
    if len(filled):
        reduced[filled] = reduce.reduceat(values, offsets[:-1][filled])
    return reduced
