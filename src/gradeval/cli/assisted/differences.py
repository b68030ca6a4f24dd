"""``gradeval compare --assisted-by``: differences from few human and many model grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradeval._core import InputError
from gradeval.cli.assisted.options import name_model
from gradeval.cli.options.collection import Collection
from gradeval.cli.screen.notices import begin_with, tell
from gradeval.cli.study.steps import read_collection, score_runs
from gradeval.scores.scores import Scores
from gradeval.studies.assisted.differences import AssistedComparison, compare_assisted
from gradeval.studies.assisted.estimator import TopicsAre
from gradeval.studies.requirements import require_runs
from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.significance import name_baselines, pair_with


def compare_by_both(
    collection: Collection,
    human: Scores,
    assisted_by: str,
    *,
    topics_are: TopicsAre,
    baselines: Sequence[str],
    correction: Correction,
    alpha: float,
) -> AssistedComparison:
    """Score the same runs by the model's grades, on all its topics, compare them, and tell the notes of that."""
    require_runs(len(human.runs))
    pair_with(human.runs, name_baselines(baselines or None, human))  # refuses unknown baselines
    by_model = replace(collection, qrels=assisted_by, topics=None, runs=None)
    try:
        judged, notes = read_collection(by_model)
        model, more = score_runs(by_model, judged, human.measures)
        tell(begin_with("model grades: ", [*notes, *more]))
        comparison = compare_assisted(
            human, model, baselines or None, topics_are=topics_are, correction=correction, alpha=alpha
        )
    except InputError as error:
        raise name_model(error, assisted_by) from None
    tell([comparison.description, *comparison.notes])
    return comparison
