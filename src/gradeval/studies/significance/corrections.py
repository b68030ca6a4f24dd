"""Corrections of p values for having made many tests at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array

Correction: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]


def holm(p: Array) -> Array:
    """float64[..., test]: Holm's step-down procedure; controls the family-wise error, more sharply than Bonferroni."""
    order = np.argsort(p, axis=-1, kind="stable")
    remaining = np.arange(p.shape[-1], 0, -1)
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, -1) * remaining, axis=-1)
    return _back(np.minimum(stepped, 1.0), order)


def bonferroni(p: Array) -> Array:
    """float64[..., test]: p times the number of tests, 1 at most; controls the family-wise error."""
    return np.asarray(np.minimum(p * p.shape[-1], 1.0))


def benjamini_hochberg(p: Array) -> Array:
    """float64[..., test]: Benjamini & Hochberg's step-up procedure; controls the share of false discoveries."""
    order = np.argsort(-p, axis=-1, kind="stable")
    rank = np.arange(p.shape[-1], 0, -1)
    stepped = np.minimum.accumulate(np.take_along_axis(p, order, -1) * p.shape[-1] / rank, axis=-1)
    return _back(np.minimum(stepped, 1.0), order)


def _back(stepped: Array, order: Array) -> Array:
    corrected = np.empty_like(stepped)
    np.put_along_axis(corrected, order, stepped, -1)
    return corrected


CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": np.copy,
}
"""The corrections by name: functions of p values whose last axis is the family of tests."""
