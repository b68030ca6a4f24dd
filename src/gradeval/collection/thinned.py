"""Judged runs from which part of the judgments, or of the rankings, is taken away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import GradeAtRank, JudgedRankings
from gradeval.formula.levels import Levels


def topic_of(judged: JudgedRuns) -> Array:
    """intp[document]: the index of the topic of each document of the pools."""
    ends = np.append(judged.grading.first[1:], len(judged.grading.judged) - 1)
    return np.repeat(np.arange(len(judged.topics)), ends - judged.grading.first)


def pools_of(judged: JudgedRuns, kept: Array) -> Array:
    """int64[..., topic, level]: how many judged documents of each level are left if only kept[..., document] stay."""
    width = len(judged.levels)
    cell = topic_of(judged) * width + np.searchsorted(judged.levels, judged.grading.grades[:-1])
    cells = len(judged.topics) * width
    left = [np.bincount(cell[row], minlength=cells) for row in kept.reshape(-1, kept.shape[-1])]
    return np.reshape(left, (*kept.shape[:-1], len(judged.topics), width))


def pooled_places(judged: JudgedRuns) -> Array:
    """int64[n]: the index among the documents of all pools of each ranked document, ranking after ranking."""
    topic = np.arange(len(judged)) % len(judged.topics)
    return np.repeat(judged.grading.first[topic], np.diff(judged.offsets)) + judged.document[:-1]


def only_rows(judged: JudgedRuns, rows: Array) -> JudgedRuns:
    """The same runs with the rankings of some rows[run * topics] only; all others are empty."""
    return with_entries(judged, np.flatnonzero(np.repeat(rows, np.diff(judged.offsets))))


def thinned(judged: JudgedRuns, kept: Array, *, drop: bool = False, places: Array | None = None) -> JudgedRuns:
    """The same runs, with only the judgments of kept[document].

    A document without its judgment stays in the ranking, pooled but unjudged. With ``drop`` it leaves the pool instead,
    which is faster and changes no measure but those that tell the two apart (see ``tells_unjudged_apart``).
    ``places`` is the result of ``pooled_places``, if it is known already.
    """
    grading = judged.grading
    kept = kept & grading.judged[:-1]
    left = grading._replace(
        grades=np.append(np.where(kept, grading.grades[:-1], 0.0), 0.0),
        judged=np.append(kept, False),
        pools=replace(grading.pools, pool=pools_of(judged, kept)),
        complete=drop,
    )
    if drop:
        places = pooled_places(judged) if places is None else places
        judged = with_entries(judged, np.flatnonzero(kept[places]))
    return replace(judged, grading=left)


def with_entries(judged: JudgedRuns, entries: Array) -> JudgedRuns:
    """The same runs with only some documents of their rankings: ascending indices into ``rank``."""
    padded = np.append(entries, len(judged.rank) - 1)
    return replace(
        judged,
        rank=judged.rank[padded],
        document=judged.document[padded],
        offsets=np.searchsorted(entries, judged.offsets),
    )


def tells_unjudged_apart(measure: Measure, levels: Levels) -> bool:
    """Does the formula tell a pooled document without a judgment from one outside the pool, as infAP does?"""
    return tells_apart(measure, levels, "U", None)


def tells_apart(measure: Measure, levels: Levels, one: GradeAtRank, other: GradeAtRank) -> bool:
    """Does the value of any of a few random rankings change when all its documents like ``one`` are like ``other``?"""
    rng = np.random.default_rng(0)
    items: list[GradeAtRank] = [*levels, "U"]
    rankings = [[items[place] for place in rng.integers(len(items), size=24)] for _ in range(8)]
    pool = [24] * len(levels)
    return any(
        not np.allclose(
            measure(JudgedRankings.of(ranking, pool=pool, levels=levels)),
            measure(JudgedRankings.of([other if item == one else item for item in ranking], pool=pool, levels=levels)),
            rtol=1e-9,
            atol=0,
        )
        for ranking in rankings
    )
