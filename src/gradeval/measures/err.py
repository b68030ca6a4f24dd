"""Expected reciprocal rank: a cascade model, where a good document stops the user."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, products_before, share_of_ideal
from gradeval.formula.definition import measure
from gradeval.formula.judged import Depth, JudgedRankings
from gradeval.formula.parameters import ByGrade, Cutoff, Gains
from gradeval.measures.gainmap import GainMap, gain_map

LARGEST_TABLE = 1 << 20  # documents of ideal lists laid out at a time


def cascade(judged: JudgedRankings, gains: ByGrade | None) -> GainMap:
    """The gain map 2^grade - 1, with ``gains`` in place of some or all."""
    return gain_map(judged.levels, gains, "exp-log2")


def gained(judged: JudgedRankings, *, gains: ByGrade | None = None) -> Array:
    """float64[...]: the gain of the whole pool; 0: an empty topic."""
    return cascade(judged, gains).total(judged)


def reciprocal_rank_of_stop(stop: Array, inverse_rank: Array) -> Array:
    """float64[..., j]: (1/n) stop(n) prod_{i<n} (1 - stop(i)), the terms of ERR."""
    return stop * products_before(1 - stop) * inverse_rank


def of_rankings(judged: JudgedRankings, worth: GainMap, depth: Depth = None) -> Array:
    """float64[...]: ERR of each ranking, down to a depth."""
    terms = judged.compute_once(
        ("ERR", worth.gains), lambda: reciprocal_rank_of_stop(worth.of(judged) / (worth.top + 1), 1 / judged.ranks)
    )
    return judged.total(terms, depth)


def of_ideal(judged: JudgedRankings, worth: GainMap, cutoff: int | None) -> Array:
    """float64[...]: ERR of the ideal list of each pool."""

    def best(pool: Array) -> Array:
        longest = int(worth.pool_ends(pool).max(initial=1))
        length = longest if cutoff is None else min(longest, cutoff)
        inverse_rank = 1 / np.arange(1.0, length + 1)
        some = max(1, LARGEST_TABLE // length)
        pools = pool.reshape(-1, pool.shape[-1])
        lists = (worth.ideal_list(pools[first : first + some], length) for first in range(0, max(1, len(pools)), some))
        values = [add_in_order(reciprocal_rank_of_stop(gain / (worth.top + 1), inverse_rank)) for gain in lists]
        return np.concatenate(values).reshape(pool.shape[:-1])

    return judged.of_pool(("ideal ERR", worth.gains, cutoff), best)


@measure(base=gained, many="cutoff")
def ERR(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff | None = None) -> Array:
    """Expected reciprocal rank: the mean of 1/rank at which a user who reads from the top is satisfied.

    ERR = sum_n (1/n) p(n) prod_{i<n} (1 - p(i)), with p(n) = gain(r[n]) / (top gain + 1) the probability that
    the document at rank n stops the user.

    Conventions: the gain is 2^grade - 1, so that p = (2^grade - 1) / 2^top, or what gains={grade: gain} says
    (a grade that it does not name keeps its own). The top gain is the largest of the collection's levels, not of the
    topic's: declare the levels where nobody gave the best. An unjudged document gains 0; not normalised; an empty topic
    (no gain in the pool) scores 0. Departure: others fix the top grade (gdeval: 4).
    Source: Chapelle, Metzler, Zhang & Grinspan (2009), CIKM, eq. 4 and algorithm 2.
    """
    return of_rankings(judged, cascade(judged, gains), cutoff)


@measure(base=gained)
def nERR(judged: JudgedRankings, *, gains: Gains | None = None, cutoff: Cutoff | None = None) -> Array:
    """Normalised expected reciprocal rank: ERR as a share of what the best ranking of the pool would have.

    nERR@k = ERR@k / ERR@k of all judged documents in descending order of gain.

    Conventions: gains and stop probabilities as in ERR; the ideal list holds the whole pool, retrieved or
    not; an unjudged document gains 0; an empty topic scores 0.
    Source: Chapelle, Metzler, Zhang & Grinspan (2009), CIKM; the normaliser as in NTCIREVAL.
    """
    worth = cascade(judged, gains)
    return share_of_ideal(of_rankings(judged, worth, cutoff), of_ideal(judged, worth, cutoff))
