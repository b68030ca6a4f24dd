"""Do measures agree on several collections? Rank correlations on each.

Source: Sakai (2005), tables 4 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Annotated

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Resamples, Seed
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.progress import Progress, part_of
from gradeval.scores.scores import Scores
from gradeval.studies.correlate import (
    FIELDS,
    Correlations,
    EachStatistic,
    PairLayout,
    correlate_as,
    correlation_cell,
    lay_out,
    mark_high,
    name_statistics,
    with_foot,
)
from gradeval.studies.correlation import NAMES, Statistic
from gradeval.studies.study import MEAN, Result, study
from gradeval.studies.study_parameters import Reference
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide, as_label
from gradeval.tables.records import Records
from gradeval.tables.table import Table

DIRECTED = ("tau-ap",)
"""Statistics in which one measure is the truth and the other the estimate."""
Pair = tuple[Measure, Measure]
"""What is correlated on a collection: the measure, and the truth."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionCorrelations(Result):
    """Correlations of measures on several collections.

    Attributes
    ----------
    correlations : by collection, one for each statistic. Collections may differ in the levels that measures name, not
        in the labels of the rows and columns of their layouts.
    selection : how the topics of each collection were chosen, as in ``few:2``.
    """

    correlations: Mapping[str, Sequence[Correlations]]
    selection: str = "all"

    @property
    def first(self) -> Sequence[Correlations]:
        """Correlations on the first collection."""
        return next(iter(self.correlations.values()))

    @property
    def statistics(self) -> list[Statistic]:
        """The statistics that stand side by side."""
        return [correlations.statistic for correlations in self.first]

    def of(self, first: str | Measure, second: str | Measure) -> list[float]:
        """The mean over the collections of the correlation of two measures, by each statistic; of tau-ap the second is
        the truth."""
        values = [[one.of(first, second) for one in by_statistic] for by_statistic in self.correlations.values()]
        return [float(value) for value in np.mean(values, axis=0)]

    @property
    def description(self) -> str:
        """What was correlated, in a sentence."""
        sizes = [
            f"{name or 'one collection'} ({len(one.runs)} runs, {len(one.topics)} {one.unit})"
            for name, (one, *_) in self.correlations.items()
        ]
        mean = "; mean: over the collections, each alike" * bool(self._mean)
        return f"{' / '.join(NAMES[one] for one in self.statistics)}: {', '.join(sizes)}{mean}"

    def table(self, digits: int = 3) -> Table:
        """A row for each pair of measures, a column for each collection, and the mean.

        Where the statistic has no direction, each pair is shown once.
        """
        places = range(len(self.first[0].layouts))
        grids = [self._grid(place, digits) for place in places]
        records = reduce(Records.then, map(self._records, places))
        return Table(grids, records)

    @property
    def _mean(self) -> list[str]:
        """The column of the mean, where there is more than one collection."""
        return [MEAN] * (len(self.correlations) > 1)

    def _cells(self, place: int) -> list[tuple[int, int]]:
        """Row and column of the pairs that are shown of a layout."""
        directed = any(statistic in DIRECTED for statistic in self.statistics)
        layout = self.first[0].layouts[place]
        cells: dict[frozenset[Measure] | Pair, tuple[int, int]] = {}
        for column, (_, others) in enumerate(layout.columns):
            for row, (_, measure) in enumerate(layout.rows):
                if others[row] != measure:
                    pair = measure, others[row]
                    cells.setdefault(pair if directed else frozenset(pair), (row, column))
        return list(cells.values())

    def _pairs(self, name: str, place: int) -> list[Pair]:
        """What is correlated on a collection in each of these cells."""
        layout = self.correlations[name][0].layouts[place]
        return [(layout.rows[row][1], layout.columns[column][1][row]) for row, column in self._cells(place)]

    def _values(self, place: int) -> Array:
        """float64[pair, collection, statistic, 3]: the correlations and their bounds."""
        values = [
            [one.look_up(self._pairs(name, place)) for one in by_statistic]
            for name, by_statistic in self.correlations.items()
        ]
        return np.moveaxis(np.array(values), 2, 0)

    def _grid(self, place: int, digits: int) -> Grid:
        layout = self.first[0].layouts[place]
        heads = [*layout.heads, "with"]
        heads[-2] += name_statistics(self.statistics)
        names = [Column(head, "name") for head in heads]
        columns = [Column(name or "value", spec=f".{digits}f") for name in [*self.correlations, *self._mean]]
        pairs = {name: self._pairs(name, place) for name in self.correlations}
        means = self._values(place)[..., 0].mean(1)
        rows: list[list[Cell]] = []
        for number, (values, (row, column)) in enumerate(zip(means, self._cells(place), strict=True)):
            cells = [
                correlation_cell(by_statistic, *pairs[name][number], bounds=False)
                for name, by_statistic in self.correlations.items()
            ]
            shown = [Estimate(value, mark_high(value)) for value in values.tolist()]
            mean: Cell = shown[0] if len(shown) == 1 else SideBySide(tuple(shown))
            rows.append([*layout.rows[row][0], layout.columns[column][0], *cells, *([mean] if self._mean else [])])
        label = as_label("correlations", layout.title, " ".join(map(str, layout.measures)))
        return replace(with_foot(Grid([*names, *columns], rows, layout.title), self.description), label=label)

    def _records(self, place: int) -> Records:
        """For each pair the correlations on each collection, then their means."""
        layout = self.first[0].layouts[place]
        titles = [layout.columns[column][0] for _, column in self._cells(place)]
        pairs = [self._pairs(name, place) for name in self.correlations]
        pairs += [pairs[0]] * len(self._mean)
        names = [*self.correlations, *self._mean]
        cells = [
            (name, measure, truth, title)
            for number, title in enumerate(titles)
            for name, (measure, truth) in zip(names, (some[number] for some in pairs), strict=True)
        ]
        values = self._values(place)
        if self._mean:
            means = np.full_like(values[:, :1], np.nan)
            means[..., 0] = values[..., 0].mean(1, keepdims=True)
            values = np.concatenate([values, means], axis=1)
        values = values.reshape(len(cells), -1, 3)
        is_mean = np.tile([name not in self.correlations for name in names], len(titles))[:, None]

        def of_each(*numbers: float) -> Array:
            """The numbers of the collections, and none for the mean."""
            each: Array = np.ma.array(np.tile([*numbers, *[0] * len(self._mean)], len(titles))[:, None], mask=is_mean)
            return each

        firsts = [one for one, *_ in self.correlations.values()]
        records = Records.over(
            {"collection measure against column": cells, "statistic": self.statistics},
            selection=self.selection,
            value=values[..., 0],
            lower=np.ma.masked_invalid(values[..., 1]),
            upper=np.ma.masked_invalid(values[..., 2]),
            runs=of_each(*(len(one.runs) for one in firsts)),
            topics=of_each(*(len(one.topics) for one in firsts)),
            samples=of_each(*(one.samples for one in firsts)),
            seed=None if firsts[0].seed is None else of_each(*(one.seed or 0 for one in firsts)),
        )
        return records.ordered(["collection", *FIELDS])


def put_side_by_side(parts: list[CollectionCorrelations]) -> CollectionCorrelations:
    """Several statistics as one result."""
    both = {name: [part.correlations[name][0] for part in parts] for name in parts[0].correlations}
    return replace(of_collections(both), selection=parts[0].selection)


def of_collections(correlations: Mapping[str, Sequence[Correlations]]) -> CollectionCorrelations:
    """The correlations on several collections as one result."""
    result = CollectionCorrelations(correlations)
    notes = [note for by_statistic in correlations.values() for one in by_statistic for note in one.notes]
    return replace(result, notes=list(dict.fromkeys(notes)))


@study(
    examples="""
      gradeval correlate-collections --collection C c/qrels 'c/runs/*' --collection J j/qrels 'j/runs/*' -m "AP Q"
      gradeval correlate-collections --collection C c/qrels 'c/*' --collection J j/qrels 'j/*' --reference AP""",
    digits=3,
    join=put_side_by_side,
)
def correlate_collections(
    collections: Mapping[str, Scores],
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 1000,
    seed: Seed = 0,
    progress: Progress | None,
    statistic: EachStatistic = "kendall",
    reference: Reference = None,
) -> CollectionCorrelations:
    """Correlate the orders in which measures put the runs of each of several collections, and average over these.

    Each pair of measures is shown once, unless the statistic has a direction, with the correlation on each
    collection and their mean. Intervals stand in tsv, csv and jsonl.

    Parameters
    ----------
    statistic : the rank correlation; several stand side by side. ``correlate`` says which there are.
    alpha : the level of the intervals: they cover 1 - alpha.
    samples : the bootstrap samples of the topics; 0: no intervals.
    reference : correlate all with this measure.

    Raises
    ------
    InputError : as ``correlate``; no collection; collections whose scores are of other measures.
    """
    layouts = {name: [lay_out(scores.measures, reference)] for name, scores in collections.items()}
    _require_alike(layouts)
    correlations = {}
    for number, (name, scores) in enumerate(collections.items()):
        part = None if progress is None else part_of(progress, number, len(collections))
        try:
            correlations[name] = [correlate_as(layouts[name], scores, alpha, samples, seed, part, statistic)]
        except InputError as error:
            raise (error.within(name) if name else error) from None
    return of_collections(correlations)


def _require_alike(layouts: Mapping[str, Sequence[PairLayout]]) -> None:
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
