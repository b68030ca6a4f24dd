"""What all studies ask of their scores and settings, in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score
from gradeval.studies.agreement.correlation import constant

RUNS = 2
"""Fewest runs: they are compared."""
TOPICS = 3
"""Fewest topics from which anything can be said."""


STUDIED = "AP nDCG GAP xGAP eGAP RBP Bpref"
"""The measures that a study compares where nobody says."""

Measures: TypeAlias = str | Measure | Iterable[str | Measure]
"""One or several measures: "AP nDCG@10", [AP, nDCG @ 10]."""


def scored(scores: Scores | JudgedRuns, measures: Measures | None, default: str = STUDIED) -> Scores:
    """Scores by some measures, or all there are; judged runs are scored by them, or by the default ones."""
    if isinstance(scores, JudgedRuns):
        return score(scores, parse_measures(default if measures is None else measures))
    if not isinstance(scores, Scores):
        raise InputError(
            f"a study takes Scores, as evaluate(qrels, runs) gives, or judge(qrels, runs), not {type(scores).__name__}"
        )
    return scores if measures is None else scores.sel(measures=measures)


def require_judged(judged: object) -> None:
    """Refuse what is not judged runs, where a study changes the judgments or looks at the rankings."""
    if not isinstance(judged, JudgedRuns):
        raise InputError(f"this study takes judged runs, as judge(qrels, runs) gives, not {type(judged).__name__}")


def require_runs(number: int) -> None:
    """Refuse fewer runs than can be compared."""
    if number < RUNS:
        raise InputError(f"runs are compared, and here is {number}; give at least {RUNS}")


def require_topics(number: int, place: str = "") -> None:
    """Refuse fewer topics than say anything; ``place``: what the error begins with."""
    if number < TOPICS:
        left = "1 topic is" if number == 1 else f"{number} topics are"
        raise InputError(f"{place}only {left} left after selection; at least {TOPICS} are needed")


def require_enough(scores: Scores) -> None:
    """Refuse scores of one run, or of too few topics."""
    require_runs(len(scores.runs))
    require_topics(len(scores.topics))


def refuse_constant(means: Array, measures: list[Measure]) -> None:
    """Refuse means[measure, run] in which a measure finds all runs equal."""
    if (same := constant(means)).any():
        place = int(same.argmax())
        raise InputError(
            f"{measures[place]}: all {means.shape[-1]} runs have the same mean {means[place, 0] + 0.0:g}, "
            "so its rank correlation is undefined; leave the measure out or select other topics"
        )
