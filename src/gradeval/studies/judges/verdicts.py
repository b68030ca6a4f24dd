"""For what is a judge good enough? One rule decides it for orders, significant differences, absolute scores and labels.

Each figure has to reach a value, its ceiling. The figure is as good if its lower bound reaches the ceiling, and below
if its upper bound does not; else nothing is decided. How many topics would decide is found from the bounds over N
topics like these: of tau by drawing N of these topics, as it comes nearer to its mean more slowly than a mean does,
else from the spread over these (see ``Spread``). For a share of significant differences that are kept it is unknown, as
over more topics other differences are significant; so for the skill.

Among few runs a single pair moves tau and kept by much: their upper bounds are one pair higher, over any number of
topics, so that one pair alone puts no judge below.

What is asked, with the source of each ceiling (docs/judges/verdict.md argues them):

    order            tau with the humans' order of the runs: ``AS_ONE``; and more than shuffled grades reach.
    differences      the share of the humans' significant differences that the judge keeps: ``KEPT``; likewise.
    absolute scores  means within ``NOTICEABLE`` of the humans' means, on average, and a slope within ``STEEP`` of 1.
    labels           alpha with the humans: ``RELIABLE``.

The first two are asked over all runs and among the best ones. Where a second human assessor is named, this one is the
ceiling of tau, kept and alpha: the figure is then the judge's less the assessor's, over the same resamples of the same
topics, and its ceiling is 0. Of fewer topics than ``LEAST_TOPICS`` nothing is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from gradeval.messages import capitalised, plural
from gradeval.studies.correlation import Statistic
from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.floors import Resampled, Spread, towards_usual
from gradeval.studies.judges.labels import OneGrade, bound_agreement, bound_alike
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
"""Alpha from which on labels can be relied upon: Krippendorff (2004), Content Analysis, 11.4."""
LEAST_TOP = 5
"""The fewest best runs of which anything is said."""
MANY = 3
"""Runs from which on their orders are correlated and a line is put through their means."""
LEAST_TOPICS = 10
"""The fewest topics on which verdicts were tried."""
MOST_TOPICS = 1000
"""The most topics of which it is said that they would decide."""
ROUNDING = 1e-9

Bounds: TypeAlias = tuple[float, float]
Answer: TypeAlias = Literal["as good", "below", "not decided"]
NUMBERS: dict[Answer, int] = {"below": -1, "not decided": 0, "as good": 1}
"""Answers in the records, from the weakest."""


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
    found = Decision(name, value, *bounds_over(topics), ceiling, topics, shown, foreseen=foreseen)
    if found.answer != "not decided" or not foreseen or abs(value - ceiling) <= ROUNDING:
        return found
    more = range(topics + 1, MOST_TOPICS + 1)
    place = bisect_left(more, True, key=lambda number: _compare(bounds_over(number), ceiling) != "not decided")
    return replace(found, topics_needed=more[place] if place < len(more) else None)


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


ORDER = Use("order", "the orders agree to .9 or more", "below .9")
DIFFERENCES = Use("differences", "the judge keeps 95% or more", "below 95%")
SCORES = Use("absolute scores", "the means agree within 5% on average", "the means differ by more than 5% on average")
LABELS = Use("labels", "alpha is .8 or more", "below .8")
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
    chance : by how much the judge does better than shuffled grades, which is to be above 0; None where it is not asked
        for.
    beside_second : is a second assessor the ceiling?
    lacking : why there is no figure, or none among the best runs; empty where nothing is lacking.
    part : over which pairs, as "on 6 of 9 pairs"; empty where it is over all that the humans and the judge judged.
    """

    use: Use
    overall: tuple[Decision, ...] = ()
    top: Decision | None = None
    top_runs: int = 0
    chance: Decision | None = None
    beside_second: bool = False
    lacking: str = ""
    part: str = ""

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
        missed = [one.topics_needed for one in self.decisions if one.value < one.ceiling - ROUNDING]
        if missed:  # one figure below its ceiling decides
            return min((number for number in missed if number is not None), default=None)
        needed = [one.topics_needed for one in self.decisions if one.answer == "not decided"]
        known = [number for number in needed if number is not None]
        return None if self.lacking or len(known) < len(needed) else max(known, default=None)

    @property
    def margin(self) -> float:
        """By how much the worst figure is above its ceiling, as a share of the ceiling where that is not 0."""
        asked = [one for one in self.decisions if one is not self.chance]
        return min(((one.value - one.ceiling) / abs(one.ceiling or 1.0) for one in asked), default=-np.inf)

    @property
    def words(self) -> str:
        """The verdict in words."""
        reached, missed = BESIDE_SECOND if self.beside_second else (self.use.reached, self.use.missed)
        overall, needed = _together(self.overall), self.topics_needed
        best = f"among the best {self.top_runs} runs"
        topics = f"no number of topics up to {MOST_TOPICS:,}" if needed is None else f"about {needed:,} topics"
        foreseen = all(one.foreseen for one in self.decisions if one.answer == "not decided")
        would = f"{topics} would decide" if foreseen else "how many topics would decide is not known"
        if overall == "below":
            return missed
        if self.top is not None and self.top.answer == "below":
            return f"{reached}, but {missed} {best}" if overall == "as good" else f"{missed} {best}"
        if self.chance is not None and self.chance.answer == "below":
            return "no better than shuffled grades"
        if self.answer == "as good":
            return reached
        if needed is None and self.lacking:
            why = f"not decided, as {self.lacking}"
            return f"{why}; over all {reached}" if overall == "as good" else why
        if overall == "not decided":
            return f"not decided; {would}"
        if self.top is not None and self.top.answer == "not decided":
            return f"not decided {best}; {would}"
        return f"not decided, as shuffled grades may do as well; {would}"

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
        over = f" {self.part}" if self.part else ""
        return f"{capitalised(self.use.name)}: {self.words} ({about}{over}{figures}{weakest})"

    @property
    def cell(self) -> str:
        """The verdict as a cell of a table."""
        needed = self.topics_needed
        return self.answer if needed is None else f"{self.answer}, {needed:,} topics would"


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
    tau, top_tau : the correlation of the orders; NaN where a side ties the runs.
    kept, top_kept : the share of the humans' significant differences that the judge keeps.
    statistic : which correlation it is.
    humans_tie, humans_tie_top : do the humans tie all runs, or the best ones?
    """

    topics: int
    top_runs: int
    tau: Resampled
    top_tau: Resampled
    kept: Resampled
    top_kept: Resampled
    statistic: Statistic = "kendall"
    humans_tie: bool = False
    humans_tie_top: bool = False


@dataclass(frozen=True, eq=False)
class Second:
    """What a second human assessor is called, how far this one agrees with the first, and over which pairs, in words
    (see ``JudgeVerdict``)."""

    name: str
    agreement: JudgeAgreement
    part: str = ""


NO_ORDER = Resampled(0.0, np.zeros(1))
"""Tau of who ties all runs, and so orders nothing."""


def judge_order(
    own: JudgeAgreement, skill: Estimate | None, alpha: float, second: Second | None = None
) -> JudgeVerdict:
    """Can the judge's order of the runs stand for the humans' order? ``skill``: of tau."""
    if own.topics < LEAST_TOPICS:
        return _too_few(ORDER, own.topics)
    overall, top = _decide_orders(own, alpha, second)
    if overall is None:
        return JudgeVerdict(ORDER, lacking="the humans tie all runs")
    above = _above_chance(skill, own.topics)
    if np.isnan(own.tau.value):
        above = replace(above, value=0.0, low=0.0, high=0.0, shown="0")
    lacking = _about_top(own, top, "tied")
    return JudgeVerdict(ORDER, (overall,), top, own.top_runs, above, second is not None, lacking, _part(second))


def judge_differences(
    own: JudgeAgreement, skill: Estimate | None, alpha: float, second: Second | None = None
) -> JudgeVerdict:
    """Do the judge's grades lead to the humans' significant differences? ``skill``: of the share that is kept."""
    if own.topics < LEAST_TOPICS:
        return _too_few(DIFFERENCES, own.topics)
    overall, top = (
        _decide("kept", getattr(own, kept), KEPT, (0.0, 1.0), percent, own.topics, alpha, _beside(second, kept), tau)
        for kept, tau in zip(("kept", "top_kept"), _decide_orders(own, alpha, second), strict=True)
    )
    if overall is None:
        why = "no difference is significant" if np.isnan(own.kept.value) else "only the t test gives bounds"
        return JudgeVerdict(DIFFERENCES, lacking=why)
    above = _above_chance(skill, own.topics)
    lacking = _about_top(own, top, "not significantly different")
    return JudgeVerdict(DIFFERENCES, (overall,), top, own.top_runs, above, second is not None, lacking, _part(second))


def judge_scores(shift: Shift | None, alpha: float, runs: int = MANY) -> JudgeVerdict:
    """Can the judge's means stand for the humans' means, on average over so many runs? Of few no slope is asked."""
    if shift is None:
        return JudgeVerdict(SCORES, lacking="too few topics count")
    if shift.topics < LEAST_TOPICS:
        return _too_few(SCORES, shift.topics)
    margin = NOTICEABLE * abs(shift.human)
    if margin == 0:
        return JudgeVerdict(SCORES, lacking="the humans' means are 0")
    level, topics = shift.level, shift.topics
    shown = f"{with_bounds(level, shift.interval, short, sign=True)}, noticeable beyond ±{short(margin)}"
    moved = _closeness("shift", Spread.between(level, shift.interval, topics, alpha), margin, shown)
    if runs < MANY:
        return JudgeVerdict(SCORES, (moved,))
    if np.isnan(shift.slope):
        return JudgeVerdict(SCORES, (moved,), lacking="the humans tie all runs")
    low, high = shift.slope_bounds
    steeper = Spread.between(shift.slope - 1, (low - 1, high - 1), topics, alpha)
    slope = _closeness("slope", steeper, STEEP, with_bounds(shift.slope, (low, high), short))
    apart = moved.answer == "below" or slope.answer != "below"
    use = SCORES if apart else replace(SCORES, missed="the slope differs from 1 by more than .1")
    return JudgeVerdict(use, (moved, slope))


def judge_labels(
    own: Resampled,
    topics: int,
    alpha: float,
    second: tuple[str, Resampled] | None = None,
    beyond_shuffled: Resampled | None = None,
    one_grade: OneGrade | None = None,
    part: str = "",
) -> JudgeVerdict:
    """Can the judge's labels stand for the humans' labels? See ``bound_agreement``.

    Parameters
    ----------
    own : Krippendorff's alpha.
    beyond_shuffled : by how much alpha of shuffled grades is lower; needed with a second assessor, as two who know
        nothing are as good as each other.
    one_grade : of humans who gave all common pairs one grade: alpha is then at most about 0, whatever the judge says.
    part : over which pairs, in words (see ``JudgeVerdict``).
    """
    if one_grade is not None:
        return JudgeVerdict(LABELS, lacking=str(one_grade))
    if topics < LEAST_TOPICS:
        return _too_few(LABELS, topics)
    found = _decide("alpha", own, RELIABLE, (-1.0, 1.0), short, topics, alpha, second, alone=bound_agreement)
    if found is None:
        return JudgeVerdict(LABELS, lacking="all grades are the same")
    above = None
    if second is not None and beyond_shuffled is not None:
        beyond = beyond_shuffled

        def bounds_over(number: int) -> Bounds:
            return bound_agreement(beyond, topics, alpha, number)

        shown = with_bounds(beyond.value, bounds_over(topics), short, sign=True)
        above = decide("beyond shuffled grades", beyond.value, 2 * ROUNDING, topics, bounds_over, shown)
    return JudgeVerdict(LABELS, (found,), chance=above, beside_second=second is not None, part=part)


def unless_one_grade(verdict: JudgeVerdict, one_grade: OneGrade | None) -> JudgeVerdict:
    """Say that nothing is decided by humans who gave one grade alone, as a judge who says it of everything agrees."""
    return verdict if one_grade is None else JudgeVerdict(verdict.use, lacking=str(one_grade))


def _too_few(use: Use, topics: int) -> JudgeVerdict:
    return JudgeVerdict(use, lacking=f"{plural(topics, 'topic')} {'is' if topics == 1 else 'are'} too few")


def _above_chance(skill: Estimate | None, topics: int) -> Decision:
    """The skill, which is to be above 0."""
    value = 0.0 if skill is None else skill.value
    if skill is None or (
        skill.bounds is None and value < 1
    ):  # what never varies is unknown, unless it is never below 1
        return Decision("skill", value, -np.inf, 1.0, 2 * ROUNDING, topics, "unknown", foreseen=False)
    low, high = ends = skill.bounds or (value, value)
    shown = with_bounds(skill.value, ends, short)
    return Decision("skill", skill.value, low, high, 2 * ROUNDING, topics, shown, foreseen=False)


def _decide_orders(own: JudgeAgreement, alpha: float, second: Second | None) -> tuple[Decision | None, Decision | None]:
    """Tau over all runs, and among the best ones, if these are enough; a side other than the humans may tie them."""
    enough = own.top_runs >= LEAST_TOP
    found: list[Decision | None] = []
    for tau, ordered in (("tau", not own.humans_tie), ("top_tau", enough and not own.humans_tie_top)):
        if not ordered:
            found.append(None)
            continue
        figure, beside = getattr(own, tau), _beside(second, tau)
        ties = bool(np.isnan(figure.value))
        if beside is not None and np.isnan(beside[1].value):
            beside = beside[0], NO_ORDER
        name = "tau" if own.statistic == "kendall" else own.statistic
        figure = replace(NO_ORDER, step=figure.step) if ties else figure
        one = _decide(name, figure, AS_ONE, (-1.0, 1.0), short, own.topics, alpha, beside)
        found.append(replace(one, shown="0, as the judge ties these runs") if one is not None and ties else one)
    return found[0], found[1]


def _beside(second: Second | None, figure: str) -> tuple[str, Resampled] | None:
    """A figure of the second assessor, with the name of this one."""
    return None if second is None else (second.name, getattr(second.agreement, figure))


def _part(second: Second | None) -> str:
    return "" if second is None else second.part


def _about_top(own: JudgeAgreement, top: Decision | None, otherwise: str) -> str:
    """Why nothing is said of the best runs; empty where something is."""
    if top is not None:
        return ""
    if own.top_runs >= LEAST_TOP:
        return f"the best {own.top_runs} runs are {otherwise}"
    return f"it takes {2 * LEAST_TOP} runs or more"


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
    alone: Callable[[Resampled, int, float, int], Bounds] | None = None,
) -> Decision | None:
    """A figure with its ceiling, or with the same figure of the assessor ``second``; None where it is undefined.

    A difference is bounded by the bounds of the two figures, too: where a judge keeps all, it is not below 0.

    ``tau``: of a share that is kept, by Kendall. Over many topics each difference is significant, and (1 + tau) / 2 of
    them are kept: on the way to a usual collection the bounds go towards that.

    ``alone``: the bounds of one figure, of so many topics, over others like these; default: by its ``Spread``. A
    difference that is the same in all topics may then be any other in topics unlike these (see ``bound_alike``).
    """
    value, samples = own.value, own.samples
    if second is not None:
        value, samples = value - second[1].value, samples - second[1].samples
    if np.isnan(value) or np.isnan(samples).all():
        return None
    beside = None if second is None else second[1]

    def bounds_of(one: Resampled, number: int) -> Bounds:
        if alone is not None:
            return alone(one, topics, alpha, number)
        return _clip(_spread_over(number, one, None, topics, alpha).bounds(number), within)

    def bounds_over(number: int) -> Bounds:
        if second is None and alone is not None:
            return bounds_of(own, number)
        spread = _spread_over(number, own, beside, topics, alpha)
        low, high = spread.bounds(number)
        if tau is not None and tau.name == "tau":
            way = towards_usual(number)
            low, high = (
                end + way * choose(0.0, (order + (second is None)) / 2 - end)
                for choose, end, order in ((min, low, tau.low), (max, high, tau.high))
            )
        high += own.step
        if second is None:
            return max(within[0], low), min(within[1], high)
        if alone is not None and low == high:
            low, high = bound_alike(value, number, alpha, within)
        ours, theirs = (bounds_of(one, number) for one in (own, second[1]))
        most = min(within[1], ours[1] + own.step)
        return max(ours[0] - theirs[1], low), min(most - theirs[0], high)

    asked = ceiling if second is None else 0.0
    bounds = bounds_over(topics)
    shown = with_bounds(value, bounds, write, sign=second is not None, ceiling=asked)
    if second is not None:
        beside_it = f"{second[0]} {with_bounds(second[1].value, bounds_of(second[1], topics), write)}"
        shown = f"{write(own.value, apart_from=1.0)}, {beside_it}, difference {shown}"
    return decide(name, value, asked, topics, bounds_over, shown, foreseen=name != "kept")


def _spread_over(number: int, own: Resampled, second: Resampled | None, topics: int, alpha: float) -> Spread:
    """Of a figure, less the one of a second assessor, over so many topics: drawn anew where that can be done."""
    again = number != topics and all(one.over is not None or len(one.samples) == 1 for one in (own, second) if one)
    ours, theirs = (
        np.zeros(1) if one is None else one.over(number) if again and one.over else one.samples for one in (own, second)
    )
    return Spread.of(own.value - (second.value if second else 0.0), ours - theirs, number if again else topics, alpha)


def _clip(bounds: Bounds, within: Bounds) -> Bounds:
    return max(within[0], bounds[0]), min(within[1], bounds[1])


def _closeness(name: str, spread: Spread, margin: float, shown: str) -> Decision:
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


MOST_DIGITS = 6


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
