"""The values of runs over judged documents alone, by which verdicts see whether unjudged ones decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.held_out import are_held_out
from gradeval.scores.scores import Scores

NO_SCORES = ("Judged", "Unjudged", "RBPresidual", "NumNonRelRet")
"""Measures of which more is not better, as coverage is no quality, so that they decide nothing."""


def sees_unjudged(measure: Measure) -> bool:
    """Is more better by a measure, and can documents that nobody judged change its values?"""
    return not measure.judged_only and measure.name not in NO_SCORES


def add_judged_only(scores: Scores, pool: Array, score_by: Callable[[list[Measure]], Scores]) -> Scores:
    """The scores, with their values over judged documents alone; none where judgments are ``are_held_out``.

    ``pool``: int64[topic, level]; ``score_by`` scores the same runs by other measures.
    """
    if scores.judging is None or are_held_out(pool, scores.judging.unjudged_top_share):
        return scores
    return score_alone(scores, score_by)


def score_alone(scores: Scores, score_by: Callable[[list[Measure]], Scores]) -> Scores:
    """The scores, with their values over judged documents alone."""
    places = [place for place, measure in enumerate(scores.measures) if sees_unjudged(measure)]
    condensed = [scores.measures[place].configured({"judged_only": True}) for place in places]
    values = scores.values.copy()
    if condensed:
        values[:, :, places] = score_by(condensed).values
    return replace(scores, judged_only=values)
