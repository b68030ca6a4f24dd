"""From which grade on would a person call something relevant? On a short scale from its middle, as from 3 of 5 stars.
Counts, as of plays, have hundreds of levels and few high ones: from their median, which many topics reach."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import MOST_TYPED, Levels

LEFT_OUT = 0.25
"""The share of topics that may lose everything relevant by such a threshold."""


class LikelyThreshold(NamedTuple):
    """A grade, and which share of judgments reaches it; None: the scale is short, and its middle says enough."""

    grade: float
    share: float | None = None

    @property
    def said(self) -> str:
        """The share, as a part of a sentence; empty on a short scale."""
        return "" if self.share is None else f", which {self.share:.0%} of judgments reach"


def find_threshold(pool: Array, levels: Levels, above: float) -> LikelyThreshold:
    """A threshold higher than ``above``, which some grade is, too. ``pool``: int64[topic, level], how many judgments of
    each topic have a level."""
    counts = pool.sum(0)
    there = [levels[place] for place in np.flatnonzero(counts) if place]
    if len(there) <= MOST_TYPED:
        return LikelyThreshold(next(level for level in there if level > above and level >= (there[0] + there[-1]) / 2))
    scale = np.array(levels)
    grades = np.repeat(scale[1:], counts[1:])
    best = np.sort([scale[np.flatnonzero(row)[-1]] for row in pool if row[1:].any()])
    reached = float(best[int(LEFT_OUT * len(best))])
    grade = _round_down(min(float(np.median(grades)), reached))
    if grade <= above:
        grade = next(level for level in there if level > above)
    return LikelyThreshold(grade, float(counts[scale >= grade].sum() / counts.sum()))


def _round_down(number: float) -> float:
    """The number with its first digit alone: 30 for 37."""
    digits = -math.floor(math.log10(number))
    return round(math.floor(round(number * 10.0**digits, 9)) / 10.0**digits, 12)
