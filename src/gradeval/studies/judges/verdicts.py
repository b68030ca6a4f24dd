"""For what is a judge good enough? One rule decides it for orders, significant differences, absolute scores and labels.

Of a figure something is asked: its ceiling. The figure is as good if its lower bound reaches the ceiling, and below if
its upper bound does not; else nothing is decided, and so many topics would decide:

    topics (reach / gap)^2,    gap = |figure - ceiling|, reach = from the figure to its bound on the ceiling's side

Among few runs a single pair moves tau and kept by much: their upper bounds are one pair higher, so that one pair alone
puts no judge below.

What is asked, with the source of each ceiling (docs/judges/verdict.md argues them):

    order            tau with the humans' order of the runs: ``AS_ONE``; and more than shuffled grades reach.
    differences      the share of the humans' significant differences that the judge keeps: ``KEPT``.
    absolute scores  means within ``NOTICEABLE`` of the humans' means, and a slope within ``STEEP`` of 1.
    labels           kappa with the humans: ``RELIABLE``.

The first two are asked over all runs and among the best ones. Where a second human assessor is named, this one is the
ceiling of tau, kept and kappa: the figure is then the judge's less the assessor's, over the same resamples of the same
topics, and 0 is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, TypeAlias

import numpy as np

from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.floors import Resampled, find_bounds, towards_usual
from gradeval.studies.requirements import TOPICS
from gradeval.tables.grid import Estimate

AS_ONE = 0.9
"""Tau from which on orders count as the same, as those by two human assessors do: Voorhees (2001), "Evaluation by
highly relevant documents"; the mean of assessors was .94 by AP in Voorhees (2000), "Variations in relevance
judgments"."""
KEPT = (1 + AS_ONE) / 2
"""The share of pairs of runs that are in the same order at a tau of ``AS_ONE``."""
NOTICEABLE = 0.05
"""Share of a mean by which two means differ noticeably: Sparck Jones (1974), "Automatic indexing"."""
STEEP = 0.1
"""A slope that moves a run whose mean is half of the others' mean by the same ``NOTICEABLE`` share of that mean."""
RELIABLE = 0.8
"""Agreement beyond chance from which on labels can be relied upon: Krippendorff (2004), Content Analysis, 11.4."""
LEAST_TOP = 5
"""The fewest best runs of which anything is said."""
MOST_TOPICS = 1000
"""The most topics of which it is said that they would decide."""
ROUNDING = 1e-9

Bounds: TypeAlias = tuple[float, float]
Answer: TypeAlias = Literal["as good", "below", "not decided"]
NUMBERS: dict[Answer, int] = {"below": -1, "not decided": 0, "as good": 1}
"""Answers in the records, from the weakest."""


@dataclass(frozen=True)
class Decision:
    """A figure between its bounds, beside what is asked of it.

    Attributes
    ----------
    name : of the figure.
    value, low, high : the figure and its bounds.
    ceiling : what is asked of it.
    topics : the topics that the bounds rest on.
    shown : the figure with its bounds, as a sentence has them.
    """

    name: str
    value: float
    low: float
    high: float
    ceiling: float
    topics: int
    shown: str

    @property
    def answer(self) -> Answer:
        """Does the figure reach the ceiling?"""
        if self.low >= self.ceiling - ROUNDING:
            return "as good"
        return "below" if self.high < self.ceiling - ROUNDING else "not decided"

    @property
    def topics_needed(self) -> int | None:
        """The number of topics that would decide; None if even ``MOST_TOPICS`` would not."""
        gap = abs(self.value - self.ceiling)
        reach = self.value - self.low if self.value >= self.ceiling else self.high - self.value
        if self.topics >= MOST_TOPICS or gap * np.sqrt(MOST_TOPICS) < reach * np.sqrt(self.topics):
            return None
        return max(self.topics + 1, ceil(self.topics * (reach / gap) ** 2))


@dataclass(frozen=True)
class Use:
    """What a judge's grades may be used for.

    Attributes
    ----------
    name : begins the sentence.
    reached, missed : what is said where the ceiling is reached, and where it is not.
    """

    name: str
    reached: str
    missed: str


ORDER = Use("Order", "the orders agree to .9 or more", "below .9")
DIFFERENCES = Use("differences", "the judge keeps 95% or more", "below 95%")
SCORES = Use("absolute scores", "the means agree within 5%", "the means differ by more than 5%")
LABELS = Use("labels", "kappa is .8 or more", "below .8")
BESIDE_SECOND = ("as good as the second assessor", "below the second assessor")
"""What is said instead where a second assessor is the ceiling."""


@dataclass(frozen=True)
class JudgeVerdict:
    """What is said of one use of a judge's grades.

    Attributes
    ----------
    use : what the grades are to be used for.
    overall : the figures that are asked for; empty where there is none.
    top : the figure among the best runs; None where there is none.
    top_runs : how many runs these are.
    chance : the skill, which is to be above 0; None where it is not asked for.
    beside_second : is a second assessor the ceiling?
    lacking : why there is no figure, or none among the best runs; empty where nothing is lacking.
    """

    use: Use
    overall: tuple[Decision, ...] = ()
    top: Decision | None = None
    top_runs: int = 0
    chance: Decision | None = None
    beside_second: bool = False
    lacking: str = ""

    @property
    def decisions(self) -> list[Decision]:
        """All figures of which something is asked."""
        return [*self.overall, *filter(None, (self.top, self.chance))]

    @property
    def answer(self) -> Answer:
        """Below if one figure is, as good if all figures are and none is lacking, else not decided."""
        answer = _together(self.decisions)
        return "not decided" if answer == "as good" and self.lacking else answer

    @property
    def topics_needed(self) -> int | None:
        """The number of topics that would decide; None where it is decided, or none up to ``MOST_TOPICS`` would."""
        if self.answer != "not decided":
            return None
        missed = [one.topics_needed for one in self.decisions if one.value < one.ceiling]
        if missed:  # one figure below its ceiling decides
            return min((number for number in missed if number is not None), default=None)
        needed = [one.topics_needed for one in self.decisions if one.answer == "not decided"]
        known = [number for number in needed if number is not None]
        return None if self.lacking or len(known) < len(needed) else max(known, default=None)

    @property
    def margin(self) -> float:
        """By how much the worst figure is above its ceiling, as a share of the ceiling where that is not 0."""
        asked = [one for one in self.decisions if one is not self.chance]
        return min(((one.value - one.ceiling) / abs(one.ceiling or 1.0) for one in asked), default=0.0)

    @property
    def words(self) -> str:
        """The verdict in words."""
        reached, missed = BESIDE_SECOND if self.beside_second else (self.use.reached, self.use.missed)
        overall, needed = _together(self.overall), self.topics_needed
        best = f"among the best {self.top_runs} runs"
        topics = f"no number of topics up to {MOST_TOPICS:,}" if needed is None else f"about {needed:,} topics"
        would = f"{topics} would decide"
        if overall == "below":
            return missed
        if self.top is not None and self.top.answer == "below":
            return f"{reached}, but {missed} {best}" if overall == "as good" else f"{missed} {best}"
        if self.chance is not None and self.chance.answer == "below":
            return "below shuffled grades"
        if self.answer == "as good":
            return reached
        if needed is None and self.lacking:
            why = f"not decided, as {self.lacking}"
            return f"{why}; over all {reached}" if overall == "as good" else why
        if overall == "not decided":
            return f"not decided, {would}"
        if self.top is not None and self.top.answer == "not decided":
            return f"not decided {best}, {would}"
        return f"not decided, as shuffled grades may agree as well; {would}"

    @property
    def figures(self) -> str:
        """The figures that decide, with their bounds."""
        named = [(one.name, one) for one in self.overall]
        named += [] if self.top is None else [(f"best {self.top_runs} runs", self.top)]
        named += [] if self.chance is None else [(self.chance.name, self.chance)]
        return ", ".join(f"{name} {one.shown}" for name, one in named)

    def sentence(self, about: str, measures: int = 1) -> str:
        """The whole sentence; ``about``: the judge and the measure, the weakest of so many."""
        weakest = f", the weakest of {measures} measures" if measures > 1 else ""
        figures = f": {self.figures}" if self.overall else ""
        return f"{self.use.name}: {self.words} ({about}{figures}{weakest})"

    @property
    def cell(self) -> str:
        """The verdict as a cell of a table."""
        needed = self.topics_needed
        return self.answer if needed is None else f"{self.answer} ({needed:,} topics)"


def weakest(verdicts: Sequence[JudgeVerdict]) -> int:
    """The place of the weakest verdict: below comes before not decided, then the smallest margin."""
    return min(range(len(verdicts)), key=lambda place: (NUMBERS[verdicts[place].answer], verdicts[place].margin))


def _together(decisions: Iterable[Decision]) -> Answer:
    """Below if one is, as good if all are, else not decided."""
    answers = {one.answer for one in decisions}
    if "below" in answers:
        return "below"
    return "as good" if answers == {"as good"} else "not decided"


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """How far a judge agrees with the humans by one measure, over all runs and among the best ones.

    Attributes
    ----------
    topics : how many there are.
    top_runs : how many the best runs are.
    tau, top_tau : the correlation of the orders.
    kept, top_kept : the share of the humans' significant differences that the judge keeps.
    """

    topics: int
    top_runs: int
    tau: Resampled
    top_tau: Resampled
    kept: Resampled
    top_kept: Resampled


@dataclass(frozen=True, eq=False)
class Second:
    """What a second human assessor is called, and how far this one agrees with the first."""

    name: str
    agreement: JudgeAgreement


def judge_order(
    own: JudgeAgreement, skill: Estimate | None, alpha: float, second: Second | None = None
) -> JudgeVerdict:
    """Can the judge's order of the runs stand for the humans' order?"""
    overall, top = _decide_orders(own, alpha, second)
    if overall is None:
        return JudgeVerdict(ORDER, lacking="an assessor ties all runs")
    above = Decision("skill", 0.0, -np.inf, 1.0, 2 * ROUNDING, own.topics, "unknown")
    if skill is not None:
        low, high = ends = skill.bounds or (skill.value, skill.value)
        shown = _with_bounds(skill.value, ends, short)
        above = replace(above, value=skill.value, low=low, high=high, shown=shown)
    return JudgeVerdict(ORDER, (overall,), top, own.top_runs, above, second is not None, _about_top(own, top, "tied"))


def judge_differences(own: JudgeAgreement, alpha: float, second: Second | None = None) -> JudgeVerdict:
    """Do the judge's grades lead to the humans' significant differences?"""
    overall, top = (
        _decide("kept", getattr(own, kept), KEPT, (0.0, 1.0), percent, own.topics, alpha, _beside(second, kept), tau)
        for kept, tau in zip(("kept", "top_kept"), _decide_orders(own, alpha, second), strict=True)
    )
    if overall is None:
        why = "no difference is significant" if np.isnan(own.kept.value) else "only the t test gives bounds"
        return JudgeVerdict(DIFFERENCES, lacking=why)
    lacking = _about_top(own, top, "not significantly different")
    return JudgeVerdict(DIFFERENCES, (overall,), top, own.top_runs, None, second is not None, lacking)


def judge_scores(shift: Shift | None, topics: int) -> JudgeVerdict:
    """Can the judge's means stand for the humans' means?"""
    if shift is None:
        return JudgeVerdict(SCORES, lacking="too few topics count")
    margin = NOTICEABLE * abs(shift.human)
    shown = f"{_with_bounds(shift.level, shift.interval, short, sign=True)}, noticeable from {short(margin)}"
    slope, (low, high) = shift.slope, shift.slope_bounds
    figures = (
        _closeness("shift", shift.level, shift.interval, margin, topics, shown),
        _closeness("slope", slope - 1, (low - 1, high - 1), STEEP, topics, _with_bounds(slope, (low, high), short)),
    )
    apart = figures[0].answer == "below" or figures[1].answer != "below"
    return JudgeVerdict(
        SCORES if apart else replace(SCORES, missed="the slope differs from 1 by more than .1"), figures
    )


def judge_labels(
    own: Resampled, topics: int, alpha: float, second: tuple[str, Resampled] | None = None
) -> JudgeVerdict:
    """Can the judge's labels stand for the humans' labels?"""
    kappa = _decide("kappa", own, RELIABLE, (-1.0, 1.0), short, topics, alpha, second)
    if kappa is None:
        return JudgeVerdict(
            LABELS, lacking="all grades are the same" if np.isnan(own.value) else "the topics are too few"
        )
    return JudgeVerdict(LABELS, (kappa,), beside_second=second is not None)


def _decide_orders(own: JudgeAgreement, alpha: float, second: Second | None) -> tuple[Decision | None, Decision | None]:
    """Tau over all runs, and among the best ones, if these are enough."""
    overall, top = (
        _decide("tau", getattr(own, tau), AS_ONE, (-1.0, 1.0), short, own.topics, alpha, _beside(second, tau))
        for tau in ("tau", "top_tau")
    )
    return overall, top


def _beside(second: Second | None, figure: str) -> tuple[str, Resampled] | None:
    """A figure of the second assessor, with the name of this one."""
    return None if second is None else (second.name, getattr(second.agreement, figure))


def _about_top(own: JudgeAgreement, top: Decision | None, otherwise: str) -> str:
    """Why nothing is said of the best runs; empty where something is."""
    if top is not None:
        return ""
    return f"the best {own.top_runs} runs are {'too few' if own.top_runs < LEAST_TOP else otherwise}"


Write: TypeAlias = Callable[..., str]


def _decide(
    name: str,
    own: Resampled,
    ceiling: float,
    within: Bounds,
    write: Write,
    topics: int,
    alpha: float,
    second: tuple[str, Resampled] | None = None,
    tau: Decision | None = None,
) -> Decision | None:
    """A figure beside its ceiling, or beside the same figure of the assessor ``second``; None where it is undefined.

    ``tau``: of a share that is kept. Over many topics each difference is significant, and (1 + tau) / 2 of them are
    kept: on the way to a usual collection the bounds go towards that.
    """
    value, samples = own.value, own.samples
    if second is not None:
        value, samples = value - second[1].value, samples - second[1].samples
        ceiling, within = 0.0, (within[0] - within[1], within[1] - within[0])
    if np.isnan(value) or np.isnan(samples).all() or topics < TOPICS:
        return None
    low, high = find_bounds(value, samples, topics, alpha, within)
    if tau is not None:
        way = towards_usual(topics)
        low, high = (
            end + way * choose(0.0, (order + (second is None)) / 2 - end)
            for choose, end, order in ((min, low, tau.low), (max, high, tau.high))
        )
    high = min(within[1], high + own.step)
    shown = _with_bounds(value, (low, high), write, sign=second is not None)
    if second is not None:
        theirs = find_bounds(second[1].value, second[1].samples, topics, alpha, (-1.0, 1.0))
        beside = _with_bounds(second[1].value, theirs, write)
        shown = f"{write(own.value)}, {second[0]} {beside}, difference {shown}"
    return Decision(name, value, low, high, ceiling, topics, shown)


def _closeness(name: str, value: float, bounds: Bounds, margin: float, topics: int, shown: str) -> Decision:
    """A difference that is to stay within a margin on both sides: -|difference| is to reach -margin."""
    low, high = bounds
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Decision(name, -abs(value), -max(abs(low), abs(high)), -nearest, -margin, topics, shown)


def _with_bounds(value: float, bounds: Bounds, write: Write, *, sign: bool = False) -> str:
    return f"{write(value, sign=sign)} [{', '.join(write(end, sign=sign) for end in bounds)}]"


def percent(value: float, *, sign: bool = False) -> str:
    """A share, as in 96.2%."""
    return f"{value:{'+' if sign else ''}.1%}"


def short(value: float, *, sign: bool = False) -> str:
    """A number without its leading 0, as in .92 and -.02; three decimals where two would hide a small one."""
    digits = 3 if 0 < abs(value) < 0.095 else 2
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and not text.strip("+-").startswith("1") else text
