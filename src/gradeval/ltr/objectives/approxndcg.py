"""ApproxNDCG: nDCG with ranks that are smooth functions of the scores."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.objectives.soft_kernels import SoftRows


def prepare(objective: Objective, batch: Batch, like: Tensor) -> Callable[[Tensor], Tensor]:
    """Minus ApproxNDCG by query, for scores of the precision and on the device of ``like``:

        ApproxNDCG = 1/N sum_i (2^y_i - 1) / log2(1 + r_i),    r_i = 1 + sum_(j != i) 1 / (1 + exp(-alpha (s_j - s_i))),

    with N the largest DCG of the query and alpha the sigma of the objective. r_i approaches the rank as alpha grows;
    the default alpha = 10 is the temperature 1 / alpha = 0.1 of Bruch et al.

    Source: Qin, Liu & Li (2010), "A general approximation framework for direct optimization of information retrieval
    measures", Information Retrieval 13; Bruch, Zoghi, Bendersky & Najork (2019), "Revisiting approximate
    metric optimization in the age of deep neural networks", SIGIR.
    """
    kernel = batch.kernel_like(objective.measure, like)
    assert kernel is not None  # a measure of gain has one
    level, present = batch.levels_at(like.device), ~batch.padding_at(like.device)
    gain = kernel.own.expand(len(level), -1).gather(1, level.clamp(min=0)) * present * kernel.share[:, None]
    alpha = objective.sigma

    def by_query(scores: Tensor) -> Tensor:
        above = torch.sigmoid(alpha * (scores[:, None, :] - scores[:, :, None])) * present[:, None, :]
        rank = 0.5 + above.sum(2)  # a document is above itself with 0.5
        return -(gain / torch.log2(1 + rank)).sum(1)

    return by_query


def prepare_rows(objective: Objective, queries: GradedQueries) -> SoftRows:
    """The same by the compiled core: r_i is an expected rank, by contests that the logistic function decides."""
    return SoftRows(queries, -1, 1 / objective.sigma, logistic=True, logarithmic=True)
