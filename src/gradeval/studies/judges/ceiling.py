"""How well would a run do that ranked the pool by the judge's grades?

Runs that do better by the humans' grades know more than the judge: it cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.scores.passes import score_block
from gradeval.tables.grid import Estimate

ORDERS = 32
"""Orders of tied documents over which values are averaged."""
DRAWN, PLACES = 32, 16
"""Bits of the random number by which tied documents are ordered, and of the place of a grade."""


@dataclass(frozen=True)
class Ceiling:
    """The mean of the pool ranked by the judge and scored by the humans.

    Attributes
    ----------
    mean : with its interval over topics.
    error : the standard error of the mean from the random orders of tied documents.
    above : the runs with a higher mean, the best first.
    """

    mean: Estimate
    error: float
    above: list[str]


def score_ceiling(
    measures: Sequence[Measure],
    human: Array,
    judge: Array,
    topic: Array,
    pool: Array,
    levels: Levels,
    seed: int,
    depth: int | None = None,
) -> Array:
    """float64[order, measure, topic]: each topic's documents in the order of the judge, scored by the humans.

    The mean over the orders, which differ in tied documents only, is the expectation over ties.

    Parameters
    ----------
    human, judge : float64[document]: the grades of the documents that both judged.
    topic : intp[document], ascending.
    pool : int64[topic, level]: all documents that the humans judged.
    depth : only the first documents of each order are scored; None: all.
    """
    counts = np.bincount(topic, minlength=len(pool))
    place = np.arange(len(topic)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (len(pool), int(counts.max(initial=0)))
    grade, group = np.zeros(shape, np.int64), np.full(shape, len(levels))
    grade[topic, place] = np.searchsorted(levels, np.maximum(human, 0.0))
    group[topic, place] = len(levels) - 1 - np.searchsorted(levels, np.maximum(judge, 0.0))
    return score_tied_orders(measures, grade, group, pool, levels, seed, depth)


def score_tied_orders(
    measures: Sequence[Measure],
    grade: Array,
    group: Array,
    pool: Array,
    levels: Levels,
    seed: int,
    depth: int | None = None,
) -> Array:
    """float64[order, measure, topic]: the values in random orders of the documents with the same int64 group[topic, n].

    Documents come by rising group, and grade[topic, n] is the place of their grades among the levels; those of the
    group len(levels) do not exist.
    """
    rng = np.random.default_rng(seed)
    there = np.sort(group, axis=-1) < len(levels)
    ranks = np.where(there, np.arange(1.0, group.shape[-1] + 1), np.inf)
    values = np.zeros((ORDERS, len(measures), len(pool)))
    for number in range(ORDERS):
        # The group, a random number and the grade in one number: to sort is several times faster than to find an order.
        packed = (group << DRAWN | rng.integers(0, 1 << DRAWN, group.shape)) << PLACES | grade
        packed.sort(axis=-1)
        places = np.where(there, packed & ((1 << PLACES) - 1), 0)
        ranked = JudgedRankings.full(np.take(levels, places), pool, levels, ranks)
        values[number] = score_block(tuple(measures), ranked if depth is None else ranked.top(depth))
    return values
