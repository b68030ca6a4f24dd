"""Soft measures, and others by contests between documents, by the compiled core."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np

import gradeval._core as _core
from gradeval.formula.arithmetic import Array
from gradeval.kernels.lookup import kernel_of
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.objective import Estimator
from gradeval.ltr.objectives.soft.softform import Form, SoftForm

MOST_CHANCES = 1 << 18  # documents times ranks; beyond, tensors take less memory, and Fourier transforms


@dataclass(frozen=True, eq=False)
class SoftRows:
    """A measure by contests between documents, times ``sign``, by the compiled core: see RowLoss.

    The other attributes are the parameters of ``_core.contest_values``.
    """

    queries: GradedQueries
    sign: int
    scale: float
    logistic: bool = False
    shifts: Array = field(default_factory=lambda: np.zeros(1))
    chances: Array = field(default_factory=lambda: np.ones(1))
    bases: Array | None = None
    coefficients: Array | None = None
    ranks: int = 0
    logarithmic: bool = False

    @classmethod
    def of(
        cls, queries: GradedQueries, sign: int, sigma: float, estimator: Estimator, form: Form | None = None
    ) -> Self | None:
        """``soft_measure``; None where tensors take less memory, an InputError where it has no such form."""
        sizes = np.diff(queries.offsets)
        kernel = kernel_of(queries.measure, queries.pool, queries.levels, sizes)
        soft = SoftForm.of(kernel, int(sizes.max(initial=1)), queries.measure, estimator, form)
        if soft.ranks * int(sizes.max(initial=1)) > MOST_CHANCES:
            return None
        points, chances = soft.nodes
        scale = sigma * (math.sqrt(2) if estimator == "plugin" else 1)
        bases, coefficients = soft.exponentials or (None, None)
        if coefficients is not None:
            coefficients = np.ascontiguousarray(coefficients, dtype=float)
        return cls(queries, sign, scale, False, sigma * points, chances, bases, coefficients, soft.ranks)

    def __call__(self, scores: Array, threads: int, with_loss: bool = True) -> tuple[Array | None, Array]:  # noqa: ARG002
        kernels = self.queries.kernels
        assert kernels is not None
        values, gradient = np.zeros(len(self.queries.offsets) - 1), np.zeros(len(scores))
        _core.contest_values(
            scores,
            self.queries.level,
            self.queries.offsets,
            *kernels,
            self.scale,
            self.logistic,
            self.shifts,
            self.chances,
            self.bases,
            self.coefficients,
            self.ranks,
            self.logarithmic,
            threads,
            values,
            gradient,
        )
        return self.sign * values, self.sign * gradient
