"""Arrays and the arithmetic that formulas share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import gradeval._core as _core

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


ROUNDING = 16 * np.finfo(float).eps


def width_for(longest: int) -> int:
    """The padded width of rankings of up to ``longest`` documents: a power of two, at least 8.

    NumPy then adds the terms of a row in the same order however far it is padded, so that the value of a ranking
    hardly ever depends, even in its last bits, on others in its rectangle.
    """
    return max(8, 1 << (longest - 1).bit_length())


def part_of_row(offsets: Array) -> Array:
    """int64[row]: the number of the part that each row lies in; the rows of part p are offsets[p]:offsets[p + 1]."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, and 0 where the denominator is 0 (an empty topic scores 0)."""
    if np.count_nonzero(denominator) == np.size(denominator):
        return numerator / denominator
    nothing = denominator == 0
    return np.where(nothing, 0.0, numerator / np.where(nothing, 1, denominator))


class Recorded(ABC):
    """Stands for an array while a formula is recorded (see ``recording``)."""

    @abstractmethod
    def running_sums(self) -> Array:
        """What the function of this name gives."""

    @abstractmethod
    def products_before(self) -> Array:
        """What the function of this name gives."""

    @abstractmethod
    def look_up(self, table: Array) -> Array:
        """What the function of this name gives."""


def running_sums(terms: Array) -> Array:
    """float64[..., j], int32[..., j] for flags: the sums of terms[..., : j + 1], added from the first on.

    The core adds several times faster than ``np.cumsum``, to the same last bit.
    """
    if isinstance(terms, Recorded):
        return terms.running_sums()
    flags = terms.dtype == bool
    sums = np.empty(terms.shape, np.int32 if flags else float)
    _core.running_sums(np.ascontiguousarray(terms, None if flags else float), sums)
    return sums


def add_in_order(terms: Array) -> Array:
    """float64[...]: the sums along the last axis of terms[..., a], such as one of each level, added from the first on.

    NumPy's own sums and products of matrices add in an order that depends on the shape, so that the last bit of a
    value would depend on what else is computed with it. Terms of documents are ``JudgedRankings.total``.
    """
    sums = np.zeros((*terms.shape[:-1], max(1, terms.shape[-1])))
    _core.running_sums(np.ascontiguousarray(terms, float), sums[..., : terms.shape[-1]])
    return sums[..., -1]


def products_before(factors: Array) -> Array:
    """float64[..., j]: the products of factors[..., :j], multiplied from the first on."""
    if isinstance(factors, Recorded):
        return factors.products_before()
    products = np.ones(factors.shape)
    np.cumprod(factors[..., :-1], axis=-1, out=products[..., 1:])
    return products


Adder: TypeAlias = Callable[[Array, Array, Array | None, Array], None]
"""A function of the core: called as add(terms, ranks, depths, totals), it writes the totals."""


def add_down_to(add: Adder, kind: type, terms: Array, ranks: Array, depth: Array | int | None) -> Array:
    """[...]: sums of this kind along terms[..., j] over the documents at ranks[..., j] <= depth; None: over all.

    Axes of the depth before the axes of the terms become axes of the result: [cutoff, ...] for [cutoff, 1 ...].
    """
    shape = leading = terms.shape[:-1]
    if depth is not None or ranks.shape[:-1] != leading:
        shape = np.broadcast_shapes(leading, ranks.shape[:-1], getattr(depth, "shape", ()))
        leading = shape[len(shape) - max(terms.ndim, ranks.ndim) + 1 :]
        terms = spread_to(terms, (*leading, terms.shape[-1]))
    row = shared_row(ranks)
    ranks = spread_to(ranks, terms.shape) if row is None else row
    totals = np.empty(shape, kind)
    depths = None if depth is None else np.full(shape, depth, float)
    add(np.ascontiguousarray(terms), np.ascontiguousarray(ranks), depths, totals)
    return totals


def shared_row(values: Array) -> Array | None:
    """[j], the row of values[..., j] where all rows are one and the same array; else None."""
    if any(values.strides[:-1]) or not values.size:
        return None
    row: Array = values[(0,) * (values.ndim - 1)]
    return row


def repeat(values: Array, shape: tuple[int, ...]) -> Array:
    """The same values [j] or [] along all axes before theirs; not to be written to.

    What ``np.broadcast_to`` returns, in a fraction of its time.
    """
    repeated: Array = np.ndarray(shape, values.dtype, values, 0, (0,) * (len(shape) - values.ndim) + values.strides)
    repeated.flags.writeable = False
    return repeated


def spread_to(values: Array, shape: tuple[int, ...]) -> Array:
    """The values broadcast to a shape, which most of them have."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


READABLE = frozenset(np.dtype(kind) for kind in ("f8", "f4", "i8", "i4", "i2", "i1"))
"""The types of numbers that the core reads as they are."""


def readable(values: Array) -> Array:
    """The same numbers as the core reads them: contiguous, and as doubles where they are of an uncommon type."""
    return np.ascontiguousarray(values, None if values.dtype in READABLE else float)


def largest_from(values: Array) -> Array:
    """float64[..., j]: the largest of values[..., j:]."""
    largest = np.empty(values.shape)
    _core.largest_from(np.ascontiguousarray(values), largest)
    return largest


def look_up(table: Array, ranks: Array) -> Array:
    """float64[..., j]: table[n] at the ranks n [..., j], and its last entry beyond its end, as in the padding."""
    if isinstance(ranks, Recorded):
        return ranks.look_up(table)
    entries = np.empty(ranks.shape)
    _core.look_up(table, np.ascontiguousarray(ranks), entries)
    return entries


def along(table: Array, place: Array) -> Array:
    """[..., j]: the entries of a table [..., a] at the places [..., j] from 0; leading axes broadcast.

    What ``np.take_along_axis`` returns, in a third of its time.
    """
    leading, width = table.shape[:-1], table.shape[-1]
    begin = (np.arange(math.prod(leading)) * width).reshape(*leading, 1)
    entries: Array = table.ravel().take(begin + place)
    return entries


def share_of_ideal(value: Array, ideal: Array) -> Array:
    """The quotient of a value and its ideal, 0 where that is 0.

    It is exactly 1 where the two differ by rounding only (16 units in the last place), having been summed in
    different orders.
    """
    quotient = ratio(value, ideal)
    if not np.count_nonzero(quotient > 0.99):
        return quotient
    return np.where(np.abs(quotient - 1) <= ROUNDING, 1.0, quotient)


DIGITS = 12


SAME = 10.0**-DIGITS
"""Two numbers whose relative difference is at most this count as equal."""


def tiny(values: Array, scale: Array | float) -> Array:
    """bool[...]: are the values no larger than the rounding errors of numbers as large as ``scale``?"""
    return np.asarray(np.abs(values) <= SAME * scale)


def means_of_columns(values: Array) -> Array:
    """float64[column]: the means of values[row, column]; their sums are rounded once, whatever the order of rows."""
    return np.array([math.fsum(column) for column in values.T.tolist()]) / len(values)


def rounded(values: Array) -> Array:
    """float64[..., n]: the values rounded to DIGITS digits of the largest along the last axis, so that those that
    count as equal become exactly equal."""
    largest = np.abs(values).max(-1, keepdims=True)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.round(values / scale, DIGITS) * scale)
