"""Runs whose scores rise from rank to rank, as distances do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array

UPSIDE_DOWN = 0.9
"""A run is upside down if its score rises at this share of the ranks where it changes, or more. In public runs whose
ranks contradict their scores, it rises at about half."""

FEWEST = 5
"""Rises from which on a run is upside down: of a run whose ranks contradict its scores by chance, where the score rises
at half of its changes, it rises at all of so few with a probability of 1/32 or less."""


def is_upside_down(run: Run, topics: Sequence[str], rises: Array, lines: Array, tied: Array) -> bool:
    """Does the score rise at nearly all ranks where it changes?

    int64[topic]: how often it rises from rank to rank, the lines, and how many of them share their score. Ties say
    nothing of the order; a topic whose lines stand in no order of ranks has none.
    """
    steps = int(np.maximum(lines - 1, 0).sum())
    risen = int(rises.sum())
    if risen < FEWEST or risen < UPSIDE_DOWN * (steps - int(tied.sum())):
        return False  # however the ties lie
    if risen >= UPSIDE_DOWN * steps:
        return True
    level = sum(
        _count_level(np.array([*run.of(topic).values()], float), rise)
        for topic, rise, some in zip(topics, rises.tolist(), tied.tolist(), strict=True)
        if some
    )
    return risen >= UPSIDE_DOWN * (steps - level)


def _count_level(scores: Array, rises: int) -> int:
    """How often the score of a topic stays the same from line to line, if its lines stand in the order of ranks, or
    in the opposite order: then the score rises as often as it does from rank to rank."""
    change = np.diff(scores)
    ordered = rises in (np.count_nonzero(change > 0), np.count_nonzero(change < 0))
    return int(np.count_nonzero(change == 0)) if ordered else 0
