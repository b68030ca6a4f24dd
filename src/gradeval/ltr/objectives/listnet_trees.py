"""ListNet for trees: gradient and hessian of its loss by the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.ltr.objectives.objective import Objective


@dataclass(frozen=True)
class ListNetObjective:
    """With P_s and P_y as in ``listnet``, the gradient by s_j is P_s(j) - P_y(j), and the second derivative
    P_s(j) (1 - P_s(j)), which is positive: the loss is convex in the scores."""

    def gradients(self, scores: Array, grades: Array, offsets: Array) -> Gradients:
        """Gradient and hessian, float64[row]; the rows of query q are offsets[q]:offsets[q + 1]."""
        by_scores = softmax_by_query(np.asarray(scores, float), offsets)
        return by_scores - softmax_by_query(np.asarray(grades, float), offsets), by_scores * (1 - by_scores)


def boost(objective: Objective, levels: Levels, norm: bool, threads: int) -> ListNetObjective:  # noqa: ARG001
    """The gradients for trees; nothing is to be chosen."""
    return ListNetObjective()


def softmax_by_query(values: Array, offsets: Array) -> Array:
    """float64[row]: exp(value) as a share of its sum over the query."""
    filled = np.flatnonzero(np.diff(offsets))  # reduceat takes no empty query
    begin, sizes = offsets[:-1][filled], np.diff(offsets)[filled]
    if not len(begin):
        return np.zeros_like(values)
    power = np.exp(values - np.repeat(np.maximum.reduceat(values, begin), sizes))
    return np.asarray(power / np.repeat(np.add.reduceat(power, begin), sizes))
