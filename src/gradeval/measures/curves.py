"""Precision-recall curves, binary and graded, and the graded precision and recall that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.arithmetic import SAME, Array, add_in_order, ratio
from gradeval.formula.judged import JudgedRankings, ManyRankings
from gradeval.formula.parameters import ByGrade
from gradeval.measures.gap import GAP, precision_at_documents, relevant_to_user
from gradeval.measures.precision import TENTHS, Counting, IPrec, interpolated_precision
from gradeval.measures.thresholds import thresholds

Probabilities: TypeAlias = Sequence[float] | Mapping[float, float] | None
"""g as GAP takes it: a probability for each positive level, {grade: probability}, or None for uniform."""


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Points of precision-recall curves, aligned with the pooled documents of the rankings they came from.

    Attributes
    ----------
    recall : float64[..., j]: recall down to the j-th pooled document; it stays where a document adds nothing.
    precision : float64[..., j]: precision there; 0 where the document makes no point.
    point : bool[..., j]: does the document make a point, because it is relevant (to somebody)?
    """

    recall: Array
    precision: Array
    point: Array

    def points(self) -> Array:
        """float64[point, 2]: recall and precision of the points of one ranking, in rank order."""
        if self.point.size != self.point.shape[-1]:
            raise InputError(
                f"points() takes one ranking, not {self.point.shape[:-1]}: read recall, precision and point"
            )
        return np.stack([self.recall, self.precision], axis=-1)[self.point]

    def interpolated(self) -> Curve:
        """The same points, their precision replaced by the best at this or any higher recall."""
        best = np.maximum.accumulate(self.precision[..., ::-1], axis=-1)[..., ::-1]
        return replace(self, precision=np.where(self.point, best, 0.0))

    def area(self) -> Array:
        """float64[...]: sum of precision x step in recall, not interpolated: AP, GAP for a graded curve."""
        return add_in_order(np.diff(self.recall, axis=-1, prepend=0.0) * self.precision)


def _rankings(judged: JudgedRankings | ManyRankings) -> JudgedRankings:
    return judged if isinstance(judged, JudgedRankings) else judged.rectangle


@known_arguments()
def precision_recall_curve(judged: JudgedRankings | ManyRankings, rel: float = 1) -> Curve:
    """Precision and recall at every retrieved relevant document: points (C_n/RB, C_n/n) for r[n] >= rel.

    Conventions: relevant is grade >= rel; unjudged is non-relevant; an empty topic has recall 0 and no
    points. The area of the curve is AP(rel=rel).
    Source: Manning, Raghavan & Schütze (2008), section 8.4.
    """
    judged, rel = _rankings(judged), IPrec.definition.read("rel", rel)
    hits = judged.hits(rel)
    return Curve(
        recall=ratio(judged.counts(rel), judged.recall_base(rel)[..., None]),
        precision=judged.counts(rel) / judged.ranks * hits,
        point=hits,
    )


@known_arguments()
def interpolated_curve(
    judged: JudgedRankings | ManyRankings,
    rel: float = 1,
    *,
    recalls: Sequence[float] = TENTHS,
    mode: Counting = "exact",
) -> Array:
    """Interpolated precision at fixed recall levels, to be averaged over topics: float64[..., recall].

    The best precision at any rank where the recall level is reached; see IPrec, whose value each of them is.
    """
    read = IPrec.definition.read
    rel, mode = read("rel", rel), read("mode", mode)
    return interpolated_precision(_rankings(judged), rel, _levels_of_recall(recalls), mode)


@known_arguments()
def graded_recall(
    judged: JudgedRankings | ManyRankings, g: Probabilities = None, *, cutoff: int | None = None
) -> Array:
    """Graded recall at a rank: the share that users have found of what they expect to be there: float64[...].

    gRec_n = 1/Z * sum_{m<=n} G(r[m]), with G(a) the share of users to whom grade a is relevant and Z = sum_k
    g_k RB(k).

    ``g`` is GAP's; ``cutoff`` is the rank n, by default the end of the ranking.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2.
    """
    judged = _rankings(judged)
    relevant = judged.total(_share_of_users(judged, g), _read_cutoff(cutoff))
    return ratio(relevant, relevant_to_user(judged, g=_read_probabilities(g)))


@known_arguments()
def expected_precision(judged: JudgedRankings | ManyRankings, g: Probabilities = None, *, cutoff: int) -> Array:
    """Expected precision at a rank: the precision that users expect in the first n documents: float64[...].

    E[Prec_n] = 1/n * sum_{m<=n} G(r[m]), with G(a) the share of users to whom grade a is relevant. Not to be
    confused with ``graded_precision``, the precision at a document, which takes for granted that this one is
    relevant.

    ``g`` is GAP's; ``cutoff`` is the rank n, the denominator even where fewer documents were retrieved.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2.
    """
    judged = _rankings(judged)
    return judged.total(_share_of_users(judged, g), _read_cutoff(cutoff)) / cutoff


@known_arguments()
def expected_precision_curve(
    judged: JudgedRankings | ManyRankings, g: Probabilities = None, *, depth: int | None = None
) -> Array:
    """Expected precision at every rank from 1 to a depth, to be averaged over topics: float64[..., n - 1].

    E[Prec_n] for n = 1, 2, ..., depth; see ``expected_precision``, whose value each of them is. With g={k: 1} it is
    plain precision at the threshold k.

    ``g`` is GAP's; ``depth`` is by default the length of the longest ranking.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2.
    """
    judged = _rankings(judged)
    depth = judged.longest if depth is None else GAP.definition.read("cutoff", depth)
    # No two documents of a ranking have the same rank; what lies beyond the depth goes to place 0.
    places = np.where(judged.ranks <= depth, judged.ranks, 0).astype(np.intp)
    at_rank = np.zeros((*places.shape[:-1], depth + 1))
    np.put_along_axis(at_rank, places, _share_of_users(judged, g), axis=-1)
    relevant: Array = at_rank[..., 1:].cumsum(-1)
    return relevant / np.arange(1, depth + 1)


@known_arguments()
def graded_precision(judged: JudgedRankings | ManyRankings, g: Probabilities = None) -> Array:
    """Graded precision at each document: float64[..., j], aligned with the pooled documents of the rankings.

    gPrec_n = 1/n * sum_{m<=n} G(min(r[m], r[n])) / G(r[n]): the precision that a user expects at rank n,
    given that the document there is relevant to them. Undefined, and 0 here, where it is relevant to nobody
    (G(r[n]) = 0).

    ``g`` is GAP's. See ``expected_precision`` for the unconditional precision at a rank.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2.
    """
    judged = _rankings(judged)
    return precision_at_documents(judged, thresholds(_read_probabilities(g), judged.levels))


@known_arguments()
def graded_precision_recall_curve(judged: JudgedRankings | ManyRankings, g: Probabilities = None) -> Curve:
    """Graded precision and recall at every document that is relevant to some user.

    Points (gRec_n, gPrec_n) for G(r[n]) > 0; see ``graded_recall`` and ``graded_precision``. The area of the
    curve is GAP(g=g).

    Conventions: GAP's; a topic that holds nothing for any user has recall 0 and no points.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2.
    """
    judged = _rankings(judged)
    shares = _share_of_users(judged, g)
    return Curve(
        recall=ratio(shares.cumsum(-1), relevant_to_user(judged, g=_read_probabilities(g))[..., None]),
        precision=graded_precision(judged, g),
        point=shares > 0,
    )


@known_arguments()
def interpolated_graded_curve(
    judged: JudgedRankings | ManyRankings, g: Probabilities = None, *, recalls: Sequence[float] = TENTHS
) -> Array:
    """Interpolated graded precision at fixed levels of graded recall, to be averaged over topics: float64[..., recall].

    The best graded precision at any document where the level of graded recall is reached, 0 where it never is. With
    g={k: 1} it is ``interpolated_curve`` at the threshold k.

    ``g`` is GAP's. Graded recall within 1e-12 (rounding) of a level reaches it.
    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.2, interpolated as by Manning, Raghavan & Schütze (2008),
    section 8.4.
    """
    levels = _levels_of_recall(recalls)
    curve = graded_precision_recall_curve(judged, g)
    best = np.maximum.accumulate(curve.precision[..., ::-1], axis=-1)[..., ::-1]
    best = np.concatenate([best, np.zeros((*best.shape[:-1], 1))], axis=-1)
    first = [(curve.recall < level - SAME).sum(-1) for level in levels]
    return np.take_along_axis(best, np.stack(first, axis=-1), -1)


def _levels_of_recall(recalls: Sequence[float]) -> tuple[float, ...]:
    if not len(recalls):
        raise InputError("recalls names no level of recall; give one or more from 0 to 1")
    return tuple(IPrec.definition.read("recall", recall) for recall in recalls)


def _read_probabilities(g: Probabilities) -> ByGrade | tuple[float, ...] | None:
    checked: ByGrade | tuple[float, ...] | None = GAP.definition.read("g", g)
    return checked


def _share_of_users(judged: JudgedRankings, g: Probabilities) -> Array:
    """float64[..., j]: G(r[n]), the share of users to whom the document is relevant."""
    shares: Array = thresholds(_read_probabilities(g), judged.levels).cumsum()[judged.level]
    return shares


def _read_cutoff(cutoff: int | None) -> int | None:
    return None if cutoff is None else GAP.definition.read("cutoff", cutoff)
