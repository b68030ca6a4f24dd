"""From judged runs to scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.scores.coverage import Coverage
from gradeval.scores.scores import Empty, Missing, Scores


def score(
    judged: JudgedRuns,
    measures: Sequence[Measure],
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    coverage: Coverage | None = None,
) -> Scores:
    """Score judged runs; ``coverage``: where it is not that of these runs as they are."""
    if len(set(judged.runs)) < len(judged.runs):
        twice = next(name for name in judged.runs if judged.runs.count(name) > 1)
        raise InputError(f"two runs are called {twice!r}; give each a name of its own")
    values = np.zeros((len(measures), len(judged)))
    for rows, block in judged.blocks():
        for row, measure in zip(values, measures, strict=True):
            row[rows] = measure_each(measure, block)
    require_finite(values, judged, measures)
    return Scores(
        values=values.T.reshape(len(judged.runs), len(judged.topics), len(measures)),
        present=judged.present,
        vacant=find_vacant(judged, measures),
        runs=judged.runs,
        topics=judged.topics,
        measures=list(measures),
        missing=missing,
        empty=empty,
        coverage=coverage or compute_coverage(judged),
    )


def measure_each(measure: Measure, block: JudgedRankings) -> Array:
    """The value of each ranking; an error where a user's own formula returns another shape."""
    values = measure(block)
    if np.shape(values) != block.retrieved.shape:
        raise InputError(
            f"{measure}: its formula gave shape {list(np.shape(values))} for rankings {list(block.retrieved.shape)}; a "
            "formula keeps the leading axes and sums over the last, as in hits.sum(-1)"
        )
    return values


def require_finite(values: Array, judged: JudgedRuns, measures: Sequence[Measure]) -> None:
    """Refuse values [measure, row] that are NaN or infinite, as from a formula that divides by 0."""
    if np.isfinite(values).all():
        return
    which, row = np.argwhere(~np.isfinite(values))[0]
    run, topic = divmod(int(row), len(judged.topics))
    raise InputError(
        f"{measures[which]}: its formula gave {values[which, row]} for run {judged.runs[run]}, topic "
        f"{judged.topics[topic]}; divide with ratio, which gives 0 where there is nothing to find"
    )


def compute_coverage(judged: JudgedRuns, deselected: frozenset[str] = frozenset()) -> Coverage:
    """How much of whole runs the judgments cover; ``deselected`` topics do not count as unjudged."""
    return Coverage(
        judged.retrieved,
        judged.tied,
        judged.judged_retrieved,
        judged.contradicting,
        [[topic for topic in extra if topic not in deselected] for extra in judged.unjudged_topics],
    )


def find_vacant(judged: JudgedRuns, measures: Sequence[Measure]) -> Array:
    """bool[topic, measure]: topics in which nothing is relevant for the measure."""
    pools = judged.grading.pools

    def nothing() -> Array:
        bases = [measure.base(pools) for measure in measures]
        none = np.zeros(len(judged.topics), bool)
        return np.stack([none if base is None else base == 0 for base in bases], axis=-1)

    return pools.compute_once(("vacancy", *measures), nothing)
