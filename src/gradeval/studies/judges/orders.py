"""Do the judge's grades put the runs in the order of the humans', and how far would chance come?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant
from gradeval.tables.grid import Estimate

BLOCK = 2**22  # pairs of runs, times measures, judges and resamples, that are held in memory at once
ROOM = 2**24  # means of runs, times measures, judges and resamples, that are held at once

SPLITS = 100
"""Times that the topics are split into halves."""


@dataclass(frozen=True)
class OrderAgreement:
    """How alike two orders of runs are; None where a side ties all runs.

    Attributes
    ----------
    tau : the correlation, with its interval over topics.
    floor : the mean correlation of judges that know nothing: the humans' grades, shuffled within each topic; with its
        interval over topics and over such judges.
    constant : the correlation of a judge that gives every document the highest grade.
    skill_bounds : the interval of the skill.
    """

    tau: Estimate | None
    floor: Estimate | None
    constant: float | None
    skill_bounds: tuple[float, float] | None = None

    @property
    def skill(self) -> float | None:
        """(tau - floor) / (1 - floor): 0 for a judge that knows nothing, 1 for the order of the humans."""
        if self.tau is None or self.floor is None or self.floor.value >= 1:
            return None
        return (self.tau.value - self.floor.value) / (1 - self.floor.value)

    @property
    def skill_estimate(self) -> Estimate | None:
        """The skill with its interval over topics and over judges that know nothing."""
        return None if self.skill is None else Estimate(self.skill, bounds=self.skill_bounds)


def correlate_means(statistic: Statistic, human: Array, judges: Array) -> Array:
    """float64[judge, measure]: the correlation of means human[measure, run] with judges[judge, measure, run]; NaN where
    a side ties all runs."""
    values: Array = _correlate(statistic, human[None], judges[None])[0]
    return values


def resample_correlations(statistic: Statistic, human: Scores, judges: Sequence[Scores], weights: Array) -> Array:
    """float64[sample, judge, measure]: the same with the topics as often as weights[sample, topic] say."""
    runs, measures = len(human.runs), len(human.measures)
    together = max(1, ROOM // (runs * measures * (len(judges) + 1)))
    step = max(1, BLOCK // (runs**2 * measures * (len(judges) + 1)))
    values = np.zeros((len(weights), len(judges), measures))
    for begin in range(0, len(weights), together):
        drawn = weights[begin : begin + together]
        of_human = _resample_means(human, drawn)
        of_judges = np.stack([_resample_means(scores, drawn) for scores in judges], axis=1)
        for first in range(0, len(drawn), step):
            part = slice(first, first + step)
            values[begin:][part] = _correlate(statistic, of_human[part], of_judges[part])
    return values


def correlate_halves(statistic: Statistic, human: Scores, seed: int) -> Array:
    """float64[measure]: the mean correlation of the orders by two halves of the topics, over ``SPLITS`` random splits.

    It says how far the topics alone leave the order open; nothing of what assessors have in common.
    """
    topics = len(human.topics)
    drawn = np.random.default_rng(seed).random((SPLITS, topics)).argsort(-1)
    first, second = drawn < topics // 2, drawn >= topics - topics // 2
    orders = [_resample_means(human, half.astype(float)) for half in (first, second)]
    values = _correlate(statistic, orders[0], orders[1][:, None])[:, 0]
    known = ~np.isnan(values)
    return np.where(known.any(0), ratio(np.where(known, values, 0.0).sum(0), known.sum(0)), np.nan)


def ordered_means(scores: Scores) -> Array:
    """float64[measure, run]: the means of the runs, those that differ by rounding errors alone made equal."""
    everything = np.ones((1, len(scores.topics)))
    means: Array = _ordered(scores.aggregate(everything))[0]
    return means


def _resample_means(scores: Scores, weights: Array) -> Array:
    """float64[sample, measure, run]: all 0, so that there is no order, where topics drawn leave a run without any."""
    means = _ordered(scores.aggregate(weights))
    if scores.counted.all():
        return means
    left = np.einsum("st,rtm->smr", weights, scores.counted.astype(float), optimize=True)
    return np.where((left > 0).all(-1, keepdims=True), means, 0.0)


def _ordered(means: Array) -> Array:
    """float64[..., measure, run] of means[..., run, measure], fit to be ranked."""
    return rounded(np.ascontiguousarray(np.swapaxes(means, -1, -2)))


def _correlate(statistic: Statistic, human: Array, judges: Array) -> Array:
    """float64[sample, judge, measure] from human[sample, measure, run] and judges[sample, judge, measure, run]."""
    estimates = np.swapaxes(judges, 1, 2)  # [sample, measure, judge, run]
    values = correlation_matrix(statistic, human[:, :, None], estimates)[:, :, 0]
    undefined = is_constant(human)[..., None] | is_constant(estimates)
    return np.swapaxes(np.where(undefined, np.nan, values), 1, 2)
