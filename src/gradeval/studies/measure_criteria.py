"""By which criteria one measure is better than another, as the studies tell, and which measures no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array, ratio, tiny
from gradeval.scores.scores import Scores
from gradeval.studies.discriminate import Discrimination
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.measure_differences import MeasureDifferences
from gradeval.studies.robustness import Robustness

FALLEN = 0.9
"""The correlation under which an order counts as changed."""


@dataclass(frozen=True, eq=False)
class Criterion:
    """What a study says of each measure.

    Attributes
    ----------
    name : what is measured.
    merit : what the best measure does, as in "tells most pairs of runs apart".
    values : float64[measure]; NaN where the study says nothing of a measure.
    intervals : float64[measure, 2]; the value twice where there is no interval.
    higher : is a higher value better?
    spec : how Python formats the values.
    apart : bool[measure, measure]: is the value of the first higher than the second's, beyond the interval of their
        difference? None: the intervals of the values decide.
    """

    name: str
    merit: str
    values: Array
    intervals: Array
    higher: bool
    spec: str
    apart: Array | None = None

    def beats(self) -> Array:
        """bool[measure, measure]: is the first better than the second beyond their intervals?"""
        if self.apart is not None:
            return self.apart if self.higher else self.apart.T
        low, high = self.intervals[:, 0], self.intervals[:, 1]
        return low[:, None] > high[None] if self.higher else high[:, None] < low[None]

    def wins(self) -> bool:
        """Is the best value better than every other one, beyond their intervals?"""
        best = self.best()
        others = ~np.isnan(self.values)
        others[best] = False
        return bool(others.any() and self.beats()[best][others].all())

    def best(self) -> int:
        """The place of the measure with the best value."""
        return int(np.nanargmax(self.values) if self.higher else np.nanargmin(self.values))


def unbeaten(criteria: Sequence[Criterion]) -> list[int]:
    """The measures that no other beats on all criteria beyond the intervals; one without a value is not beaten."""
    beaten = np.all([criterion.beats() for criterion in criteria], axis=0)
    return np.flatnonzero(~beaten.any(0)).tolist()


def power(discrimination: Discrimination, differences: MeasureDifferences | None = None) -> Criterion:
    """The share of pairs of runs that a measure tells apart; with differences of power also their intervals.

    The intervals of the values show how sure each of them is; measures are compared by intervals of the differences,
    which come from the same resamples of the topics. Without differences, all measures count as equal.
    """
    values = discrimination.power
    bounds, apart = np.stack([values, values], axis=-1), np.zeros((len(values), len(values)), bool)
    if differences is not None:
        bounds = np.clip(differences.bounds[:, 0] + (values - differences.values[:, 0])[:, None], 0, 1)
        first, second = differences.pairs.T
        apart[first, second] = differences.interval[:, 0, 0] > 0
        apart[second, first] = differences.interval[:, 0, 1] < 0
    name = f"pairs told apart at {discrimination.alpha:g}"
    return Criterion(name, "tells most pairs of runs apart", values, bounds, True, ".1%", apart)


def robust_until(study: Robustness) -> Criterion:
    """The share of the judgments at which the correlation with the full order falls under 0.9.

    Between two rates the correlation is taken as linear. The interval goes from the lowest to the highest of the
    samples. Where it never falls, the share is the smallest that was tried.
    """
    order = np.argsort(-study.judged_share.mean(1), kind="stable")
    shares = study.judged_share.mean(1)[order]
    by_sample = np.array(
        [[_falls(shares, curve) for curve in sample.T] for sample in study.values[order].swapaxes(0, 1)]
    )
    values = np.array([_falls(shares, curve) for curve in study.mean()[order].T])
    intervals = np.stack([np.minimum(values, by_sample.min(0)), np.maximum(values, by_sample.max(0))], axis=-1)
    merit = "keeps the order of the runs with fewest judgments"
    return Criterion(f"judgments at which tau < {FALLEN:g}", merit, values, intervals, False, ".1%")


def _falls(shares: Array, curve: Array) -> float:
    """The share at which a curve over descending shares first falls under 0.9."""
    under = np.flatnonzero(curve < FALLEN)
    if not len(under):
        return float(shares[-1])
    at = int(under[0])
    if at == 0:
        return float(shares[0])
    step = (curve[at - 1] - FALLEN) / (curve[at - 1] - curve[at])
    return float(shares[at - 1] + step * (shares[at] - shares[at - 1]))


def informative(study: Informativeness, scores: Scores) -> list[Criterion]:
    """The root mean square error of the inferred precision-recall curve, at each threshold."""
    places = [scores.measures.index(measure) for measure in study.measures]
    bounds = study.interval
    criteria = []
    for column, grade in enumerate(study.thresholds):
        values = np.full(len(scores.measures), np.nan)
        intervals = np.full((len(values), 2), np.nan)
        values[places] = study.mean()[:, column]
        if bounds is not None:
            intervals[places] = bounds[:, column]
        name = f"error of the inferred curve, grade {grade:g}"
        merit = f"says most of where documents from grade {grade:g} are"
        criteria.append(Criterion(name, merit, values, intervals, False, ".4f"))
    return criteria


def tied(scores: Scores) -> Criterion:
    """The share of pairs of runs, topic by topic, whose values are equal."""
    values = np.zeros(len(scores.measures))
    runs = len(scores.runs)
    for place in range(len(values)):
        column = np.sort(scores.credited[:, :, place], axis=0)
        steps = ~tiny(np.diff(column, axis=0), np.abs(column).max(initial=0.0))
        group = np.concatenate([np.zeros((1, column.shape[1]), int), steps.cumsum(0)])
        sizes = [np.bincount(each) for each in group.T]
        values[place] = np.mean([ratio(np.sum(size * (size - 1)), np.array(runs * (runs - 1))) for size in sizes])
    return Criterion("ties on a topic", "ties fewest runs", values, np.stack([values, values], axis=-1), False, ".1%")
