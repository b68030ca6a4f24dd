"""Rates of gain of users who go on or stop by what they have found: INST, BPM, and the kin of ERR that are rates."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import ROUNDING, Array, products_before, running_sums
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Cutoff, FiniteNumber, Persistence
from gradeval.measures.discount import at_ranks, cumulated_discounts, discounts, powers, reach
from gradeval.measures.gainmap import GainMap, gain_map
from gradeval.measures.rates import RankCount, Wanted, trigamma
from gradeval.measures.rbp import worthwhile

Goal: TypeAlias = Annotated[float, FiniteNumber("a number of documents of at least 0.5", low=0.5, closed=True)]


def shares(judged: JudgedRankings) -> Array:
    """float64[..., j]: g(n), the gain of each document as a share of the top gain."""
    worth: GainMap = gain_map(judged.levels, None)
    return judged.compute_once("gain shares", lambda: worth.of(judged) / (worth.top or 1.0))


@measure(base=worthwhile)
def INST(judged: JudgedRankings, *, T: Goal = 1, cutoff: Cutoff | None = None) -> Array:
    """The rate of gain of a user who looks for T documents and goes on by how many of them are still to be found.

    INST = sum_n V(n) g(n) / sum_n V(n), g(n) = gain(r[n]) / top gain, over all ranks to infinity, where V(1) = 1 and
    who is at rank n goes on with probability V(n+1) / V(n) = ((n + T + T(n) - 1) / (n + T + T(n)))^2, T(n) being
    T - sum_{i <= n} g(i).

    Conventions: graded, the gain is the grade, and the top gain the collection's highest level; an unjudged
    document gains 0. Where nothing is found it is INSQ. No normaliser: the best possible value depends on the topic
    and is below 1. An empty topic (no gain in the pool) scores 0. Departure: cwl_eval stops adding up V at the end of
    its ranking, at most 1,000 ranks.
    Source: Moffat, Bailey, Scholer & Thomas (2015), "INST: An adaptive metric for information retrieval evaluation",
    ADCS.
    """
    share = shares(judged)
    # With s = n + 2T - 1 - (g(1) + ... + g(n-1)), V falls as 1 / s^2, and a document that gains lowers s by g. So
    # V(n) = (2T / s)^2 kept(n), and each gain takes away a part of all that is to come.
    found = found_before(judged)
    patience = judged.ranks + (2 * float(T) - 1) - found
    left = 1 - share / patience
    kept = products_before(left * left)
    lost = kept * (trigamma(patience + 1) - left * left * trigamma(patience + 1 - share))
    read = trigamma(np.array(2.0 * T)) - judged.total(lost)
    rate: Array = judged.total(kept * share / (patience * patience)) / read
    return rate


@measure(
    base=worthwhile, exempt={"swap": "who finds a good document sooner stops before the next one, which may be better"}
)
def BPM(judged: JudgedRankings, *, T: Wanted = 1, cutoff: RankCount) -> Array:
    """Bejeweled player model: the rate of gain of a user who stops at T documents found or k documents read.

    BPM@k = 1/m * sum_{n <= m} g(n), with g(n) = gain(r[n]) / top gain, and m the first rank at which the gains sum up
    to T or more, at most k.

    Conventions: graded, the gain is the grade, and the top gain the collection's highest level, so that a document
    of half the top grade counts as half a document; an unjudged document, and a rank beyond the end of the ranking,
    gain 0. A large T gives gP@k. An empty topic (no gain in the pool) scores 0. This is the static model of the
    paper; in its dynamic one T and k change with what is found.
    Source: Zhang, Liu, Li, Zhang, Xu & Ma (2017), "Evaluating web search with a bejeweled player model", SIGIR.
    """
    share = shares(judged)
    found = found_before(judged)
    goal = T * (1 - ROUNDING)
    satisfied = found + share >= goal
    read = np.where(satisfied, judged.ranks, float(cutoff)).min(-1, initial=float(cutoff))
    rate: Array = judged.total(share * (found < goal)) / read
    return rate


@measure(base=worthwhile)
def NERR8(judged: JudgedRankings, *, cutoff: RankCount) -> Array:
    """Nearly expected reciprocal rank, truncated: the rate of gain of a user of k ranks who stops at good documents.

    NERR8@k = sum_n V(n) g(n) / sum_n V(n), over the ranks 1..k, with g(n) = gain(r[n]) / top gain and
    V(n) = prod_{i<n} (1 - g(i)).

    Conventions: ERR is no rate of gain, as its user gains 1/n once, at the document where they stop; this is the
    nearest rate to ERR. Graded, the gain is the grade (not 2^grade - 1), and the top gain the collection's highest
    level; an unjudged document, and a rank beyond the end of the ranking, gain 0. An empty topic (no gain in the pool)
    scores 0.
    Source: Azzopardi, Mackenzie & Moffat (2021), "ERR is not C/W/L", ICTIR, eq. 8.
    """
    ranks = np.arange(float(reach(judged.longest)))
    return _stopping(judged, np.ones(len(ranks)), np.maximum(cutoff - ranks, 0.0))


@measure(base=worthwhile)
def NERR9(judged: JudgedRankings, *, cutoff: RankCount) -> Array:
    """Nearly expected reciprocal rank, discounted by the rank: as NERR8@k, but 1/n of the users would get to rank n.

    NERR9@k = sum_n V(n) g(n) / sum_n V(n), over the ranks 1..k, with g(n) = gain(r[n]) / top gain and
    V(n) = 1/n * prod_{i<n} (1 - g(i)).

    Conventions: as NERR8.
    Source: Azzopardi, Mackenzie & Moffat (2021), "ERR is not C/W/L", ICTIR, eq. 9.
    """
    length = reach(max(judged.longest, int(cutoff)))
    harmonic = cumulated_discounts("linear", 2.0, length)
    return _stopping(judged, discounts("linear", 2.0, length), np.maximum(harmonic[int(cutoff)] - harmonic, 0.0))


@measure(base=worthwhile)
def NERR10(judged: JudgedRankings, *, p: Persistence = 0.9, cutoff: Cutoff | None = None) -> Array:
    """Nearly expected reciprocal rank, geometric: RBP of a user who also stops at good documents.

    NERR10 = sum_n V(n) g(n) / sum_n V(n), over all ranks to infinity, with g(n) = gain(r[n]) / top gain and
    V(n) = p^(n-1) prod_{i<n} (1 - g(i)).

    Conventions: as NERR8; the user reads on beyond the end of the ranking, or the cutoff, and gains nothing there.
    Source: Azzopardi, Mackenzie & Moffat (2021), "ERR is not C/W/L", ICTIR, eq. 10.
    """
    table = powers(p, reach(judged.longest))
    return _stopping(judged, table, np.append(1.0, table[1:] * p) / (1 - p))


@measure(base=worthwhile)
def NERR11(judged: JudgedRankings, *, T: Wanted = 1, cutoff: Cutoff | None = None) -> Array:
    """Nearly expected reciprocal rank with growing patience: INSQ of a user who also stops at good documents.

    NERR11 = sum_n V(n) g(n) / sum_n V(n), over all ranks to infinity, with g(n) = gain(r[n]) / top gain and
    V(n) = (2T / (n + 2T - 1))^2 prod_{i<n} (1 - g(i)).

    Conventions: as NERR8; the user reads on beyond the end of the ranking, or the cutoff, and gains nothing there.
    Source: Azzopardi, Mackenzie & Moffat (2021), "ERR is not C/W/L", ICTIR, eq. 11.
    """
    ranks = np.arange(float(reach(judged.longest)))
    table = np.append(0.0, (2 * T / (ranks[1:] + 2 * T - 1)) ** 2)
    return _stopping(judged, table, (2 * T) ** 2 * trigamma(ranks + 2 * T))


def found_before(judged: JudgedRankings) -> Array:
    """float64[..., j]: g(1) + ... + g(n-1), what was found before the rank n of each document."""
    return judged.compute_once("gain shares found before", lambda: running_sums(shares(judged)) - shares(judged))


def _stopping(judged: JudgedRankings, patient: Array, to_come: Array) -> Array:
    """float64[...]: sum_n V(n) g(n) / sum_n V(n), with V(n) = patient[n] prod_{i<n} (1 - g(i)); to_come[n] is
    patient[n+1] + patient[n+2] + ...

    A share g(n) of the users at rank n see nothing of what comes after.
    """
    share = shares(judged)
    leaving = share * judged.compute_once("gain shares passed", lambda: products_before(1 - share))
    read = to_come[0] - judged.total(leaving * at_ranks(judged, to_come))
    rate: Array = judged.total(leaving * at_ranks(judged, patient)) / read
    return rate
