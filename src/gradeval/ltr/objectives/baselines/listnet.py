"""ListNet: the cross entropy between the chances of documents to be first, by grades and by scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from gradeval.ltr.objectives.batch import Batch
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
