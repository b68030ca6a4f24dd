from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal


def test_judgments_alone_are_described(gradeval: Gradeval, collection: list[Path]) -> None:
    shown = gradeval("describe", collection[0])
    assert "topics and runs" in shown.stdout
    assert "coverage" not in shown.stdout


def test_grades_may_be_shifted_and_recoded(gradeval: Gradeval, small: Path) -> None:
    lines = records(gradeval("describe", small / "qrels.txt", "--shift", 1, "--recode", "3=2", "--format", "tsv"))
    grades = {line["grade"]: line["value"] for line in lines if line["grade"] and line["statistic"] == "sum"}
    assert grades == {"0.0": "0", "1.0": "3", "2.0": "3"}


def test_grades_that_fall_below_zero_are_told(gradeval: Gradeval, small: Path) -> None:
    shown = gradeval("describe", small / "qrels.txt", "--shift", "-1")
    assert "note: --shift -1: 3 grades of " in shown.stderr
    assert "are now below 0" in shown.stderr


def test_topics_are_chosen(gradeval: Gradeval, small: Path) -> None:
    assert ": 2 topics, grades 0,1,2" in gradeval("describe", small / "qrels.txt", "--topics", "t1,t3").stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{0}", "-m", "APP"], "APP"),
        (["nowhere.txt"], "nowhere.txt"),
        (["{0}", "--shift", "nan"], "--shift nan is not a finite number"),
        (["{0}", "--topics", "t9"], "t9"),
        (["{0}", "-o", "{0}"], "would replace the input"),
        (["{0}", "--levels", "0,1"], "grade 2 is not one of the levels 0,1"),
        (["-", "-"], "standard input can be read once"),
        ([], "missing argument 'QRELS'"),
    ],
)
def test_what_cannot_be_described_is_said(gradeval: Gradeval, small: Path, args: list[str], message: str) -> None:
    assert message in refusal(gradeval("describe", *(arg.format(small / "qrels.txt") for arg in args)))
