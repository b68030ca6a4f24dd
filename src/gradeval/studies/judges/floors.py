"""A figure of a judge: its bounds over topics, and its floor, which judges reach that know nothing.

A judge that knows nothing gives each topic as many documents of each grade as the humans do, but to any of them: the
humans' grades are shuffled within the topics. What it reaches on average is the floor of a figure. With the best value
that a figure can have (1 for a tau or a share that is kept, 0 for a share of errors),

    skill = (figure - floor) / (best - floor):    0 for a judge that knows nothing, 1 for the humans themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import interval, widening
from gradeval.formula.arithmetic import Array, ratio
from gradeval.tables.grid import Estimate

FLOORS = 20
"""Judges that know nothing, by which a floor is estimated."""
LEAST = 3
"""Topics from which on there is an interval."""
USUAL_TOPICS = 50
"""Topics of a usual collection: what is said of fewer is to hold there, too."""
RESAMPLES = 150
"""Resamples of the topics, at most, with which judges that know nothing are compared anew."""


@dataclass(frozen=True)
class FigureAndFloor:
    """A figure of a judge with what judges reach that know nothing; None where a side is undefined.

    Attributes
    ----------
    value : the figure, with its interval over topics.
    floor : its mean over ``FLOORS`` judges that know nothing, with its interval over topics and over such judges.
    skill : (value - floor) / (best - floor), with its interval over both.
    """

    value: Estimate | None
    floor: Estimate | None
    skill: Estimate | None


def compare_with_floor(
    value: float,
    resampled: Array,
    floors: Array,
    floors_resampled: Array,
    topics: int,
    alpha: float,
    *,
    within: tuple[float, float],
    best: float = 1.0,
) -> FigureAndFloor:
    """A figure with its floor and its skill; what is NaN is undefined, and left out of means and intervals.

    Parameters
    ----------
    value, resampled : float and float64[sample]: the figure, and over resamples of the topics.
    floors, floors_resampled : float64[floor] and float64[sample, floor]: the same of judges that know nothing, over the
        first of these resamples. In each resample such judges are drawn anew, too: there could be others.
    topics : how many there are.
    within : the lowest and the highest value that the figure can have.
    """
    samples, number = floors_resampled.shape
    chosen = np.random.default_rng(0).integers(number, size=(samples, number))
    again = np.take_along_axis(floors_resampled, chosen, axis=-1)
    known = ~np.isnan(again)
    total = np.where(known, again, 0.0).sum(-1)
    floor_resampled = np.where(known.any(-1), ratio(total, known.sum(-1)), np.nan)
    floor = float(np.nanmean(floors)) if not np.isnan(floors).all() else np.nan
    here = resampled[: len(floor_resampled)]
    skill = np.nan if floor == best else (value - floor) / (best - floor)
    room = best - floor_resampled
    skills = np.where(room == 0, np.nan, ratio(here - floor_resampled, room))
    return FigureAndFloor(
        value=add_interval(value, resampled, topics, alpha, within),
        floor=add_interval(floor, floor_resampled, topics, alpha, within),
        skill=add_interval(skill, skills, topics, alpha, (-np.inf, 1.0)),
    )


def add_interval(
    value: float, samples: Array, topics: int, alpha: float, within: tuple[float, float] = (-1.0, 1.0)
) -> Estimate | None:
    """A figure with its interval over resamples of the topics, if these differ; None where it is NaN.

    Topics that are drawn twice add noise, which moves every figure of a resample, a tau down and a share of significant
    differences up: percentiles are taken from the median of the resamples, not from the value (see ``interval``); their
    distances from it are widened for few topics (see ``widening``).
    """
    if np.isnan(value):
        return None
    if np.isnan(samples).all() or topics < LEAST:
        return Estimate(value)
    bounds = value + widening(topics, alpha) * (interval(samples, alpha, around=value) - value)
    low, high = bounds.clip(*within).tolist()
    return Estimate(value, bounds=(low, high) if low < high else None)  # the same in all resamples: nothing is known


@dataclass(frozen=True, eq=False)
class Resampled:
    """A figure, and the same over resamples of the topics, float64[sample]; NaN where it is undefined.

    Attributes
    ----------
    step : by how much one pair of runs moves it.
    over : float64[sample]: the same over resamples of another number of topics; None where that is not computed.
    """

    value: float
    samples: Array
    step: float = 0.0
    over: Callable[[int], Array] | None = None


@dataclass(frozen=True)
class Spread:
    """How far a figure varies over topics, from which its bounds follow over any number of them.

    Topics that are drawn twice move a figure, a tau mostly down: the median of its resamples is value + b. Over as many
    topics ``value`` is expected, over N topics value - b (1 - topics/N). Over other numbers of topics like these, b
    falls as 1/N, the percentiles come nearer to the median as 1/sqrt(N).

    Attributes
    ----------
    value, bias : the figure, and b.
    below, above : how far the percentiles alpha/2 and 1 - alpha/2 of the resamples are from their median.
    topics, alpha : of the resamples.
    """

    value: float
    bias: float
    below: float
    above: float
    topics: int
    alpha: float

    @classmethod
    def of(cls, value: float, resampled: Array, topics: int, alpha: float) -> Spread:
        """Of float64[sample], the figure over resamples of the topics; NaN is left out."""
        low, high = interval(resampled, alpha).tolist()
        middle = float(np.nanmedian(resampled))
        return cls(value, middle - value, middle - low, high - middle, topics, alpha)

    @classmethod
    def between(cls, value: float, bounds: tuple[float, float], topics: int, alpha: float) -> Spread:
        """Of a figure between bounds that are widened for so many topics."""
        wide, (low, high) = widening(topics, alpha), bounds
        return cls(value, 0.0, (value - low) / wide, (high - value) / wide, topics, alpha)

    def bounds(self, topics: int) -> tuple[float, float]:
        """Of what is expected over so many topics, and over ``USUAL_TOPICS``; widened for few (see ``widening``)."""
        usual = self.value - towards_usual(topics) * self.bias * self.topics / topics
        reach = widening(topics, self.alpha) * np.sqrt(self.topics / topics)
        return (float(min(self.value, usual) - reach * self.below), float(max(self.value, usual) + reach * self.above))


def find_bounds(
    value: float, resampled: Array, topics: int, alpha: float, within: tuple[float, float], over: int | None = None
) -> tuple[float, float]:
    """The bounds of a figure, from float64[sample], the figure over resamples of the topics (see ``Spread``).

    ``within``: the lowest and the highest value that the figure can have. ``over``: so many topics; default: these.
    """
    low, high = Spread.of(value, resampled, topics, alpha).bounds(topics if over is None else over)
    return max(within[0], low), min(within[1], high)


def towards_usual(topics: int) -> float:
    """1 - topics / ``USUAL_TOPICS``, and 0 from there on: how much of the way to many topics a usual collection is."""
    return max(0.0, 1 - topics / USUAL_TOPICS)


def shuffle_within_topics(grades: Array, topic: Array, times: int, seed: int) -> Array:
    """float64[time, document]: the grades[document] of each topic shuffled among its documents that have one.

    NaN stays where it is: a document outside the pool stays outside.
    """
    there = np.flatnonzero(~np.isnan(grades))
    kept, group = grades[there], topic[there]
    rng = np.random.default_rng(seed)
    shuffled = np.full((times, len(grades)), np.nan)
    by_topic = np.argsort(group, kind="stable")
    for row in shuffled:
        order = np.lexsort([rng.random(len(kept)), group])  # topic by topic, at random within each
        row[there[by_topic]] = kept[order]
    return shuffled
