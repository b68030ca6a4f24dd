"""``gradeval evaluate --assisted-by``: means from few human and many model grades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from gradeval._core import InputError
from gradeval.cli.assisted.options import name_model
from gradeval.cli.options.reading import Reading, read_judgments
from gradeval.cli.screen.notices import about_coverage, begin_with, tell
from gradeval.cli.screen.progress import evaluate_with_progress
from gradeval.collection.runs import Run
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.assisted.estimator import TopicsAre
from gradeval.studies.assisted.means import assisted_means


def score_by_model(
    place: str, runs: Sequence[Run], measures: Sequence[Measure], reading: Reading, **options: Any
) -> Scores:
    """The scores of the runs by a model's grades, and notes on these."""
    judgments, notes = read_judgments(place, reading)
    tell(begin_with("model grades: ", notes))
    try:
        scores = evaluate_with_progress(judgments, runs, measures, **options)
    except InputError as error:
        raise name_model(error, place) from None
    tell(begin_with("model grades: ", about_coverage(scores)))
    return scores


def write_assisted(
    human: Scores,
    model: Scores,
    place: str,
    topics_are: TopicsAre,
    order: Measure | None,
    digits: int,
    file: IO[bytes],
    format: str,
) -> None:
    """Write the assisted means of the runs, the highest first by a measure."""
    try:
        means = assisted_means(human, model, topics_are=topics_are)
        if order is not None:
            values = means.value[:, human.measures.index(order)]
            best = [human.runs[run] for run in np.argsort(-values, kind="stable")]
            means = assisted_means(human.sel(runs=best), model, topics_are=topics_are)
    except InputError as error:
        raise name_model(error, place) from None
    tell([means.description, *means.notes])
    means.write(file, format, digits=digits)
