"""Does a figure of a judge reach its ceiling, between its bounds over topics; how many topics would decide?

Each figure has to reach a value, its ceiling. The figure is as good if its lower bound reaches the ceiling, and below
if its upper bound does not; else nothing is decided. How many topics would decide is found from the bounds over N
topics like these: of tau by drawing N of these topics, as it comes nearer to its mean more slowly than a mean does,
else from the spread over these (see ``Spread``). For a share of significant differences that are kept it is unknown, as
over more topics other differences are significant; so for the skill.

Among few runs a single pair moves tau and kept by much: their upper bounds are one pair higher, over any number of
topics, so that one pair alone puts no judge below.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from gradeval.studies.judges.floors import Resampled, Spread, towards_usual
from gradeval.studies.judges.labels import bound_alike

MOST_TOPICS = 1000
"""The most topics of which it is said that they would decide."""
ROUNDING = 1e-9
MOST_DIGITS = 6

Bounds: TypeAlias = tuple[float, float]
Answer: TypeAlias = Literal["as good", "below", "not decided"]
Write: TypeAlias = Callable[..., str]


@dataclass(frozen=True)
class Decision:
    """A figure between its bounds, with its ceiling.

    Attributes
    ----------
    name : of the figure.
    value, low, high : the figure and its bounds.
    ceiling : the value to reach.
    topics : the topics that the bounds rest on.
    shown : the figure with its bounds, as a sentence has them.
    topics_needed : the number of topics that would decide; None if it is decided, or even ``MOST_TOPICS`` would not.
    foreseen : are the bounds over other numbers of topics known?
    """

    name: str
    value: float
    low: float
    high: float
    ceiling: float
    topics: int
    shown: str = ""
    topics_needed: int | None = None
    foreseen: bool = True

    @property
    def answer(self) -> Answer:
        """Does the figure reach the ceiling?"""
        return _compare((self.low, self.high), self.ceiling)


def _compare(bounds: Bounds, ceiling: float) -> Answer:
    if bounds[0] >= ceiling - ROUNDING:
        return "as good"
    return "below" if bounds[1] < ceiling - ROUNDING else "not decided"


def decide(
    name: str,
    value: float,
    ceiling: float,
    topics: int,
    bounds_over: Callable[[int], Bounds],
    shown: str = "",
    *,
    foreseen: bool = True,
) -> Decision:
    """A figure with its ceiling; ``bounds_over``: its bounds over so many topics like these."""
    decision = Decision(name, value, *bounds_over(topics), ceiling, topics, shown, foreseen=foreseen)
    if decision.answer != "not decided" or not foreseen or abs(value - ceiling) <= ROUNDING:
        return decision
    more = range(topics + 1, MOST_TOPICS + 1)
    place = bisect_left(more, True, key=lambda number: _compare(bounds_over(number), ceiling) != "not decided")
    return replace(decision, topics_needed=more[place] if place < len(more) else None)


@dataclass(frozen=True, eq=False)
class AskedFigure:
    """A figure of which it is asked whether it reaches its ceiling, or the same figure of a second assessor.

    Attributes
    ----------
    within : the lowest and the highest value that the figure can have.
    write : writes a value.
    topics : those over which it was resampled.
    alpha : its bounds cover 1 - alpha.
    second : the name of the second assessor, and the same figure of this one.
    tau : of a share that is kept, by Kendall. Over many topics each difference is significant, and (1 + tau) / 2 of
        them are kept: on the way to a usual collection the bounds go towards that.
    alone : the bounds of one figure, of so many topics, over others like these; default: by its ``Spread``. A
        difference that is the same in all topics may then be any other in topics unlike these (see ``bound_alike``).
    """

    name: str
    own: Resampled
    ceiling: float
    within: Bounds
    write: Write
    topics: int
    alpha: float
    second: tuple[str, Resampled] | None = None
    tau: Decision | None = None
    alone: Callable[[Resampled, int, float, int], Bounds] | None = None

    def decide(self) -> Decision | None:
        """The figure, or its difference from the second assessor's, with its ceiling; None where it is undefined."""
        second = None if self.second is None else self.second[1]
        samples = self.own.samples - (0.0 if second is None else second.samples)
        if np.isnan(self._value) or np.isnan(samples).all():
            return None
        asked = self.ceiling if second is None else 0.0
        bounds = self.bounds_over(self.topics)
        shown = with_bounds(self._value, bounds, self.write, sign=second is not None, ceiling=asked)
        if self.second is not None:
            name, theirs = self.second
            beside_it = f"{name} {with_bounds(theirs.value, self._bounds_alone(theirs, self.topics), self.write)}"
            shown = f"{self.write(self.own.value, apart_from=1.0)}, {beside_it}, difference {shown}"
        foreseen = self.name != "kept"
        return decide(self.name, self._value, asked, self.topics, self.bounds_over, shown, foreseen=foreseen)

    @property
    def _value(self) -> float:
        return self.own.value - (0.0 if self.second is None else self.second[1].value)

    def bounds_over(self, topics: int) -> Bounds:
        """The bounds over so many topics like these.

        A difference is bounded by the bounds of the two figures, too: where a judge keeps all, it is not below 0.
        """
        if self.second is None:
            return self._bounds_alone(self.own, topics) if self.alone else _clip(self._spread(topics), self.within)
        low, high = self._spread(topics)
        if self.alone is not None and low == high:
            low, high = bound_alike(self._value, topics, self.alpha, self.within)
        ours, theirs = (self._bounds_alone(one, topics) for one in (self.own, self.second[1]))
        most = min(self.within[1], ours[1] + self.own.step)
        return max(ours[0] - theirs[1], low), min(most - theirs[0], high)

    def _bounds_alone(self, one: Resampled, topics: int) -> Bounds:
        """The bounds of one of the two figures."""
        if self.alone is not None:
            return self.alone(one, self.topics, self.alpha, topics)
        return _clip(_spread_over(topics, one, None, self.topics, self.alpha).bounds(topics), self.within)

    def _spread(self, topics: int) -> Bounds:
        """The bounds by the spread over the topics; the upper one is one pair of runs higher."""
        second = None if self.second is None else self.second[1]
        low, high = _spread_over(topics, self.own, second, self.topics, self.alpha).bounds(topics)
        if self.tau is not None and self.tau.name == "tau":
            way = towards_usual(topics)
            low, high = (
                end + way * choose(0.0, (order + (second is None)) / 2 - end)
                for choose, end, order in ((min, low, self.tau.low), (max, high, self.tau.high))
            )
        return low, high + self.own.step


def _spread_over(number: int, own: Resampled, second: Resampled | None, topics: int, alpha: float) -> Spread:
    """Of a figure, less the one of a second assessor, over so many topics: drawn anew where that can be done."""
    again = number != topics and all(one.over is not None or len(one.samples) == 1 for one in (own, second) if one)
    ours, theirs = (
        np.zeros(1) if one is None else one.over(number) if again and one.over else one.samples for one in (own, second)
    )
    return Spread.of(own.value - (second.value if second else 0.0), ours - theirs, number if again else topics, alpha)


def _clip(bounds: Bounds, within: Bounds) -> Bounds:
    return max(within[0], bounds[0]), min(within[1], bounds[1])


def decide_closeness(name: str, spread: Spread, margin: float, shown: str) -> Decision:
    """A difference that is to stay within a margin on both sides: -|difference| is to reach -margin."""

    def bounds_over(topics: int) -> Bounds:
        low, high = spread.bounds(topics)
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return -max(abs(low), abs(high)), -nearest

    return decide(name, -abs(spread.value), -margin, spread.topics, bounds_over, shown)


def with_bounds(value: float, bounds: Bounds, write: Write, *, sign: bool = False, ceiling: float | None = None) -> str:
    """A figure with its bounds; ``ceiling``: a bound that does not reach it is not written as if it did."""
    ends = ", ".join(write(end, sign=sign, apart_from=ceiling) for end in bounds)
    return f"{write(value, sign=sign, apart_from=1.0)} [{ends}]"


def _digits(value: float, least: int, apart_from: float | None) -> int:
    """The decimals with which a value below a limit is written as below it."""
    more = range(least, MOST_DIGITS)
    if apart_from is None or value >= apart_from - ROUNDING:
        return least
    return next((digits for digits in more if round(value, digits) < apart_from - ROUNDING), MOST_DIGITS)


def percent(value: float, *, sign: bool = False, apart_from: float | None = None) -> str:
    """A share, as in 96.2%."""
    return f"{value:{'+' if sign else ''}.{_digits(value, 3, apart_from) - 2}%}"


def short(value: float, *, sign: bool = False, apart_from: float | None = None) -> str:
    """A number without its leading 0, as in .92 and -.02; three decimals where two would hide a small one."""
    digits = _digits(value, 3 if 0 < abs(value) < 0.095 else 2, apart_from)
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and not text.strip("+-").startswith("1") else text
