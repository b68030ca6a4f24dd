"""Precision, recall and what is read off them at one place of the ranking or of the recall scale."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array, add_in_order, along, largest_from, ratio
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Cutoff, Recall, Threshold, Weight

Counting: TypeAlias = Literal["exact", "trec9", "trec10"]


@measure(many="cutoff")
def P(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff) -> Array:
    """Precision: the share of the first k ranks that hold a relevant document.

    P@k = C_k / k, with C_k the relevant documents among the first k.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; the denominator is k even where fewer
    than k documents were retrieved (as trec_eval); an empty topic scores 0.
    Source: trec_eval P; Manning, Raghavan & Schütze (2008), section 8.4.
    """
    return judged.relevant_retrieved(rel, cutoff) / cutoff


@measure(many="cutoff")
def RelP(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff) -> Array:
    """Relative precision: precision as a share of the best that k ranks can have.

    RelP@k = C_k / min(k, RB): precision up to rank RB, recall from there on.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic (RB = 0) scores 0.
    Source: trec_eval relative_P.
    """
    return ratio(judged.relevant_retrieved(rel, cutoff), np.minimum(judged.recall_base(rel), cutoff))


@measure(many="cutoff")
def R(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff) -> Array:
    """Recall: the share of the relevant documents that stand in the first k ranks.

    R@k = C_k / RB, with C_k the relevant documents among the first k and RB the relevant documents of the pool.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic (RB = 0) scores 0. SetR is
    the recall of the whole ranking.
    Source: trec_eval recall; Manning, Raghavan & Schütze (2008), section 8.4.
    """
    return ratio(judged.relevant_retrieved(rel, cutoff), judged.recall_base(rel))


@measure(many="cutoff")
def F(judged: JudgedRankings, *, rel: Threshold = 1, beta: Weight = 1, cutoff: Cutoff) -> Array:
    """F measure of the first k ranks: the weighted harmonic mean of precision and recall there.

    F@k = (beta + 1) P@k R@k / (beta P@k + R@k) = (beta + 1) C_k / (beta RB + k).

    Conventions: relevant is grade >= rel; unjudged is non-relevant; the denominator has k even where fewer than k
    documents were retrieved; an empty topic (RB = 0) scores 0. SetF is the F of the whole ranking, with the same beta:
    the square of van Rijsbergen's.
    Source: van Rijsbergen (1979), Information Retrieval, chapter 7; ranx f1.
    """
    return (beta + 1) * judged.relevant_retrieved(rel, cutoff) / (beta * judged.recall_base(rel) + cutoff)


@measure(many="multiple")
def Rprec(judged: JudgedRankings, *, rel: Threshold = 1, multiple: Weight = 1) -> Array:
    """R-precision: precision, and at once recall, at the rank where a perfect ranking would be complete.

    Rprec = C_RB / RB, with RB the relevant documents of the pool.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; ranks beyond the end of the ranking hold
    nothing; an empty topic (RB = 0) scores 0. multiple=2 measures precision at rank 2 RB and so on, multiple x RB
    being rounded up from a tenth on, as in trec_eval; it is 0 at rank 0.
    Source: trec_eval Rprec, Rprec_mult; Buckley & Voorhees (2005), in TREC: Experiment and Evaluation, chapter 3.
    """
    depth = np.floor(multiple * judged.recall_base(rel) + 0.9)
    return ratio(judged.total(judged.hits(rel), depth), depth)


@measure(many="cutoff")
def RR(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff | None = None) -> Array:
    """Reciprocal rank of the first relevant document.

    RR = 1 / min{n : r[n] >= rel}, and 0 where there is none.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; at a cutoff a first relevant document
    further down counts 0; an empty topic scores 0. Its mean over topics is called MRR.
    Source: Voorhees (1999), "The TREC-8 question answering track report"; trec_eval recip_rank.
    """
    hits = judged.hits(rel)
    first = np.where(hits, judged.ranks, np.inf).min(-1, initial=np.inf)
    return 1 / first if cutoff is None else np.where(first <= cutoff, 1 / first, 0.0)


@measure(many="cutoff")
def Success(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff) -> Array:
    """Success: 1 where a relevant document stands in the first k ranks, else 0.

    Success@k = 1{C_k > 0}.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic scores 0.
    Source: trec_eval success.
    """
    return (judged.relevant_retrieved(rel, cutoff) > 0).astype(float)


@measure(exempt={"bounded": "a number of documents"}, many="cutoff")
def Hits(judged: JudgedRankings, *, rel: Threshold = 1, cutoff: Cutoff | None = None) -> Array:
    """Hits: how many relevant documents stand in the first k ranks, on average over topics.

    Hits@k = C_k; without @ all that are retrieved count.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic scores 0. NumRelRet counts the same
    and adds up over topics; what others call Hits@k, 1 where there is any, is Success@k.
    Source: ranx hits.
    """
    return judged.relevant_retrieved(rel, cutoff).astype(float)


def exactly(recall: float, base: int) -> int:
    """The fewest of ``base`` documents whose share is at least ``recall``, a decimal as it was written."""
    part, whole = as_written(recall)
    return -(-part * base // whole)


@lru_cache(maxsize=1024)
def as_written(recall: float) -> tuple[int, int]:
    """The recall level as an exact fraction: 0.1 is 1/10."""
    from fractions import Fraction

    return Fraction(str(recall)).as_integer_ratio()


def nearly(recall: float, base: int) -> int:
    """recall x base, rounded up from a tenth on: trec_eval up to 9."""
    return math.floor(recall * base + 0.9)


def roundly(recall: float, base: int) -> int:
    """recall x base, rounded half up: trec_eval 10."""
    whole = math.floor(recall * base)
    return whole + (recall * base - whole >= 0.5)


TENTHS = tuple(tenth / 10 for tenth in range(11))
"""The recall levels 0, 0.1, ..., 1 at which interpolated precision is averaged, over levels or over topics."""

COUNTING: dict[Counting, Callable[[float, int], int]] = {"exact": exactly, "trec9": nearly, "trec10": roundly}
"""How many relevant documents reach a recall level."""


def interpolated_precision(judged: JudgedRankings, rel: float, recalls: tuple[float, ...], mode: Counting) -> Array:
    """float64[..., recall]: the best precision at any rank where the recall level is reached; 0 where it never is."""

    def read_off() -> Array:
        best, needed = best_from(judged, rel), documents_needed(judged, rel, recalls, mode)
        return along(best, np.clip(needed - 1, 0, best.shape[-1] - 1))

    return judged.compute_once(("interpolated precision", rel, recalls, mode), read_off)


def best_from(judged: JudgedRankings, rel: float) -> Array:
    """float64[..., c]: the best precision from the (c + 1)-th relevant document on (between two of them precision only
    falls); 0 beyond the last, as in the column behind it."""

    def read_backwards() -> Array:
        ranks = np.sort(np.where(judged.hits(rel), judged.ranks, np.inf), axis=-1)
        precision = np.zeros((*ranks.shape[:-1], ranks.shape[-1] + 1))
        np.divide(np.arange(1.0, ranks.shape[-1] + 1), ranks, out=precision[..., :-1])
        return largest_from(precision)

    return judged.compute_once(("best_from", rel), read_backwards)


def documents_needed(judged: JudgedRankings, rel: float, recalls: tuple[float, ...], mode: Counting) -> Array:
    """int64[..., recall]: how many relevant documents reach each recall level."""
    first = bisect_left(judged.levels, rel)

    def count(pool: Array) -> Array:
        bases, place = np.unique(pool[..., first:].sum(-1), return_inverse=True)
        table = [[COUNTING[mode](recall, int(base)) for recall in recalls] for base in bases]
        needed: Array = np.array(table, dtype=np.int64).reshape(-1, len(recalls))[place]
        return needed.reshape(*pool.shape[:-1], len(recalls))

    return judged.of_pool(("documents_needed", first, recalls, mode), count)


@measure(at="recall", many="recall")
def IPrec(judged: JudgedRankings, *, rel: Threshold = 1, mode: Counting = "exact", recall: Recall) -> Array:
    """Interpolated precision: the best precision at any rank where at least the given recall is reached.

    IPrec@x = max{C_n/n : C_n/RB >= x}, and 0 where the ranking never reaches recall x.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic scores 0; recall levels
    are compared exactly, as fractions. Departure: trec_eval counts the relevant documents that reach a level
    in floating point: mode='trec9' needs floor(x RB + 0.9) of them (and so does ir_measures), mode='trec10' x
    RB rounded half up.
    Source: Manning, Raghavan & Schütze (2008), section 8.4; trec_eval iprec_at_recall.
    """
    best = np.moveaxis(interpolated_precision(judged, rel, tuple(np.ravel(recall).tolist()), mode), -1, 0)
    return best if np.ndim(recall) else best[0]


@measure
def IPrec11(judged: JudgedRankings, *, rel: Threshold = 1, mode: Counting = "exact") -> Array:
    """Eleven-point average: interpolated precision, averaged over the recall levels 0, 0.1, ..., 1.

    IPrec11 = 1/11 * sum_{i=0..10} IPrec@(i/10).

    Conventions: as for IPrec.
    Source: Manning, Raghavan & Schütze (2008), section 8.4; trec_eval 11pt_avg (mode='trec9' or 'trec10').
    """
    return add_in_order(interpolated_precision(judged, rel, TENTHS, mode)) / len(TENTHS)
