"""Compatibility: how much a ranking overlaps, from the top, with the best ranking of the judged documents."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, along, ratio, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Persistence
from gradeval.formula.ranking import group_columns
from gradeval.measures.discount import powers, reach


@measure(exempt={"appended": "both rankings are looked at to the end of the longer one, wherever that is"})
def Compat(judged: JudgedRankings, *, p: Persistence = 0.95, normalize: bool = True) -> Array:
    """Compatibility: the rank-biased overlap of a ranking with an ideal one, the relevant documents by grade.

    Compat = sum_{d <= D} p^(d-1) X(d)/d / sum_{d <= D} p^(d-1), with X(d) the documents that both rankings have among
    their first d, and D the length of the longer one; normalize=True (default): divided by what the ideal ranking has
    with itself, so that the best value is 1 although the ideal ranking may be short.

    Conventions: the ideal ranking holds all documents of the pool with a grade above 0, the best first. For
    preferences, the grade says how much a document is preferred, such as 5, 4 ... 1 for the best five in order. Where
    grades are equal any order is ideal, and the ideal follows the ranking, which agrees most: documents that are not
    retrieved come last. Unjudged is non-relevant; an empty topic (nothing relevant) scores 0. ``rbo`` compares any two
    rankings and goes on beyond their ends, this does not. Departure: ir_measures counts a document that is not
    retrieved as one of score 0, which stands before retrieved ones of its grade with negative scores; and orders
    equal scores by document id, ascending.
    Source: Clarke, Vtyurina & Smucker (2021), "Assessing top-k preferences", ACM TOIS 39(3); with grades Clarke,
    Smucker & Vtyurina (2020), "Offline evaluation by maximum similarity to an ideal ranking", CIKM.
    """
    relevant = judged.recall_base(judged.levels[1])
    depth = np.maximum(judged.retrieved, relevant)
    shared = overlap_from(float(p), length := reach(int(depth.max(initial=0))))
    weight = np.cumsum(powers(float(p), length))
    ranks, there = _depths_of_both(judged)
    overlap = add_in_order(np.where(there, shared[depth][..., None] - shared[np.minimum(ranks, length) - 1], 0.0))
    if not normalize:
        return ratio(overlap, weight[depth])
    return share_of_ideal(overlap, weight[relevant] + relevant * (shared[depth] - shared[relevant]))


def _depths_of_both(judged: JudgedRankings) -> tuple[Array, Array]:
    """intp[..., j] and bool[..., j]: of each document the depth from which on both rankings hold it, and whether the
    ideal one ever does; the documents by falling grade."""
    order = np.argsort(-judged.level, axis=-1, kind="stable")
    level, ranks = along(judged.level, order), along(judged.ranks, order)
    begin, _ = group_columns(level)
    better = judged.of_pool("better", lambda pool: pool[..., ::-1].cumsum(-1)[..., ::-1] - pool)
    ideal = along(better, level) + np.arange(level.shape[-1]) - begin + 1
    there = level > 0
    both = np.maximum(np.where(there, ranks, 1.0), ideal).astype(np.intp)
    return both, there


@lru_cache(maxsize=32)
def overlap_from(p: float, length: int) -> Array:
    """float64[length]: what a document that both rankings have from the top adds down to depth d, which is
    sum_{i <= d} p^(i-1) / i; entry 0 is 0."""
    terms = powers(p, length) / np.maximum(1, np.arange(length))
    sums: Array = np.cumsum(terms, dtype=np.longdouble).astype(float)
    sums.flags.writeable = False
    return sums
