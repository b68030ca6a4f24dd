"""Normalised cumulated gain averaged over places of the ranking: every rank, relevant documents, ends of grades."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, along, ratio, running_sums, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Base, Cutoff, Gains, Positive
from gradeval.measures.discount import Discount, at_ranks, discounts, rank_index, reach
from gradeval.measures.gain import (
    discounted,
    gained,
    ideal_discounted,
    ideal_gain,
    scaled,
    unit_gain,
    unit_steps,
    worth_of,
)
from gradeval.measures.gainmap import GainMap, Growth, gain_map, ideal_gains

OVER_THE_LIST = {
    "appended": "without a cutoff it is a mean over the length of the list, which every document changes",
    "cutoff": "without a cutoff it is a mean over the ranks of the list, beyond its end there are more",
}


def mean_over_ranks(
    judged: JudgedRankings, worth: GainMap, gain: Array, steps: Array, kind: Discount, base: float, cutoff: int | None
) -> Array:
    """float64[...]: 1/k * sum_{n=1..k} DCG@n / IDCG@n, with k the cutoff, else the length of the ranking.

    ``worth`` orders the levels in the ideal list, ``gain`` [..., j] is each document's, ``steps`` [..., b] tells
    by how much each level gains more than the next.
    """
    width = max(1, judged.longest)
    if cutoff is not None:
        # Beyond the longest ranking and the longest ideal list nDCG@n does not change any more.
        width = min(cutoff, max(width, int(worth.relevant(judged).max(initial=1))))
    table = discounts(kind, base, reach(width))[1 : width + 1]

    ideal_list = ideal_gains(worth.pool_ends(judged.pool), steps, width)
    shares = ratio(np.ones(1), (ideal_list * table).cumsum(-1))
    ranks = np.arange(1, width + 1)
    if cutoff is None:
        shares = shares * (ranks <= judged.retrieved[..., None])
    else:  # from where the ideal list of the topic ends, all ranks up to k count alike
        end = np.clip(worth.relevant(judged), 1, cutoff)[..., None]
        to_the_end = shares * (cutoff - ranks + 1)
        shares = np.where(ranks < end, shares, to_the_end * (ranks == end))
    # A gain at rank n counts at the ranks n..k, each time as a share of the ideal there.
    weight = np.zeros((*shares.shape[:-1], width + 1))
    np.cumsum(shares[..., ::-1], axis=-1, out=weight[..., :0:-1])
    if cutoff is not None:
        np.copyto(weight[..., 1:], to_the_end, where=ranks > end)
    counted = gain * along(weight, rank_index(judged))
    length = judged.retrieved if cutoff is None else np.array(cutoff)
    return share_of_ideal(discounted(judged, counted, kind, base), length)


@measure(base=gained, exempt=OVER_THE_LIST)
def MeannDCG(
    judged: JudgedRankings,
    *,
    dcg: Growth = "log2",
    gains: Gains | None = None,
    discount: Discount = "ms",
    base: Base = 2,
    cutoff: Cutoff | None = None,
) -> Array:
    """Mean nDCG over the ranks 1..k: the average of the normalised DCG vector.

    MeannDCG@k = 1/k * sum_{n=1..k} nDCG@n. Without @, k is the length of the list.

    Conventions: as nDCG; where fewer than k documents are retrieved, the ranks beyond them count with the DCG
    of the last. An unjudged document gains 0; an empty topic and an empty ranking without @k score 0.
    Source: Järvelin & Kekäläinen (2002), section 2.3; Scheel, Lommatzsch & Albayrak (2011), table 2.
    """
    worth = worth_of(judged, dcg, gains)
    return mean_over_ranks(judged, worth, worth.of(judged), worth.steps, discount, base, cutoff)


@measure(base=gained, exempt=OVER_THE_LIST)
def MeanNDCNG(
    judged: JudgedRankings,
    *,
    scale_max: Positive | None = None,
    gains: Gains | None = None,
    cutoff: Cutoff | None = None,
) -> Array:
    """Mean NDCNG over the ranks 1..k: a mean of nDCG that does not depend on the unit of the grades.

    MeanNDCNG@k = 1/k * sum_{n=1..k} NDCNG@n. Without @, k is the length of the list.

    Conventions: gains and scale as in NDCNG, ranks beyond the end of the list as in MeannDCG. An unjudged
    document gains 0; an empty topic and an empty ranking without @k score 0.
    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.2 and table 2.
    """
    worth = scaled(judged, gains, scale_max)
    gain, steps = unit_gain(judged, worth, scale_max), unit_steps(judged.pool, worth, scale_max)
    return mean_over_ranks(judged, worth, gain, steps, "ms", 2, cutoff)


@measure(
    base=gained,
    exempt={"swap": "moving a document up can lower it: for pool 1,1,0,1, [1,3,0] scores 0.565, [0,3,1] 0.590"},
)
def nDCGrel(judged: JudgedRankings, *, gains: Gains | None = None) -> Array:
    """Mean nDCG over the relevant documents of the pool, each at the rank where it was retrieved.

    nDCGrel = 1/R * (sum_{n: gain(r[n]) > 0} nDCG@n + (R - R_ret) nDCG), with R the documents of the pool that
    have a gain and R_ret the retrieved ones among them: the others count with the nDCG of the whole list.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); discount 1/log2(n+1); an unjudged document gains 0; an empty topic (R = 0) scores 0.
    Source: trec_eval ndcg_rel, an experimental measure of C. Buckley.
    """
    worth = gain_map(judged.levels, gains)

    def ideal_by_rank(pool: Array) -> Array:
        """float64[..., n]: IDCG@n from n = 0 to the end of the longest ideal list; 1 where nothing is relevant."""
        ends = worth.pool_ends(pool)[..., None, :]
        by_rank = ideal_discounted(ends, worth.steps, "ms", 2, np.arange(int(ends.max(initial=0)) + 1)[:, None])
        return np.where(by_rank > 0, by_rank, 1.0)

    best = judged.of_pool(("ideal DCG by rank", worth.gains), ideal_by_rank)
    hits = worth.hits(judged)
    reached = running_sums(worth.of(judged) * at_ranks(judged, discounts("ms", 2, reach(judged.longest))))
    ideal = along(best, np.minimum(rank_index(judged), best.shape[-1] - 1))
    at_documents = judged.total(reached / ideal * hits)
    relevant = worth.relevant(judged)
    whole = ratio(reached[..., -1:].sum(-1), ideal_gain(judged, worth, "ms", 2))
    retrieved = worth.counts(judged)[..., -1:].sum(-1)
    return share_of_ideal(at_documents + (relevant - retrieved) * whole, relevant)


@measure(
    base=gained, exempt={"appended": "the end of the ranking is one of the places, and nDCG there counts more often"}
)
def RnDCG(judged: JudgedRankings, *, gains: Gains | None = None) -> Array:
    """Mean nDCG over the ranks where a perfect ranking would go on to documents of the next gain.

    RnDCG = 1/|E| * sum_{e in E} nDCG@e, with E the ranks at which the documents of each gain end in the ideal list: 5
    and 8 for 5 documents of gain 3 and 3 of gain 1.

    Conventions: the gain is the grade, or what gains={grade: gain} says (a grade that it does not name keeps
    its own); discount 1/log2(n+1); the nDCG of the whole list is one more place where the list goes on at least two
    ranks beyond the ideal one (so trec_eval). An unjudged document gains 0; an empty topic scores 0.
    Source: trec_eval Rndcg, an experimental measure of C. Buckley.
    """
    worth = gain_map(judged.levels, gains)

    def ends_of_gains(pool: Array) -> Array:
        """int64[..., e]: the ranks at which gains end in the ideal list."""
        return worth.pool_ends(pool)[..., np.flatnonzero(worth.steps)]

    def ideal_at_ends(pool: Array) -> Array:
        """float64[..., e]: IDCG there; 0 for gains that the topic does not have, which end nowhere."""
        ends = ends_of_gains(pool)
        ideal = ideal_discounted(worth.pool_ends(pool)[..., None, :], worth.steps, "ms", 2, ends[..., None])
        return np.where(np.diff(ends, axis=-1, prepend=0) > 0, ideal, 0.0)

    def for_each_end(values: Array) -> Array:
        """The last axis first, with all axes of the rankings behind it."""
        axes = (1,) * (judged.retrieved.ndim - values.ndim + 1)
        return np.moveaxis(values.reshape(*axes, *values.shape), -1, 0)

    ends = for_each_end(judged.of_pool(("ends of gains", worth.gains), ends_of_gains))
    ideal = for_each_end(judged.of_pool(("ideal DCG at ends", worth.gains), ideal_at_ends))
    total = add_in_order(np.moveaxis(ratio(discounted(judged, worth.of(judged), "ms", 2, ends), ideal), 0, -1))
    last = ends.max(0, initial=0)
    longer = (judged.retrieved >= last + 2) & (last > 0)
    whole = ratio(discounted(judged, worth.of(judged), "ms", 2), ideal_gain(judged, worth, "ms", 2))
    return share_of_ideal(total + longer * whole, (ideal > 0).sum(0) + longer)
