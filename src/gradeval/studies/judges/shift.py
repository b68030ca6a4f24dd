"""By how much does a judge raise the means, and which runs or families of runs does it favour?

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

from gradeval.formula.arithmetic import Array, tiny
from gradeval.scores.scores import Scores
from gradeval.studies.significance.corrections import holm
from gradeval.studies.significance.paired import centre
from gradeval.studies.significance.paired_tests import mean_interval_t, t_test


@dataclass(frozen=True, eq=False)
class Favours:
    """By how much more, or less, some runs gain by the grades of a judge than the line of all runs explains.

    Attributes
    ----------
    names : of the runs, or of the groups.
    value, interval : float64[name], float64[name, 2]: the mean of e, for a group less that of the other runs, and its
        interval over topics.
    p : float64[name]: of a paired t-test over topics, after Holm's correction for all the names.
    alpha : the level of the intervals and marks.
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
