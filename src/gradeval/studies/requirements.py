"""What all studies ask of their scores and settings, in the same words."""

from __future__ import annotations

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.agreement.correlation import constant

RUNS = 2
"""Fewest runs: they are compared."""
TOPICS = 3
"""Fewest topics from which anything can be said."""


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


def require_threads(threads: int) -> None:
    """Refuse a number of threads that there cannot be."""
    if threads < 0:
        raise InputError(f"threads {threads} is not a number of threads from 1, or 0 for all cores")


def require_seed(seed: int) -> None:
    """Refuse a seed that the random numbers cannot begin with."""
    if seed < 0:
        raise InputError(f"seed {seed} is not a whole number from 0")


def require_alpha(alpha: float) -> None:
    """Refuse a level that is none."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha:g} is not between 0 and 1, as in 0.05")


def require_level(level: float) -> None:
    """Refuse a confidence that is none."""
    if not 0 < level < 1:
        raise InputError(f"level {level:g} is not between 0 and 1, as in 0.95")


def require_samples(samples: int, least: int = 1) -> None:
    """Refuse a number of resamples that is none."""
    if samples < least:
        raise InputError(f"samples {samples} is not a number of resamples from {least}")
