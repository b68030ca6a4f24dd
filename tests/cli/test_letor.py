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
