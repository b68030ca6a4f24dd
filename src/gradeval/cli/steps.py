"""The steps of a study: read, judge, score, choose. Each returns its result and its notes."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from gradeval.cli.collection import Collection
from gradeval.cli.notices import Note, about_unknown_topics, list_some, plural
from gradeval.cli.reading import open_collection_runs, read_judgments
from gradeval.collection.meeting import JudgedRuns, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.scores.score_files import open_scores
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import compute_coverage

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
