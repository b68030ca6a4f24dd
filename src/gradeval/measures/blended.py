"""Sakai's family: cumulated gain as a share of the ideal list's, alone or blended with precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import ByGrade, Cutoff, Gains, Weight
from gradeval.measures.gainmap import GainMap, gain_map


def relevant(judged: JudgedRankings, *, gains: ByGrade | None = None) -> Array:
    """int64[...]: R, the documents of the pool with a gain above 0; 0: an empty topic."""
    return gain_map(judged.levels, gains).relevant(judged)


def blend(plain: Array, gain: Array, beta: float) -> Array:
    """Plain + beta * gain, up to a factor that cancels in ratios: no beta is so large that it overflows."""
    if beta == 1:
        return plain + gain
    return plain + beta * gain if beta < 1 else plain / beta + gain


def ideal_cumulated(judged: JudgedRankings, worth: GainMap) -> Array:
    """float64[..., j]: cig(n), the gain of the best n documents of the pool, at the rank n of each document.

    cig(n) = sum_b step_b * min(n, end_b): each step in gain is taken at every rank to where its level ends.
    Where the pool has no gain it is some number above 0, so that ratios to it are 0 and not undefined.
    """

    def add_up() -> Array:
        ends = judged.of_pool(("ends above 0", worth.gains), worth.ends_above_0)
        total: Array | None = None
        for place, step in enumerate(worth.steps):
            if step > 0:
                part = np.minimum(judged.ranks, ends[..., place, None])
                if step != 1:
                    part *= step
                total = part if total is None else np.add(total, part, out=total)
        return np.ones(judged.ranks.shape) if total is None else total

    return judged.compute_once(("ideal_cumulated", worth.gains), add_up)


def ideal_at(judged: JudgedRankings, worth: GainMap, depth: Array) -> Array:
    """float64[...]: cig(d), the gain of the best ``depth`` documents of the pool."""
    return add_in_order(np.minimum(depth[..., None], worth.ends(judged)) * worth.steps)


def count_and_gain_within(judged: JudgedRankings, worth: GainMap, depth: Array) -> tuple[Array, Array]:
    """count(d) and cg(d), float64[...]: the number of relevant documents down to rank ``depth``, and their gain."""
    return judged.total(worth.hits(judged), depth), judged.total(worth.of(judged), depth)


@measure(
    base=relevant,
    exempt={"swap": "moving a document up can lower Q: for pool 1,1,0,1, [0,3,1] scores 16/21, [1,3,0] 3/4"},
)
def Q(
    judged: JudgedRankings,
    *,
    beta: Weight = 1,
    norm: Literal["R", "min"] = "R",
    gains: Gains | None = None,
    cutoff: Cutoff | None = None,
) -> Array:
    """Q-measure: average precision with the blended ratio for precision, so that high gains count more.

    Q = 1/R * sum_n I(n) (count(n) + beta cg(n)) / (n + beta cig(n)). I(n) = 1 where the document has a gain,
    count and cg are the sums of I and of the gain down to rank n, cig is the cg of the ideal list, R its
    length. With beta = 0 it is AP, with beta -> inf AWP; gains times ten are beta times ten.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; at a
    cutoff the denominator stays R (norm='R') or is min(R, cutoff) (norm='min', as NTCIREVAL).
    Source: Sakai (2005), section 2.3; NTCIREVAL.
    """
    worth = gain_map(judged.levels, gains)
    numerator = blend(worth.counts(judged), worth.cumulated(judged), beta)
    best = blend(judged.ranks, ideal_cumulated(judged, worth), beta)
    base = worth.relevant(judged)
    if norm == "min" and cutoff is not None:
        base = np.minimum(base, cutoff)
    return share_of_ideal(judged.total(numerator / best * worth.hits(judged)), base)


@measure(
    base=relevant,
    exempt={"swap": "moving a document up can lower AWP: for pool 1,1,0,1, [0,3,1] scores 7/8, [1,3,0] 2/3"},
)
def AWP(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff | None = None) -> Array:
    """Average weighted precision: average precision with the sliding ratio in place of precision.

    AWP = 1/R * sum_n I(n) cg(n) / cig(n), with the terms of the Q-measure. Beyond rank R it cannot tell ranks
    apart, since cig stays what it is there: the freezing that the Q-measure mends.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; the
    denominator is R also at a cutoff.
    Source: Kando, Kuriyama & Yoshioka (2001); Sakai (2005), section 2.2.
    """
    worth = gain_map(judged.levels, gains)
    weighted = worth.cumulated(judged) / ideal_cumulated(judged, worth)
    return share_of_ideal(judged.total(weighted * worth.hits(judged)), worth.relevant(judged))


@measure(base=relevant)
def RWP(judged: JudgedRankings, *, gains: Gains | None = None) -> Array:
    """R-weighted precision: the sliding ratio at rank R, the number of relevant documents of the pool.

    RWP = cg(R) / cig(R).

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; where
    fewer than R documents are retrieved, cg(R) is the gain of all of them.
    Source: Kando, Kuriyama & Yoshioka (2001); Sakai (2005), section 2.2.
    """
    worth = gain_map(judged.levels, gains)
    _, gain = count_and_gain_within(judged, worth, worth.relevant(judged))
    return share_of_ideal(gain, worth.total(judged))


@measure(base=relevant)
def RMeasure(judged: JudgedRankings, *, beta: Weight = 1, gains: Gains | None = None) -> Array:
    """R-measure: the blended ratio at rank R, the number of relevant documents of the pool.

    RMeasure = (count(R) + beta cg(R)) / (R + beta cig(R)). beta = 0 is R-precision, beta -> inf RWP.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; where
    fewer than R documents are retrieved, count and cg cover all of them.
    Source: Sakai (2005), section 2.3.
    """
    worth = gain_map(judged.levels, gains)
    depth = worth.relevant(judged)
    count, gain = count_and_gain_within(judged, worth, depth)
    return share_of_ideal(blend(count, gain, beta), blend(depth, worth.total(judged), beta))


@measure(
    base=relevant,
    exempt={
        "appended": "without a cutoff it is the ratio at the end of the ranking, which moves",
        "cutoff": "a cutoff beyond the end of the ranking counts the ranks that are missing",
    },
)
def BR(judged: JudgedRankings, *, beta: Weight = 1, gains: Gains | None = None, cutoff: Cutoff | None = None) -> Array:
    """Blended ratio: precision and sliding ratio in one, at rank k.

    BR@k = (count(k) + beta cg(k)) / (k + beta cig(k)). With beta = 0 it is P@k, with beta -> inf SR@k.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; where fewer
    than k documents are retrieved, count and cg cover all of them; without @k it is the ratio at the
    end of the ranking.
    Source: Sakai (2005), section 2.3.
    """
    worth = gain_map(judged.levels, gains)
    depth = judged.retrieved if cutoff is None else np.array(cutoff)
    numerator = blend(worth.hits(judged).sum(-1), judged.total(worth.of(judged)), beta)
    return share_of_ideal(numerator, blend(depth, ideal_at(judged, worth, depth), beta))


@measure(base=relevant)
def SR(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Sliding ratio: the gain of the first k documents as a share of the gain of the pool's best k.

    SR@k = cg(k) / cig(k).

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); relevant is gain > 0; an unjudged document gains 0; an empty topic (R = 0) scores 0; where
    fewer than k documents are retrieved, cg(k) is the gain of all of them.
    Source: Pollock (1968); Sakai (2005), section 2.2; the normalised CG of Järvelin & Kekäläinen (2002).
    """
    worth = gain_map(judged.levels, gains)
    return share_of_ideal(judged.total(worth.of(judged)), ideal_at(judged, worth, np.array(cutoff)))
