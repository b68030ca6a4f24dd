"""Measures as sums over pairs of documents: the form that LambdaRank, SoftRank and expected ties read.

Most measures are sums over pairs of documents, one above the other,

    M = 1/N * sum_n w(n) [own(r[n]) + sum_{m<n} pairs(r[m], r[n])],

where r[n] is the level of the document at rank n. Measures like AP have pairs and w(n) = 1/n; measures like nDCG have
only ``own`` and a discount w(n). In this form the effect of a swap takes O(1) per pair, which is what LambdaRank needs.
The module ``derived`` computes the tables from the measure itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels, show_levels

Values: TypeAlias = Any
"""A NumPy array or a PyTorch tensor."""


@dataclass(frozen=True, eq=False)
class ArrayFields:
    """A dataclass whose fields are arrays, or None."""

    def map_arrays(self, convert: Callable[[Values], Values]) -> Self:
        """A copy in which ``convert`` was applied to each array, for instance to make it a tensor."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        converted = {name: None if array is None else convert(array) for name, array in arrays.items()}
        return replace(self, **converted)


def namespace(values: Values) -> Any:
    """The module with the functions for these values: numpy or torch."""
    return sys.modules[type(values).__module__]


def take_along(values: Values, index: Values, axis: int) -> Values:
    """The entries with the given indices along one axis; the other axes broadcast."""
    if not hasattr(values, "gather"):
        return np.take_along_axis(values, index, axis)
    # What torch.take_along_dim does, in a quarter of the time.
    shape = np.broadcast_shapes(
        (*values.shape[:axis], 1, *values.shape[axis + 1 :]), (*index.shape[:axis], 1, *index.shape[axis + 1 :])
    )
    values = values.expand(*shape[:axis], values.shape[axis], *shape[axis + 1 :])
    return values.gather(axis, index.expand(*shape[:axis], index.shape[axis], *shape[axis + 1 :]))


def look_up_level(table: Values, level: Values) -> Values:
    """The entry for each document's level: [query, n] from a table [query, level], or rows [query, n, level] from a
    table [query, level, level]. A table with one query is used for all queries."""
    safe = level.clip(min=0)
    return take_along(table, safe if table.ndim == 2 else safe[..., None], 1)


def look_up_own_level(values: Values, level: Values) -> Values:
    """[query, n, 1]: from values [query, n, level], the value at each document's own level."""
    return take_along(values, level.clip(min=0)[..., None], 2)


def sum_before(values: Values) -> Values:
    """At each rank (the second axis), the sum over all ranks above it."""
    return values.cumsum(1) - values


def multiply_before(values: Values) -> Values:
    """At each place of the last axis, the product over all places before it."""
    functions = namespace(values)
    return functions.concatenate([functions.ones_like(values[..., :1]), values[..., :-1].cumprod(-1)], -1)


def keep_swaps(change: Values, level: Values, share: Values) -> Values:
    """The changes [query, a, b] of a measure for a < b, times the share of each query; 0 elsewhere and in padding."""
    present = level >= 0
    both_present = present[:, : change.shape[1], None] & present[:, None, :]
    return namespace(change).triu(change, 1) * both_present * share[:, None, None]


@dataclass(frozen=True, eq=False)
class PairKernel(ArrayFields):
    """The pair form of a measure for some queries, in arrays or tensors; a query axis of length 1 holds for all
    queries.

    Attributes
    ----------
    own : float[query, level]
        What a document brings by itself.
    pairs : float[query, level, level], or None
        What a document (second axis) gains from one above it (first axis); None where documents do not interact.
    weights : float[query, n]
        The weight of each rank; index 0 is rank 1, and ranks beyond a cutoff have weight 0.
    share : float[query]
        1/N; 0 for a query without relevant documents, where every value is 0.
    place : int[query, level], or None
        Where ``own`` and ``pairs`` have each level of the collection, if they have those alone that a query holds, or
        one entry for levels that the measure treats alike; None: each in its own place.
    """

    own: Values
    pairs: Values | None
    weights: Values
    share: Values
    place: Values | None = None

    def places(self, level: Values) -> Values:
        """int[query, n]: where ``own`` and ``pairs`` have the levels int[query, n] (-1: padding)."""
        if self.place is None:
            return level
        return namespace(level).where(level < 0, level, take_along(self.place, level.clip(min=0), 1))

    def on_all_levels(self) -> Self:
        """The same with ``own`` and ``pairs`` for all levels of the collection; of those that a query lacks they mean
        nothing."""
        if self.place is None:
            return self
        own = take_along(self.own, self.place, 1)
        pairs = self.pairs
        if pairs is not None:
            row = np.arange(len(pairs))[:, None, None]
            pairs = pairs[row, self.place[:, :, None], self.place[:, None, :]]
        return replace(self, own=own, pairs=pairs, place=None)

    def value(self, level: Values) -> Values:
        """float[query]: the values of rankings int[query, n], given as the level at each rank (-1: padding)."""
        level = self.places(level)
        present = level >= 0
        own = look_up_level(self.own, level)
        if self.pairs is not None:
            above = sum_before(look_up_level(self.pairs, level) * present[..., None])
            own = own + look_up_own_level(above, level)[..., 0]
        return (own * self.weights[:, : level.shape[1]] * present).sum(-1) * self.share

    def swap_terms(self, level: Values) -> tuple[Values, Values]:
        """``up`` and ``down``, float[query, n, level]: exchanging the documents x at rank a and y at rank b > a
        changes N M by up[a, level of y] + down[b, level of x]. All levels here are places in ``own`` and ``pairs``.

        With P(n, y) = sum_{p<=n} pairs(p, y) and V(n, y) = sum_{p<=n} w(p) pairs(y, p),

            up(a, y)   = w(a) [own(y) - own(x) + P(a-1, y) - P(a-1, x)] - V(a, y) + V(a, x)
            down(b, x) = V(b-1, y) - V(b-1, x)
                         - w(b) [own(y) - own(x) + pairs(x, x) - pairs(y, x) + P(b-1, y) - P(b-1, x)].
        """
        weight = self.weights[:, : level.shape[1], None]
        rise = self.own[:, None, :] - look_up_level(self.own, level)[..., None]
        if self.pairs is None:
            return weight * rise, weight * rise
        present = (level >= 0)[..., None]
        rows = look_up_level(self.pairs, level) * present
        columns = look_up_level(self.pairs.swapaxes(1, 2), level) * present * weight
        above, below = sum_before(rows), sum_before(columns)
        above = above - look_up_own_level(above, level)
        below = below - look_up_own_level(below, level)
        columns = columns - look_up_own_level(columns, level)
        same = self.pairs.diagonal(0, 1, 2)[:, None, :]
        up = weight * (rise + above) - below - columns
        down = weight * (rise + rows - same + above) - below
        return up, down

    def swaps(self, level: Values, top: int | None = None) -> Values:
        """float[query, a, b]: the change of the measure when the documents at ranks a < b change places; 0 elsewhere.
        With ``top`` only for a <= top."""
        level = self.places(level)
        up, down = self.swap_terms(level)
        safe = level.clip(min=0)[:, None, :]
        rise = take_along(up[:, :top], safe, 2)
        fall = take_along(down, safe[..., :top], 2)
        return keep_swaps(rise + fall.swapaxes(1, 2), level, self.share)


def level_of(grades: Array, levels: Levels) -> Array:
    """int[...]: the index of each grade in ``levels``; an InputError where a grade is not one of them."""
    scale = np.array(levels)
    level = np.minimum(np.searchsorted(scale, grades), len(levels) - 1)
    if outside := grades[scale[level] != grades].tolist():  # NaN is outside too
        raise InputError(
            f"grade {outside[0]:g} is not one of the levels {show_levels(levels)}; declare all grades of the "
            "collection as levels, and recode negative ones"
        )
    return level


def pool_of(level: Array, levels: Levels) -> Array:
    """int64[query, level]: the number of documents of each level in lists int[query, n] (-1: padding)."""
    counts = np.zeros((len(level), len(levels)), np.int64)
    query, place = np.nonzero(level >= 0)
    np.add.at(counts, (query, level[query, place]), 1)
    return counts
