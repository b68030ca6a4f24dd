"""Cumulated gain: plain, discounted, normalised; generalised precision and recall."""

from __future__ import annotations

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, ratio, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Base, ByGrade, Cutoff, Gains, Positive, write
from gradeval.measures.discount import Discount, at_ranks, cumulated_discounts, discounts, longest, rank_index, reach
from gradeval.measures.gainmap import GainMap, Growth, gain_map

LN2 = float(np.log(2))


def gained(judged: JudgedRankings, *, dcg: Growth = "log2", gains: ByGrade | None = None) -> Array:
    """float64[...]: the gain of the whole pool; 0: an empty topic."""
    return worth_of(judged, dcg, gains).total(judged)


def worth_of(judged: JudgedRankings, dcg: Growth, gains: ByGrade | None) -> GainMap:
    """The gain map that two parameters ask for, or an error where they contradict each other."""
    if gains is not None and dcg == "exp-log2":
        raise InputError(
            f"gains={write(gains)} together with dcg='exp-log2', which sets the gains: give one of the two"
        )
    return gain_map(judged.levels, gains, dcg)


def discounted(judged: JudgedRankings, gain: Array, kind: Discount, base: float) -> Array:
    """float64[...]: sum_n gain(r[n]) * discount(n)."""
    table = discounts(kind, base, reach(longest(judged)))
    discount = judged.keep(("discount", kind, base), lambda: at_ranks(judged, table))
    total: Array = np.einsum("...j,...j->...", gain, discount)
    return total


def ideal_discounted(ends: Array, steps: Array, kind: Discount, base: float, cutoff: int | None) -> Array:
    """float64[...]: the discounted gain of the ideal list whose levels end at these ranks.

    It is sum_b step_b * (discount(1) + ... + discount(end_b)): each step in gain is taken at every rank to
    where its level ends.
    """
    ends = ends if cutoff is None else np.minimum(ends, cutoff)
    total: Array = (cumulated_discounts(kind, base, reach(int(ends.max(initial=0))))[ends] * steps).sum(-1)
    return total


@measure(base=gained, exempt={"bounded": "a sum of gains, not normalised"})
def CG(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Cumulated gain: the sum of the gains of the first k documents.

    CG@k = sum_{n<=k} gain(r[n]).

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); an unjudged document gains 0; not normalised; an empty topic (no gain in the pool) scores 0.
    Source: Järvelin & Kekäläinen (2002), eq. 1.
    """
    gain: Array = gain_map(judged.levels, gains).of(judged).sum(-1)
    return gain


@measure(base=gained, exempt={"bounded": "a sum of gains, not normalised"})
def DCG(
    judged: JudgedRankings,
    *,
    dcg: Growth = "log2",
    gains: Gains | None = None,
    discount: Discount = "ms",
    base: Base = 2,
    cutoff: Cutoff | None = None,
) -> Array:
    """Discounted cumulated gain: the sum of the gains, each divided by the logarithm of its rank.

    DCG = sum_n gain(r[n]) * discount(n), with discount(n) = 1/log_b(n+1) ('ms'), or 1 for n < b and
    1/log_b(n) from there on ('jk'; 'letor' is 'jk' with b = 2).

    Conventions: the gain is the grade (dcg='log2'), or 2^grade - 1 (dcg='exp-log2'), or what
    gains={grade: gain} says (a grade that it does not name keeps its own); an unjudged document gains 0; not
    normalised; an empty topic (no gain in the pool) scores 0.
    Source: Järvelin & Kekäläinen (2002), eq. 2 ('jk'); Burges et al. (2005), ICML ('ms', exponential gain).
    """
    return discounted(judged, worth_of(judged, dcg, gains).of(judged), discount, base)


@measure(base=gained)
def nDCG(
    judged: JudgedRankings,
    *,
    dcg: Growth = "log2",
    gains: Gains | None = None,
    discount: Discount = "ms",
    base: Base = 2,
    cutoff: Cutoff | None = None,
) -> Array:
    """Normalised discounted cumulated gain: DCG as a share of what the best ranking of the pool would have.

    nDCG@k = DCG@k / IDCG@k, with IDCG@k the DCG@k of all judged documents in descending order of gain.

    Conventions: gains and discounts as in DCG; by default gain = grade and 1/log2(n+1), as trec_eval's ndcg
    ('ms': the base cancels). The ideal list holds the whole pool, retrieved or not; an unjudged document
    gains 0; an empty topic (IDCG = 0) scores 0.
    Source: Järvelin & Kekäläinen (2002), section 2.3; Burges et al. (2005), ICML.
    """
    worth = worth_of(judged, dcg, gains)
    ideal = judged.of_pool(
        ("ideal DCG", worth.gains, discount, base, cutoff),
        lambda pool: ideal_discounted(worth.pool_ends(pool), worth.steps, discount, base, cutoff),
    )
    return share_of_ideal(discounted(judged, worth.of(judged), discount, base), ideal)


@measure(base=gained)
def MeannDCG(
    judged: JudgedRankings,
    *,
    dcg: Growth = "log2",
    gains: Gains | None = None,
    discount: Discount = "ms",
    base: Base = 2,
    cutoff: Cutoff,
) -> Array:
    """Mean nDCG over the ranks 1..k: the average of the normalised DCG vector.

    MeannDCG@k = 1/k * sum_{n=1..k} nDCG@n.

    Conventions: as nDCG; where fewer than k documents are retrieved, the ranks beyond them count with the DCG
    of the last. An unjudged document gains 0; an empty topic scores 0.
    Source: Järvelin & Kekäläinen (2002), section 2.3; Scheel, Lommatzsch & Albayrak (2011), table 2.
    """
    worth = worth_of(judged, dcg, gains)
    # Beyond the longest ranking and the longest ideal list nDCG@n does not change any more.
    width = min(cutoff, max(longest(judged), int(worth.relevant(judged).max(initial=1))))
    table = discounts(discount, base, reach(width))[1 : width + 1]

    shares = ratio(np.ones(1), (worth.ideal_list(judged.pool, width) * table).cumsum(-1))
    shares[..., -1] *= cutoff - width + 1
    # A gain at rank n counts at the ranks n..k, each time as a share of the ideal there.
    weight = np.zeros((*shares.shape[:-1], width + 1))
    np.cumsum(shares[..., ::-1], axis=-1, out=weight[..., :0:-1])
    leading = np.broadcast_shapes(weight.shape[:-1], judged.ranks.shape[:-1])
    index = np.broadcast_to(rank_index(judged), (*leading, judged.ranks.shape[-1]))
    gain = worth.of(judged) * np.take_along_axis(np.broadcast_to(weight, (*leading, width + 1)), index, axis=-1)
    return share_of_ideal(discounted(judged, gain, discount, base), np.array(cutoff))


@measure(base=gained)
def NDCNG(
    judged: JudgedRankings,
    *,
    scale_max: Positive | None = None,
    gains: Gains | None = None,
    cutoff: Cutoff | None = None,
) -> Array:
    """Normalised discounted cumulative normalised gain: nDCG that does not depend on the unit of the grades.

    NDCNG@k is nDCG@k with gain 2^(v/m) - 1 and discount 1/log2(n+1), v being the grade of a document and m
    the largest v among the judged documents of the topic. Multiplying all grades by a constant changes
    nothing.

    Conventions: m is the topic's own, as in the paper; scale_max=5 sets it for all topics, to the highest
    grade that could have been given. v is the grade, or what gains={grade: v} says (a grade that it does not
    name keeps its own). An unjudged document gains 0; an empty topic (m = 0) scores 0.
    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.2.
    """
    worth = gain_map(judged.levels, gains)
    values = np.array(worth.gains)
    if scale_max is not None and scale_max < worth.top:
        raise InputError(f"scale_max={scale_max:g} is below {worth.top:g}, the largest grade there is")

    def unit(pool: Array) -> Array:
        """float64[..., 1]: m, or 1 for an empty topic."""
        largest = np.where(pool > 0, values, 0.0).max(-1) if scale_max is None else np.full(pool.shape[:-1], scale_max)
        return np.where(largest > 0, largest, 1.0)[..., None]

    def ideal(pool: Array) -> Array:
        # Levels above the topic's own largest have no documents; at most 1 they cannot overflow.
        levels = np.expm1(LN2 * np.minimum(values[worth.best_first] / unit(pool), 1.0))
        return ideal_discounted(worth.pool_ends(pool), -np.diff(levels, axis=-1, append=0.0), "ms", 2, cutoff)

    key = (worth.gains, scale_max)
    gain = np.expm1(LN2 * (worth.of(judged) / judged.of_pool(("NDCNG unit", *key), unit)))
    return share_of_ideal(discounted(judged, gain, "ms", 2), judged.of_pool(("NDCNG ideal", *key, cutoff), ideal))


@measure(base=gained)
def gP(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Generalised precision: the mean, over the first k ranks, of the gain as a share of the largest gain.

    gP@k = 1/k * sum_{n<=k} gain(r[n]) / top gain.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); the top gain is that of the collection's levels, not of the topic; divided by k also where fewer
    are retrieved; an unjudged document gains 0; an empty topic (no gain in the pool) scores 0.
    Source: Kekäläinen & Järvelin (2002), Using graded relevance assessments in IR evaluation, JASIST 53(13).
    """
    worth = gain_map(judged.levels, gains)
    return ratio(worth.of(judged).sum(-1), np.array(cutoff * worth.top))


@measure(base=gained)
def gR(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Generalised recall: the share of the pool's gain that lies within the first k ranks.

    gR@k = sum_{n<=k} gain(r[n]) / sum of the gains of all judged documents.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); an unjudged document gains 0; an empty topic (no gain in the pool) scores 0.
    Source: Kekäläinen & Järvelin (2002), Using graded relevance assessments in IR evaluation, JASIST 53(13).
    """
    worth = gain_map(judged.levels, gains)
    return share_of_ideal(worth.of(judged).sum(-1), worth.total(judged))
