"""The arithmetic of scales for features: fit one, apply one, or give each query its own."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array

Scaling: TypeAlias = Literal["z-score", "min-max"]

BLOCK = 1 << 20  # numbers worked on at a time in double precision


def fit_scale(X: Array, kind: Scaling) -> tuple[Array, Array]:
    """float64[feature] twice: what to subtract and what to divide by."""
    arguments.one_of("scaling", kind, get_args(Scaling))
    if kind == "min-max":
        low = X.min(axis=0).astype(float)
        return low, X.max(axis=0) - low
    mean = X.mean(axis=0, dtype=float)
    # A constant feature may miss its own mean by rounding.
    parts = [X[rows] for rows in blocks(len(X), BLOCK // max(1, X.shape[1]))]
    squares = sum(((part - mean) ** 2).sum(axis=0) for part in parts)
    constant = np.all([(X[0] == part).all(axis=0) for part in parts], axis=0)
    return mean, np.where(constant, 0.0, np.sqrt(squares / len(X)))


def apply_scale(X: Array, shift: Array, width: Array, place: str) -> Array:
    """float32[row, feature]: (X - shift) / width, and 0 where width is 0; ``place`` is what messages call it."""
    scaled = np.empty(X.shape, np.float32)
    for rows in blocks(len(X), BLOCK // max(1, X.shape[1])):
        scaled[rows] = _apply_to_block(X[rows], shift, width, place)
    return scaled


def scale_by_query(X: Array, offsets: Array, kind: Scaling, place: str) -> Array:
    """float32[row, feature]: each query on a scale of its own."""
    scaled = np.empty(X.shape, np.float32)
    for begin, end in pairwise(offsets.tolist()):
        rows = X[begin:end]
        scaled[begin:end] = apply_scale(rows, *fit_scale(rows, kind), place)
    return scaled


def _apply_to_block(X: Array, shift: Array, width: Array, place: str) -> Array:
    constant = width == 0
    try:
        with np.errstate(over="raise"):
            values = (X - shift) / np.where(constant, 1.0, width)
            values[:, constant] = 0.0
            scaled: Array = values.astype(np.float32)
    except FloatingPointError:
        raise InputError(f"{place}: on this scale a feature is beyond single precision; check for outliers") from None
    return scaled
