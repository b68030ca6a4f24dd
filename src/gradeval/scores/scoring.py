"""From judged runs to scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.collection.identity import Identity
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.coverage import Coverage
from gradeval.scores.passes import require_finite, score_block
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.tied.expectation import expect
from gradeval.tied.rankings import tied_blocks


def score(
    judged: JudgedRuns,
    measures: Sequence[Measure],
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    coverage: Coverage | None = None,
    collection: Identity | None = None,
    seed: int = 0,
) -> Scores:
    """Score judged runs; ``coverage``: where it is not that of these runs as they are; ``seed``: of orders of tied
    documents that are drawn (ties="expected")."""
    if len(set(judged.runs)) < len(judged.runs):
        twice = next(name for name in judged.runs if judged.runs.count(name) > 1)
        raise InputError(f"two runs are called {twice!r}; give each a name of its own")
    errors = None
    several = tuple(measures)
    if judged.ties == "expected":
        values, errors = _expected_values(judged, several, seed)
    else:
        values = _values(judged, several)
    shape = (len(judged.runs), len(judged.topics), len(measures))
    require_finite(values, judged.runs, judged.topics, measures)
    return Scores(
        values=values.T.reshape(shape),
        present=judged.present,
        vacant=find_vacant(judged, several),
        runs=judged.runs,
        topics=judged.topics,
        measures=list(measures),
        missing=missing,
        empty=empty,
        coverage=coverage or compute_coverage(judged),
        collection=collection,
        ties=judged.ties,
        errors=None if errors is None else errors.T.reshape(shape),
    )


def _values(judged: JudgedRuns, measures: tuple[Measure, ...]) -> Array:
    """float64[measure, row]: the value of every measure for every ranking."""
    number = len(judged)
    values = np.empty((len(measures), number))
    for rows, block in judged.blocks():
        if len(rows) == number:  # a single block, which has all rows in their order
            return score_block(measures, block)
        values[:, rows] = score_block(measures, block)
    return values


def _expected_values(judged: JudgedRuns, measures: tuple[Measure, ...], seed: int) -> tuple[Array, Array | None]:
    """float64[measure, row]: expected values over the orders of tied documents; their standard errors, if any."""
    values, errors = np.zeros((2, len(measures), len(judged)))
    for rows, tied in tied_blocks(judged, seed):
        expected = expect(measures, tied, score_block(measures, tied.cut))
        values[:, rows], errors[:, rows] = expected.values, expected.errors
    return values, errors if errors.any() else None


def compute_coverage(judged: JudgedRuns, deselected: frozenset[str] = frozenset()) -> Coverage:
    """How much of whole runs the judgments cover; ``deselected`` topics do not count as unjudged."""
    return Coverage(
        judged.retrieved,
        judged.tied,
        judged.judged_retrieved,
        judged.contradicting,
        [[topic for topic in extra if topic not in deselected] for extra in judged.unjudged_topics],
    )


def find_vacant(judged: JudgedRuns, measures: tuple[Measure, ...]) -> Array:
    """bool[topic, measure]: topics in which nothing is relevant for the measure."""
    pools = judged.grading.pools

    def nothing() -> Array:
        none = np.zeros(len(judged.topics), bool)
        columns: dict[object, Array] = {}
        keys = [_key_of_base(measure) for measure in measures]
        for key, measure in zip(keys, measures, strict=True):
            if key not in columns:
                base = measure.base(pools)
                columns[key] = none if base is None else base == 0
        return np.stack([columns[key] for key in keys], axis=-1)

    return pools.compute_once(("vacancy", measures), nothing)


def _key_of_base(measure: Measure) -> object:
    """Equal for measures whose bases are equal: a cutoff leaves the pool whole."""
    base = measure.definition.base
    return None if base is None else (base, tuple(measure.arguments[base].items()))
