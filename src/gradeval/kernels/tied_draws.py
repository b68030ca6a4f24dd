"""Measures averaged over orders of documents that share their score: all of them, or some drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np

from gradeval.formula.arithmetic import Array, tiny
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.kernels.tied_rankings import TiedRankings

DRAWS = 256
"""Orders of a ranking, where it has more."""


def mean_over_orders(measures: Sequence[Measure], tied: TiedRankings, row: int) -> tuple[Array, Array]:
    """float64[measure], twice: the mean of each measure over orders of a ranking, and its standard error.

    Where the tied documents have no more than DRAWS orders, the mean is over all of them, and exact: its error is 0.
    """
    ranges = _tied_ranges(tied, row)
    length = int(tied.judged.retrieved[row])
    every = math.prod(math.factorial(min(last - first + 1, DRAWS)) for first, last in ranges) <= DRAWS
    order = _all_orders(length, ranges) if every else _shuffle(length, ranges, int(tied.seeds[row]))
    rankings = _in_orders(tied, row, order)
    values = np.stack([measure(rankings) for measure in measures])
    if every:
        return values.mean(-1), np.zeros(len(measures))
    spread = values.std(-1, ddof=1)
    spread[tiny(spread, np.abs(values).max(-1))] = 0.0  # of a measure that is the same in every order
    return values.mean(-1), spread / np.sqrt(len(order))


def _tied_ranges(tied: TiedRankings, row: int) -> list[tuple[int, int]]:
    """The first and last ranks of groups of tied documents that hold one of the pool."""
    shared = tied.judged.pooled[row] & (tied.last[row] > tied.first[row])
    pairs = zip(tied.first[row, shared].tolist(), tied.last[row, shared].tolist(), strict=True)
    return [(int(first), int(last)) for first, last in dict.fromkeys(pairs)]


def _all_orders(length: int, ranges: Sequence[tuple[int, int]]) -> Array:
    """intp[order, n]: the places 0..n-1 in all orders in which those of each range exchange their ranks."""
    orders = np.arange(length)[None]
    for first, last in ranges:
        some = np.array(list(permutations(range(first - 1, last))))
        orders = np.repeat(orders, len(some), axis=0)
        orders[:, first - 1 : last] = np.tile(some, (len(orders) // len(some), 1))
    return orders


def _shuffle(length: int, ranges: Sequence[tuple[int, int]], seed: int) -> Array:
    """intp[order, n]: the places 0..n-1, those of each range shuffled among each other.

    The range, a random number and the place are packed into one integer, as sorting integers is several times faster
    than finding their order.
    """
    group = np.arange(length)
    for first, last in ranges:
        group[first - 1 : last] = first - 1
    bits = max(1, (length - 1).bit_length())
    random = np.random.default_rng(seed).integers(0, 1 << (62 - 2 * bits), (DRAWS, length), dtype=np.int64)
    packed = (group.astype(np.int64) << (62 - bits)) | (random << bits) | np.arange(length)
    packed.sort(axis=-1)
    return packed & ((1 << bits) - 1)


def _in_orders(tied: TiedRankings, row: int, order: Array) -> JudgedRankings:
    """One ranking, with the documents that stand at the ranks 1, 2 ... in their places order[order, n]: [order, j]."""
    judged, there = tied.judged, tied.judged.pooled[row]
    rank = judged.ranks[row, there].astype(np.intp) - 1
    listed = np.full(order.shape[1], -1)  # which pooled document is at each rank
    listed[rank] = np.arange(len(rank))
    document = listed[order]
    pooled = document >= 0  # as many in each order
    document = document[pooled].reshape(len(order), len(rank))
    whole = JudgedRankings(
        grades=judged.grades[row, there][document],
        ranks=np.nonzero(pooled)[1].reshape(document.shape) + 1.0,
        judged=judged.judged[row, there][document],
        document=judged.document[row, there][document],
        pool=np.broadcast_to(judged.pool[row], (len(order), judged.pool.shape[-1])),
        levels=judged.levels,
        retrieved=np.full(len(order), order.shape[1]),
    )
    return whole if tied.depth is None else whole.top(tied.depth)
