"""By how much does a judge raise the means, and which runs or families of runs does it favour?

d[run, topic] is the value by the judge's grades less that by the humans', on the scale on which topics are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.scores.scores import Scores
from gradeval.studies.significance.corrections import holm
from gradeval.studies.significance.paired import centre
from gradeval.studies.significance.paired_tests import mean_interval_t, t_test


@dataclass(frozen=True, eq=False)
class Favours:
    """By how much more, or less, than others some runs gain by the grades of a judge.

    Attributes
    ----------
    names : of the runs, or of the groups.
    value, interval : float64[name], float64[name, 2]: the difference and its interval over topics.
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
    level : the mean over runs and topics of d.
    interval : float64[2]: of the level, over topics (Student's t).
    runs : by how much more than the mean of all runs each run gains.
    groups : by how much more than the other runs each group of runs gains; None without groups.
    """

    level: float
    interval: tuple[float, float]
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
    differences = judge.transformed()[:, counted, place] - human.transformed()[:, counted, place]
    mean = differences.mean(0)
    level, _, spread = centre(mean[None])
    low, high = mean_interval_t(level, spread, len(mean), alpha)[0].tolist()
    in_groups = None
    if groups:
        others = np.array([_rest(differences, places) for places in groups.values()])
        own = np.array([differences[places].mean(0) for places in groups.values()])
        in_groups = _favours(list(groups), own - others, alpha)
    return Shift(float(level[0]), (low, high), _favours(human.runs, differences - mean, alpha), in_groups)


def _rest(differences: Array, places: Sequence[int]) -> Array:
    """float64[topic]: the mean over the runs that are not at these places."""
    return np.asarray(np.delete(differences, places, axis=0).mean(0))


def _favours(names: Sequence[str], differences: Array, alpha: float) -> Favours:
    """The tests of differences[name, topic]."""
    means, _, spread = centre(differences)
    interval = mean_interval_t(means, spread, differences.shape[-1], alpha)
    return Favours(list(names), means, interval, holm(t_test(differences)), alpha)
