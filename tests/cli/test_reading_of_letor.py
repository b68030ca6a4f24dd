"""Files of features as judgments and runs of any command."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval

TEXT = """\
0 qid:1 1:5 2:1 #docid = a
2 qid:1 1:5 2:0 #docid = b
1 qid:1 1:1 2:2 #docid = c
1 qid:2 1:1 2:0
0 qid:2 1:2 2:0
"""


@pytest.fixture
def features(tmp_path: Path) -> Path:
    path = tmp_path / "S1.txt"
    path.write_text(TEXT)
    return path


def test_features_are_evaluated_as_letor_does(gradeval: Gradeval, features: Path) -> None:
    place = f"letor:{features}"
    columns = [f"{place}#1", f"{place}#2"]
    done = gradeval("evaluate", place, *columns, "--preset", "letor", "-m", "RR", "--format", "tsv")
    assert done.exit_code == 0
    values = [line.split("\t")[:1] + line.split("\t")[3:4] for line in done.stdout.splitlines()[1:]]
    assert values == [["S1.txt#1", str((1 / 2 + 1 / 2) / 2)], ["S1.txt#2", str((1 + 1) / 2)]]


def test_features_are_checked(gradeval: Gradeval, features: Path) -> None:
    done = gradeval("check", f"letor:{features}", f"letor:{features}#2")
    assert done.exit_code == 0
    assert f"letor:{features}: 2 topics, 5 judgments, levels 0,1,2" in done.stdout


def test_what_is_wrong_with_features_is_said_in_a_line(gradeval: Gradeval, features: Path) -> None:
    features.write_text(TEXT.replace("2 qid:1", "-2 qid:1"))
    for args in ([f"letor:{features}", f"letor:{features}#1"], [features, f"letor:{features}#1"]):
        done = gradeval("evaluate", *args)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"gradeval: error: {features}:")
        assert done.stderr.count("\n") == 1


def test_standard_input_is_read_once_and_a_file_must_be_named(gradeval: Gradeval, features: Path) -> None:
    twice = gradeval("evaluate", "letor:-", "letor:-#1", input=TEXT)
    assert (twice.exit_code, twice.stdout) == (2, "")
    assert "letor:- letor:-#1: standard input can be read once" in twice.stderr
    for args in (["letor:", f"letor:{features}#1"], [f"letor:{features}", "letor:#1"]):
        assert "no file of features is named; write letor:FILE for judgments" in gradeval("evaluate", *args).stderr


def test_no_output_takes_the_place_of_features_whatever_they_are_called(gradeval: Gradeval, tmp_path: Path) -> None:
    odd = tmp_path / "S#1.tsv"
    odd.write_text(TEXT)
    other = tmp_path / "other.txt"
    other.write_text(TEXT)
    for judgments, run in ((odd, other), (other, odd)):
        done = gradeval("evaluate", f"letor:{judgments}", f"letor:{run}#2", "-o", odd)
        assert f"-o {odd}: would replace the input letor:{odd}" in done.stderr
    assert odd.read_text() == TEXT
