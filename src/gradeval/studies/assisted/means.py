"""Means of runs from few human and many model grades, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradeval import checks
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.assisted.estimator import Estimates, TopicsAre, estimate_means
from gradeval.studies.assisted.pairing import describe_topics, pair_scores
from gradeval.studies.assisted.worth import ABOUT_WORTH, WORTH, about_constants, cells_of_worth, values_of_worth
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table, Tabular

FIELDS = (
    "run measure statistic value lower upper correlation worth limit human_topics model_topics topics_are level ties"
).split()


@dataclass(frozen=True, eq=False, repr=False)
class AssistedMeans(Tabular):
    """Means of runs over topics, from few human and many model grades, beside those from the human grades alone.

    Attributes
    ----------
    value, interval : float64[run, measure], float64[run, measure, 2]
    human, human_interval : the same from the human topics alone.
    estimates : slopes, correlations, what the human topics are worth ...: arrays [run, measure], on the scale on which
        topics are averaged (logarithms for geometric means).
    runs, measures, human_topics, model_topics : what the numbers are of.
    topics_are, level : as for ``assisted_means``.
    ties : how equal scores were treated.
    """

    value: Array
    interval: Array
    human: Array
    human_interval: Array
    estimates: Estimates
    runs: list[str]
    measures: list[Measure]
    human_topics: list[str]
    model_topics: list[str]
    topics_are: TopicsAre
    level: float
    ties: str | None

    @property
    def description(self) -> str:
        """Where the intervals come from, in a sentence."""
        topics = describe_topics(self.topics_are, len(self.human_topics), len(self.model_topics))
        return f"{topics}; Student's t, {self.level:.4g} confidence"

    @property
    def notes(self) -> list[str]:
        """What the reader should know beside the numbers."""
        return [ABOUT_WORTH, *about_constants(self.estimates.slope == 0, self.estimates.correlation, self.measures)]

    def table(self, digits: int = 4) -> Table:
        """A grid for each measure, a row a run: the estimate, the human topics alone, and what these are worth."""
        grids = [self._grid(place, digits) for place in range(len(self.measures))]
        return Table(grids, Records.of(FIELDS, self._records()), [self.description, *self.notes])

    def _grid(self, measure: int, digits: int) -> Grid:
        columns = [
            Column("run", "name"),
            Column(f"{self.measures[measure]}, assisted", spec=f".{digits}f"),
            Column("human alone", spec=f".{digits}f"),
            *WORTH,
        ]
        rows: list[list[Cell]] = []
        for run, name in enumerate(self.runs):
            at = run, measure
            means = [
                Estimate(float(values[at]), bounds=(float(bounds[at][0]), float(bounds[at][1])))
                for values, bounds in ((self.value, self.interval), (self.human, self.human_interval))
            ]
            rows.append([name, *means, *cells_of_worth(self.estimates, at)])
        return Grid(columns, rows, title=str(self.measures[measure]))

    def _records(self) -> Iterator[list[Value]]:
        counts: list[Value] = [len(self.human_topics), len(self.model_topics), self.topics_are, self.level, self.ties]
        for run, name in enumerate(self.runs):
            for measure, of in enumerate(map(str, self.measures)):
                at = run, measure
                worth = values_of_worth(self.estimates, at)
                yield [name, of, "assisted", float(self.value[at]), *self.interval[at].tolist(), *worth, *counts]
                alone = [float(self.human[at]), *self.human_interval[at].tolist(), None, None, None]
                yield [name, of, "human alone", *alone, *counts]


def assisted_means(
    human: Scores, model: Scores, *, topics_are: TopicsAre = "sample", level: float = 0.95
) -> AssistedMeans:
    """Estimate means of runs from human grades of few topics and a model's grades of many.

    The model may be biased: the estimator corrects it by how its values go with the human ones (see
    ``studies.assisted.estimator.estimate_means`` for the formulas). It is valid where the topics with human grades are
    a random sample of those that the model graded, for any measure.

    Parameters
    ----------
    human, model : scores of the same runs by the same measures, as ``evaluate`` gives with either judgments; the model
        graded all topics of the humans, and more.
    topics_are : the topics that the model graded are a sample of those of interest ("sample"), or all of them ("all").
    level : of the intervals.

    Raises
    ------
    InputError : fewer than 8 human topics, no topic that only the model graded, a topic that it did not grade, scores
        of different runs, measures or treatments of ties, a measure that adds up over topics.
    Source: Cochran (1977), Sampling Techniques, sections 7.3 and 12.6.
    """
    level = checks.share("level", level, 0.95)
    paired = pair_scores(human, model, topics_are)
    shape = paired.human.shape[1:]
    flat = (paired.human.reshape(len(paired.human), -1), paired.model.reshape(len(paired.model), -1))
    estimates = estimate_means(*flat, paired.both, paired.topics_are, level).reshape(shape)
    geometric = np.array([measure.definition.aggregate == "geometric" for measure in human.measures])

    def back(values: Array) -> Array:
        """From the scale of averages to that of the measure."""
        kind = geometric.reshape(1, -1, *[1] * (values.ndim - 2))
        return np.where(kind, np.exp(np.where(kind, values, 0.0)), values)

    return AssistedMeans(
        value=back(estimates.value),
        interval=back(interval_of(estimates.value, estimates.reach)),
        human=back(estimates.human),
        human_interval=back(interval_of(estimates.human, estimates.human_reach)),
        estimates=estimates,
        runs=human.runs,
        measures=human.measures,
        human_topics=human.topics,
        model_topics=model.topics,
        topics_are=paired.topics_are,
        level=level,
        ties=human.ties,
    )


def interval_of(value: Array, reach: Array) -> Array:
    """float64[..., 2]: the bounds of an interval around each value."""
    return np.stack([value - reach, value + reach], axis=-1)
