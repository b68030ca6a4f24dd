"""For what is a judge good enough? One rule decides it for orders, significant differences, absolute scores and labels.

The rule stands in ``bounded_figures``: each figure has to reach a value, its ceiling.
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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval.messages import capitalised, list_some, plural
from gradeval.studies.correlation import Statistic
from gradeval.studies.judges.bounded_figures import (
    MOST_TOPICS,
    ROUNDING,
    Answer,
    AskedFigure,
    Bounds,
    Decision,
    decide,
    decide_closeness,
    percent,
    short,
    with_bounds,
)
from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.floors import Resampled, Spread
from gradeval.studies.judges.labels import OneGrade, bound_agreement
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

NUMBERS: dict[Answer, int] = {"below": -1, "not decided": 0, "as good": 1}
"""Answers in the records, from the weakest."""


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
        topics = f"no number of topics up to {MOST_TOPICS:,}" if needed is None else f"about {needed:,} {self._topics}"
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
        return self.answer if needed is None else f"{self.answer}, {needed:,} {self._topics} would"

    @property
    def _topics(self) -> str:
        """Which topics decide: beside a second assessor those that this one judged, too."""
        return "topics of both assessors" if self.beside_second else "topics"


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
        AskedFigure(
            "kept", getattr(own, kept), KEPT, (0.0, 1.0), percent, own.topics, alpha, _beside(second, kept), tau
        ).decide()
        for kept, tau in zip(("kept", "top_kept"), _decide_orders(own, alpha, second), strict=True)
    )
    if overall is None:
        why = "no difference is significant" if np.isnan(own.kept.value) else "only the t test gives bounds"
        return JudgeVerdict(DIFFERENCES, lacking=why)
    above = _above_chance(skill, own.topics)
    lacking = _about_top(own, top, "not significantly different")
    return JudgeVerdict(DIFFERENCES, (overall,), top, own.top_runs, above, second is not None, lacking, _part(second))


def judge_scores(shift: Shift | None, alpha: float, runs: int = MANY, favoured: Sequence[str] = ()) -> JudgeVerdict:
    """Can the judge's means stand for the humans' means, on average over so many runs? Of few no slope is asked.

    ``favoured``: runs that the judge favours or disadvantages: the average does not tell how far their means move.
    """
    if shift is None:
        return JudgeVerdict(SCORES, lacking="too few topics count")
    if shift.topics < LEAST_TOPICS or shift.interval is None:
        return _too_few(SCORES, shift.topics)
    margin = NOTICEABLE * abs(shift.human)
    if margin == 0:
        return JudgeVerdict(SCORES, lacking="the humans' means are 0")
    level, topics = shift.level, shift.topics
    shown = f"{with_bounds(level, shift.interval, short, sign=True)}, {NOTICEABLE:.0%} is {short(margin)}"
    moved = decide_closeness("shift", Spread.between(level, shift.interval, topics, alpha), margin, shown)
    about = f"the judge favours or disadvantages {list_some(favoured, 1)}" if favoured else ""
    if runs < MANY:
        return JudgeVerdict(SCORES, (moved,), lacking=about)
    if np.isnan(shift.slope):
        return JudgeVerdict(SCORES, (moved,), lacking="the humans tie all runs")
    low, high = shift.slope_bounds
    steeper = Spread.between(shift.slope - 1, (low - 1, high - 1), topics, alpha)
    slope = decide_closeness("slope", steeper, STEEP, with_bounds(shift.slope, (low, high), short))
    apart = moved.answer == "below" or slope.answer != "below"
    use = SCORES if apart else replace(SCORES, missed="the slope differs from 1 by more than .1")
    return JudgeVerdict(use, (moved, slope), lacking=about)


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
    agreed = AskedFigure(
        "alpha", own, RELIABLE, (-1.0, 1.0), short, topics, alpha, second, alone=bound_agreement
    ).decide()
    if agreed is None:
        return JudgeVerdict(LABELS, lacking="all grades are the same")
    above = None
    if second is not None and beyond_shuffled is not None:
        beyond = beyond_shuffled

        def bounds_over(number: int) -> Bounds:
            return bound_agreement(beyond, topics, alpha, number)

        shown = with_bounds(beyond.value, bounds_over(topics), short, sign=True)
        above = decide("beyond shuffled grades", beyond.value, 2 * ROUNDING, topics, bounds_over, shown)
    return JudgeVerdict(LABELS, (agreed,), chance=above, beside_second=second is not None, part=part)


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
    decisions: list[Decision | None] = []
    for tau, ordered in (("tau", not own.humans_tie), ("top_tau", enough and not own.humans_tie_top)):
        if not ordered:
            decisions.append(None)
            continue
        figure, beside = getattr(own, tau), _beside(second, tau)
        ties = bool(np.isnan(figure.value))
        if beside is not None and np.isnan(beside[1].value):
            beside = beside[0], NO_ORDER
        name = "tau" if own.statistic == "kendall" else own.statistic
        figure = replace(NO_ORDER, step=figure.step) if ties else figure
        one = AskedFigure(name, figure, AS_ONE, (-1.0, 1.0), short, own.topics, alpha, beside).decide()
        decisions.append(replace(one, shown="0, as the judge ties these runs") if one is not None and ties else one)
    return decisions[0], decisions[1]


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
