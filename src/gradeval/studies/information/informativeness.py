"""Informativeness: how much of a ranking can be inferred from the value of a measure?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.brief_names import name_briefly
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.tables.grid import Cell, Column, Estimate, Grid, find_best
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

Counts: TypeAlias = Literal["retrieved", "pool"]

FIELDS = (
    "measure threshold statistic value lower upper not_found counts least samples seed rankings topics "
    "run topic inferred"
).split()

NAMED = 6
"""Lists that a note names before it counts the rest; the records hold them all."""


@dataclass(frozen=True, eq=False, repr=False)
class Informativeness(Tabular):
    """How far the precision-recall curves inferred from the values of measures are from the true ones.

    Attributes
    ----------
    errors : float64[measure, threshold, list]: root mean square difference of the inferred and the true precision,
        over the ranks of the list's relevant documents.
    converged : bool[measure, list]: was the list of maximum entropy found?
    run, topic : intp[list]: places in ``runs`` and ``topics``.
    measures, thresholds, runs, topics : what was studied; a document is relevant whose grade reaches the threshold.
    counts, least : the documents of each grade that a list is assumed to hold, and how many of each kind a list needs.
    samples, level, seed : the bootstrap behind ``interval``; 0 samples: there is none.
    values : float64[measure, list]: the values from which the lists were inferred; None where they are not known.
    """

    errors: Array
    converged: Array
    run: Array
    topic: Array
    measures: list[Measure]
    thresholds: Levels
    runs: list[str]
    topics: list[str]
    counts: Counts
    least: int
    samples: int
    level: float
    seed: int
    values: Array | None = None

    @property
    def counted(self) -> Array:
        """bool[list]: the lists that enter the means: those that were inferred by every measure."""
        return np.asarray(self.converged.all(0))

    @property
    def not_inferred(self) -> dict[str, list[str]]:
        """The lists for which no list of maximum entropy was found, as "topic 301 of bm25", by the measure."""
        return {
            str(measure): [
                f"topic {self.topics[self.topic[place]]} of {self.runs[self.run[place]]}"
                for place in np.flatnonzero(~converged).tolist()
            ]
            for measure, converged in zip(self.measures, self.converged, strict=True)
            if not converged.all()
        }

    def mean(self) -> Array:
        """float64[measure, threshold]: mean RMS error over the lists; the lower, the more informative."""
        total, number = self._by_topic()
        return np.asarray(total.sum(-1) / number.sum())

    @cached_property
    def interval(self) -> Array | None:
        """float64[measure, threshold, 2]: bounds of the bootstrap intervals of ``mean()``; None without samples."""
        return self.ci(self.level, self.seed, self.samples) if self.samples else None

    def ci(self, level: float = 0.95, seed: int = 0, samples: int = 2000) -> Array:
        """float64[measure, threshold, 2]: bounds of bootstrap intervals of ``mean()``.

        Topics are resampled with all their lists, which resemble each other; all measures have the same resamples.
        """
        level = checks.share("level", level, 0.95)
        samples, seed = checks.whole("samples", samples, 1), checks.seed(seed)
        total, number = self._by_topic()
        topics = len(number)
        if topics < 2:
            raise InputError("an interval needs lists of at least 2 topics")
        weights = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=samples)
        means = np.einsum("mkt,st->mks", total, weights) / (weights @ number)
        return np.moveaxis(np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=-1), 0, -1)

    def _by_topic(self) -> tuple[Array, Array]:
        """float64[measure, threshold, topic], int64[topic]: summed errors and lists of the topics that have any."""
        if not self.counted.any():
            raise InputError("no list of maximum entropy was found for every measure, so there is no mean")
        topic = self.topic[self.counted]
        belongs = topic[:, None] == np.unique(topic)
        return self.errors[:, :, self.counted] @ belongs.astype(float), belongs.sum(0)

    def table(self, digits: int = 4) -> Table:
        """The mean error by each measure at each threshold, with its interval; the lowest are marked as the best."""
        means = self.mean()
        failed = (~self.converged).sum(-1).tolist()
        spec = f".{digits}f"
        columns = [
            Column("measure", "name"),
            *(Column(f"RMS from grade {grade:g}", spec=spec) for grade in self.thresholds),
            Column("sum", spec=spec),
            Column("not found", spec="d"),
        ]
        rows = [
            [name, *self._estimates(place), float(means[place].sum()), failed[place]]
            for place, name in enumerate(name_briefly(self.measures))
        ]
        compared = np.column_stack([means, means.sum(-1)])
        best = {
            (row, number)
            for number, (column, errors) in enumerate(zip(columns[1:], compared.T.tolist(), strict=False), 1)
            for row in find_best(list(map(column.write, errors)), column.write(min(errors)))
        }
        return Table([Grid(columns, rows, best=frozenset(best))], Records.of(FIELDS, self._records()), self.notes)

    @property
    def notes(self) -> list[str]:
        """What was studied, what was left out, and where the intervals come from, in sentences."""
        kinds = f"{self.least} documents (least) from each threshold ({show_levels(self.thresholds)}) to the next"
        notes = [f"{len(self.run)} rankings hold {kinds}"]
        if left_out := len(self.run) - int(self.counted.sum()):
            notes.append(f"{left_out} of them could not be inferred by every measure and are left out of the means")
        for measure, lists in self.not_inferred.items():
            more = f" and {len(lists) - NAMED} more" if len(lists) > NAMED else ""
            notes.append(f"not inferred by {measure}: {', '.join(lists[:NAMED])}{more}")
        if self.samples:
            resampling = f"{self.samples} bootstrap samples of the topics with their rankings, seed {self.seed}"
            notes.append(f"intervals: {self.level:.4g} confidence, {resampling}")
        return notes

    def _estimates(self, measure: int) -> list[Cell]:
        """The mean errors of a measure, with their intervals where there are some."""
        means = self.mean()[measure].tolist()
        if self.interval is None:
            return list(means)
        bounds = self.interval[measure].tolist()
        return [Estimate(mean, bounds=(low, high)) for mean, (low, high) in zip(means, bounds, strict=True)]

    def _records(self) -> Iterator[list[Value]]:
        means = self.mean()
        settings: list[Value] = [self.counts, self.least, self.samples, self.seed if self.samples else None]
        size: list[Value] = [len(self.run), len(np.unique(self.topic))]
        for place, measure in enumerate(self.measures):
            failed = int((~self.converged[place]).sum())
            for column, grade in enumerate(self.thresholds):
                bounds = [None, None] if self.interval is None else self.interval[place, column].tolist()
                value = float(means[place, column])
                yield [str(measure), float(grade), "rms", value, *bounds, failed, *settings, *size, None, None, None]
            yield from self._records_of_lists(place)

    def _records_of_lists(self, measure: int) -> Iterator[list[Value]]:
        """The value of a measure for each list, and the error at each threshold; none where it was not inferred."""
        settings: list[Value] = [self.counts, self.least, None, None, None, None]
        for place, (run, topic) in enumerate(zip(self.run.tolist(), self.topic.tolist(), strict=True)):
            inferred = bool(self.converged[measure, place])
            names: list[Value] = [self.runs[run], self.topics[topic], inferred]
            errors = self.errors[measure, :, place].tolist()
            lines: list[tuple[float | None, str, float | None]] = [
                (float(grade), "rms of ranking", error if inferred else None)
                for grade, error in zip(self.thresholds, errors, strict=True)
            ]
            if self.values is not None:
                lines.insert(0, (None, "value", float(self.values[measure, place])))
            for grade, statistic, value in lines:
                yield [str(self.measures[measure]), grade, statistic, value, None, None, None, *settings, *names]
