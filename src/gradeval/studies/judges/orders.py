"""Do the judge's grades put the runs in the order of the humans', and how far would chance come?

How well would a run do that ranked the pool by the judge's grades?

Runs that do better by the humans' grades know more than the judge: it cannot tell them apart.

By how much does a judge raise the means, and which runs or families of runs does it favour?

A judge that errs at random draws all runs together: good ones lose, bad ones gain, and none is favoured. So the means
by the judge are first described by a line over the runs, judge = a + b human, with h and m the values by the humans'
and the judge's grades on the scale on which topics are averaged:

    b = cov(mean of h, mean of m) / var(mean of h) over the runs
    e[run, topic] = m - b h, less its mean over the runs in the topic

A run is favoured where the mean of e over topics is above 0: it gains more than its place on the line explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import interval
from gradeval.formula.arithmetic import Array, rounded, tiny
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.kernels.tied import Expected, TiedRankings, expect, group_columns
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score_block
from gradeval.studies.bootstrap_tests import centre
from gradeval.studies.compare import Comparison
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.judges.labels import Worth
from gradeval.studies.paired_tests import holm, mean_interval_t, t_test
from gradeval.tables.grid import Estimate

FLOORS = 20
"""Judges that know nothing, by which the floor is estimated."""
BLOCK = 2**22  # pairs of runs, times measures, judges and resamples, that are held in memory at once
ROOM = 2**24  # means of runs, times measures, judges and resamples, that are held at once


@dataclass(frozen=True)
class OrderAgreement:
    """How alike two orders of runs are; None where a side ties all runs.

    Attributes
    ----------
    tau : the correlation, with its interval over topics.
    floor : the mean correlation of judges that know nothing: the humans' grades, shuffled within each topic; its bounds
        are the lowest and the highest of them.
    constant : the correlation of a judge that gives every document the highest grade.
    """

    tau: Estimate | None
    floor: Estimate | None
    constant: float | None

    @property
    def skill(self) -> float | None:
        """(tau - floor) / (1 - floor): 0 for a judge that knows nothing, 1 for the order of the humans."""
        if self.tau is None or self.floor is None or self.floor.value >= 1:
            return None
        return (self.tau.value - self.floor.value) / (1 - self.floor.value)


def shuffle_within_topics(grades: Array, topic: Array, times: int, seed: int) -> Array:
    """float64[time, document]: the grades[document] of each topic dealt anew to those of its documents that have one.

    NaN stays where it is: a document outside the pool stays outside.
    """
    there = np.flatnonzero(~np.isnan(grades))
    kept, group = grades[there], topic[there]
    rng = np.random.default_rng(seed)
    shuffled = np.full((times, len(grades)), np.nan)
    by_topic = np.argsort(group, kind="stable")
    for row in shuffled:
        dealt = np.lexsort([rng.random(len(kept)), group])  # topic by topic, at random within each
        row[there[by_topic]] = kept[dealt]
    return shuffled


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
        of_human = _ordered(human.aggregate(drawn))
        of_judges = np.stack([_ordered(scores.aggregate(drawn)) for scores in judges], axis=1)
        for first in range(0, len(drawn), step):
            part = slice(first, first + step)
            values[begin:][part] = _correlate(statistic, of_human[part], of_judges[part])
    return values


def ordered_means(scores: Scores) -> Array:
    """float64[measure, run]: the means of the runs, those that differ by rounding errors alone made equal."""
    everything = np.ones((1, len(scores.topics)))
    means: Array = _ordered(scores.aggregate(everything))[0]
    return means


def _ordered(means: Array) -> Array:
    """float64[..., measure, run] of means[..., run, measure], fit to be ranked."""
    return rounded(np.ascontiguousarray(np.swapaxes(means, -1, -2)))


def _correlate(statistic: Statistic, human: Array, judges: Array) -> Array:
    """float64[sample, judge, measure] from human[sample, measure, run] and judges[sample, judge, measure, run]."""
    estimates = np.swapaxes(judges, 1, 2)  # [sample, measure, judge, run]
    values = correlation_matrix(statistic, human[:, :, None], estimates)[:, :, 0]
    undefined = is_constant(human)[..., None] | is_constant(estimates)
    return np.swapaxes(np.where(undefined, np.nan, values), 1, 2)


def around(value: float, samples: Array, alpha: float) -> Estimate | None:
    """A correlation with its interval over resamples; None where it is undefined (NaN).

    Topics drawn twice add noise, which pulls every resampled correlation down: the percentiles are taken from the
    median of the resamples, not from the value, as in ``correlate``.
    """
    if np.isnan(value):
        return None
    if np.isnan(samples).all():
        return Estimate(value)
    low, high = interval(samples, alpha, around=value).clip(-1.0, 1.0).tolist()
    return Estimate(value, bounds=(low, high))


@dataclass(frozen=True)
class Ceiling:
    """The mean of the pool ranked by the judge and scored by the humans.

    Attributes
    ----------
    mean : with its interval over topics.
    error : the standard error of the mean where orders of tied documents were drawn; 0 where it is exact.
    above : the runs with a higher mean, the best first.
    """

    mean: Estimate
    error: float
    above: list[str]


def score_ceiling(
    measures: Sequence[Measure],
    human: Array,
    judge: Array,
    topic: Array,
    pool: Array,
    levels: Levels,
    seeds: Array,
    depth: int | None = None,
) -> Expected:
    """The expected values[measure, topic] of each topic's documents in the order of the judge, scored by the humans.

    Expected are they over the orders of documents with the same grade of the judge: exact where the measure has a
    closed form, else from drawn orders, with their errors (see ``kernels.tied``).

    Parameters
    ----------
    human, judge : float64[document]: the grades of the documents that both judged.
    topic : intp[document], ascending.
    pool : int64[topic, level]: all documents that the humans judged.
    seeds : int64[topic]: of drawn orders.
    depth : only the first documents of each order are scored; None: all.
    """
    best = np.lexsort([-np.maximum(judge, 0.0), topic])
    counts = np.bincount(topic, minlength=len(pool))
    cell = topic, np.arange(len(topic)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (len(pool), int(counts.max(initial=0)))
    grades, judged = np.zeros(shape), np.full(shape, -np.inf)
    grades[cell], judged[cell] = np.maximum(human, 0.0)[best], np.maximum(judge, 0.0)[best]
    there = np.isfinite(judged)
    begin, end = group_columns(-judged)
    ranks, first, last = (
        np.where(there, place + 1.0, np.inf) for place in (np.arange(shape[1]) + np.zeros(shape), begin, end)
    )
    ranked = JudgedRankings.full(grades, pool, levels, ranks, counts)
    tied = TiedRankings(ranked, first, last, seeds, depth)
    return expect(measures, tied, score_block(tuple(measures), tied.cut))


@dataclass(frozen=True, eq=False)
class Favours:
    """By how much more, or less, some runs gain by the grades of a judge than the line of all runs explains.

    Attributes
    ----------
    names : of the runs, or of the groups.
    value, interval : float64[name], float64[name, 2]: the mean of e, for a group less that of the other runs, and its
        interval over topics.
    p : float64[name]: of a paired t-test over topics, after Holm's correction for all the names.
    alpha : of the intervals, which cover 1 - alpha, and of the marks.
    """

    names: list[str]
    value: Array
    interval: Array
    p: Array
    alpha: float

    @property
    def significant(self) -> Array:
        """bool[name]: favoured, or the opposite, beyond chance."""
        return self.p < self.alpha


@dataclass(frozen=True, eq=False)
class Shift:
    """How the means of runs move from the humans' grades to a judge's.

    Attributes
    ----------
    level : the mean over runs and topics of m - h.
    interval : float64[2]: of the level, over topics (Student's t).
    slope : b; below 1 the judge draws the runs together. 1 where all runs have the same mean by the humans.
    runs : whom the judge favours.
    groups : likewise; None without groups.
    """

    level: float
    interval: tuple[float, float]
    slope: float
    runs: Favours
    groups: Favours | None


def measure_shift(
    human: Scores, judge: Scores, place: int, groups: dict[str, list[int]] | None, alpha: float
) -> Shift | None:
    """The shift by the measure at this place of both scores; None where fewer than two topics count for both.

    ``groups``: the places of the runs of each group.
    """
    counted = (human.counted & judge.counted)[..., place].all(0)
    if counted.sum() < 2:
        return None
    h, m = (scores.transformed()[:, counted, place] for scores in (human, judge))
    level, _, spread = centre((m - h).mean(0)[None])
    low, high = mean_interval_t(level, spread, h.shape[-1], alpha)[0].tolist()
    slope = _slope(h.mean(-1), m.mean(-1))
    beyond = m - slope * h
    beyond -= beyond.mean(0)
    beyond[tiny(beyond, np.abs(m).max())] = 0.0
    in_groups = None
    if groups:
        others = np.array([_rest(beyond, places) for places in groups.values()])
        own = np.array([beyond[places].mean(0) for places in groups.values()])
        in_groups = _favours(list(groups), own - others, alpha)
    return Shift(float(level[0]), (low, high), slope, _favours(human.runs, beyond, alpha), in_groups)


def _slope(human: Array, judge: Array) -> float:
    """b, by least squares over the means human[run] and judge[run]."""
    _, deviations, spread = centre(human[None])
    return float(deviations[0] @ judge / np.square(deviations).sum()) if spread[0] else 1.0


def _rest(values: Array, places: Sequence[int]) -> Array:
    """float64[topic]: the mean of values[run, topic] over the runs that are not at these places."""
    return np.asarray(np.delete(values, places, axis=0).mean(0))


def _favours(names: Sequence[str], differences: Array, alpha: float) -> Favours:
    """The tests of differences[name, topic]."""
    means, _, spread = centre(differences)
    interval = mean_interval_t(means, spread, differences.shape[-1], alpha)
    return Favours(list(names), means, interval, holm(t_test(differences)), alpha)


@dataclass(frozen=True)
class Conclusions:
    """Pairs of runs by whom they differ significantly, and in which direction.

    Attributes
    ----------
    kept : by humans and judge, in the same direction.
    reversed : by humans and judge, in opposite directions.
    missed : by the humans alone.
    not_confirmed : by the judge alone.
    """

    kept: int
    reversed: int
    missed: int
    not_confirmed: int

    @property
    def human(self) -> int:
        """Pairs that differ significantly by the humans' grades."""
        return self.kept + self.reversed + self.missed


def compare_conclusions(human: Comparison, judge: Comparison, place: int) -> Conclusions:
    """Count the pairs by the measure at this place of two comparisons of the same runs."""
    signs = [np.where(one.significant[place], np.sign(one.difference[place]), 0.0) for one in (human, judge)]
    agreement = signs[0] * signs[1]
    return Conclusions(
        kept=int((agreement > 0).sum()),
        reversed=int((agreement < 0).sum()),
        missed=int(((signs[0] != 0) & (signs[1] == 0)).sum()),
        not_confirmed=int(((signs[0] == 0) & (signs[1] != 0)).sum()),
    )


@dataclass(frozen=True, eq=False)
class Consequences:
    """What a judge's grades make of the runs by one measure.

    Attributes
    ----------
    orders : how alike the orders of the runs are.
    shift : how their means move; None where fewer than two topics count.
    conclusions : which significant differences are kept.
    ceiling : the pool ranked by the judge.
    worth : of the humans' grades; None for a measure that weighs no grades.
    """

    orders: OrderAgreement
    shift: Shift | None
    conclusions: Conclusions
    ceiling: Ceiling
    worth: Worth | None
