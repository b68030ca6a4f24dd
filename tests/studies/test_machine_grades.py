"""Grades below 0: a machine's are left out and counted, in every study that takes a machine's grades."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from two_assessors import TwoAssessors, two_assessors

from gradeval import (
    CoverageWarning,
    InputError,
    Qrels,
    alternative_annotator,
    assisted_means,
    compare_assisted,
    judges,
    sampled_means,
)

Grades = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(3, topics=12)


def unread(judge: Grades, value: float, share: float = 0.3, seed: int = 0) -> Grades:
    """The judge, where some of the answers hold no grade."""
    rng = np.random.default_rng(seed)
    return {
        topic: {document: value if rng.random() < share else grade for document, grade in grades.items()}
        for topic, grades in judge.items()
    }


def without(judge: Grades) -> Grades:
    return {topic: {document: grade for document, grade in one.items() if grade >= 0} for topic, one in judge.items()}


def as_trec(grades: Grades, place: Path) -> Path:
    lines = [f"{topic} 0 {document} {grade:g}\n" for topic, one in grades.items() for document, grade in one.items()]
    place.write_text("".join(lines), encoding="utf-8")
    return place


def as_csv(grades: Grades, place: Path) -> Path:
    with place.open("w", newline="", encoding="utf-8") as file:
        rows = [(topic, document, grade) for topic, one in grades.items() for document, grade in one.items()]
        csv.writer(file).writerows([("query", "doc", "relevance"), *rows])
    return place


def as_json(grades: Grades, place: Path) -> Path:
    place.write_text(json.dumps(grades), encoding="utf-8")
    return place


def few(grades: Grades) -> Grades:
    """Those of the first topics, which stand for a sample."""
    return dict(list(grades.items())[:8])


def said(table: object) -> str:
    """Everything that a result shows but its notes."""
    return str([grid.rows for grid in table.table().grids])


STUDIES: dict[str, Callable[[TwoAssessors, Any], Any]] = {
    "judges": lambda drawn, judge: judges(drawn.human, {"m": judge}, samples=20),
    "judges, with runs": lambda drawn, judge: judges(
        drawn.human, {"m": judge}, drawn.runs, "AP", samples=20, draws=0, topics=list(drawn.human)[1:]
    ),
    "alternative_annotator": lambda drawn, judge: alternative_annotator(
        {"a": drawn.human, "b": unread(drawn.judge, 0, 0.2, 1), "c": unread(drawn.human, 2, 0.2, 2), "m": judge},
        candidate="m",
    ),
    "assisted_means": lambda drawn, judge: assisted_means(few(drawn.human), drawn.runs, "nDCG@10", model=judge),
    "compare_assisted": lambda drawn, judge: compare_assisted(few(drawn.human), drawn.runs, "Bpref", model=judge),
}


@pytest.mark.parametrize("value", [-1, -2, -0.5])
@pytest.mark.parametrize("study", STUDIES)
def test_a_machine_without_the_answers_that_hold_no_grade_gives_the_same(
    study: str, value: float, drawn: TwoAssessors
) -> None:
    judge = unread(drawn.judge, value)
    with pytest.warns(CoverageWarning, match=rf": \d+ of \d+ grades are below 0 \({value}\): .* left out"):
        found = STUDIES[study](drawn, judge)
    assert said(found) == said(STUDIES[study](drawn, without(judge)))
    assert sum("are below 0" in str(note) for note in found.notes) == 1


@pytest.mark.parametrize("study", STUDIES)
def test_a_machine_that_graded_nothing_is_refused(study: str, drawn: TwoAssessors) -> None:
    with pytest.raises(InputError, match=r"(m|model): all \d+ grades are below 0 \(-1\), so that it graded nothing"):
        STUDIES[study](drawn, unread(drawn.judge, -1, 1))


@pytest.mark.parametrize("write", [as_trec, as_csv, as_json])
def test_every_format_says_so_alike(write: Callable[[Grades, Path], Path], drawn: TwoAssessors, tmp_path: Path) -> None:
    judge = unread(drawn.judge, -1)
    number = sum(grade < 0 for one in judge.values() for grade in one.values())
    found = judges(drawn.human, {"m": write(judge, tmp_path / "model")}, samples=20)
    total = sum(map(len, judge.values()))
    assert (
        f"m: {number} of {total} grades are below 0 (-1): answers without a grade; they are left out as not judged; "
        "recoding -1=0 makes them grade 0"
    ) in map(str, found.notes)


def test_one_judge_of_several_leaves_the_others_as_they_are(drawn: TwoAssessors) -> None:
    alone = judges(drawn.human, {"whole": drawn.judge}, samples=20)
    both = judges(drawn.human, {"part": unread(drawn.judge, -1), "whole": drawn.judge}, samples=20)
    assert both.labels["whole"].confusion.tolist() == alone.labels["whole"].confusion.tolist()
    assert both.labels["part"].pairs < both.labels["whole"].pairs
    assert [str(note)[:5] for note in both.notes if "below 0" in str(note)] == ["part:"]


def test_a_second_human_and_the_first_give_judgments(drawn: TwoAssessors) -> None:
    """A human's grade below 0 is non-relevant, as everywhere, unless negatives are unjudged; the notes count them."""
    human, second = unread(drawn.human, -2, 0.1, 1), unread(drawn.judge, -1)
    others = {"person": second, "model": second}
    found = judges(human, others, drawn.runs, "AP", samples=20, draws=0, second="person")
    assert found.labels["person"].pairs == sum(map(len, human.values()))
    assert found.labels["model"].pairs == sum(map(len, without(second).values()))
    notes = [str(note) for note in found.notes if "below 0" in str(note)]
    assert [note.split(":")[0] for note in notes] == ["qrels", "person", "model"]
    assert [note.endswith("they count as grade 0, as a human gave them") for note in notes] == [True, True, False]
    unjudged = judges(human, others, drawn.runs, "AP", samples=20, draws=0, second="person", negative="unjudged")
    assert unjudged.labels["person"].pairs == unjudged.labels["model"].pairs < found.labels["model"].pairs
    assert [str(note).split(":")[0] for note in unjudged.notes if "below 0" in str(note)] == ["model"]


def test_recoding_counts_them_as_the_note_says(drawn: TwoAssessors) -> None:
    judge = Qrels.from_dict(unread(drawn.judge, -1))
    zeros = judges(drawn.human, {"m": unread(drawn.judge, 0)}, samples=20)
    assert said(judges(drawn.human, {"m": judge.recoded({-1: 0})}, samples=20)) == said(zeros)


def test_of_a_sample_of_documents_they_are_grade_0_and_stay_to_be_drawn(drawn: TwoAssessors) -> None:
    rng = np.random.default_rng(1)
    sample = {topic: {d: grade for d, grade in one.items() if rng.random() < 0.5} for topic, one in drawn.human.items()}
    judge = unread(drawn.judge, -1)
    with pytest.warns(CoverageWarning, match=r"^model: \d+ of 360 grades are below 0 \(-1\): .* may be drawn"):
        found = sampled_means(sample, judge, drawn.runs, "P@5")
    zeros = {topic: {document: max(grade, 0) for document, grade in one.items()} for topic, one in judge.items()}
    assert said(found) == said(sampled_means(sample, zeros, drawn.runs, "P@5"))
    with pytest.raises(InputError, match="model: all 360 grades are below 0"):
        sampled_means(sample, unread(judge, -1, 1), drawn.runs, "P@5")
