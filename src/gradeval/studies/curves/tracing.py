"""Trace precision-recall curves of runs, binary and graded, topic by topic and on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.measures.ap import AP
from gradeval.measures.curves import (
    Curve,
    Probabilities,
    expected_precision_curve,
    graded_precision_recall_curve,
    interpolated_curve,
    interpolated_graded_curve,
    precision_recall_curve,
)
from gradeval.measures.gap import GAP
from gradeval.measures.precision import TENTHS
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.scores.scores import Empty, Missing, Scores, Strings
from gradeval.scores.scoring import score
from gradeval.studies.curves.curves import Curves, Points
from gradeval.studies.information.inference import choose_thresholds
from gradeval.studies.requirements import require_judged

PORTION = 256  # rankings that are traced at once


@dataclass(frozen=True)
class _Kind:
    """A kind of curve: the measure that is its area, and how it is traced.

    Attributes
    ----------
    measure : AP or GAP.
    users : its users' thresholds, for the expected precision at a rank.
    trace, interpolate : the points of rankings, and their precision at fixed levels of recall.
    """

    measure: Measure
    users: Probabilities
    trace: Callable[[JudgedRankings], Curve]
    interpolate: Callable[[JudgedRankings], Array]

    @classmethod
    def binary(cls, rel: float) -> _Kind:
        """Plain precision and recall; a document is relevant from grade ``rel`` on."""
        trace = partial(precision_recall_curve, rel=rel)
        return cls(AP(rel=rel), {rel: 1.0}, trace, partial(interpolated_curve, rel=rel))

    @classmethod
    def graded(cls, g: Probabilities) -> _Kind:
        """Graded precision and recall, for users with the thresholds of GAP(g=g)."""
        trace = partial(graded_precision_recall_curve, g=g)
        return cls(GAP if g is None else GAP(g=g), g, trace, partial(interpolated_graded_curve, g=g))


@with_progress_bar
def curve(
    judged: JudgedRuns,
    *,
    rel: float | Sequence[float] | None = None,
    g: Probabilities = None,
    graded: bool = False,
    interpolated: bool = False,
    runs: Strings | None = None,
    topics: Strings | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
    progress: ShowProgress = False,
) -> Curves:
    """Precision-recall curves of runs, and the expected precision by rank, by topic and averaged over topics.

    A curve has a point at every retrieved document that is relevant (to some user). The sum of precision times step in
    recall, its area, is AP(rel=k) for a binary curve and GAP(g=g) for a graded one. Single curves have points at
    different recalls, so the mean over topics is that of the interpolated precision at recall 0, 0.1, ..., 1.

    Parameters
    ----------
    judged : what ``judge(qrels, runs)`` gives.
    rel : one or several grades: a binary curve for each, relevant being the documents from this grade on.
    g : a graded curve, for users with these thresholds: a probability for each positive level, or {grade: p}.
    graded : a graded curve for uniform thresholds. Without ``rel``, ``g`` and ``graded``: binary from the lowest grade.
    interpolated : replace the precision of points by the best at this or any higher recall.
    runs, topics : only these.
    missing, empty : how topics enter the means that a run misses, or in which nothing is relevant; see ``evaluate``.
    progress : called with the rankings traced, and with their total.

    Raises
    ------
    InputError : a grade that is no positive level, a g that does not fit the levels, an unknown run or topic.

    Source: Zhai & Massung (2016), section 9.3; Robertson, Kanoulas & Yilmaz (2010), section 3.2; Manning, Raghavan &
    Schütze (2008), section 8.4.
    """
    require_judged(judged)
    kinds = _choose_kinds(judged, rel, g, checks.flag("graded", graded))
    interpolated = checks.flag("interpolated", interpolated)
    scores = score(judged, [kind.measure for kind in kinds], missing=missing, empty=empty).sel(runs, topics)
    if not scores.runs or not scores.topics:
        raise InputError(f"no {'topic' if scores.runs else 'run'} to trace; choose at least one")
    traced = _trace(judged, scores, kinds, interpolated, progress)
    return replace(traced, interpolated=interpolated)


def _choose_kinds(
    judged: JudgedRuns, rel: float | Sequence[float] | None, g: Probabilities, graded: bool
) -> list[_Kind]:
    if rel is None:
        return [_Kind.graded(g)] if graded or g is not None else [_Kind.binary(judged.levels[1])]
    if graded or g is not None:
        raise InputError("rel and g: a curve is binary (rel) or graded (g); give one of the two")
    grades = [rel] if np.ndim(rel) == 0 else rel
    return [_Kind.binary(grade) for grade in choose_thresholds(grades, judged.levels)]  # type: ignore[arg-type]


def _trace(
    judged: JudgedRuns, scores: Scores, kinds: Sequence[_Kind], interpolated: bool, progress: ShowProgress
) -> Curves:
    """Trace the curves of the chosen runs and topics, some rankings of like length at a time."""
    run = np.array([judged.runs.index(name) for name in scores.runs])
    topic = np.array([judged.topics.index(name) for name in scores.topics])
    rows = (run[:, None] * len(judged.topics) + topic).ravel()
    shape = (len(run), len(topic), len(kinds))
    depth = max(1, int(judged.retrieved.ravel()[rows].max(initial=1)))
    area, area_interpolated = np.zeros((len(rows), len(kinds))), np.zeros((len(rows), len(kinds)))
    at_recall = np.zeros((len(rows), len(kinds), len(TENTHS)))
    by_rank = np.zeros((len(rows), len(kinds), depth))
    points: list[Points] = []
    order = np.argsort(judged.offsets[rows + 1] - judged.offsets[rows], kind="stable")
    for first in range(0, len(order), PORTION):
        part = order[first : first + PORTION]
        block = judged.rows(rows[part])
        for place, kind in enumerate(kinds):
            exact = kind.trace(block)
            best = exact.interpolated()
            area[part, place], area_interpolated[part, place] = exact.area(), best.area()
            at_recall[part, place] = kind.interpolate(block)
            by_rank[part, place] = expected_precision_curve(block, kind.users, depth=depth)
            points.append(Points.of(best if interpolated else exact, block.ranks, part, place))
        if callable(progress):
            progress(first + len(part), len(order))
    return Curves(
        scores=scores,
        areas=replace(scores, values=area.reshape(shape)),
        interpolated_areas=replace(scores, values=area_interpolated.reshape(shape)),
        at_recall=at_recall.reshape(*shape, -1),
        by_rank=by_rank.reshape(*shape, -1),
        points=Points.join(points),
    )
