"""What all studies require of their input: scores or judged runs, enough runs, enough topics, no constant measure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import Given, plural
from gradeval.scores.scores import ONE, Scores, Unit
from gradeval.scores.selection import TooFewTopics
from gradeval.studies.correlation import is_constant
from gradeval.warning_categories import Note, NoteWeight, SignificanceWarning

RUNS = 2
"""The fewest runs that can be compared."""
TOPICS = 3
"""The fewest topics that a study takes."""
ENOUGH_RUNS = 5
"""Fewer runs can be put in so few orders that a rank correlation says little."""


def require_runs(number: int) -> None:
    """Refuse fewer runs than can be compared."""
    if number < RUNS:
        raise InputError(f"{plural(number, 'run')} cannot be compared; give at least {RUNS} runs")


def about_few_runs(runs: int, apart: str = "measures", *, correlated: bool = True) -> Iterator[Note]:
    """That a rank correlation of so few runs has few values; ``apart``: what it is to tell apart; ``correlated``: are
    correlations shown?"""
    if RUNS <= runs < ENOUGH_RUNS:
        values = runs * (runs - 1) // 2 + 1
        few = f"{runs} runs: Kendall's tau without ties has only {values} values, other correlations few"
        if not correlated:
            few = f"{runs} runs have only {math.factorial(runs)} orders"
        yield Note(f"{few}; take more runs to tell {apart} apart", SignificanceWarning, own_weight=NoteWeight.COVERAGE)


def require_topics(number: int, unit: Unit = "topics", measure: str = "") -> None:
    """Refuse too few topics; ``unit``: what a topic is called; ``measure``: by which so few count."""
    if unit == "means":
        raise InputError("these scores are means alone; give values of single topics, as gradeval evaluate -q writes")
    if number < TOPICS:
        error = TooFewTopics(f"only {plural(number, ONE[unit])}; at least {TOPICS} are needed")
        raise error.within(measure) if measure else error


def require_enough(scores: Scores) -> None:
    """Refuse scores of one run, or of too few topics."""
    require_runs(len(scores.runs))
    require_topics(len(scores.topics), scores.unit)


def refuse_constant(means: Array, measures: list[Measure]) -> None:
    """Refuse means[measure, run] that are the same for all runs by one of the measures."""
    if (same := is_constant(means)).any():
        place = int(same.argmax())
        raise InputError(
            f"{measures[place]}: all {means.shape[-1]} runs have the same mean {means[place, 0] + 0.0:g}, "
            "so its rank correlation is undefined; leave the measure out or select other topics"
        )


def require_samples(samples: int, alpha: float) -> None:
    """Refuse fewer bootstrap samples than tell apart probabilities of the size of alpha."""
    least = max(2, math.ceil(round(1 / alpha, 9)))
    if samples < least:
        raise InputError(
            Given("samples", samples), " cannot resolve ", Given("alpha", alpha), f"; give {least} or more"
        )
