"""The average distance measure of several runs, as scores: with means, intervals and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.collection.average_distance import ScoreScaling, adm
from gradeval.collection.exclusion import Excluded
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import values_only
from gradeval.messages import plural
from gradeval.scores.notes import about_excluded
from gradeval.scores.scores import Scores
from gradeval.warning_categories import Note, NoteWeight

ADM = values_only("ADM")
"""The measure: it needs the scores of documents, which rankings of grades no longer have."""


def score_distances(qrels: Qrels, runs: Sequence[Run], *, scaling: ScoreScaling = "none") -> Scores:
    """Values of ``adm`` for every run and topic of the judgments.

    Parameters
    ----------
    scaling : see ``adm``.

    Raises
    ------
    InputError : a score outside [0, 1] where they are not scaled; two runs of one name.
    """
    if (twice := find_twice([run.name for run in runs])) is not None:
        raise InputError(f"two runs are called {twice!r}; give each a name of its own")
    answered = [set(run.topics) for run in runs]
    excluded = None if qrels.excluded is None else _count_excluded(qrels, qrels.excluded, runs, answered)
    scores = Scores(
        values=np.array([list(adm(qrels, run, scaling=scaling).values()) for run in runs])[:, :, None],
        present=np.array([[topic in topics for topic in qrels.topics] for topics in answered]),
        vacant=np.zeros((len(qrels.topics), 1), bool),
        runs=[run.name for run in runs],
        topics=list(qrels.topics),
        measures=[ADM],
        levels=tuple(qrels.levels),
    )
    lacking = zip(scores.runs, (~scores.present).sum(1).tolist(), strict=True)
    notes = [
        f"{run} misses {plural(number, 'topic')}: there every score counts as 0" for run, number in lacking if number
    ]
    scores.notes[:] = [
        Note.method(f"ADM: 1 minus the mean distance of scores from grades, scaling {scaling}"),
        *([] if excluded is None else [about_excluded(excluded)]),
        *(Note(text, own_weight=NoteWeight.MEANING) for text in notes),
    ]
    return scores


def _count_excluded(qrels: Qrels, judgments: Array, runs: Sequence[Run], answered: Sequence[set[str]]) -> Excluded:
    """How many documents of the runs must not count, besides the removed judgments."""
    documents = [
        [len(qrels.exclusion.of(topic) & run.of(topic).keys()) if topic in topics else 0 for topic in qrels.topics]
        for run, topics in zip(runs, answered, strict=True)
    ]
    return Excluded(np.array(documents), judgments, qrels.emptied)
