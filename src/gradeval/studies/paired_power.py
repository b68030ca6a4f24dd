"""The power of a paired t test, and the topics that it needs."""

from __future__ import annotations

import math

import numpy as np

from gradeval._core import InputError

MOST_TOPICS = 10_000_000
"""No larger set is searched."""
MOST_SAID, TIMES = 10_000, 10
"""Sentences name a larger number of topics neither beyond this, nor beyond so many times the topics that are there: who
could get them?"""
CHANCE = 0.8
"""The probability of finding an effect for which topics are counted."""


def power(effect: float, topics: int, alpha: float) -> float:
    """The probability that a paired, two-sided t test finds an effect of so many standard deviations.

    t is distributed as a noncentral t with n - 1 degrees of freedom and noncentrality effect sqrt(n), so t^2 as a
    noncentral F with 1 and n - 1 degrees of freedom.
    """
    from scipy.special import ncfdtr, stdtrit

    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    shift = effect * np.sqrt(topics)
    missed = float(ncfdtr(1, topics - 1, shift**2, critical**2))
    # SciPy gives no value far out, where the share that is missed is 0 or 1 up to rounding.
    return 1 - missed if np.isfinite(missed) else float(shift > critical)


def topics_of_one_sign(alpha: float) -> int:
    """The fewest topics that decide by their signs alone, where all differ by the same amount: 2^(1-n) < alpha."""
    return max(2, math.floor(1 - math.log2(alpha)) + 1)


def topics_for(effect: float, alpha: float, beta: float) -> int:
    """The fewest topics, 2 or more, with which the power is at least 1 - beta; of an infinite effect, where all topics
    differ by the same amount, ``topics_of_one_sign``.

    Raises
    ------
    InputError : more than ten million would be needed.
    """
    from scipy.special import ndtri

    if np.isinf(effect):
        return topics_of_one_sign(alpha)
    # From this effect on two topics are enough; noncentralities beyond it are numerically hard.
    if effect >= 1000 / min(alpha, 1.0):
        return 2
    normal = (ndtri(1 - alpha / 2) + ndtri(1 - beta)) / effect
    if normal**2 > MOST_TOPICS:
        raise InputError(f"an effect of {effect:.2g} standard deviations takes more than {MOST_TOPICS:,} topics")
    low, high = 1, max(2, int(normal**2) + 1)  # power is too low with ``low``, if that is a test at all
    while power(effect, high, alpha) < 1 - beta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power(effect, middle, alpha) < 1 - beta:
            low = middle
        else:
            high = middle
    return high


def most_to_say(topics: int) -> int:
    """The largest number of topics that sentences name, where there are so many."""
    return max(MOST_SAID, TIMES * topics)


def topics_to_find(effect: float, alpha: float, topics: int) -> int | None:
    """The topics with which a paired t test finds an effect with probability ``CHANCE``; None: there is no effect, or
    more would be needed than one can get, where there are so many ``topics``. All sentences that say how many
    topics would decide count them here."""
    if effect == 0 or np.isnan(effect):
        return None
    try:
        needed = topics_for(effect, alpha, 1 - CHANCE)
    except InputError:
        return None
    return needed if needed <= most_to_say(topics) else None


def write_about(topics: int) -> str:
    """A number of topics in two digits, as an estimate has no more: 1,500 for 1,483."""
    return f"{round(topics, min(0, 1 - math.floor(math.log10(topics)))):,}"
