"""Cumulated gain: plain, discounted, normalised; generalised precision and recall."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, add_in_order, ratio, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import Depth, JudgedRankings
from gradeval.formula.parameters import Base, ByGrade, Cutoff, Gains, Positive, write
from gradeval.measures.discount import Discount, cumulated_discounts, discounts, reach
from gradeval.measures.gainmap import GainMap, Growth, gain_map

LN2 = float(np.log(2))


def gained(judged: JudgedRankings, *, dcg: Growth = "log2", gains: ByGrade | None = None) -> Array:
    """float64[...]: the gain of the whole pool; 0: an empty topic."""
    return worth_of(judged, dcg, gains).total(judged)


def worth_of(judged: JudgedRankings, dcg: Growth, gains: ByGrade | None) -> GainMap:
    """The gain map that two parameters ask for, or an error where they contradict each other."""
    if dcg == "exp-log2" and any(gain for _, gain in gains or ()):  # to gain nothing contradicts no formula
        raise InputError(
            f"gains={write(gains)} together with dcg='exp-log2', which sets the gains: give one of the two"
        )
    return gain_map(judged.levels, gains, dcg)


def discounted(judged: JudgedRankings, gain: Array, kind: Discount, base: float, depth: Depth = None) -> Array:
    """float64[...]: sum_n gain(r[n]) * discount(n), down to a depth."""
    return judged.weighted_total(gain, discounts(kind, base, reach(judged.longest)), depth)


def of_pool_at(
    judged: JudgedRankings, key: tuple[object, ...], cutoff: Array | int | None, compute: Callable[..., Array]
) -> Array:
    """float64[...]: compute(pool, cutoff) for each topic; for an array of cutoffs [c, 1 ...] it is [c, ...]."""
    if not isinstance(cutoff, np.ndarray):
        return judged.of_pool((*key, cutoff), lambda pool: compute(pool, cutoff))
    several = cutoff.ravel()
    whole = judged.of_pool((*key, *several.tolist()), lambda pool: compute(pool[..., None, :], several[:, None]))
    return np.moveaxis(whole, -1, 0)


def ideal_discounted(ends: Array, steps: Array, kind: Discount, base: float, cutoff: Array | int | None) -> Array:
    """float64[...]: the discounted gain of the ideal list whose levels end at these ranks.

    It is sum_b step_b * (discount(1) + ... + discount(end_b)): each step in gain is taken at every rank to
    where its level ends.
    """
    ends = ends if cutoff is None else np.minimum(ends, cutoff)
    return add_in_order(cumulated_discounts(kind, base, reach(int(ends.max(initial=0))))[ends] * steps)


def ideal_gain(
    judged: JudgedRankings, worth: GainMap, kind: Discount, base: float, cutoff: Array | int | None = None
) -> Array:
    """float64[...]: IDCG, the discounted gain of the ideal list down to a cutoff, or [cutoff, ...] to several."""
    return of_pool_at(
        judged,
        ("ideal DCG", worth.gains, kind, base),
        cutoff,
        lambda pool, cutoff: ideal_discounted(worth.pool_ends(pool), worth.steps, kind, base, cutoff),
    )


@measure(base=gained, exempt={"bounded": "a sum of gains, not normalised"}, many="cutoff")
def CG(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Cumulated gain: the sum of the gains of the first k documents.

    CG@k = sum_{n<=k} gain(r[n]).

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); an unjudged document gains 0; not normalised; an empty topic (no gain in the pool) scores 0.
    Source: Järvelin & Kekäläinen (2002), eq. 1.
    """
    return judged.total(gain_map(judged.levels, gains).of(judged), cutoff)


@measure(base=gained, exempt={"bounded": "a sum of gains, not normalised"}, many="cutoff")
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
    1/log_b(n) from there on ('jk'; 'letor' is 'jk' with b = 2), or 1/n ('linear', where a user is less
    patient).

    Conventions: the gain is the grade (dcg='log2'), or 2^grade - 1 (dcg='exp-log2'), or what
    gains={grade: gain} says (a grade that it does not name keeps its own; with dcg='exp-log2' only gains of 0); an
    unjudged document gains 0; not normalised; an empty topic (no gain in the pool) scores 0.
    Source: Järvelin & Kekäläinen (2002), eq. 2 ('jk'); Burges et al. (2005), ICML ('ms', exponential gain);
    Robertson, Kanoulas & Yilmaz (2010), section 4.1 ('linear', with either gain).
    """
    return discounted(judged, worth_of(judged, dcg, gains).of(judged), discount, base, cutoff)


@measure(base=gained, many="cutoff")
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

    Conventions: gains and discounts as in DCG; a grade that gains={grade: gain} does not name keeps its own gain, so
    gains={1:0,2:0,3:0,4:1,5:1} names all grades to count from 4. By default gain = grade and 1/log2(n+1), as
    trec_eval's ndcg ('ms': the base cancels). The ideal list holds the whole pool, retrieved or not; an unjudged
    document gains 0; an empty topic (IDCG = 0) scores 0. dcg='log2' or 'exp-log2' with discount='ms' or 'linear' are
    the four nDCGs that Robertson, Kanoulas & Yilmaz (2010) compare.
    Source: Järvelin & Kekäläinen (2002), section 2.3; Burges et al. (2005), ICML.
    """
    worth = worth_of(judged, dcg, gains)
    ideal = ideal_gain(judged, worth, discount, base, cutoff)
    return share_of_ideal(discounted(judged, worth.of(judged), discount, base, cutoff), ideal)


@measure(base=gained)
def NDCNG(
    judged: JudgedRankings,
    *,
    scale_max: Positive | None = None,
    gains: Gains | None = None,
    cutoff: Cutoff | None = None,
) -> Array:
    """Normalised discounted cumulative normalised gain: nDCG that does not depend on the unit of the grades.

    NDCNG@k = 1/INorm * sum_{n<=k} (2^(v_n/m) - 1) / log2(n+1), with v_n the grade of the document at rank n, m the
    largest grade among the judged documents of the topic, and INorm the sum of the ideal list: nDCG@k with gain
    2^(v/m) - 1. Multiplying all grades by a constant changes nothing.

    Conventions: m is the topic's own, as in the paper; scale_max=5 sets it for all topics, to the highest
    grade that could have been given. v is the grade, or what gains={grade: v} says (a grade that it does not
    name keeps its own). An unjudged document gains 0; an empty topic (m = 0) scores 0.
    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.2.
    """
    worth = scaled(judged, gains, scale_max)

    def ideal(pool: Array) -> Array:
        return ideal_discounted(worth.pool_ends(pool), unit_steps(pool, worth, scale_max), "ms", 2, cutoff)

    best = judged.of_pool(("NDCNG ideal", worth.gains, scale_max, cutoff), ideal)
    return share_of_ideal(discounted(judged, unit_gain(judged, worth, scale_max), "ms", 2), best)


def scaled(judged: JudgedRankings, gains: ByGrade | None, scale_max: float | None) -> GainMap:
    """The value v of each level, or an error where one is beyond the end of the scale."""
    worth = gain_map(judged.levels, gains)
    if scale_max is not None and scale_max < worth.top:
        raise InputError(f"scale_max={scale_max:g} is below {worth.top:g}, the largest grade there is")
    return worth


def scale_end(pool: Array, worth: GainMap, scale_max: float | None) -> Array:
    """float64[..., 1]: m, the largest value judged in each topic or the end of the scale; 1 for an empty topic."""
    if scale_max is not None:
        return np.full((*pool.shape[:-1], 1), float(scale_max))
    largest = np.where(pool > 0, np.array(worth.gains), 0.0).max(-1, keepdims=True)
    return np.where(largest > 0, largest, 1.0)


def unit_gain(judged: JudgedRankings, worth: GainMap, scale_max: float | None) -> Array:
    """float64[..., j]: 2^(v/m) - 1, the gain of each document."""
    end = judged.of_pool(("scale end", worth.gains, scale_max), lambda pool: scale_end(pool, worth, scale_max))
    gain: Array = np.expm1(LN2 * (worth.of(judged) / end))
    return gain


def unit_steps(pool: Array, worth: GainMap, scale_max: float | None) -> Array:
    """float64[..., b]: by how much 2^(v/m) - 1 is larger for each level of ``worth.best_first`` than for the next."""
    # Levels above the topic's own largest have no documents; at most 1 they cannot overflow.
    shares = np.minimum(np.array(worth.gains)[worth.best_first] / scale_end(pool, worth, scale_max), 1.0)
    return -np.diff(np.expm1(LN2 * shares), axis=-1, append=0.0)


@measure(base=gained)
def gP(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Generalised precision: the mean, over the first k ranks, of the gain as a share of the largest gain.

    gP@k = 1/k * sum_{n<=k} gain(r[n]) / top gain.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); the top gain is the largest of the collection's levels, not of the topic's; divided by k also where fewer
    are retrieved; an unjudged document gains 0; an empty topic (no gain in the pool) scores 0.
    Source: Kekäläinen & Järvelin (2002), Using graded relevance assessments in IR evaluation, JASIST 53(13).
    """
    worth = gain_map(judged.levels, gains)
    return ratio(judged.total(worth.of(judged)), np.array(cutoff * worth.top))


@measure(base=gained)
def gR(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff) -> Array:
    """Generalised recall: the share of the pool's gain that lies within the first k ranks.

    gR@k = sum_{n<=k} gain(r[n]) / sum of the gains of all judged documents.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); an unjudged document gains 0; an empty topic (no gain in the pool) scores 0.
    Source: Kekäläinen & Järvelin (2002), Using graded relevance assessments in IR evaluation, JASIST 53(13).
    """
    worth = gain_map(judged.levels, gains)
    return share_of_ideal(judged.total(worth.of(judged)), worth.total(judged))
