"""By how much do two measures differ in what a study says of them? Differences with intervals, over resamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import name_briefly
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = "measure minus against threshold statistic value lower upper resampled samples seed".split()


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Tabular):
    """Differences between measures in a statistic, each pair of measures on the same resamples.

    Attributes
    ----------
    statistic : what differs: "power", "rms", or a rank correlation.
    reference : the measure that a rank correlation is with; None where it is none.
    values : float64[measure, column]: the statistic of each measure.
    bounds : float64[measure, column, 2]: bounds of its bootstrap interval.
    pairs : intp[pair, 2]: places of the measure and of the one whose value is taken from its value.
    difference : float64[pair, column]
    interval : float64[pair, column, 2]: bounds of bootstrap intervals.
    undefined : int64[pair, column]: resamples left out, in which one of the two has no value.
    measures : what is compared.
    thresholds : the grades of the columns ("rms"); None: there is one column.
    runs : were the runs resampled, as well as the topics?
    samples, level, seed : the bootstrap.
    """

    statistic: str
    reference: Measure | None
    values: Array
    bounds: Array
    pairs: Array
    difference: Array
    interval: Array
    undefined: Array
    measures: list[Measure]
    thresholds: Levels | None
    runs: bool
    samples: int
    level: float
    seed: int

    @property
    def resampled(self) -> str:
        """What was drawn with replacement."""
        return "topics and runs" if self.runs else "topics"

    @property
    def description(self) -> str:
        """What differs, and where the intervals come from, in a sentence."""
        what = self.statistic if self.reference is None else f"{self.statistic} with {self.reference}"
        left_out = f", up to {most} of them left out as undefined" if (most := int(self.undefined.max())) else ""
        return (
            f"differences of {what}: {self.level:.4g} confidence, {self.samples} bootstrap samples of the "
            f"{self.resampled}, seed {self.seed}{left_out}"
        )

    def table(self, digits: int = 4) -> Table:
        """One row a pair of measures: what the first has more than the second, with its interval."""
        grades = self.thresholds or ()
        titles = [f"{self.statistic} from grade {grade:g}" for grade in grades] or [f"difference of {self.statistic}"]
        names = [Column("measure", "name"), Column("minus", "name")]
        columns = [*names, *(Column(title, spec=f"+.{digits}f") for title in titles)]
        shown = name_briefly(self.measures)
        rows: list[list[Cell]] = []
        for pair, (first, second) in enumerate(self.pairs.tolist()):
            cells = zip(self.difference[pair].tolist(), self.interval[pair].tolist(), strict=True)
            estimates = [Estimate(value, bounds=(low, high)) for value, (low, high) in cells]
            rows.append([shown[first], shown[second], *estimates])
        grid = Grid(columns, rows, title="differences")
        return Table([grid], Records.of(FIELDS, self._records()), [self.description])

    def _records(self) -> Iterator[list[Value]]:
        against = None if self.reference is None else str(self.reference)
        columns: list[Value] = [None] if self.thresholds is None else [float(grade) for grade in self.thresholds]
        for pair, (first, second) in enumerate(self.pairs.tolist()):
            names: list[Value] = [str(self.measures[first]), str(self.measures[second]), against]
            for place, column in enumerate(columns):
                bounds = self.interval[pair, place].tolist()
                value = float(self.difference[pair, place])
                statistic = f"{self.statistic} difference"
                yield [*names, column, statistic, value, *bounds, self.resampled, self.samples, self.seed]


def differences_of_measures(
    statistic: str,
    measures: list[Measure],
    values: Array,
    resampled: Array,
    *,
    reference: Measure | None = None,
    thresholds: Levels | None = None,
    centred: bool,
    runs: bool,
    level: float,
    seed: int,
) -> Differences:
    """The differences between each two measures.

    Parameters
    ----------
    values : float64[measure, column]: the statistic.
    resampled : float64[sample, measure, column]: the same over resamples; NaN where it has no value.
    centred : take the percentiles from their median and put them around the difference; for statistics that a resample
        shifts, since topics drawn twice add noise.
    """
    if len(measures) < 2:
        raise InputError("differences are between measures, and here is 1; give at least 2")
    pairs = np.stack(np.triu_indices(len(measures), 1), axis=-1)
    difference = values[pairs[:, 0]] - values[pairs[:, 1]]
    drawn = resampled[:, pairs[:, 0]] - resampled[:, pairs[:, 1]]
    undefined = np.isnan(drawn)
    if (nowhere := undefined.all(0)).any():
        first, second = (str(measures[place]) for place in pairs[int(np.argwhere(nowhere)[0][0])])
        raise InputError(f"{first} less {second}: no resample has a value of both, so there is no interval")
    return Differences(
        statistic=statistic,
        reference=reference,
        values=values,
        bounds=_interval(values, resampled, level, centred),
        pairs=pairs,
        difference=difference,
        interval=_interval(difference, drawn, level, centred),
        undefined=undefined.sum(0),
        measures=measures,
        thresholds=thresholds,
        runs=runs,
        samples=len(resampled),
        level=level,
        seed=seed,
    )


def _interval(values: Array, drawn: Array, level: float, centred: bool) -> Array:
    """float64[..., 2]: percentiles of drawn[sample, ...]; ``centred``: moved so that their median is the value."""
    low, centre, high = np.nanquantile(drawn, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    shift = values - centre if centred else 0.0
    return np.stack([low + shift, high + shift], axis=-1)


def with_differences(table: Table, differences: Tabular, digits: int) -> Table:
    """A table with the differences below its grids, and after its records; other fields are empty in these lines."""
    return table.above(differences.table(digits))
