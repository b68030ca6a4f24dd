"""By how much do two measures differ in what a study says of them? Differences with intervals, over resamples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.formula.aggregation import interval
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import name_briefly
from gradeval.scores.scores import Unit
from gradeval.studies.correlation import NAMES
from gradeval.studies.study import Result
from gradeval.tables.grid import Column, Grid, estimates_of
from gradeval.tables.records import Records
from gradeval.tables.table import Table
from gradeval.warning_categories import Note


@dataclass(frozen=True, eq=False, repr=False)
class MeasureDifferences(Result):
    """Differences between measures in a statistic, each pair of measures on the same resamples.

    Attributes
    ----------
    statistic : what differs: "power", "rms", or a rank correlation.
    reference : the measure that a rank correlation is with; None where it is none.
    values : float64[measure, column]: the statistic of each measure.
    bounds : float64[measure, column, 2]: bounds of its bootstrap interval.
    pairs : intp[pair, 2]: places of a measure and of the one that is subtracted.
    difference : float64[pair, column]
    interval : float64[pair, column, 2]: bounds of bootstrap intervals.
    undefined : int64[pair, column]: resamples left out, in which one of the two has no value.
    measures : what is compared.
    thresholds : the grades of the columns ("rms"); None: there is one column.
    as_many_topics : is the interval for as many other topics? A rank correlation and a power change with their number.
        Else it is for all topics.
    resample_runs : were the runs resampled, as well as the topics?
    samples, alpha, seed : the bootstrap; intervals cover 1 - alpha.
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
    as_many_topics: bool
    resample_runs: bool
    samples: int
    alpha: float
    seed: int

    @property
    def resampled(self) -> str:
        """What was drawn with replacement."""
        return "topics and runs" if self.resample_runs else "topics"

    @property
    def description(self) -> str:
        """What differs, and where the intervals come from, in a sentence."""
        name = NAMES.get(self.statistic, self.statistic).partition(",")[0]
        what = name if self.reference is None else f"{name} with {self.reference}"
        left_out = f", up to {most} of them left out as undefined" if (most := int(self.undefined.max())) else ""
        others = f"as many other {self.unit}" if self.as_many_topics else f"all {self.unit}"
        return (
            f"differences of {what} over {others}: {1 - self.alpha:.4g} confidence, {self.samples} bootstrap samples "
            f"of the {self.unit}{' and runs' * self.resample_runs}, seed {self.seed}{left_out}"
        )

    def table(self, digits: int = 4) -> Table:
        """One row a pair of measures: what the first has more than the second, with its interval."""
        grades = self.thresholds or ()
        titles = [f"{self.statistic} from grade {grade:g}" for grade in grades] or [f"difference of {self.statistic}"]
        shown, (first, second) = name_briefly(self.measures), self.pairs.T.tolist()
        grid = Grid.of_columns(
            (Column("measure", "name"), [shown[one] for one in first]),
            (Column("minus", "name"), [shown[one] for one in second]),
            *(
                (Column(title, spec=f"+.{digits}f"), estimates_of(self.difference[:, place], self.interval[:, place]))
                for place, title in enumerate(titles)
            ),
        )
        both = [(str(self.measures[one]), str(self.measures[two])) for one, two in self.pairs]
        records = Records.over(
            {"measure minus": both, "": range(self.difference.shape[1])},
            against=None if self.reference is None else str(self.reference),
            threshold=None if self.thresholds is None else np.array(self.thresholds, float),
            statistic=f"{self.statistic} difference",
            value=self.difference,
            lower=self.interval[..., 0],
            upper=self.interval[..., 1],
            resampled=self.resampled,
            samples=self.samples,
            seed=self.seed,
        )
        return Table([grid], records)


def differences_of_measures(
    statistic: str,
    measures: list[Measure],
    values: Array,
    resampled: Array,
    *,
    reference: Measure | None = None,
    thresholds: Levels | None = None,
    centred: bool,
    possible: tuple[float, float] = (-np.inf, np.inf),
    resample_runs: bool,
    alpha: float,
    seed: int,
    unit: Unit = "topics",
) -> MeasureDifferences:
    """The differences between each two measures.

    Parameters
    ----------
    values : float64[measure, column]: the statistic.
    resampled : float64[sample, measure, column]: the same over resamples; NaN where it has no value.
    centred : take the percentiles from their median and put them around the difference; for statistics that a resample
        shifts, since topics drawn twice add noise.
    possible : the least and the largest value of the statistic; no interval ends beyond them, nor beyond their
        differences.
    """
    require_two(measures)
    pairs = np.stack(np.triu_indices(len(measures), 1), axis=-1)
    difference = values[pairs[:, 0]] - values[pairs[:, 1]]
    drawn = resampled[:, pairs[:, 0]] - resampled[:, pairs[:, 1]]
    undefined = np.isnan(drawn)
    if (nowhere := undefined.all(0)).any():
        first, second = (str(measures[place]) for place in pairs[int(np.argwhere(nowhere)[0][0])])
        raise InputError(f"{first} less {second}: no resample has a value of both, so there is no interval")
    low, high = possible
    differences = MeasureDifferences(
        statistic=statistic,
        reference=reference,
        values=values,
        bounds=interval(resampled, alpha, around=values if centred else None).clip(low, high),
        pairs=pairs,
        difference=difference,
        interval=interval(drawn, alpha, around=difference if centred else None).clip(low - high, high - low),
        undefined=undefined.sum(0),
        measures=measures,
        thresholds=thresholds,
        as_many_topics=centred,
        resample_runs=resample_runs,
        samples=len(resampled),
        alpha=alpha,
        seed=seed,
        unit=unit,
    )
    notes = [Note.method(differences.description), *([] if reference is None else [Note(_about_orders(unit))])]
    return replace(differences, notes=notes)


def _about_orders(unit: Unit) -> str:
    """What the bench counted of nominal 95%, with differences of rank correlations."""
    return (
        f"intervals are for the difference over as many {unit}; they held it in 90% of our trials on TREC DL 2021; "
        f"the difference over unlimited {unit} lay inside in 73% with 20 {unit}, in 83% with 50"
    )


def require_two(measures: list[Measure]) -> None:
    """Refuse a single measure, which differs from no other."""
    if len(measures) < 2:
        raise InputError("differences are between measures, and here is 1; give at least 2")
