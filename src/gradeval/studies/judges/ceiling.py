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


@dataclass(frozen=True)
class Ceiling:
    """The mean of the pool ranked by the judge and scored by the humans.

    Attributes
    ----------
    mean : with its interval over topics.
    above : the runs with a higher mean, the best first.
    """

    mean: Estimate
    above: list[str]


def score_ceiling(
    measures: Sequence[Measure], human: Array, judge: Array, topic: Array, pool: Array, levels: Levels, seed: int
) -> Array:
    """float64[measure, topic]: each topic's documents in the order of the judge, expected over ties, by the humans.

    Parameters
    ----------
    human, judge : float64[document]: the grades of the documents that both judged.
    topic : intp[document], ascending.
    pool : int64[topic, level]: all documents that the humans judged.
    """
    counts = np.bincount(topic, minlength=len(pool))
    place = np.arange(len(topic)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (len(pool), int(counts.max(initial=0)))
    graded, keys = np.zeros(shape), np.full(shape, np.inf)
    graded[topic, place] = np.maximum(human, 0.0)
    keys[topic, place] = -np.maximum(judge, 0.0)
    return expect_over_ties(measures, graded, keys, pool, levels, seed)


def expect_over_ties(
    measures: Sequence[Measure], grades: Array, keys: Array, pool: Array, levels: Levels, seed: int
) -> Array:
    """float64[measure, topic]: the mean over random orders of the documents grades[topic, n] with equal keys[topic, n].

    Documents come by rising key; those with the key inf do not exist.
    """
    rng = np.random.default_rng(seed)
    ranks = np.where(np.isfinite(np.sort(keys, axis=-1)), np.arange(1.0, keys.shape[-1] + 1), np.inf)
    total = np.zeros((len(measures), len(pool)))
    for _ in range(ORDERS):
        order = np.lexsort(np.stack([rng.random(keys.shape), keys]), axis=-1)
        ranked = JudgedRankings.full(np.take_along_axis(grades, order, -1), pool, levels, ranks)
        total += score_block(tuple(measures), ranked)
    return total / ORDERS
