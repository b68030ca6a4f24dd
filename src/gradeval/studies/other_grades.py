"""Grades by others, as a study takes them: read, judged and scored as the first judgments are, and cut by slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradeval._core import InputError
from gradeval.collection.joint_pool import require_comparable
from gradeval.collection.meeting import JudgedRuns, meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.accepted import By, as_qrels
from gradeval.formula.definition import Measure
from gradeval.messages import Given, kind_of, plain
from gradeval.scores.coverage import Coverage
from gradeval.scores.evaluation import require_common_topic
from gradeval.scores.mistakes import ScoreOrigin
from gradeval.scores.notes import about_scores
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import compute_coverage, score
from gradeval.scores.slices import RELEVANT, Slice, Slices
from gradeval.studies.machine_grades import only_graded
from gradeval.warning_categories import Note


@dataclass(frozen=True)
class RunsToJudge:
    """Runs, and how they meet judgments.

    Attributes
    ----------
    ranked : the runs; None: they are judged already.
    how : ties, negative, threads, and the depth down to which documents count.
    known : the topics of all grades.
    """

    ranked: list[Run] | None
    how: Mapping[str, Any]
    known: frozenset[str]

    def judge(self, name: str, grades: JudgedRuns | Qrels) -> tuple[JudgedRuns, Coverage, ScoreOrigin]:
        """The runs judged by some grades, what the grades cover of them, and the judgments with the runs, if known.

        ``name``: the parameter that gave the grades.
        """
        if isinstance(grades, JudgedRuns):
            return grades, compute_coverage(grades, self.known), None
        if self.ranked is None:
            raise InputError(
                Given(name, None, kind_of(grades)),
                ": runs that are judged already are not judged again; give scores, judged runs of the same runs, or "
                "judgments and runs",
            )
        judged = meet(grades, self.ranked, **{key: value for key, value in self.how.items() if key != "depth"})
        require_common_topic(grades, judged.present, judged.unjudged_topics, self.ranked)
        coverage, depth = compute_coverage(judged, self.known), self.how.get("depth")
        return judged if depth is None else judged.top(depth), coverage, (grades, self.ranked)


def read_others(others: Mapping[str, Any], first: JudgedRuns | Qrels) -> tuple[dict[str, Any], list[Note]]:
    """Scores and judged runs as they are, all else as judgments, which must be comparable with the first ones; and what
    there is to say of them."""
    read: dict[str, Any] = {}
    notes: list[Note] = []
    for name, one in others.items():
        read[name] = one
        if isinstance(one, Scores | JudgedRuns):
            continue
        read[name], about = only_graded(as_qrels(one), name)
        if isinstance(first, Qrels):
            require_comparable(name, read[name], first)
        notes += about
    return read, notes


def score_others(
    others: Mapping[str, Any], runs: RunsToJudge, measures: Sequence[Measure], first: Scores, consequence: str | None
) -> tuple[dict[str, Scores], list[Note]]:
    """The scores of the runs by each of the grades, and what there is to say of them that the ``first`` scores do not
    say; ``consequence``: see ``about_scores``."""
    scored: dict[str, Scores] = {}
    notes: list[Note] = []
    for name, one in others.items():
        if isinstance(one, Scores):
            scored[name] = one
            continue
        judged, coverage, source = runs.judge(name, one)
        scored[name] = score(judged, measures, coverage=coverage, missing=first.missing, empty=first.empty)
        said = about_scores(scored[name], source, consequence, told=first.coverage, pools=judged.grading.pools)
        notes += [note.within(name) for note in said]
    return scored, notes


def require_labels_of_all(by: By, others: Mapping[str, Scores]) -> None:
    """Refuse slices by the number of relevant documents, which only the topics of the first judgments have."""
    if others and isinstance(by, str) and by == RELEVANT:
        raise InputError(
            plain("by", by),
            f": only the first judgments have documents, {', '.join(others)} has more "
            "topics; give labels of all topics",
        )


def cut_others(others: Mapping[str, Scores], slices: Slices, one: Slice) -> dict[str, Scores]:
    """The scores by others of the topics of a slice, of which they may have more."""
    cut = {}
    for name, scores in others.items():
        labels = zip(scores.topics, slices.of(one.column, scores.topics), strict=True)
        cut[name] = scores.sel(topics=[topic for topic, label in labels if label == one.label])
    return cut
