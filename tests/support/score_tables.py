"""Scores for the tests of the studies: typed in, or drawn around a quality of each run."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Empty, Missing, Scores


def scores_of(
    values: ArrayLike,
    measures: str = "AP",
    *,
    present: ArrayLike | None = None,
    vacant: ArrayLike | None = None,
    missing: Missing = "zero",
    empty: Empty = "zero",
) -> Scores:
    """Scores from values[run, topic] or values[run, topic, measure]; runs A, B, ..., topics 1, 2, ..."""
    table = np.asarray(values, float)
    table = table[..., None] if table.ndim == 2 else table
    runs, topics, width = table.shape
    parsed = parse_measures(measures)
    assert len(parsed) == width
    return Scores(
        values=table,
        present=np.ones((runs, topics), bool) if present is None else np.asarray(present, bool),
        vacant=np.zeros((topics, width), bool) if vacant is None else np.asarray(vacant, bool),
        runs=[chr(ord("A") + run) if run < 26 else f"run{run}" for run in range(runs)],
        topics=[str(topic + 1) for topic in range(topics)],
        measures=parsed,
        missing=missing,
        empty=empty,
    )


def drawn_scores(
    runs: int = 8,
    topics: int = 20,
    measures: str = "AP nDCG",
    *,
    noise: float = 0.05,
    spread: float = 0.1,
    seed: int = 0,
) -> Scores:
    """Values around a quality of each run and a difficulty of each topic; each measure adds noise of its own."""
    rng = np.random.default_rng(seed)
    shared = spread * rng.normal(size=(runs, 1, 1)) + 0.2 * rng.normal(size=(1, topics, 1))
    shared = shared + 0.1 * rng.normal(size=(runs, topics, 1))
    own = noise * rng.normal(size=(runs, topics, len(parse_measures(measures))))
    return scores_of(shared + own, measures)
