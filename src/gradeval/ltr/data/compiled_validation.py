"""Validation on a CPU by the compiled core: the same numbers as ``Validation``, in less time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.ltr.data.graded_queries import GradedQueries


@dataclass(frozen=True, eq=False)
class CompiledValidation:
    """The mean of a measure over queries by its kernel. Equal scores stay in the order of the rows, queries without
    relevant documents count 0.

    The values are those of ``evaluate`` to 1e-9: a kernel is the measure to rounding.
    """

    queries: GradedQueries
    name: str
    threads: int

    @classmethod
    def of(cls, features: Features, measure: Measure, threads: int) -> Self | None:
        """Prepare the validation; None for a measure without a kernel, or whose values are not averaged."""
        if measure.definition.aggregate != "mean":
            return None
        queries = GradedQueries.of(measure, features.levels, features.grades, features.offsets)
        return None if queries.kernels is None else cls(queries, features.name, threads)

    def __call__(self, scores: Array) -> float:
        """The mean for scores float64[row]."""
        if np.isnan(scores).any():
            raise InputError(f"{self.name}: the score of row {int(np.argmax(np.isnan(scores)))} is not a number")
        return float(self.queries.values(scores, self.threads).sum()) / max(1, len(self.queries.offsets) - 1)
