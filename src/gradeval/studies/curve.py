"""Precision-recall curves of runs, binary and graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Annotated, Any

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Anything, Number, Several, parse_number
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
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
from gradeval.measures.thresholds import thresholds
from gradeval.messages import Given, naming
from gradeval.progress import Progress
from gradeval.scores.scores import Scores, find_places
from gradeval.scores.scoring import score
from gradeval.studies.informativeness.inform import choose_thresholds
from gradeval.studies.study import Judged, Result, study
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

UNIFORM = "uniform"
AREA = (
    "area: the sum of precision times step in recall, which is the measure's value; precision at recall is "
    "interpolated: the best at this or any higher recall"
)
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


class _CurveThresholds(Anything):
    """The thresholds of the users of a graded curve."""

    def parse(self, text: str) -> Any:
        """Shares with commas between them, or a word."""
        return text if text == UNIFORM else [parse_number(part) for part in text.split(",")]


@study(
    measures="AP",
    chooses_measures=False,
    examples="""
      gradeval curve qrels.txt runs/*
      gradeval curve qrels.txt runs/elm.txt --rel 1,2 --plot curves.svg
      gradeval curve qrels.txt runs/elm.txt --g 0.2,0.3,0.5 --topics 401 -q
      gradeval curve qrels.txt runs/* --g uniform --interpolated -q -o points.tsv""",
)
def curve(
    data: Judged,
    /,
    *,
    progress: Progress,
    rel: Annotated[Sequence[float] | None, Several(Number(), "grades as in 1,2")] = None,
    g: Annotated[Any, _CurveThresholds("LIST")] = None,
    interpolated: bool = False,
) -> Curves:
    """Trace precision-recall curves of runs: their points, their means over topics, and the area below them.

    A curve has a point at every retrieved document that is relevant (to some user). The sum of precision times step in
    recall, its area, is AP(rel=k) for a binary curve and GAP(g=g) for a graded one, for users of different standards.
    Single curves have points at different recalls, so the mean over topics is taken of the interpolated precision at
    recall 0, 0.1, ..., 1. Also traced is the expected precision by rank. Without rel and g documents are relevant from
    the lowest grade on.

    Parameters
    ----------
    rel : one or several grades, each with a binary curve. Relevant are the documents from this grade on.
    g : a graded curve, for users with these thresholds. Give the share of users for each positive grade, as in
        0.2,0.3,0.5, or uniform; in Python also {grade: share}.
    interpolated : the precision of a point is the best at its or any higher recall.

    Raises
    ------
    InputError : a grade that is no positive level, a g that does not fit the levels, an unknown run or topic.

    Source: Zhai & Massung (2016), section 9.3; Robertson, Kanoulas & Yilmaz (2010), section 3.2; Manning, Raghavan &
    Schütze (2008), section 8.4.
    """
    judged, chosen = data.runs, data.scores
    if g is not None and g != UNIFORM:
        with naming("g", g):
            thresholds(GAP.definition.read("g", g), judged.levels)
    kinds = _choose_kinds(judged, rel, g)
    scores = score(judged, [kind.measure for kind in kinds], missing=chosen.missing, empty=chosen.empty)
    scores = scores.sel(runs=chosen.runs, topics=chosen.topics)
    if not scores.runs or not scores.topics:
        raise InputError(f"no {'topic' if scores.runs else 'run'} to trace; choose at least one")
    traced = _trace(judged, scores, kinds, interpolated, progress)
    return replace(traced, interpolated=interpolated, notes=[Note.method(AREA)])


def _choose_kinds(judged: JudgedRuns, rel: Sequence[float] | None, g: Any) -> list[_Kind]:
    if rel is None:
        return [_Kind.binary(judged.levels[1]) if g is None else _Kind.graded(None if g == UNIFORM else g)]
    if g is not None:
        raise InputError(
            Given("rel", tuple(rel), show_levels(rel)),
            " and g: a curve is binary (rel) or graded (g); give one of the two",
        )
    return [_Kind.binary(grade) for grade in choose_thresholds(rel, judged.levels, "rel")]


def _trace(
    judged: JudgedRuns, scores: Scores, kinds: Sequence[_Kind], interpolated: bool, progress: Progress
) -> Curves:
    """Trace the curves of the chosen runs and topics, some rankings of like length at a time."""
    run = np.array(find_places(scores.runs, judged.runs, "run"))
    topic = np.array(find_places(scores.topics, judged.topics, "topic"))
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


FIELDS = "run topic measure statistic rank recall value".split()
RANKS = (1, 5, 10, 20, 100)
"""Ranks whose expected precision the table shows; the records hold every rank."""


@dataclass(frozen=True, eq=False)
class Points:
    """The points of all curves, each curve in rank order.

    Attributes
    ----------
    row, measure : intp[point]: the curve of a point: its ranking, ``run * topics + topic``, and its measure.
    rank, recall, precision : float64[point].
    """

    row: Array
    measure: Array
    rank: Array
    recall: Array
    precision: Array

    @classmethod
    def of(cls, curve: Curve, ranks: Array, rows: Array, measure: int) -> Points:
        """The points of the curves [ranking, j] of some rows."""
        ranking, j = np.nonzero(curve.point)
        columns = (ranks[ranking, j], curve.recall[ranking, j], curve.precision[ranking, j])
        return cls(rows[ranking], np.full(len(ranking), measure), *columns)

    @classmethod
    def join(cls, parts: Sequence[Points]) -> Points:
        """All of these, in the order of rows and measures."""
        names = ("row", "measure", "rank", "recall", "precision")
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
        order = np.lexsort((columns[2], columns[1], columns[0]))
        return cls(*(column[order] for column in columns))


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """Precision-recall curves of runs, and their expected precision by rank.

    Attributes
    ----------
    scores : values of the measures, AP(rel=k) for a binary curve and GAP(g=g) for a graded one.
    areas : the areas of the curves, which equal these values.
    interpolated_areas : the areas of the interpolated curves.
    at_recall : float64[run, topic, measure, 11]: interpolated precision at recall 0, 0.1, ..., 1.
    by_rank : float64[run, topic, measure, n - 1]: expected precision in the first n documents.
    points : the points of all curves.
    interpolated : is the precision of points the best at this or any higher recall?
    """

    scores: Scores
    areas: Scores
    interpolated_areas: Scores
    at_recall: Array
    by_rank: Array
    points: Points
    interpolated: bool = False

    @property
    def runs(self) -> list[str]:
        """The runs."""
        return self.scores.runs

    @property
    def topics(self) -> list[str]:
        """The topics."""
        return self.scores.topics

    @property
    def measures(self) -> list[Measure]:
        """The measures that the areas of the curves are."""
        return self.scores.measures

    def mean_at_recall(self) -> Array:
        """float64[run, measure, 11]: the mean over topics of the interpolated precision at recall 0, 0.1, ..., 1."""
        return self._mean(self.at_recall)

    def mean_by_rank(self) -> Array:
        """float64[run, measure, n - 1]: the mean over topics of the expected precision in the first n documents."""
        return self._mean(self.by_rank)

    def _mean(self, values: Array) -> Array:
        """The mean over the topics that count for the measure; empty ones count as they do for the measure."""
        counted = self.scores.counted[..., None]
        if self.scores.empty == "one":
            values = np.where(self.scores.vacant[None, :, :, None], 1.0, values)
        return ratio((values * counted).sum(1), np.broadcast_to(counted.sum(1), values[:, 0].shape))

    def points_of(self, run: str, topic: str, measure: Measure) -> Array:
        """float64[point, 3]: rank, recall and precision of the points of one curve."""
        row = self.runs.index(run) * len(self.topics) + self.topics.index(topic)
        here = (self.points.row == row) & (self.points.measure == self.measures.index(measure))
        return np.stack([self.points.rank[here], self.points.recall[here], self.points.precision[here]], axis=-1)

    @property
    def description(self) -> str:
        """Of what the curves are means, in a sentence."""
        return f"means over {len(self.topics)} {self.unit}"

    def table(self, digits: int = 4, *, per_topic: bool = False) -> Table:
        """Value, area, and points of the mean curves; the records hold the expected precision at every rank.

        Parameters
        ----------
        per_topic : add the curves of every topic, with all their points.
        """
        spec = f".{digits}f"
        ranks = [rank for rank in RANKS if rank <= self.by_rank.shape[-1]]
        columns = [
            Column("run", "name"),
            *([Column("topic", "name")] if per_topic else []),
            Column("measure", "name"),
            Column("value", spec=spec),
            Column("area", spec=spec),
            *([Column("interpolated", spec=spec)] if self.interpolated else []),
        ]
        recalls = [*columns, *(Column(f"at {recall:g}", spec=spec) for recall in TENTHS)]
        depths = [*columns[: 2 + per_topic], *(Column(f"at {rank}", spec=spec) for rank in ranks)]
        lines = list(self._lines(per_topic))
        grids = [
            Grid(recalls, [line.cells(per_topic, self.interpolated) for line in lines], "precision at recall"),
            Grid(
                depths,
                [line.names(per_topic) + [float(line.by_rank[rank - 1]) for rank in ranks] for line in lines],
                "expected precision by rank",
            ),
        ]
        if per_topic:
            grids.append(self._grid_of_points(spec))
        return Table(grids, Records.of(FIELDS, self._records(per_topic)))

    def _grid_of_points(self, spec: str) -> Grid:
        """Every point of every curve."""
        run, topic = np.divmod(self.points.row, len(self.topics))
        columns = [
            *(Column(name, "name") for name in ("run", "topic", "measure")),
            Column("rank", spec="d"),
            *(Column(name, spec=spec) for name in ("recall", "precision")),
        ]
        numbers = np.stack([self.points.recall, self.points.precision], axis=-1).tolist()
        places = zip(run.tolist(), topic.tolist(), self.points.measure.tolist(), self.points.rank.tolist(), strict=True)
        rows: list[list[Cell]] = [
            [self.runs[r], self.topics[t], str(self.measures[m]), int(rank), *values]
            for (r, t, m, rank), values in zip(places, numbers, strict=True)
        ]
        return Grid(columns, rows, "points")

    def _lines(self, per_topic: bool) -> Iterator[_Line]:
        """What there is to say of each run and measure: of every topic that counts, if asked, and of their mean."""
        means = [scores.mean() for scores in (self.scores, self.areas, self.interpolated_areas)]
        at_recall, by_rank = self.mean_at_recall(), self.mean_by_rank()
        counted = self.scores.counted
        each = [scores.values for scores in (self.scores, self.areas, self.interpolated_areas)]
        for (run, name), (place, measure) in product(enumerate(self.runs), enumerate(self.measures)):
            for topic, title in enumerate(self.topics if per_topic else []):
                if counted[run, topic, place]:
                    value, area, best = (float(values[run, topic, place]) for values in each)
                    curves = self.at_recall[run, topic, place], self.by_rank[run, topic, place]
                    yield _Line(name, title, measure, value, area, best, *curves)
            value, area, best = (float(mean[run, place]) for mean in means)
            yield _Line(name, "all", measure, value, area, best, at_recall[run, place], by_rank[run, place])

    def _records(self, per_topic: bool) -> Iterator[list[Value]]:
        for line in self._lines(per_topic):
            names: list[Value] = [line.run, line.topic, str(line.measure)]
            yield [*names, "value", None, None, line.value]
            yield [*names, "area", None, None, line.area]
            yield [*names, "interpolated area", None, None, line.interpolated_area]
            if per_topic and line.topic != "all":
                what = "interpolated precision at document" if self.interpolated else "precision at document"
                for rank, recall, precision in self.points_of(line.run, line.topic, line.measure).tolist():
                    yield [*names, what, int(rank), recall, precision]
            for recall, precision in zip(TENTHS, line.at_recall.tolist(), strict=True):
                yield [*names, "interpolated precision", None, recall, precision]
            for rank, precision in enumerate(line.by_rank.tolist(), 1):
                yield [*names, "expected precision", rank, None, precision]


@dataclass(frozen=True, eq=False)
class _Line:
    """The curve of a run for a topic, or on average."""

    run: str
    topic: str
    measure: Measure
    value: float
    area: float
    interpolated_area: float
    at_recall: Array
    by_rank: Array

    def names(self, per_topic: bool) -> list[Cell]:
        """The cells that say which curve it is."""
        return [self.run, *([self.topic] if per_topic else []), str(self.measure)]

    def cells(self, per_topic: bool, interpolated: bool) -> list[Cell]:
        """The cells of its line in the table."""
        numbers = [self.value, self.area, *([self.interpolated_area] if interpolated else [])]
        return [*self.names(per_topic), *numbers, *self.at_recall.tolist()]
