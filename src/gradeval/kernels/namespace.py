"""Sums and look-ups along rankings that work on NumPy arrays and on PyTorch tensors alike."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Self, TypeAlias

import numpy as np

Values: TypeAlias = Any
"""A NumPy array or a PyTorch tensor."""


class ArrayFields:
    """A dataclass whose fields are arrays, or None."""

    def map_arrays(self, convert: Callable[[Values], Values]) -> Self:
        """A copy in which ``convert`` was applied to each array, for instance to make it a tensor."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        converted = {name: None if array is None else convert(array) for name, array in arrays.items()}
        return replace(self, **converted)  # type: ignore[type-var]


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
