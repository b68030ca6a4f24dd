"""Bounds over topics decide, and so many topics would."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from gradeval.studies.judges.floors import Spread
from gradeval.studies.judges.verdicts import Decision, decide


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.9, 0.95, "as good"),
        (0.91, 1.0, "as good"),
        (0.8, 0.9, "not decided"),
        (0.89, 0.95, "not decided"),
        (0.7, 0.899, "below"),
        (-1.0, 1.0, "not decided"),
    ],
)
def test_bounds_decide(low: float, high: float, answer: str) -> None:
    assert Decision("tau", (low + high) / 2, low, high, 0.9, 20).answer == answer


@pytest.mark.parametrize(
    ("value", "low", "high", "topics", "needed"),
    [
        (0.95, 0.85, 1.0, 100, 390),  # twice as near at four times as many topics, and t is less wide there
        (0.85, 0.8, 1.0, 100, 873),
        (0.95, 0.8, 1.0, 100, 873),
        (0.95, 0.78, 1.0, 100, None),
        (0.9, 0.85, 1.0, 100, None),
        (0.85, 0.8, 0.9, 100, 101),
        (0.85, 0.8, 0.9, 1000, None),
    ],
)
def test_so_many_topics_would_decide(value: float, low: float, high: float, topics: int, needed: int | None) -> None:
    spread = Spread.between(value, (low, high), topics, 0.05)
    found = decide("tau", value, 0.9, topics, spread.bounds)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.topics_needed == (None if needed is None else pytest.approx(needed, abs=1))
    if needed is not None and needed > topics + 1:  # literally: the bound reaches the ceiling there, and not before
        reach, gap = (value - low, value - 0.9) if value > 0.9 else (high - value, 0.9 - value)
        nearer = [t.ppf(0.975, number - 1) / np.sqrt(number - 1) for number in (needed, needed - 1, topics)]
        assert reach * nearer[0] / nearer[2] <= gap < reach * nearer[1] / nearer[2]
    assert decide("tau", value, 0.9, topics, spread.bounds, foreseen=False).topics_needed is None
