"""One or two runs: what the humans' and a judge's grades say of them, where a correlation of orders says nothing.

Of two runs: which one to take, by the rule of ``compare`` and ``gate``, under the grades of either side. Of one run:
how far the judge moves its mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gradeval.formula.aggregation import draw
from gradeval.studies.compare import compare
from gradeval.studies.decision import PairDecision
from gradeval.studies.judges.favours import Shift, measure_shift
from gradeval.studies.judges.regraded_runs import RegradedRuns
from gradeval.studies.judges.verdicts import MANY, JudgeVerdict, judge_scores, unless_one_grade


@dataclass(frozen=True, eq=False)
class TwoRuns:
    """Which of two runs to take by the humans' grades, and by a judge's grades."""

    human: PairDecision
    judge: PairDecision

    @property
    def winners(self) -> tuple[str | None, str | None]:
        """The run that each side takes; None: it does not decide."""
        names = (
            {"ship": one.candidate, "keep": one.baseline, "not decided": None}[one.choice]
            for one in (self.human, self.judge)
        )
        return next(names), next(names)

    @property
    def agreement(self) -> Literal["same", "opposite", "not decided"]:
        """Do both sides take the same run?"""
        if None in self.winners:
            return "not decided"
        return "same" if self.winners[0] == self.winners[1] else "opposite"

    @property
    def cell(self) -> str:
        """The agreement as a cell of a table, with the run that both take."""
        return f"same ({self.winners[0]})" if self.agreement == "same" else self.agreement

    def sentences(self, human: str, judge: str) -> Iterator[str]:
        """Whether both name the same winner, then what each says."""
        ours, theirs = self.winners
        if ours is None and theirs is None:
            yield f"Neither {human} nor {judge} names a winner{self._lean()}"
        elif ours is None or theirs is None:
            sure, unsure, winner = (judge, human, theirs) if ours is None else (human, judge, ours)
            yield f"{winner} wins by {sure}; {unsure} does not decide{self._lean()}"
        elif ours == theirs:
            yield f"Same winner: {ours} wins by {human} and by {judge}"
        else:
            yield f"Opposite winners: {ours} wins by {human}, {theirs} by {judge}"
        yield f"{human}: {self.human.sentence}"
        yield f"{judge}: {self.judge.sentence}"

    def _lean(self) -> str:
        """Which run is ahead by the first measure, which need not be significant."""
        ahead = [
            one.candidate if one.difference[0] > 0 else one.baseline if one.difference[0] < 0 else None
            for one in (self.human, self.judge)
        ]
        if None in ahead:
            return ""
        both = f"both have {ahead[0]} ahead" if ahead[0] == ahead[1] else "they have different runs ahead"
        return f"; {both} by {self.human.measures[0]}"


class LoneRun(NamedTuple):
    """How far a judge moves the mean of the only run by a measure, and the verdict on its absolute scores."""

    shift: Shift | None
    verdict: JudgeVerdict


def compare_two_runs(made: RegradedRuns) -> dict[str, TwoRuns]:
    """By judge, which of two runs to take; empty for more runs, or where more is better by none of the measures."""
    by_judge: dict[str, TwoRuns] = {}
    for judge in made.pool.judges:
        decisions = [
            compare.silently(
                side, test=made.rule.test, alpha=made.alpha, samples=made.rule.samples, seed=made.seed
            ).decision
            for side in made.sides(judge)
            if len(side.runs) < MANY
        ]
        if decisions and decisions[0] is not None and decisions[1] is not None:
            by_judge[judge] = TwoRuns(decisions[0], decisions[1])
    return by_judge


def measure_lone_run(made: RegradedRuns) -> dict[str, list[LoneRun]]:
    """By judge, how far it moves the mean of the only run, for each measure."""
    by_judge = {}
    for judge in made.pool.judges:
        human, other = made.sides(judge)
        weights = draw(len(human.topics), made.samples, made.seed)
        shifts = [measure_shift(human, other, place, made.alpha, weights) for place in range(len(made.measures))]
        verdicts = [
            unless_one_grade(judge_scores(shift, made.alpha, runs=1), made.one_grade(judge)) for shift in shifts
        ]
        by_judge[judge] = [*map(LoneRun, shifts, verdicts)]
    return by_judge
