"""Rank-biased precision, and how far the judgments leave it open."""

from __future__ import annotations

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import ByGrade, Cutoff, Gains, Persistence, Threshold, write
from gradeval.measures.discount import at_ranks, powers, reach
from gradeval.measures.gainmap import gain_map


def worthwhile(judged: JudgedRankings, *, rel: float | None = None, gains: ByGrade | None = None) -> Array:
    """float64[...]: the relevant documents of the pool, or its gain; 0: an empty topic."""
    return gain_map(judged.levels, gains).total(judged) if rel is None else judged.recall_base(rel)


def reached(judged: JudgedRankings, p: float) -> Array:
    """float64[..., j]: p^(n-1), the probability that the user gets to the rank n of each document."""
    return judged.compute_once(("reached", p), lambda: at_ranks(judged, powers(p, reach(judged.longest))))


@measure(base=worthwhile, many="cutoff")
def RBP(
    judged: JudgedRankings,
    *,
    p: Persistence = 0.8,
    rel: Threshold | None = None,
    gains: Gains | None = None,
    cutoff: Cutoff | None = None,
) -> Array:
    """Rank-biased precision: the rate of gain of a user who goes on to the next rank with probability p.

    RBP = (1-p) * sum_n p^(n-1) gain(r[n]) / top gain; binary with rel: (1-p) * sum_{n: r[n] >= rel} p^(n-1).

    Conventions: graded by default: the gain is the grade, or what gains={grade: gain} says (a grade that it
    does not name keeps its own), and the top gain is the largest of the collection's levels. An unjudged document
    gains 0 (RBPresidual says how much that may hide). No normaliser: the best possible value depends on the
    topic and is below 1. An empty topic (no gain in the pool) scores 0. trec_eval takes p = 0.9, NTCIREVAL
    0.95.
    Source: Moffat & Zobel (2008), ACM TOIS 27(1), section 3.
    """
    if rel is not None and gains is not None:
        raise InputError(f"gains={write(gains)} together with rel={rel:g}, which makes it binary: give one of the two")
    worth = gain_map(judged.levels, gains)
    gain, top = (worth.of(judged), worth.top) if rel is None else (judged.hits(rel), 1.0)
    rate: Array = (1 - p) * judged.total(gain * reached(judged, p), cutoff)
    return rate / top if top else rate


@measure(
    base=None,
    exempt={
        "ideal": "not a score but what the judgments leave open; it does not depend on grades",
        "appended": "a judged document at the end leaves less open",
        "swap": "not a score: it depends on which ranks are judged, not on their grades",
    },
)
def RBPresidual(judged: JudgedRankings, *, p: Persistence = 0.8, cutoff: Cutoff | None = None) -> Array:
    """Residual of rank-biased precision: the most that RBP could rise if all unjudged documents were judged.

    RBPresidual = (1-p) * sum_{n <= N: r[n] unjudged} p^(n-1) + p^N, N being the length of the ranking, which
    is 1 - (1-p) * sum_{n: r[n] judged} p^(n-1). The true value lies in [RBP, RBP + RBPresidual].

    Conventions: all beyond the end of the ranking, or beyond the cutoff, counts as unjudged. No topic is
    empty for it. Departure: trec_eval's rbp_resid leaves out p^N where no retrieved document is unjudged.
    Source: Moffat & Zobel (2008), ACM TOIS 27(1), section 4.
    """
    return 1 - (1 - p) * judged.total(judged.judged * reached(judged, p))
