"""By how much does a judge raise the means, and which runs or families of runs does it favour?

A judge that errs at random pulls all runs together: good ones lose, bad ones gain, and none is favoured. A line over
the runs says how far: judge = a + b human, with h and m the values by the humans' and the judge's grades on the scale
on which topics are averaged:

    b = cov(mean of h, mean of m) / var(mean of h) over the runs

Who is favoured is not read off that line, as errors at random bend it: a lenient judge alone puts runs off it. It is
compared with what chance does to a judge that makes the same errors but knows no run. Such a judge is drawn by
shuffling, in each topic, the judge's grades among the documents of the same human grade: it keeps the judge's confusion
matrix, topic by topic. With m' the values by a drawn judge,

    e[run, topic] = m - mean of m' over the draws, less its mean over the runs in the topic

and the mean of e over topics is the gain of a run. Its p value is the share of all judges, the one at hand and those
drawn, in which some run gains or loses as much, in standard deviations of that run's gain over these judges: it is
corrected for all runs.

Such a gain alone accuses nobody. If the humans err, a document of a better run is better than another of the same human
grade, and an honest judge sees it. But then the humans, who err by themselves, see it too: among documents of one
grade of the judge, they grade the better run's documents higher. A judge that favours the run does the opposite: what
it grades like others is worse. So the roles are swapped, and a run is favoured only if it gains by the judge and loses
by the humans, each beyond chance. If neither knows the run, and better documents are retrieved as often or more, both
gains have one sign: then a run is called favoured with probability alpha at most, whatever the errors of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from gradeval.formula.arithmetic import SAME, Array, ratio, tiny
from gradeval.scores.scores import Scores
from gradeval.studies.judges.floors import find_bounds
from gradeval.studies.significance import centre, paired_interval_t


@dataclass(frozen=True, eq=False)
class Shift:
    """How the means of runs move from the humans' grades to a judge's.

    Attributes
    ----------
    level : the mean over runs and topics of m - h.
    interval : of the level, over topics (Student's t); None where so few topics all shift by the same amount.
    slope : b; below 1 the judge draws the runs together. NaN where all runs have the same mean by the humans.
    slope_bounds : of the slope, over topics (see ``find_bounds``); NaN likewise.
    human : the mean over runs and topics of h.
    topics : those that count for all runs by both.
    """

    level: float
    interval: tuple[float, float] | None
    slope: float
    slope_bounds: tuple[float, float]
    human: float
    topics: int


def measure_shift(human: Scores, judge: Scores, place: int, alpha: float, weights: Array) -> Shift | None:
    """The shift by the measure at this place of both scores; None where fewer than two topics count for both.

    ``weights``: float64[sample, topic]: resamples of the topics, for the bounds of the slope.
    """
    counted = (human.counted & judge.counted)[..., place].all(0)
    if counted.sum() < 2:
        return None
    h, m = (scores.transformed()[:, counted, place] for scores in (human, judge))
    level, _, spread = centre((m - h).mean(0)[None])
    low, high = paired_interval_t(level, spread, h.shape[-1], alpha)[0].tolist()
    slope = float(_slopes(h.mean(-1)[None], m.mean(-1)[None])[0]) if len(h) > 1 else np.nan
    drawn = weights[:, counted]
    drawn = drawn[drawn.any(-1)] if drawn.any() else np.ones((1, h.shape[-1]))
    share = drawn / drawn.sum(-1, keepdims=True)
    slope_bounds = np.nan, np.nan
    if not np.isnan(slope):
        slope_bounds = find_bounds(slope, _slopes(share @ h.T, share @ m.T), h.shape[-1], alpha, (-np.inf, np.inf))
    interval = None if np.isnan(low) else (low, high)
    return Shift(float(level[0]), interval, slope, slope_bounds, float(h.mean()), h.shape[-1])


def _slopes(human: Array, judge: Array) -> Array:
    """float64[sample]: b, by least squares over the means human[sample, run] and judge[sample, run]; NaN where the
    humans' means are all the same."""
    _, deviations, spread = centre(human)
    products = (deviations[:, None] @ judge[..., None])[:, 0, 0]
    return np.where(spread > 0, ratio(products, np.square(deviations).sum(-1)), np.nan)


@dataclass(frozen=True, eq=False)
class Favours:
    """By how much more, or less, runs gain by the grades of one side than by drawn assessors with the same errors.

    Attributes
    ----------
    names : of the runs, or of the groups.
    value, interval : float64[name], float64[name, 2]: the gain, for a group less the other runs' gain, and its
        interval over topics (Student's t); NaN where so few topics all gain the same amount.
    p : float64[name]: of the gain among the drawn judges' gains, corrected for all the names.
    p_over_measures : float64[name]: as p, corrected for all measures, too: where the clearest measure is picked.
    alpha : of the intervals, which cover 1 - alpha, and of the marks.
    draws : the number of drawn judges.
    humans : the same for the humans' grades, whose errors are counted from the judge's grades; None where no name gains
        or loses beyond chance by the judge.
    """

    names: list[str]
    value: Array
    interval: Array
    p: Array
    p_over_measures: Array
    alpha: float
    draws: int
    humans: Favours | None = None

    @property
    def beyond_chance(self) -> Array:
        """bool[name]: gains or loses beyond chance by the judge, whichever side errs."""
        return self.p < self.alpha

    @property
    def significant(self) -> Array:
        """bool[name]: favoured, or the opposite: the humans move it the other way, beyond chance too."""
        return self.beyond_chance & self._opposed("p")

    @property
    def significant_over_measures(self) -> Array:
        """bool[name]: as ``significant``, after the correction for all measures."""
        return (self.p_over_measures < self.alpha) & self._opposed("p_over_measures")

    def _opposed(self, p: Literal["p", "p_over_measures"]) -> Array:
        """bool[name]: do the humans, by these p values, move it the other way?"""
        if self.humans is None:
            return np.zeros(len(self.names), bool)
        moved = getattr(self.humans, p) < self.alpha
        return np.asarray(moved & (np.sign(self.humans.value) == -np.sign(self.value)))


def beside_humans(judge: Favours | None, humans: Favours | None) -> Favours | None:
    """The gains by a judge, with the gains by the humans."""
    return None if judge is None else replace(judge, humans=humans)


def shuffle_by_grade(given: Array, judge: Array, topic: Array, rng: np.random.Generator) -> Iterator[Array]:
    """float64[document] without end: the judge's grades shuffled among a topic's documents of one given grade.

    ``given``: the humans' grades; or the judge's, if ``judge`` is the humans. Documents that one side alone judged
    (NaN) keep what they have.
    """
    common = np.flatnonzero(~np.isnan(given) & ~np.isnan(judge))
    _, grade = np.unique(given[common], return_inverse=True)
    group = topic[common] * (len(grade) + 1) + grade
    by_group = common[np.argsort(group, kind="stable")]
    while True:
        shuffled = judge.copy()
        shuffled[by_group] = judge[common[np.lexsort([rng.random(len(common)), group])]]
        yield shuffled


@dataclass(eq=False)
class DrawnJudges:
    """Values by drawn judges, added one by one.

    Attributes
    ----------
    total : float64[run, topic, measure]: the sum of the values over the judges.
    means : by judge, float64[run, measure]: the means over the topics that count.
    """

    counted: Array
    total: Array
    means: list[Array]

    @classmethod
    def of(cls, human: Scores, judge: Scores) -> DrawnJudges:
        """None so far; a topic counts where it does for all runs by both sides."""
        counted = np.asarray((human.counted & judge.counted).all(0))
        return cls(counted, np.zeros(judge.values.shape), [])

    def add(self, scores: Scores) -> None:
        """Add the scores by one more judge."""
        values = scores.transformed()
        self.total += values
        self.means.append(self.mean(values))

    def mean(self, values: Array) -> Array:
        """float64[run, measure]: of values[run, topic, measure], over the topics that count."""
        return ratio((values * self.counted).sum(1), self.counted.sum(0))


def find_favours(
    judge: Scores, drawn: DrawnJudges, groups: Mapping[str, Sequence[int]], alpha: float
) -> list[tuple[Favours | None, Favours | None]]:
    """By measure the favoured runs, and groups of runs if there are any; None where fewer than two topics count.

    ``groups``: the places of the runs of each group.
    """
    values = judge.transformed()
    usual = drawn.total / len(drawn.means)
    means = np.stack([drawn.mean(values), *drawn.means])
    measured: list[tuple[_MeasuredGains | None, _MeasuredGains | None]] = []
    for place in range(len(judge.measures)):
        counted = drawn.counted[:, place]
        if counted.sum() < 2:
            measured.append((None, None))
            continue
        beyond = (values - usual)[:, counted, place]
        beyond[tiny(beyond, np.abs(values[..., place]).max())] = 0.0
        beyond -= beyond.mean(0)
        gains = means[..., place] - means[..., place].mean(-1, keepdims=True)
        runs = _measure_gains(judge.runs, beyond, gains)
        in_groups = None
        if groups:
            weights = np.stack([_contrast(places, len(judge.runs)) for places in groups.values()])
            in_groups = _measure_gains(list(groups), weights @ beyond, gains @ weights.T)
        measured.append((runs, in_groups))
    of_runs, of_groups = (_test_gains(side, alpha) for side in zip(*measured, strict=True))
    return list(zip(of_runs, of_groups, strict=True))


def _contrast(places: Sequence[int], runs: int) -> Array:
    """float64[run]: the mean of a group of runs less the mean of the others."""
    inside = np.isin(np.arange(runs), places)
    return np.asarray(inside / inside.sum() - ~inside / (~inside).sum())


class _MeasuredGains(NamedTuple):
    """By one measure: the names, their gains[name, topic] by the judge at hand, and the sizes[judge, name] of the gains
    of this judge and of the drawn ones, in deviations over the judges."""

    names: list[str]
    beyond: Array
    sizes: Array


def _measure_gains(names: Sequence[str], beyond: Array, gains: Array) -> _MeasuredGains:
    """Of beyond[name, topic], and of gains[judge, name] of the judge at hand and of the drawn judges."""
    apart = gains - gains.mean(0)
    apart[tiny(apart, np.abs(gains).max())] = 0.0
    return _MeasuredGains(list(names), beyond, np.abs(ratio(apart, apart.std(0))))


def _test_gains(by_measure: Sequence[_MeasuredGains | None], alpha: float) -> list[Favours | None]:
    """The tests: a gain is compared with the largest one of each judge, by its measure and by all of them."""
    largest = [None if one is None else one.sizes.max(-1) for one in by_measure]
    of_all = np.max([one for one in largest if one is not None] or [[0.0]], axis=0)
    tests: list[Favours | None] = []
    for one, of_one in zip(by_measure, largest, strict=True):
        if one is None or of_one is None:
            tests.append(None)
            continue
        value, _, spread = centre(one.beyond)
        interval = paired_interval_t(value, spread, one.beyond.shape[-1], alpha)
        p, p_over_measures = ((most[:, None] >= one.sizes[0] * (1 - SAME)).mean(0) for most in (of_one, of_all))
        tests.append(Favours(one.names, value, interval, p, p_over_measures, alpha, len(one.sizes) - 1))
    return tests
