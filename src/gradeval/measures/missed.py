"""Gain discounted by what the ranking has missed so far, not by the rank."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, ratio, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Gains, Threshold
from gradeval.measures.gain import gained
from gradeval.measures.gainmap import gain_map


@measure
def binG(judged: JudgedRankings, *, rel: Threshold = 1) -> Array:
    """Binary G: the mean over the relevant documents, each discounted by the non-relevant ones above it.

    binG = 1/RB * sum_{n: r[n] >= rel} 1/log2(2 + n - C_n), with n - C_n the documents down to rank n that are not
    relevant.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic (RB = 0) scores 0.
    Source: trec_eval binG, an experimental measure of C. Buckley.
    """
    discount = np.log2(2 + judged.ranks - judged.counts(rel))
    return ratio(judged.total(judged.hits(rel) / discount), judged.recall_base(rel))


@measure(
    base=gained,
    exempt={"swap": "moving a document up can lower G: for pool 0,1,1,1, [1,3,2] scores 0.732, [1,2,3] 3/4"},
)
def G(judged: JudgedRankings, *, gains: Gains | None = None) -> Array:
    """Normalised gain: the gain of each document, discounted by how far the ideal list is ahead there.

    G = 1/(gain of the pool) * sum_n gain(r[n]) / log2(2 + cost(n) - cg(n)), with cg(n) the gain down to rank n and
    cost(n) the gain of the ideal list, where each rank counts at least 1.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); an unjudged document gains 0; an empty topic (no gain in the pool) scores 0. Departure: trec_eval sorts
    gains that differ by less than 1 as if they were equal.
    Source: trec_eval G, an experimental measure of C. Buckley.
    """
    worth = gain_map(judged.levels, gains)
    beyond_1 = -np.diff(np.maximum(np.array(worth.gains)[worth.best_first], 1.0), append=1.0)
    ends = worth.ends(judged).astype(float)
    cost = judged.ranks
    for place in np.flatnonzero(beyond_1):
        cost = cost + beyond_1[place] * np.minimum(judged.ranks, ends[..., place, None])
    # A ranking that holds more than its pool, as where only samples are scored, is never ahead of the ideal list.
    behind = np.maximum(cost - worth.cumulated(judged), 0)
    discounted = worth.of(judged) / np.log2(2 + behind)
    return share_of_ideal(judged.total(discounted), worth.total(judged))
