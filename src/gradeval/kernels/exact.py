"""The way for measures without a kernel: score every list that a swap makes. Exact and slow."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels

AT_ONCE = 1 << 20  # documents in lists that are scored together


def swaps(measure: Measure, level: Array, pool: Array, levels: Levels, top: int | None = None) -> Array:
    """float64[query, a, b]: by how much any measure changes when the documents at the ranks a < b change places, for
    rankings int[query, n] (-1 is padding) with the given pools; ``top``: only the first rows. O(n^3) a query."""
    length = level.shape[1]
    rows = length if top is None else min(top, length)
    change = np.zeros((len(level), rows, length))
    for query, ranking in enumerate(level):
        ranking = ranking[ranking >= 0]
        first, second = np.nonzero(np.triu(ranking[:rows, None] != ranking, 1))  # equal levels change nothing
        here = _score(measure, ranking[None], pool[query], levels)
        step = max(1, AT_ONCE // max(1, len(ranking)))
        for start in range(0, len(first), step):
            a, b = first[start : start + step], second[start : start + step]
            lists = np.repeat(ranking[None], len(a), axis=0)
            swap = np.arange(len(a))
            lists[swap, a], lists[swap, b] = ranking[b], ranking[a]
            change[query, a, b] = _score(measure, lists, pool[query], levels) - here
    return change


def _score(measure: Measure, lists: Array, pool: Array, levels: Levels) -> Array:
    pools = np.broadcast_to(pool, (len(lists), len(pool)))
    return measure(JudgedRankings.full(np.array(levels)[lists], pools, levels))
