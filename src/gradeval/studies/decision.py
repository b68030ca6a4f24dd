"""Which of two runs should one take? The rule over several measures, and the answer in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import join_names, plural
from gradeval.scores.as_often import NO_SCORES
from gradeval.scores.scores import ONE, Unit
from gradeval.studies.paired_power import CHANCE, most_to_say, topics_to_find, write_about
from gradeval.studies.significance import CORRECTIONS, Correction, rarest
from gradeval.studies.unjudged_runs import UndecidedRun, UnjudgedLoss, say_doubt, say_undecided

Verdict: TypeAlias = Literal["better", "worse", "not told apart"]
ShipOrKeep: TypeAlias = Literal["ship", "keep", "not decided"]

NAMED = 2
"""Measures that a sentence names on either side, where they disagree."""


def judge_measures(difference: Array, p: Array, alpha: float) -> tuple[Array, list[Verdict]]:
    """p by Holm's correction over the measures, and by each measure whether a run is significantly better or worse.

    The rule of ``gate``, whose p is one-sided, and of ``decide``, whose p is two-sided.
    """
    corrected = CORRECTIONS["holm"](p)
    found = zip(difference.tolist(), (corrected < alpha).tolist(), strict=True)
    return corrected, [("better" if gap > 0 else "worse") if sure else "not told apart" for gap, sure in found]


def decides(measures: Sequence[Measure]) -> list[int]:
    """The places of the measures of which more is better."""
    return [place for place, measure in enumerate(measures) if measure.name not in NO_SCORES]


def correct_pairs(p: Array, measures: Sequence[Measure], correction: Correction) -> Array:
    """p[measure, pair] corrected over the pairs, measure by measure; of a single pair over the measures that decide."""
    correct, kept = CORRECTIONS[correction], decides(measures)
    if p.shape[1] > 1 or not kept:
        return correct(p)
    corrected = p.copy()
    corrected[kept] = correct(p[kept].T).T
    return corrected


@dataclass(frozen=True, eq=False)
class PairDecision:
    """Whether a candidate may take the place of a baseline, by all measures together.

    Attributes
    ----------
    candidate, baseline : the names of both.
    measures : which decide.
    difference, lower, upper : float64[measure]: candidate less baseline, and the interval.
    relative : by measure the share of the baseline's mean by which the candidate's is higher; None: that mean is 0.
    p, corrected : float64[measure]: two-sided, before and after Holm's correction over the measures.
    wins, losses, topics : int64[measure]: topics on which the candidate is better and worse, and all.
    verdicts : by measure, of the candidate.
    needed : the topics with which the first measure would decide with probability 0.8 if its difference were as
        large as it is here, which is optimistic, by Holm's first step over the measures; None: there is no difference,
        or more are needed than sentences name (see ``most_to_say``).
    alike : do all topics differ by the same amount by the first measure, so that only their signs tell?
    alpha : level.
    lacking : how many topics are not in a run and count 0, by its name.
    unjudged : which of both are in ``Comparison.unjudged``, so that no measure tells them apart.
    unjudged_losses : by measure the run that loses mostly for documents that nobody judged, if one does.
    """

    candidate: str
    baseline: str
    measures: list[Measure]
    difference: Array
    lower: Array
    upper: Array
    relative: list[float | None]
    p: Array
    corrected: Array
    wins: Array
    losses: Array
    topics: Array
    verdicts: list[Verdict]
    needed: int | None
    alike: bool
    alpha: float
    unit: Unit
    lacking: dict[str, int]
    unjudged: Sequence[UndecidedRun] = ()
    unjudged_losses: Sequence[Sequence[UnjudgedLoss]] = ()

    @property
    def choice(self) -> ShipOrKeep:
        """Ship: some measure is better and none worse; keep: some is worse and none better."""
        better, worse = "better" in self.verdicts, "worse" in self.verdicts
        if better == worse:
            return "not decided"
        return "ship" if better else "keep"

    @property
    def disagree(self) -> bool:
        """Is one measure significantly better, and another worse?"""
        return "better" in self.verdicts and "worse" in self.verdicts

    @property
    def deciding(self) -> int:
        """The place of the first measure that is significantly better or worse; else of the first."""
        return next((place for place, verdict in enumerate(self.verdicts) if verdict != "not told apart"), 0)

    @property
    def sentence(self) -> str:
        """What to do, and why; and the topics that a run lacks, which count 0."""
        if self.unjudged:
            return self._choice_and_reason
        lacking = [
            f"{plural(number, ONE[self.unit])} {'is' if number == 1 else 'are'} not in {run}"
            for run, number in self.lacking.items()
        ]
        counts = "counts" if sum(self.lacking.values()) == 1 else "count"
        return f"{self._choice_and_reason}{f'. {join_names(lacking)}, and {counts} 0' if lacking else ''}"

    @property
    def doubt(self) -> str:
        """Whose unjudged documents the choice rests on, as its last clause; empty where it rests on none."""
        if self.choice == "not decided" or not self.unjudged_losses:
            return ""
        return say_doubt(self.unjudged_losses[self.deciding])

    @property
    def _choice_and_reason(self) -> str:
        """What to do, and why."""
        if self.unjudged:
            return say_undecided(self.unjudged)
        if self.disagree:
            return f"Not decided, they disagree: {self._side('better')}, {self._side('worse')}"
        at = self.deciding
        if self.choice != "not decided":
            ship = self.choice == "ship"
            name, count = (self.candidate, self.wins[at]) if ship else (self.baseline, self.losses[at])
            change = [f"{self.measures[at]} {self.change(at)}{'' if ship else f' with {self.candidate}'}"]
            change += [lift] if (lift := self.lift(at)) else []
            won = f"{'better' if ship else 'worse'} on {count} of {self.topics[at]} {self.unit}"
            p = f"p{' (holm)' if len(self.measures) > 1 else ''} {write_short_p(self.corrected[at])}"
            return f"{'Ship' if ship else 'Keep'} {name}: {', '.join(change)}, {won}, {p}{self.doubt}"
        if not (self.wins.any() or self.losses.any()):
            both = f"{self.baseline} and {self.candidate}"
            return f"Not decided: {both} have equal values on all {self.topics[0]} {self.unit}"
        if not (self.wins[0] or self.losses[0]):
            both = f"by {self.measures[0]} {self.baseline} and {self.candidate}"
            equal = f"{both} have equal values on all {self.topics[0]} {self.unit}"
            return f"Not decided: {equal}, and no other measure tells them apart"
        said = f"Not decided: {self.candidate} {self._reach()}"
        if self.needed is not None and self.alike:
            several = f" ({len(self.measures)} measures)" if len(self.measures) > 1 else ""
            return f"{said}; {self.needed} such {self.unit} would decide{several}"
        if self.needed is not None:
            several = f" ({len(self.measures)} measures)" if len(self.measures) > 1 else ""
            return f"{said}; {write_about(self.needed)} {self.unit} or more would decide{several}"
        return f"{said}; it takes more than {most_to_say(self.topics[0]):,} {self.unit} to decide"

    @property
    def about_needed(self) -> str:
        """Which difference, test and power the number of topics is for; empty where the sentence has no number."""
        if self.choice != "not decided" or self.disagree or self.needed is None:
            return ""
        level = f"{self.alpha:g}" if len(self.measures) == 1 else f"{self.alpha:g}/{len(self.measures)}"
        if self.alike:
            found, least = (write_short_p(rarest(topics)) for topics in (int(self.topics[0]), self.needed))
            return (
                f"where all {self.unit} differ alike, signs alone tell: p is {found} over {self.topics[0]}, "
                f"{least} over {self.needed}, below {level}"
            )
        return (
            f"over about {write_about(self.needed)} {self.unit} a paired t test at {level} finds "
            f"{self.write(float(self.difference[0]))} by {self.measures[0]} with power {CHANCE:g}; "
            "a smaller true difference needs more"
        )

    def _reach(self) -> str:
        """How much worse and how much better the candidate may be by the first measure."""
        if self.alike:
            difference = self.write(float(self.difference[0]))
            side = "better" if self.difference[0] > 0 else "worse"
            return f"is {difference[1:]} {side} by {self.measures[0]} on each of {self.topics[0]} {self.unit}"
        low, high = float(self.lower[0]), float(self.upper[0])
        digits, name = self._digits(max(abs(low), abs(high))), self.measures[0]
        least, most = (f"{abs(end):.{digits}f}" for end in (low, high))
        if low < 0 < high:
            return f"may be {least} worse or {most} better by {name}"
        least, most, side = (least, most, "better") if high > 0 else (most, least, "worse")
        uncorrected = " (uncorrected)" if len(self.measures) > 1 else ""
        return f"may be {least} to {most} {side} by {name}{uncorrected}"

    def change(self, measure: int) -> str:
        """The difference with its interval."""
        values = [float(each[measure]) for each in (self.difference, self.lower, self.upper)]
        digits = self._digits(values[0])
        logarithms = " (logarithms)" if self.measures[measure].definition.aggregate == "geometric" else ""
        return f"{values[0]:+.{digits}f} [{values[1]:.{digits}f}, {values[2]:.{digits}f}]{logarithms}"

    def lift(self, measure: int) -> str:
        """The difference in percent of the baseline's mean; empty where that is 0."""
        share = self.relative[measure]
        return "" if share is None else f"{100 * share:+.{0 if abs(share) >= 0.0995 else 1}f} %"

    @classmethod
    def write(cls, difference: float) -> str:
        """A difference with its sign, in as many decimals as it takes."""
        return f"{difference:+.{cls._digits(difference)}f}"

    @staticmethod
    def _digits(value: float) -> int:
        """Three decimals, more for what these would show as 0."""
        return 3 if value == 0 or abs(value) >= 0.0005 else min(9, 1 - math.floor(math.log10(abs(value))))

    def _side(self, side: Verdict) -> str:
        places = [place for place, verdict in enumerate(self.verdicts) if verdict == side]
        names = [f"{self.measures[place]} {self.write(float(self.difference[place]))}" for place in places]
        return f"{join_names(names, NAMED)} {'is' if len(places) == 1 else 'are'} {side}"


def write_short_p(p: float) -> str:
    """A p value in two digits, as in .0004; below .0001 only that."""
    if p < 0.0001:
        return "< .0001"
    text = f"{round(p, 4):.2g}"
    return text.removeprefix("0") if text != "0" else text


def decide(
    names: tuple[str, str],
    measures: Sequence[Measure],
    means: Array,
    difference: Array,
    interval: Array,
    p: Array,
    effect: Array,
    counts: tuple[Array, Array, Array],
    alpha: float,
    unit: Unit = "topics",
    lacking: dict[str, int] | None = None,
    unjudged: Sequence[UndecidedRun] = (),
    unjudged_losses: Sequence[Sequence[UnjudgedLoss]] = (),
) -> PairDecision | None:
    """The decision between a baseline and a candidate; None: more is better by none of the measures.

    Parameters
    ----------
    names : the candidate's, and the baseline's.
    means : float64[2, measure]: of both.
    difference, interval, p, effect : [measure], [measure, 2]: of candidate less baseline, as of ``compare``.
    counts : wins and losses of the candidate, and topics, by measure.
    unjudged : which of both nothing is decided on, as nobody judged what they return.
    unjudged_losses : by measure the run that loses mostly for documents that nobody judged.
    """
    kept = decides(measures)
    if not kept:
        return None
    difference, interval, p, effect = difference[kept], interval[kept], p[kept], effect[kept]
    corrected, verdicts = judge_measures(difference, p, alpha)
    if unjudged:
        verdicts = ["not told apart" for _ in verdicts]
    chosen = [measures[place] for place in kept]
    wins, losses, topics = (count[kept] for count in counts)
    shares = [candidate / baseline - 1 if baseline > 0 else None for candidate, baseline in means[:, kept].T.tolist()]
    return PairDecision(
        candidate=names[0],
        baseline=names[1],
        measures=chosen,
        difference=difference,
        lower=interval[:, 0],
        upper=interval[:, 1],
        relative=shares,
        p=p,
        corrected=corrected,
        wins=wins,
        losses=losses,
        topics=topics,
        verdicts=verdicts,
        needed=None if unjudged else _count_needed(float(abs(effect[0])), alpha / len(kept), int(topics[0])),
        alike=bool(np.isinf(effect[0])),
        alpha=alpha,
        unit=unit,
        lacking=lacking or {},
        unjudged=unjudged,
        unjudged_losses=[unjudged_losses[place] for place in kept] if unjudged_losses else [],
    )


def _count_needed(effect: float, alpha: float, topics: int) -> int | None:
    """The topics with which this effect would decide, more than there are; None: it cannot be said."""
    needed = topics_to_find(effect, alpha, topics)
    return None if needed is None else max(topics + 1, needed)
