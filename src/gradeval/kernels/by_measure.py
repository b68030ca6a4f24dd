"""The kernels of the measures: what ``measures/`` says as a formula, as a function of pairs of documents."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import ByGrade
from gradeval.kernels.forms import agreed, by_query, gain_like, hits, precision_like, recall_bases
from gradeval.kernels.pairs import CascadeKernel, PairKernel, kernel
from gradeval.measures import (
    AP,
    AWP,
    BR,
    CG,
    DCG,
    ERR,
    GAP,
    NDCNG,
    RBP,
    RR,
    RWP,
    SR,
    MeannDCG,
    P,
    Q,
    R,
    RMeasure,
    Rprec,
    eGAP,
    gmAP,
    gP,
    gR,
    muAP,
    nDCG,
    nERR,
    xGAP,
)
from gradeval.measures.blended import blend, ideal_at, ideal_cumulated
from gradeval.measures.discount import Discount, at_ranks, discounts, longest, reach
from gradeval.measures.err import cascade, of_ideal
from gradeval.measures.gain import LN2, ideal_discounted, worth_of
from gradeval.measures.gainmap import GainMap, Growth, gain_map
from gradeval.measures.gap import relevant_to_user, satisfiable
from gradeval.measures.rbp import reached
from gradeval.measures.thresholds import thresholds

Users = ByGrade | tuple[float, ...] | None


@kernel(AP, gmAP)
def _ap(judged: JudgedRankings, *, rel: float, norm: Literal["R", "min"] = "R", cutoff: int | None) -> PairKernel:
    base = judged.recall_base(rel)
    if norm == "min" and cutoff is not None:
        base = np.minimum(base, cutoff)
    return precision_like(judged, agreed(hits(judged, rel)), base)


@kernel(muAP)
def _mu_ap(judged: JudgedRankings, *, levels: Literal["query", "global"]) -> PairKernel:
    scale = np.array(judged.levels)
    used = judged.pool > 0 if levels == "query" else np.ones(judged.pool.shape, bool)
    below = np.maximum.accumulate(np.where(used, scale, 0.0), axis=-1)[:, :-1]
    distance = np.where(used[:, 1:], scale[1:] - below, 0.0)
    share = np.zeros(judged.pool.shape)
    ratio(distance, recall_bases(judged)[:, 1:]).cumsum(-1, out=share[:, 1:])
    return precision_like(judged, agreed(share), distance.sum(-1))


@kernel(GAP)
def _gap(judged: JudgedRankings, *, g: Users, norm: Literal["R", "min"], cutoff: int | None) -> PairKernel:
    share = thresholds(g, judged.levels).cumsum()
    whole = cutoff is None or norm == "R"
    base = relevant_to_user(judged, g=g) if whole else judged.ideal(cutoff) @ share
    return precision_like(judged, agreed(share), base)


@kernel(eGAP)
def _e_gap(judged: JudgedRankings, *, g: Users, renormalise: bool) -> PairKernel:
    share = ratio(thresholds(g, judged.levels), recall_bases(judged)).cumsum(-1)
    return precision_like(judged, agreed(share), satisfiable(judged, g) if renormalise else np.ones(1))


@kernel(xGAP)
def _x_gap(judged: JudgedRankings, *, g: Users, renormalise: bool) -> PairKernel:
    """pairs(m, n) = A(r[n])/G(r[n]) G(min(r[m], r[n])): the second user is one to whom document n is relevant."""
    users = thresholds(g, judged.levels)
    pivot = ratio(ratio(users, recall_bases(judged)).cumsum(-1), users.cumsum())
    pairs = agreed(users.cumsum()) * pivot[:, None, :]
    return precision_like(judged, pairs, satisfiable(judged, g) if renormalise else np.ones(1))


@kernel(Q)
def _q(
    judged: JudgedRankings,
    *,
    beta: float,
    norm: Literal["R", "min"],
    gains: ByGrade | None,
    cutoff: int | None,
) -> PairKernel:
    """pairs(m, n) = (I(m) + beta gain(m)) I(n), w(n) = 1/(n + beta cig(n))."""
    worth = gain_map(judged.levels, gains)
    base = worth.relevant(judged)
    if norm == "min" and cutoff is not None:
        base = np.minimum(base, cutoff)
    best = blend(judged.ranks, ideal_cumulated(judged, worth), beta)
    return precision_like(judged, _gained_above(worth, beta), base, 1 / best)


@kernel(AWP)
def _awp(judged: JudgedRankings, *, gains: ByGrade | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    pairs = np.outer(worth.gains, np.array(worth.gains) > 0)
    return precision_like(judged, pairs, worth.relevant(judged), 1 / ideal_cumulated(judged, worth))


def _gained_above(worth: GainMap, beta: float) -> Array:
    gain = np.array(worth.gains)
    relevant = (gain > 0).astype(float)
    return np.outer(blend(relevant, gain, beta), relevant)


@kernel(CG)
def _cg(judged: JudgedRankings, *, gains: ByGrade | None) -> PairKernel:
    return gain_like(judged, np.array(gain_map(judged.levels, gains).gains), np.ones((1, 1)), 1)


@kernel(gP)
def _gp(judged: JudgedRankings, *, gains: ByGrade | None, cutoff: int) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    return gain_like(judged, np.array(worth.gains), np.ones((1, 1)), cutoff * worth.top)


@kernel(gR)
def _gr(judged: JudgedRankings, *, gains: ByGrade | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    return gain_like(judged, np.array(worth.gains), np.ones((1, 1)), worth.total(judged))


def discounted(judged: JudgedRankings, kind: Discount, base: float) -> Array:
    """float64[1, n]: what a gain at each rank is multiplied with."""
    return at_ranks(judged, discounts(kind, base, reach(longest(judged))))


@kernel(DCG)
def _dcg(judged: JudgedRankings, *, dcg: Growth, gains: ByGrade | None, discount: Discount, base: float) -> PairKernel:
    return gain_like(judged, np.array(worth_of(judged, dcg, gains).gains), discounted(judged, discount, base), 1)


@kernel(nDCG)
def _ndcg(
    judged: JudgedRankings, *, dcg: Growth, gains: ByGrade | None, discount: Discount, base: float, cutoff: int | None
) -> PairKernel:
    worth = worth_of(judged, dcg, gains)
    ideal = ideal_discounted(worth.pool_ends(judged.pool), worth.steps, discount, base, cutoff)
    return gain_like(judged, np.array(worth.gains), discounted(judged, discount, base), ideal)


@kernel(MeannDCG)
def _mean_ndcg(
    judged: JudgedRankings, *, dcg: Growth, gains: ByGrade | None, discount: Discount, base: float, cutoff: int
) -> PairKernel:
    """A gain at rank n counts at the ranks n..k, each time as a share of the ideal there."""
    worth = worth_of(judged, dcg, gains)
    width = min(cutoff, max(longest(judged), int(worth.relevant(judged).max(initial=1))))
    table = discounts(discount, base, reach(width))[1 : width + 1]
    shares = ratio(np.ones(1), (worth.ideal_list(judged.pool, width) * table).cumsum(-1))
    shares[:, -1] *= cutoff - width + 1
    length = judged.ranks.shape[-1]
    weights = np.zeros((len(judged.pool), max(width, length)))
    weights[:, :width] = shares[:, ::-1].cumsum(-1)[:, ::-1] * table
    return gain_like(judged, np.array(worth.gains), weights[:, :length], cutoff)


@kernel(NDCNG)
def _ndcng(judged: JudgedRankings, *, scale_max: float | None, gains: ByGrade | None, cutoff: int | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    values = np.array(worth.gains)
    largest = np.where(judged.pool > 0, values, 0.0).max(-1) if scale_max is None else np.array([scale_max])
    unit = np.where(largest > 0, largest, 1.0)[:, None]
    own = np.expm1(LN2 * np.minimum(values / unit, 1.0))  # no document of the query has a grade above its unit
    steps = -np.diff(own[:, worth.best_first], axis=-1, append=0.0)
    ideal = ideal_discounted(worth.pool_ends(judged.pool), steps, "ms", 2, cutoff)
    return gain_like(judged, own, discounted(judged, "ms", 2), ideal)


@kernel(RBP)
def _rbp(judged: JudgedRankings, *, p: float, rel: float | None, gains: ByGrade | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    own, top = (np.array(worth.gains), worth.top) if rel is None else (hits(judged, rel), 1.0)
    return gain_like(judged, own, (1 - p) * reached(judged, p), top)


@kernel(P)
def _p(judged: JudgedRankings, *, rel: float, cutoff: int) -> PairKernel:
    return gain_like(judged, hits(judged, rel), np.ones((1, 1)), cutoff)


@kernel(R)
def _r(judged: JudgedRankings, *, rel: float) -> PairKernel:
    return gain_like(judged, hits(judged, rel), np.ones((1, 1)), judged.recall_base(rel))


@kernel(Rprec)
def _rprec(judged: JudgedRankings, *, rel: float) -> PairKernel:
    base = judged.recall_base(rel)
    return gain_like(judged, hits(judged, rel), _down_to(judged, base), base)


@kernel(RWP)
def _rwp(judged: JudgedRankings, *, gains: ByGrade | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    return gain_like(judged, np.array(worth.gains), _down_to(judged, worth.relevant(judged)), worth.total(judged))


@kernel(RMeasure)
def _r_measure(judged: JudgedRankings, *, beta: float, gains: ByGrade | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    depth = worth.relevant(judged)
    best = blend(depth, worth.total(judged), beta)
    return gain_like(judged, _blended_gain(worth, beta), _down_to(judged, depth), best)


@kernel(BR)
def _br(judged: JudgedRankings, *, beta: float, gains: ByGrade | None, cutoff: int | None) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    depth = judged.retrieved if cutoff is None else np.array(cutoff)
    best = blend(depth, ideal_at(judged, worth, depth), beta)
    return gain_like(judged, _blended_gain(worth, beta), np.ones((1, 1)), best)


@kernel(SR)
def _sr(judged: JudgedRankings, *, gains: ByGrade | None, cutoff: int) -> PairKernel:
    worth = gain_map(judged.levels, gains)
    return gain_like(judged, np.array(worth.gains), np.ones((1, 1)), ideal_at(judged, worth, np.array(cutoff)))


def _blended_gain(worth: GainMap, beta: float) -> Array:
    gain = np.array(worth.gains)
    return blend((gain > 0).astype(float), gain, beta)


def _down_to(judged: JudgedRankings, depth: Array) -> Array:
    """float64[query, n]: 1 down to a rank, 0 from there on."""
    return (judged.ranks <= depth[:, None]).astype(float)


@kernel(ERR)
def _err(judged: JudgedRankings, *, gains: ByGrade | None) -> CascadeKernel:
    return _stopping(judged, cascade(judged, gains), 1)


@kernel(nERR)
def _nerr(judged: JudgedRankings, *, gains: ByGrade | None, cutoff: int | None) -> CascadeKernel:
    worth = cascade(judged, gains)
    return _stopping(judged, worth, of_ideal(judged, worth, cutoff))


def _stopping(judged: JudgedRankings, worth: GainMap, norm: Any) -> CascadeKernel:
    stop = np.array(worth.gains)[None] / (worth.top + 1)
    return CascadeKernel(stop, 1 / judged.ranks, by_query(judged, norm))


@kernel(RR)
def _rr(judged: JudgedRankings, *, rel: float) -> CascadeKernel:
    """The reciprocal rank is a cascade in which every relevant document stops the user."""
    return CascadeKernel(hits(judged, rel)[None], 1 / judged.ranks, by_query(judged, 1))
