"""The order of documents by their scores in arrays, and orders of those that tie."""

from __future__ import annotations

import math

import numpy as np

import gradeval._core as _core
from gradeval.formula.arithmetic import Array, readable

ORDERS = 128
"""Orders of tied documents over which values are averaged, at most."""
PART = 32_768
"""Documents that are ranked at a time."""
PACKED = 4096
"""Documents of a ranking up to which a key and a place share a number: the key keeps 52 bits or more."""


def rank_by_scores(scores: Array, grades: Array) -> tuple[Array, Array, bool]:
    """int32[..., n], float64[..., n]: the documents by falling score, equal ones in the order given; and their grades
    in this order. Also: are all scores finite? Else the order has no meaning.

    Scores and grades have the same shape. Rows are ranked some at a time: what is worked on then stays in the
    processor's cache.
    """
    shape = scores.shape
    order, ranked = np.empty(shape, np.int32), np.empty(shape)
    flat = [_flat(array) for array in (scores, grades, order, ranked)]
    rows = max(1, PART // max(1, shape[-1]))
    finite = True
    for begin in range(0, len(flat[0]), rows):
        finite &= _rank_rows(*(array[begin : begin + rows] for array in flat))
    return order, ranked, finite


def _rank_rows(scores: Array, grades: Array, order: Array, ranked: Array) -> bool:
    """Fill int32 order[row, n] and float64 ranked[row, n]; are all scores finite?

    Each score and its place are packed into one number: NumPy sorts numbers several times faster than it finds their
    order. The numbers stand where the grades are to stand, so that no memory is asked of the system for them, which
    takes longer than the work. Where scores differ in their last bits alone, that order may be wrong and is found anew.
    """
    grades = readable(grades)
    if scores.dtype.itemsize <= 8 and scores.shape[-1] <= PACKED:
        scores = readable(scores)
        packed = ranked.view(np.int64)
        finite = _core.pack_places(scores, packed)
        packed.sort(axis=-1)
        if _core.unpack_places(packed, scores, grades, order):
            return finite
    order[...] = np.argsort(-scores, axis=-1, kind="stable")
    _core.take_in_order(grades, order, ranked)
    return bool(np.isfinite(scores).all())


def take_in_order(values: Array, order: Array) -> Array:
    """float64[..., n]: the values[..., n] in this int32 order[..., n], of the same shape."""
    ranked = np.empty(order.shape)
    _core.take_in_order(readable(values), np.ascontiguousarray(order), ranked)
    return ranked


def _flat(array: Array) -> Array:
    """[row, n] of [..., n]."""
    return array if array.ndim == 2 else array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


def average_orders(keys: Array, seed: int) -> Array:
    """int32[m, ..., n]: m orders that differ among equal keys only, where each document is equally often at each rank.

    The documents of a tied group are shuffled once and then rotated, so that after as many orders as it has documents
    each of them has been everywhere.
    """
    shuffled = np.lexsort(np.stack([np.random.default_rng(seed).random(keys.shape), keys]), axis=-1)
    ranked = np.take_along_axis(keys, shuffled, -1)
    begin, end = group_columns(ranked)
    size = end - begin + 1
    sizes = np.unique(size[np.isfinite(ranked)]).tolist() or [1]
    turns = np.arange(min(math.lcm(*sizes), ORDERS)).reshape(-1, *[1] * keys.ndim)
    place = begin + (np.arange(keys.shape[-1]) - begin + turns) % size
    return np.take_along_axis(np.broadcast_to(shuffled, place.shape), place, -1).astype(np.int32)


def group_columns(keys: Array) -> tuple[Array, Array]:
    """intp[..., j], twice: the columns at which the equal neighbours of each of keys[..., j] begin and end."""
    place = np.broadcast_to(np.arange(keys.shape[-1]), keys.shape)
    new = np.ones(keys.shape, bool)
    new[..., 1:] = keys[..., 1:] != keys[..., :-1]
    last = np.ones(keys.shape, bool)
    last[..., :-1] = new[..., 1:]
    begin = np.maximum.accumulate(np.where(new, place, 0), -1)
    end = np.minimum.accumulate(np.where(last, place, keys.shape[-1])[..., ::-1], -1)[..., ::-1]
    return begin, end


def rank_by_grade(
    row: Array, first: Array, last: Array, grades: Array, judged: Array, *, best: bool
) -> tuple[Array, Array]:
    """intp[document], float64[document]: the order of tied documents by grade inside their groups, and their ranks.

    A group takes the ranks first..last of a row, also ranks of documents that are not given. With the best first,
    unjudged documents of grade 0 come after judged ones, and documents that are not given come last; with the worst
    first it is the other way round.

    Parameters
    ----------
    row, first, last, grades, judged : [document]: a group's are neighbours.
    """
    sign = -1 if best else 1
    order = np.lexsort([sign * judged, sign * grades, first, row])
    new = np.ones(len(row), bool)
    new[1:] = (np.diff(row) != 0) | (np.diff(first) != 0)
    begin = np.flatnonzero(new)
    size = np.diff(np.append(begin, len(row)))
    place = np.arange(len(row)) - np.repeat(begin, size)
    return order, first + place if best else last - np.repeat(size, size) + 1 + place
