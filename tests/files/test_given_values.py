"""Values of Python and JSON as grades and scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frame_forms import FORMATS
from refusing import said_of

from gradeval import InputError, evaluate, read_run, run_from_frame
from gradeval.files.column_names import InputKind
from gradeval.files.given_values import read_value, with_numbers
from gradeval.files.grade_words import GradeWords


@pytest.mark.parametrize(
    ("value", "grade", "score"),
    [
        (2, 2.0, 2.0),
        (0.5, 0.5, 0.5),
        ("3.0", 3.0, 3.0),
        (" 2 ", 2.0, 2.0),
        ("1e-2", 0.01, 0.01),
        (True, 1.0, None),
        (np.False_, 0.0, None),
        ("yes", 1.0, None),
        ("Grade: 2", 2.0, None),
        ("1,5", None, None),
        ("nan", None, None),
        (float("inf"), None, None),
        (10**400, None, None),
        ([2], None, None),
        (None, None, None),
    ],
)
def test_a_value_is_a_number_or_its_text_and_of_grades_words(
    value: Any, grade: float | None, score: float | None
) -> None:
    kinds: list[tuple[InputKind, float | None]] = [("qrels", grade), ("run", score)]
    for kind, expected in kinds:
        if expected is None:
            said = said_of(lambda kind=kind: read_value(value, kind, "x", GradeWords("x"), "file:1"))
            assert said.startswith("file:1: x ")
            assert "is not a finite number; " in said
        else:
            assert read_value(value, kind, "x", GradeWords("x"), "file:1") == expected


def test_a_mapping_gets_numbers_and_keeps_what_the_core_checks() -> None:
    words = GradeWords()
    given = {"q1": {"a": "2", "b": np.float32(0.5)}, "q2": ["a"], "q3": {"a": "Grade: 1", "b": object}}
    assert with_numbers(given, "qrels", words, "x") == given | {
        "q1": {"a": 2.0, "b": 0.5},
        "q3": {"a": 1.0, "b": object},
    }
    assert words.said == "; 1 grade in words is read as a number: 'Grade: 1' as 1"
    said = said_of(lambda: with_numbers({"q1": {"a": "high"}}, "run", GradeWords(), "x"))
    assert said == "x: topic 'q1', document 'a': score 'high' is not a finite number; write it as in 2 or 0.5"


@pytest.mark.parametrize("text", ["", "NA", "N/A", "nan", "NaN", "null", "None", "-", "--"])
def test_what_stands_for_no_score_is_told_to_be_left_out(text: str) -> None:
    said = said_of(lambda: read_value(text, "run", "score", GradeWords(), "x:2"))
    assert said.endswith("is not a finite number; leave out a document without score")


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan, "-inf"])
@pytest.mark.parametrize("form", ["dictionary", "frame", "csv", "melted"])
def test_scores_that_must_not_count_are_to_be_left_out(form: str, score: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"user": ["1", "1", "2"], "item": ["10", "11", "10"], "score": [0.5, float(score), 0.2]})
    run: Any = frame.sort_values("item") if form == "melted" else frame
    if form == "dictionary":
        run = {"1": {"10": 0.5, "11": score}, "2": {"10": 0.2}}
    if form == "csv":
        run = tmp_path / "als.csv"
        frame.to_csv(run, index=False, na_rep="NaN")
    said = said_of(lambda: evaluate({"1": {"10": 1}}, run, "RR"))
    assert "leave out" in said
    if form in ("frame", "melted"):
        rest = eval(said.rpartition(": ")[2], {"numpy": np, "df": run})
        assert len(evaluate({"1": {"10": 1}, "2": {"10": 1}}, rest, "RR").topics) == 2


PINNED = [("q", "a", 1, None), ("q", "b", 2, 9.5), ("q", "c", 3, 9.0)]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_score_that_is_empty_beside_ranks_is_no_reason_to_drop_the_first_document(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(PINNED, columns=["query", "sku", "position", "score"])
    path = tmp_path / f"run.{form}"
    FORMATS[form](frame, path)
    with pytest.raises(
        InputError, match="to order by the ranks in 'position', write columns:rank=position:FILE, "
    ) as error:
        evaluate({"q": {"a": 1}}, path, "RR")
    assert "leave out the line" not in str(error.value)
    assert list(read_run(path, columns="rank=position").of("q")) == ["a", "b", "c"]


def test_a_score_that_is_empty_beside_ranks_is_told_of_frames_and_records() -> None:
    frame = pd.DataFrame(PINNED, columns=["query", "sku", "position", "score"])
    for given in (frame, frame.to_dict("records")):
        with pytest.raises(InputError, match=r"ranks in 'position', write run_from_frame\(.*, rank='position'\)"):
            evaluate({"q": {"a": 1}}, given, "RR")
    run = run_from_frame(frame, rank="position")
    assert evaluate({"q": {"a": 1}}, run, "RR").mean().tolist() == [[1.0]]


def test_a_score_that_is_empty_without_a_rank_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query,sku,position,score\nq,a,,\nq,b,2,9.5\n")
    with pytest.raises(InputError, match="leave out the line of a document without a score"):
        evaluate({"q": {"a": 1}}, path, "RR")
