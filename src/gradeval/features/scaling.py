"""Scales for features: within each query, or one fitted on the training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array

if TYPE_CHECKING:
    from gradeval.features.features import Features

Scaling: TypeAlias = Literal["min-max", "z-score"]

BLOCK = 1 << 20  # numbers worked on at a time in double precision


@dataclass(frozen=True, eq=False)
class Scaler:
    """A scale for each feature, fitted on training data and applied to any: (x - shift) / width.

    Fit it on the training part of a fold and apply it to all three: what the others hold stays unseen.

    Attributes
    ----------
    kind : "min-max": the training data come to lie in 0..1; "z-score": to have mean 0 and standard deviation 1.
    shift, width : float64[feature]: least value and range, or mean and standard deviation. Where the training data
        have one value only, width is 0 and the feature becomes 0 for all data: it tells nothing.
    columns : the features that it was fitted on.
    """

    kind: Scaling
    shift: Array
    width: Array
    columns: tuple[str, ...]

    @classmethod
    def fit(cls, train: Features, kind: Scaling) -> Self:
        """The scale of the training data."""
        if not len(train):
            raise InputError(f"{train.name}: no rows to fit a scale on")
        return cls(kind, *_scale(train.X, kind), train.columns)

    def apply(self, features: Features) -> Features:
        """The features on this scale; values beyond those of the training data may leave 0..1."""
        if features.columns != self.columns:
            raise InputError(
                f"{features.name}: {len(features.columns)} features, the scale was fitted on {len(self.columns)}; "
                "give the same ones in the same order"
            )
        table = np.empty_like(features.X)
        for rows in _blocks(table):
            table[rows] = _scaled(features.X[rows], self.shift, self.width, features.name)
        return replace(features, X=table)


def scaled_by_query(X: Array, offsets: Array, kind: Scaling, place: str) -> Array:
    """float32[row, feature]: each query on a scale of its own."""
    table = np.empty_like(X)
    for begin, end in pairwise(offsets.tolist()):
        rows = X[begin:end]
        table[begin:end] = _scaled(rows, *_scale(rows, kind), place)
    return table


def _scale(X: Array, kind: Scaling) -> tuple[Array, Array]:
    """float64[feature] twice: what to subtract and what to divide by."""
    if kind == "min-max":
        low = X.min(axis=0).astype(float)
        return low, X.max(axis=0) - low
    if kind == "z-score":
        mean = X.mean(axis=0, dtype=float)
        # A constant feature may miss its own mean by rounding.
        squares = sum(((X[rows] - mean) ** 2).sum(axis=0) for rows in _blocks(X))
        return mean, np.where((X[0] == X).all(axis=0), 0.0, np.sqrt(squares / len(X)))
    raise InputError(f"scaling {kind!r} is not {' or '.join(map(repr, get_args(Scaling)))}")


def _scaled(X: Array, shift: Array, width: Array, place: str) -> Array:
    constant = width == 0
    try:
        with np.errstate(over="raise"):
            values = (X - shift) / np.where(constant, 1.0, width)
            values[:, constant] = 0.0
            scaled: Array = values.astype(np.float32)
    except FloatingPointError:
        raise InputError(f"{place}: on this scale a feature is beyond single precision; check for outliers") from None
    return scaled


def _blocks(X: Array) -> Iterator[slice]:
    """Slices of rows that together are the table."""
    rows = max(1, BLOCK // max(1, X.shape[1]))
    return (slice(begin, begin + rows) for begin in range(0, len(X), rows))
