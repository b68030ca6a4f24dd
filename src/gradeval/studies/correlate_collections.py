"""Do measures agree on several collections? Their correlations on each, and the means over the collections.

Source: Sakai (2005), tables 4 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress, part_of, with_progress_bar
from gradeval.scores.measure_names import choose_measures
from gradeval.scores.scores import Scores
from gradeval.studies.correlate import (
    FIELDS,
    Correlations,
    correlate,
    correlation_cell,
    explain_marks,
    mark_high,
    name_statistics,
)
from gradeval.studies.correlation import Statistic
from gradeval.studies.layouts import Layout, lay_out_measures
from gradeval.studies.requirements import Measures, as_scores
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

MEAN = "mean"
DIRECTED = ("tau-ap",)
"""Statistics in which one measure is the truth and the other the estimate."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionCorrelations(Tabular):
    """Correlations of measures on several collections.

    Attributes
    ----------
    layouts : by collection, which measures are correlated with which. Collections differ in the levels that measures
        name, not in the labels of rows and columns.
    correlations : by collection, one for each statistic.
    selection : how the topics of each collection were chosen, as in ``few:2``.
    """

    layouts: Mapping[str, Sequence[Layout]]
    correlations: Mapping[str, Sequence[Correlations]]
    selection: str = "all"

    @property
    def statistics(self) -> list[Statistic]:
        """The statistics that stand side by side."""
        return [correlations.statistic for correlations in next(iter(self.correlations.values()))]

    def of(self, first: str | Measure, second: str | Measure) -> list[float]:
        """The mean over the collections of the correlation of two measures, by each statistic."""
        values = [[one.of(first, second) for one in by_statistic] for by_statistic in self.correlations.values()]
        return [float(value) for value in np.mean(values, axis=0)]

    @property
    def description(self) -> str:
        """What was correlated, in a sentence."""
        sizes = [
            f"{name} ({len(one.runs)} runs, {len(one.topics)} topics)" for name, (one, *_) in self.correlations.items()
        ]
        return f"{' / '.join(self.statistics)}: {', '.join(sizes)}; mean: over the collections, each alike"

    def table(self, digits: int = 3) -> Table:
        """A row for each pair of measures, a column for each collection, and the mean.

        Where the statistic has no direction, each pair stands there once.
        """
        grids, records = [], []
        for place, layout in enumerate(next(iter(self.layouts.values()))):
            pairs = list(self._pairs(place))
            heads = [*layout.heads, "with"]
            heads[-2] += name_statistics(self.statistics)
            names = [Column(head, "name") for head in heads]
            columns = [Column(name, spec=f".{digits}f") for name in [*self.correlations, *self._mean]]
            grids.append(Grid([*names, *columns], [self._row(place, *pair) for pair in pairs], layout.title))
            records += [record for pair in pairs for record in self._records(place, *pair)]
        return Table(grids, Records.of(["collection", *FIELDS], records), [self.description, *explain_marks(grids)])

    @property
    def _mean(self) -> list[str]:
        """The column of the mean, where there is more than one collection."""
        return [MEAN] * (len(self.correlations) > 1)

    def _pairs(self, layout: int) -> Iterator[tuple[int, int]]:
        """Row and column of the pairs that are shown."""
        directed = any(statistic in DIRECTED for statistic in self.statistics)
        shown: set[frozenset[Measure]] = set()
        rows, columns = (getattr(next(iter(self.layouts.values()))[layout], axis) for axis in ("rows", "columns"))
        for column, (_, others) in enumerate(columns):
            for row, (_, measure) in enumerate(rows):
                pair = frozenset([measure, others[row]])
                if len(pair) == 2 and (directed or pair not in shown):
                    shown.add(pair)
                    yield row, column

    def _measures(self, name: str, layout: int, row: int, column: int) -> tuple[Measure, Measure]:
        """What is correlated on a collection: the truth, and the measure."""
        here = self.layouts[name][layout]
        return here.columns[column][1][row], here.rows[row][1]

    def _row(self, layout: int, row: int, column: int) -> list[Cell]:
        first = next(iter(self.layouts.values()))[layout]
        cells = [
            correlation_cell(by_statistic, *self._measures(name, layout, row, column), bounds=False)
            for name, by_statistic in self.correlations.items()
        ]
        means = [Estimate(value, mark_high(value)) for value in self._means(layout, row, column)]
        mean: Cell = means[0] if len(means) == 1 else SideBySide(tuple(means))
        return [*first.rows[row][0], first.columns[column][0], *cells, *([mean] if self._mean else [])]

    def _means(self, layout: int, row: int, column: int) -> list[float]:
        """The mean over the collections, by each statistic."""
        values = [
            [one.of(*self._measures(name, layout, row, column)) for one in by_statistic]
            for name, by_statistic in self.correlations.items()
        ]
        return [float(value) for value in np.mean(values, axis=0)]

    def _records(self, layout: int, row: int, column: int) -> Iterator[list[Value]]:
        title = next(iter(self.layouts.values()))[layout].columns[column][0]
        for name, by_statistic in self.correlations.items():
            truth, measure = self._measures(name, layout, row, column)
            for one in by_statistic:
                yield [name, self.selection, str(measure), str(truth), title, *one.record(truth, measure)]
        if self._mean:
            truth, measure = self._measures(next(iter(self.layouts)), layout, row, column)
            for statistic, value in zip(self.statistics, self._means(layout, row, column), strict=True):
                yield [MEAN, self.selection, str(measure), str(truth), title, statistic, value, *[None] * 6]


@with_progress_bar
def correlate_collections(
    collections: Mapping[str, Scores | JudgedRuns],
    statistics: Statistic | Sequence[Statistic] = "kendall",
    *,
    measures: Measures | None = None,
    reference: str | Measure | None = None,
    layouts: Mapping[str, Sequence[Layout]] | None = None,
    samples: int = 0,
    seed: int = 0,
    progress: ShowProgress = False,
) -> CollectionCorrelations:
    """Correlate the orders of the runs by each pair of measures, on each of several collections.

    Parameters
    ----------
    collections : scores, or judged runs, by the name of the collection.
    statistics, measures, samples, seed : as of ``correlate``; several statistics stand side by side.
    reference : correlate all with this measure.
    layouts : by collection, which measure is correlated with which, where measures differ between collections.

    Raises
    ------
    InputError : as ``correlate``; no collection; layouts of unlike rows or columns.
    """
    if not collections:
        raise InputError("no collection to correlate measures on; give at least one")
    listed: Sequence[Statistic] = [statistics] if isinstance(statistics, str) else statistics
    scores = {name: as_scores(collection, measures) for name, collection in collections.items()}
    if layouts is None:
        layouts = {name: [_lay_out(one, reference)] for name, one in scores.items()}
    _require_alike(layouts)
    correlations: dict[str, list[Correlations]] = {}
    total = len(scores) * len(listed)
    for number, (name, one) in enumerate(scores.items()):
        correlations[name] = []
        for place, statistic in enumerate(listed):
            part = part_of(progress, number * len(listed) + place, total) if callable(progress) else None
            try:
                correlations[name].append(correlate(one, statistic, samples=samples, seed=seed, progress=part))
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
    return CollectionCorrelations(layouts, correlations)


def _lay_out(scores: Scores, reference: str | Measure | None) -> Layout:
    truth = None if reference is None else choose_measures([reference], scores.measures)[0]
    return lay_out_measures(scores.measures, truth)


def _require_alike(layouts: Mapping[str, Sequence[Layout]]) -> None:
    """Refuse collections whose tables have unlike rows or columns."""
    (first, wanted), *others = (
        (name, [([labels for labels, _ in one.rows], [title for title, _ in one.columns]) for one in several])
        for name, several in layouts.items()
    )
    for name, here in others:
        if here != wanted:
            raise InputError(
                f"{name}: has other measures than {first}, as its levels or its scores are others; "
                "choose the measures that all collections have"
            )
