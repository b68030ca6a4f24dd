"""Counting how often intervals hold the truth: the figures of one method on one population, and tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDING = 1e-9


@dataclass(frozen=True)
class Coverage:
    """How often the intervals of each run held the truth, over samples of topics.

    Attributes
    ----------
    held : float64[run]: the share of the samples in which the interval held the truth.
    width : mean width. Intervals without an end count as none.
    zero : share of the intervals of zero width.
    outside : share of the bounds below 0 or above 1, where the measure has that range.
    samples : of topics.
    """

    held: Array
    width: float
    zero: float
    outside: float
    samples: int

    @property
    def mean(self) -> float:
        """Over all runs."""
        return float(self.held.mean())

    @property
    def worst(self) -> float:
        """Of the run whose intervals miss most often."""
        return float(self.held.min())

    @property
    def error(self) -> float:
        """The Monte Carlo standard error of one run's coverage."""
        return standard_error(float(self.held.mean()), self.samples)


def count(low: Array, high: Array, truth: Array, *, bounded: bool) -> Coverage:
    """What float64[sample, run] bounds achieve for the true float64[run]."""
    width = high - low
    ends = np.isfinite(width)
    beyond = np.mean([low < -ROUNDING, high > 1 + ROUNDING]) if bounded else 0.0
    held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    widest = width[ends].mean() if ends.any() else np.nan
    return Coverage(held.mean(0), float(widest), float((width <= ROUNDING).mean()), float(beyond), len(low))


def standard_error(share: float, samples: int) -> float:
    """Of a share that was counted over so many samples."""
    return float(np.sqrt(share * (1 - share) / samples))


def markdown(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; numbers have three decimals, the first column stands left."""
    lines = [f"| {' | '.join(titles)} |", f"|---|{'--:|' * (len(titles) - 1)}"]
    lines += [f"| {' | '.join(map(_shown, row))} |" for row in rows]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
