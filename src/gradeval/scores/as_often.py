"""What would runs score if unjudged documents were relevant as often as judged ones? Verdicts ask whether these decide.

Each unjudged document gets the grade of one of the judged documents nearest to it in its ranking. It is drawn, and the
values of several draws are averaged. A pool has at least as many documents of a grade as a ranking then holds.

Deep down, judged documents are near the top of other runs, and relevant far more often than what is around them. Where
a ranking is long and a measure looks at all ranks, judged documents alone are scored: they move up. A measure that
counts all relevant documents is lowered by unjudged relevant ones, so it is divided by the share judged of the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from gradeval.collection.meeting import BLOCK, JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.scores.coverage import TOP
from gradeval.scores.held_out import are_held_out
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score, score_block

NO_SCORES = ("Judged", "Unjudged", "RBPresidual", "NumNonRelRet")
"""Measures of which more is not better, as coverage is no quality, so that they decide nothing."""
DEEP = 100
"""Ranks down to which unjudged documents get grades."""
NEAREST = 10
"""From so many judged documents an unjudged one gets its grade, in as many draws: each of them comes once."""


def sees_unjudged(measure: Measure) -> bool:
    """Is more better by a measure, and can documents that nobody judged change its values?"""
    return not measure.judged_only and measure.name not in NO_SCORES


def add_as_often(scores: Scores, judged: JudgedRuns) -> Scores:
    """The scores, with their values if unjudged documents were relevant as often as judged ones; none where judgments
    ``are_held_out``. ``judged``: the same runs."""
    if scores.judging is None or are_held_out(judged.pool, scores.judging.unjudged_top_share):
        return scores
    return score_as_often(scores, judged)


def score_as_often(scores: Scores, judged: JudgedRuns) -> Scores:
    """The scores, with their values if unjudged documents were relevant as often as judged ones."""
    values = scores.values.copy()
    rows = values.reshape(-1, len(scores.measures))
    order = judged.in_one_order() if judged.depth is None else judged.in_one_order().top(judged.depth)
    for cutoff, places in _by_cutoff(scores.measures).items():
        measures = [scores.measures[place] for place in places]
        seen = np.minimum(order.retrieved, DEEP if cutoff is None else cutoff)
        some = (order.count_judged(DEEP if cutoff is None else cutoff) < seen) & (order.judged_retrieved > 0)
        if cutoff is None:
            long = order.retrieved > DEEP
            if long.any():
                condensed = score(order, [one.configured({"judged_only": True}) for one in measures]).values
                values[:, :, places] = np.where(long[..., None], condensed, values[:, :, places])
            some &= ~long
        chosen = np.flatnonzero(some)
        rows[chosen[:, None], places] = _score_graded(order, tuple(measures), cutoff or DEEP, chosen)
    return replace(scores, as_often=values)


def values_as_often(scores: Scores) -> Array:
    """float64[run, topic, measure]: the values if unjudged documents were relevant as often as judged ones; of long
    rankings by the share judged of the top where all relevant documents count.

    Shares by rank doubt as many losses, and miss more that judgments undo: what is judged far down is near the top of
    another run, and relevant nearly as often as near its own.
    """
    assert scores.as_often is not None
    assert scores.judging is not None
    values = scores.as_often.copy()
    share = np.maximum(1 - scores.judging.unjudged_top_share, 1 / TOP)[:, None]
    for place, measure in enumerate(scores.measures):
        if not _is_deep(measure) or not sees_unjudged(measure) or scores.levels is None:
            continue
        if counts_all_relevant(measure, scores.levels):
            known = values[..., place]
            more = known / share
            if "bounded" not in measure.definition.exempt:
                more = np.minimum(more, np.maximum(known, 1.0))
            reach = np.inf if measure.cutoff is None else measure.cutoff
            short = (scores.judging.retrieved > DEEP) & (scores.judging.judged < reach)
            values[..., place] = np.where(short, more, known)
    return values


def counts_all_relevant(measure: Measure, levels: Levels) -> bool:
    """Do relevant documents lower a value by being there, without being retrieved; or does it count those that are?"""
    if measure.definition.aggregate == "sum":
        return True
    none = [0] * (len(levels) - 1)
    one, two = (JudgedRankings.of([levels[-1]], pool=[*none, number], levels=levels) for number in (1, 2))
    return bool((measure(two) < measure(one)).all())


def _is_deep(measure: Measure) -> bool:
    """Does a measure look at ranks below those at which unjudged documents get grades?"""
    return measure.cutoff is None or measure.cutoff > DEEP


def is_too_deep(measure: Measure, scores: Scores) -> bool:
    """Are rankings too long to draw a grade for each document? Then a value only says which losses to name."""
    return _is_deep(measure) and scores.judging is not None and bool((scores.judging.retrieved > DEEP).any())


def _by_cutoff(measures: Sequence[Measure]) -> dict[int | None, list[int]]:
    """The places of measures that see unjudged documents, by their cutoffs; None: they look deeper than ``DEEP``."""
    places: dict[int | None, list[int]] = {}
    for place, measure in enumerate(measures):
        if sees_unjudged(measure):
            places.setdefault(None if _is_deep(measure) else measure.cutoff, []).append(place)
    return places


def _score_graded(judged: JudgedRuns, measures: tuple[Measure, ...], depth: int, rows: Array) -> Array:
    """float64[row, measure]: mean values over draws of grades for the unjudged documents of the first ranks."""
    values = np.zeros((len(measures), len(rows)))
    count = max(1, BLOCK // depth)
    for start in range(0, len(rows), count):
        few = slice(start, start + count)
        for graded in _grade_nearby(judged.rows(rows[few]), depth):
            values[:, few] += score_block(measures, graded)
    return values.T / NEAREST


def _grade_nearby(rankings: JudgedRankings, depth: int) -> Iterator[JudgedRankings]:
    """The first ranks of rankings [row, j] with a grade for each document, once for each draw."""
    number = len(rankings.grades)
    row = np.arange(number)[:, None]
    at = np.where(rankings.judged & (rankings.ranks <= depth), rankings.ranks - 1, depth).astype(np.intp)
    level, known = np.zeros((number, depth + 1), np.intp), np.zeros((number, depth + 1), bool)
    level[row, at], known[row, at] = rankings.level, True
    level, known = level[:, :depth], known[:, :depth]
    in_order = rankings.condensed().level  # of judged documents at all ranks

    retrieved = np.minimum(rankings.retrieved, depth)
    ranks = np.arange(1.0, depth + 1)
    there = ranks <= retrieved[:, None]
    above, judged = known.cumsum(1), rankings.judged.sum(1)[:, None]
    unknown = there & ~known & (judged > 0)
    first, near = np.clip(above - NEAREST // 2, 0, np.maximum(judged - NEAREST, 0)), np.minimum(NEAREST, judged)
    last = max(in_order.shape[1] - 1, 0)
    for draw in _draws(depth):
        chosen = np.take_along_axis(in_order, np.minimum(first + (draw * near).astype(np.intp), last), 1)
        graded = np.where(unknown, chosen, level)
        held = np.stack([(there & (graded == one)).sum(1) for one in range(len(rankings.levels))], 1)
        yield JudgedRankings.full(
            np.asarray(rankings.levels)[graded],
            np.maximum(rankings.pool, held),
            rankings.levels,
            np.where(there, ranks, np.inf),
            retrieved,
        )


@cache
def _draws(depth: int) -> Array:
    """float64[draw, rank]: where in the judged documents nearby each draw falls, from 0 to 1; of each rank all parts
    come once, in an order by chance."""
    parts = np.argsort(np.random.default_rng(0).random((NEAREST, depth)), axis=0)
    return np.asarray((parts + 0.5) / NEAREST)
