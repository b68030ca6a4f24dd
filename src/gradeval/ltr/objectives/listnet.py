"""ListNet: the cross entropy between the chances of documents to be first, by grades and by scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.listnet_trees import softmax_by_query
from gradeval.ltr.objectives.objective import Objective


def prepare(objective: Objective, batch: Batch, like: Tensor) -> Callable[[Tensor], Tensor]:  # noqa: ARG001
    """ListNet's loss by query, for scores of the precision and on the device of ``like``:

        L(y, s) = -sum_j P_y(j) log P_s(j),    P_s(j) = exp(s_j) / sum_k exp(s_k),

    with the grades y in place of s for P_y: the probability of document j to be ranked first by the Luce model.
    It is 0 for a query without documents.

    Source: Cao, Qin, Liu, Tsai & Li (2007), "Learning to rank: from pairwise approach to listwise approach", ICML,
    with the top one probability.
    """
    padding = batch.padding_at(like.device)
    grades = torch.tensor(np.take(batch.levels, batch.level), dtype=like.dtype, device=like.device)
    by_grades = grades.masked_fill(padding, -torch.inf).softmax(1).masked_fill(padding, 0)

    def by_query(scores: Tensor) -> Tensor:
        logarithm = scores.masked_fill(padding, -torch.inf).log_softmax(1).masked_fill(padding, 0)
        return -(by_grades * logarithm).sum(1)

    return by_query


@dataclass(frozen=True, eq=False)
class ListNetRows:
    """The same for queries whose documents are rows, by NumPy: see RowLoss.

    Attributes
    ----------
    begin, sizes : int64[query], of the queries that have documents.
    filled : bool[query], whether a query has documents.
    by_grades : float64[row], P_y.
    """

    begin: Array
    sizes: Array
    filled: Array
    by_grades: Array

    @classmethod
    def of(cls, queries: GradedQueries) -> Self:
        sizes = np.diff(queries.offsets)
        filled = sizes > 0
        grades = np.take(queries.levels, queries.level)
        return cls(queries.offsets[:-1][filled], sizes[filled], filled, softmax_by_query(grades, queries.offsets))

    def __call__(self, scores: Array, threads: int, with_loss: bool = True) -> tuple[Array | None, Array]:  # noqa: ARG002
        loss = np.zeros(len(self.filled))
        if not len(self.begin):
            return loss, np.zeros_like(scores)
        with np.errstate(invalid="ignore"):  # of scores that are not finite
            from_best = scores - np.repeat(np.maximum.reduceat(scores, self.begin), self.sizes)
            power = np.exp(from_best)
            total = np.add.reduceat(power, self.begin)
            by_scores = power / np.repeat(total, self.sizes)
            loss[self.filled] = np.log(total) - np.add.reduceat(self.by_grades * from_best, self.begin)
        return loss, by_scores - self.by_grades


def prepare_rows(objective: Objective, queries: GradedQueries) -> ListNetRows:  # noqa: ARG001
    """The same by rows."""
    return ListNetRows.of(queries)
