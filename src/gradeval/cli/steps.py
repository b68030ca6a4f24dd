"""The steps of a study: read, judge, score, choose. Each returns its result and its notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from gradeval.cli.collection import Collection
from gradeval.cli.inputs import require_known
from gradeval.cli.notices import Note, about_coverage, about_unknown_topics, list_some, plural
from gradeval.cli.reading import open_collection_runs, read_judgments
from gradeval.cli.values import name_option_in_errors
from gradeval.collection.meeting import JudgedRuns, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.definition import Measure
from gradeval.scores.score_files import open_scores
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import compute_coverage, score
from gradeval.scores.selection import Named, Top, TopicSelection
from gradeval.studies.requirements import require_topics

T = TypeVar("T")


class Noted(NamedTuple, Generic[T]):
    """The result of a step, and what the user should know of it."""

    result: T
    notes: list[Note]


class Opened(NamedTuple):
    """Judgments and runs that have not met yet."""

    judgments: Qrels
    runs: list[Run]
    notes: list[Note]


def open_collection(collection: Collection) -> Opened:
    """Read judgments, and open runs."""
    assert collection.qrels is not None  # click requires it, or Collection.take does
    judgments, notes = read_judgments(collection.qrels, collection)
    runs, more = open_collection_runs(collection.run_files, collection)
    return Opened(judgments, list(runs), [*notes, *more])


def judge_opened(collection: Collection, opened: Opened) -> Noted[JudgedRuns]:
    """Judge the runs."""
    judged = meet(
        opened.judgments, opened.runs, ties=collection.ties, negative=collection.negative, threads=collection.threads
    )
    notes = [*opened.notes, *about_unknown_topics(judged.runs, judged.topics, compute_coverage(judged))]
    return Noted(judged if collection.depth is None else judged.top(collection.depth), notes)


def read_collection(collection: Collection) -> Noted[JudgedRuns]:
    """Read judgments and runs, and judge the runs."""
    return judge_opened(collection, open_collection(collection))


def score_runs(
    collection: Collection, judged: JudgedRuns, measures: Sequence[Measure], instead: str | None = None
) -> Noted[Scores]:
    """Score the chosen runs on all topics.

    ``instead``: what happens to missing and empty topics, where --missing and --empty do not apply.
    """
    by = collection.chosen_by
    needed = list(dict.fromkeys([*measures, *([by] if by else [])]))
    scores = score(
        judged, needed, missing=collection.missing, empty=collection.empty, coverage=compute_coverage(judged)
    )
    notes = about_coverage(scores.sel(measures=list(measures)), instead)
    chosen, more = choose_runs(collection, scores, measures)
    return Noted(chosen, [*notes, *more])


def choose_runs(collection: Collection, scores: Scores, measures: Sequence[Measure]) -> Noted[Scores]:
    """Choose runs; the choice may depend on a measure that the study does not compare."""
    studied = scores.sel(measures=list(measures))
    if collection.runs is None:
        return Noted(studied, [])
    selection = collection.run_selection()
    pool = studied if isinstance(selection, Top) and selection.measure is None else scores
    with name_option_in_errors("--runs", collection.runs):
        names = selection.runs(pool)
    return Noted(studied.sel(runs=names), [f"runs: {selection} selects {len(names)} of {len(scores.runs)}"])


def choose_topics(collection: Collection, judged: JudgedRuns, *, few: bool = False) -> Noted[list[str]]:
    """Choose topics; ``few``: allow fewer than a comparison needs."""
    selection = collection.topic_selection()
    if isinstance(selection, Named):
        require_known(collection.topics or "", selection.names, judged.topics, str(collection.qrels))
    with name_option_in_errors("--topics", collection.topics):
        topics, notes = select_topics(selection, judged)
        if collection.topics is not None and not few:
            require_topics(len(topics))
        return Noted(topics, notes if collection.topics is not None else [])


def select_topics(selection: TopicSelection, judged: JudgedRuns) -> Noted[list[str]]:
    """The names of the topics that a selection chooses."""
    topics = selection.topics(judged)
    what = "" if isinstance(selection, Named) else f"{selection} selects "
    return Noted(topics, [f"topics: {what}{len(topics)} of {len(judged.topics)}"])


def open_ready_scores(collection: Collection) -> Noted[Scores]:
    """Read ready scores, all of them."""
    scores, text = open_scores(*collection.scores, missing=collection.missing, empty=collection.empty)
    left_out = [f"left out, as the values are text: {list_some(text)}"] if text else []
    return Noted(scores, [*_about_missing(scores), *left_out])


def _about_missing(scores: Scores) -> list[Note]:
    """The runs that lack scores for some topics, and how those count."""
    if scores.present.all():
        return []
    lacking = [run for run, there in zip(scores.runs, scores.present, strict=True) if not there.all()]
    consequence = {"zero": "they count 0", "skip": "they are left out"}[scores.missing]
    have = f"{plural(len(lacking), 'run')} {'has' if len(lacking) == 1 else 'have'}"
    return [f"{have} no scores for some topics ({list_some(lacking)}); {consequence}"]
