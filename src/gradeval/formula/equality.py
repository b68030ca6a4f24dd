"""When numbers count as equal. Sums in another order differ by rounding, and neither an order of runs nor a p value may
depend on that, nor on the number of threads."""

from __future__ import annotations

import numpy as np

from gradeval.formula.judged import Array

DIGITS = 12
SAME = 10.0**-DIGITS
"""Relative difference up to which two numbers count as equal."""


def tiny(values: Array, scale: Array | float) -> Array:
    """bool[...]: are the values nothing but rounding, beside numbers as large as ``scale``?"""
    return np.asarray(np.abs(values) <= SAME * scale)


def rounded(values: Array) -> Array:
    """float64[..., n]: the values to so many digits of the largest of the last axis: those that count as equal become
    exactly equal, and stay so in any order."""
    largest = np.abs(values).max(-1, keepdims=True)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.round(values / scale, DIGITS) * scale)
