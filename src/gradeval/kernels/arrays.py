"""Sums and look-ups along rankings, the same for arrays of NumPy and tensors of PyTorch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Self, TypeAlias

import numpy as np

Values: TypeAlias = Any
"""An array of NumPy or a tensor of PyTorch."""


class OfArrays:
    """A dataclass all of whose fields are arrays, or None."""

    def converted(self, convert: Callable[[Values], Values]) -> Self:
        """The same with each array converted, for instance to a tensor."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        changed = {name: None if array is None else convert(array) for name, array in arrays.items()}
        return replace(self, **changed)  # type: ignore[type-var]


def namespace(values: Values) -> Any:
    """The module of functions for these values: numpy or torch."""
    return sys.modules[type(values).__module__]


def pick(values: Values, index: Values, axis: int) -> Values:
    """Along an axis of the values the entries with the given indices; the other axes broadcast."""
    if not hasattr(values, "gather"):
        return np.take_along_axis(values, index, axis)
    # What torch.take_along_dim does, in a quarter of the time.
    shape = np.broadcast_shapes(
        (*values.shape[:axis], 1, *values.shape[axis + 1 :]), (*index.shape[:axis], 1, *index.shape[axis + 1 :])
    )
    values = values.expand(*shape[:axis], values.shape[axis], *shape[axis + 1 :])
    return values.gather(axis, index.expand(*shape[:axis], index.shape[axis], *shape[axis + 1 :]))


def of_level(table: Values, level: Values) -> Values:
    """[query, n] or [query, n, level]: of a table [query, level] or [query, level, level] the entry or row for each
    document; a table of one query stands for all."""
    safe = level.clip(min=0)
    return pick(table, safe if table.ndim == 2 else safe[..., None], 1)


def of_own_level(values: Values, level: Values) -> Values:
    """[query, n, 1]: of values [query, n, level] that for each document's own level."""
    return pick(values, level.clip(min=0)[..., None], 2)


def sums_before(values: Values) -> Values:
    """Sums along the ranks (the second axis) of all before each."""
    return values.cumsum(1) - values


def products_before(values: Values) -> Values:
    """Products along the last axis of all before each."""
    functions = namespace(values)
    return functions.concatenate([functions.ones_like(values[..., :1]), values[..., :-1].cumprod(-1)], -1)


def upper(change: Values, level: Values, share: Values) -> Values:
    """The part a < b of changes [query, a, b], times the share of each query; 0 where there is no document."""
    here = level >= 0
    there = here[:, : change.shape[1], None] & here[:, None, :]
    return namespace(change).triu(change, 1) * there * share[:, None, None]
