"""Scores by human grades beside scores by a model's grades, on its topics, and what is required of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.scores.merging import require_same_ties
from gradeval.scores.notes import list_some, plural
from gradeval.scores.scores import Scores
from gradeval.studies.assisted.estimator import LEAST_TOPICS, TopicsAre


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Values of the same runs by the same measures, by human and by model grades, on the scale of averages.

    Attributes
    ----------
    human : float64[n, run, measure]
    model : float64[T, run, measure]
    both : intp[n]: the places of the human topics among those of the model.
    topics_are : see ``estimate_means``.
    """

    human: Array
    model: Array
    both: Array
    topics_are: TopicsAre


def pair_scores(human: Scores, model: Scores, topics_are: str) -> PairedScores:
    """Put both side by side; an InputError where they do not fit together or are too few."""
    for scores, what in ((human, "human"), (model, "model")):
        if not isinstance(scores, Scores):
            raise InputError(
                f"the scores by {what} grades are Scores, as evaluate(qrels, runs) gives, not {type(scores).__name__}"
            )
        _require_usable(scores, what)
    checks.one_of("topics_are", topics_are, get_args(TopicsAre))
    require_same_ties([human, model])
    if (human.missing, human.empty) != (model.missing, model.empty):
        raise InputError("scores by human and by model grades treat missing or empty topics differently; score alike")
    both = _find_topics(human.topics, model.topics)
    try:
        beside = model.sel(runs=human.runs, measures=human.measures)
    except InputError as error:
        raise InputError(f"the scores by model grades lack what those by human grades have: {error}") from None
    chosen: TopicsAre = "sample" if topics_are == "sample" else "all"
    return PairedScores(np.moveaxis(human.transformed(), 0, 1), np.moveaxis(beside.transformed(), 0, 1), both, chosen)


def _find_topics(human: list[str], model: list[str]) -> Array:
    """intp[n]: the places of the human topics among those of the model."""
    place = {topic: number for number, topic in enumerate(model)}
    if lacking := [topic for topic in human if topic not in place]:
        raise InputError(
            f"the model graded no document of {len(lacking)} of {plural(len(human), 'human topic')} "
            f"({list_some(lacking)}); grade them with the model, too, or leave them out"
        )
    if len(human) < LEAST_TOPICS:
        raise InputError(
            f"{plural(len(human), 'topic')} with human grades: fewer than {LEAST_TOPICS} do not show how far the model "
            "can be trusted (its slope and the residual variance are estimated from them); grade more topics"
        )
    if len(model) == len(human):
        raise InputError(
            f"the model graded only the {len(human)} topics that have human grades, so it adds nothing; grade more "
            "topics with the model, or leave it out"
        )
    return np.array([place[topic] for topic in human])


def _require_usable(scores: Scores, what: str) -> None:
    if "skip" in (scores.missing, scores.empty):
        policy = "missing" if scores.missing == "skip" else "empty"
        raise InputError(
            f"{policy}='skip' may leave out different topics by human and by model grades; accepted: {policy}='zero', "
            "which counts them as 0"
        )
    for measure in scores.measures:
        if measure.definition.aggregate == "sum":
            raise InputError(f"{measure} adds up over topics, and only means over topics are estimated; leave it out")
    if not np.isfinite(scores.values).all():
        run, topic, place = np.argwhere(~np.isfinite(scores.values))[0]
        raise InputError(
            f"scores by {what} grades: {scores.measures[place]} of run {scores.runs[run]!r} for topic "
            f"{scores.topics[topic]!r} is {scores.values[run, topic, place]}; give finite numbers"
        )


def describe_topics(topics_are: TopicsAre, human: int, model: int) -> str:
    """Which topics there are, and what they stand for."""
    stand = {"sample": "a sample of a larger population", "all": "all there are"}[topics_are]
    return (
        f"{human} topics with human grades, taken to be a random sample of the {model} that the model graded; these "
        f"are {stand}"
    )
