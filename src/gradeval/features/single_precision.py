"""The numbers in a table of features: rounded to single precision, except large ones, which stay as they are.

Single precision holds all whole numbers below 2^24. Smaller numbers are rounded to it, so that a table takes half the
memory. Larger ones, as times, dates and ids are, would become equal: where single precision does not hold one, the
table holds doubles. What a number becomes never depends on the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gradeval._core import InputError
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array
from gradeval.warning_categories import FeaturesWarning

ALL_IN_SINGLE = 2.0**24
STANDS_FOR_MISSING = 1.797e308
"""From here on a number is the largest double, in as many digits as were written: files have it for a missing value."""
BLOCK = 1 << 18  # numbers that are worked on at a time
SAMPLE = 512  # rows in which merged values are looked for
MERGED = 0.01  # of the different values of a feature: as few become equal by chance
EXACT_KINDS = ("float32", "float16", "int8", "uint8", "int16", "uint16", "bool")


def make_table(numbers: Array, columns: Sequence[str] | None, place: str) -> Array:
    """A copy of numbers [row, feature] as a table keeps them, float32 or float64; NaN is a missing value.

    The largest double is one, too, which a FeaturesWarning says, as it does where single precision makes different
    values equal. An InputError where a number is infinite.
    """
    exact = numbers.dtype.name in EXACT_KINDS
    table = np.empty(numbers.shape, np.float32 if exact or not _needs_double(numbers) else float)
    largest = np.zeros(numbers.shape[1], np.int64)
    for rows in blocks(len(numbers), BLOCK // max(1, numbers.shape[1])):
        block = numbers[rows].astype(np.float32 if exact else float)
        if np.isinf(block).any():
            row = int(rows.start + np.argmax(np.isinf(block).any(axis=1)))
            raise InputError(f"{place}: row {row}: a feature is infinite; mend it first, or let it be missing (NaN)")
        if not exact:
            missing = np.abs(block) >= STANDS_FOR_MISSING
            largest += missing.sum(axis=0)
            block[missing] = np.nan
            if table.dtype == float:
                block = round_small_numbers(block)
        table[rows] = block
    warn_of_largest(largest, columns, place)
    if not exact:
        warn_of_merged(numbers[:SAMPLE].astype(float), columns, place)
    return table


def round_small_numbers(numbers: Array) -> Array:
    """float64[...]: what tables keep of finite numbers, or NaN: those below 2^24 in single precision."""
    small = np.abs(numbers) < ALL_IN_SINGLE
    return np.where(small, np.where(small, numbers, 0.0).astype(np.float32), numbers)


def fits_single_precision(numbers: Array) -> bool:
    """Whether single precision holds all numbers."""
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    return bool(np.array_equal(single, numbers, equal_nan=True))


class FeatureTable(Protocol):
    """Features, as far as their table goes."""

    @property
    def X(self) -> Array: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def name(self) -> str: ...


def to_single_precision(features: FeatureTable, who: str) -> Array:
    """float32[row, feature]: the table, for ``who``, which computes in single precision; a FeaturesWarning says where
    different values become equal, an InputError where a number is too large."""
    X, place = features.X, features.name
    if X.dtype == np.float32:
        return X
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    if np.isinf(single).any():
        largest = features.columns[int(np.argmax(np.isinf(single).any(axis=0)))]
        raise InputError(f"{place}: feature {largest} is too large for the single precision of {who}: scale it")
    for column, name in enumerate(features.columns):
        before, after = (np.unique(values[:, column]).size for values in (X, single))
        if after < before:
            _warn(
                f"{place}: {who} computes in single precision, where {before:,} values of feature {name} become "
                f"{after:,}; scale it, or subtract its least value"
            )
            break
    return single


def warn_of_largest(counts: Array, columns: Sequence[str] | None, place: str) -> None:
    """A FeaturesWarning where the largest double was taken for a missing value, so often in each feature."""
    if counts.any():
        name = _name(columns, int(np.argmax(counts > 0)))
        _warn(
            f"{place}: feature {name} holds the largest double, which means a missing value: "
            f"{int(counts.sum()):,} values are read as missing"
        )


def warn_of_merged(sample: Array, columns: Sequence[str] | None, place: str) -> None:
    """A FeaturesWarning where single precision makes different values of a feature equal, in float64[row, feature]."""
    small = np.where(np.abs(sample) < ALL_IN_SINGLE, sample, np.nan)
    with np.errstate(over="ignore"):
        single = small.astype(np.float32)
    if not (single != small)[~np.isnan(small)].any():
        return
    before, after = (_count_different(values) for values in (small, single))
    if (found := before - after > MERGED * before).any():
        column = int(np.argmax(found))
        _warn(
            f"{place}: in single precision, {before[column]} values of feature {_name(columns, column)} become "
            f"{after[column]}: subtract its least value"
        )


def _count_different(values: Array) -> Array:
    """int[feature]: the different values, each NaN one of them."""
    ordered = np.sort(values, axis=0)
    return np.asarray((ordered[1:] != ordered[:-1]).sum(axis=0) + 1)


def _needs_double(numbers: Array) -> bool:
    """Whether single precision does not hold a number of 2^24 and more."""
    for rows in blocks(len(numbers), BLOCK // max(1, numbers.shape[1])):
        block = numbers[rows].astype(float)
        large = block[(np.abs(block) >= ALL_IN_SINGLE) & (np.abs(block) < STANDS_FOR_MISSING)]
        with np.errstate(over="ignore"):
            if (large.astype(np.float32) != large).any():
                return True
    return False


def _name(columns: Sequence[str] | None, place: int) -> str:
    return str(place + 1) if columns is None else columns[place]


def _warn(text: str) -> None:
    warnings.warn(text, FeaturesWarning, stacklevel=4)
