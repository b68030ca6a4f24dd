"""Swaps for measures without a kernel: score every list in which two documents changed places. Exact but slow."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels

AT_ONCE = 1 << 20  # documents, over all lists that are scored in one call


def score_swaps(measure: Measure, level: Array, pool: Array, levels: Levels, top: int | None = None) -> Array:
    """float64[query, a, b]: the change of a measure when the documents at ranks a < b change places, for rankings
    int[query, n] (-1: padding) and pools int[query, level]; with ``top`` only for a <= top. O(n^3) per query."""
    length = level.shape[1]
    rows = length if top is None else min(top, length)
    change = np.zeros((len(level), rows, length))
    for query, ranking in enumerate(level):
        ranking = ranking[ranking >= 0]
        first, second = np.nonzero(np.triu(ranking[:rows, None] != ranking, 1))  # equal levels change nothing
        before = _score(measure, ranking[None], pool[query], levels)
        step = max(1, AT_ONCE // max(1, len(ranking)))
        for start in range(0, len(first), step):
            a, b = first[start : start + step], second[start : start + step]
            lists = np.repeat(ranking[None], len(a), axis=0)
            swap = np.arange(len(a))
            lists[swap, a], lists[swap, b] = ranking[b], ranking[a]
            change[query, a, b] = _score(measure, lists, pool[query], levels) - before
    return change


def _score(measure: Measure, lists: Array, pool: Array, levels: Levels) -> Array:
    pools = np.broadcast_to(pool, (len(lists), len(pool)))
    return measure(JudgedRankings.full(np.array(levels)[lists], pools, levels))
