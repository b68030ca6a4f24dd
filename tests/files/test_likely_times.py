"""Numbers that look like times, as beside ratings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import read_qrels
from gradeval.cli import main
from gradeval.files.likely_times import is_rating

LINES = [("u1", "i1", "4.5", "978300760"), ("u1", "i2", "2", "978302109"), ("u2", "i1", "5", "978301968")]


def write_ratings(separator: str) -> str:
    return "".join(f"{separator.join(line)}\n" for line in LINES)


@pytest.mark.parametrize(
    ("value", "time", "expected"),
    [
        ("4.5", "978300760", True),
        ("5", "1700000000000", True),  # thousandths of a second
        ("d1", "978300760", False),
        ("5", "978", False),
    ],
)
def test_a_rating_is_short_and_its_time_is_long(value: str, time: str, expected: bool) -> None:
    assert is_rating(value, time) == expected


@pytest.mark.parametrize("separator", ["\t", " ", ","])
@pytest.mark.parametrize("before", ["", "# ratings\n\n"])
def test_a_grade_that_is_a_time_is_refused(tmp_path: Path, separator: str, before: str) -> None:
    """As in MovieLens's u.data, whose ratings would be taken for the ids of documents."""
    (tmp_path / "u.data").write_text(before + write_ratings(separator))
    assert "the grade 978300760 looks like a time" in said_of(lambda: read_qrels(tmp_path / "u.data"))
    numbered = read_qrels(tmp_path / "u.data", columns={"query": 1, "doc": 2, "grade": 3})
    assert numbered.to_dict() == {"u1": {"i1": 4.5, "i2": 2}, "u2": {"i1": 5}}


def test_a_large_grade_beside_a_document_is_no_time(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 978300760\n")
    assert read_qrels(tmp_path / "qrels.txt").to_dict() == {"q1": {"d1": 978300760}}


def test_the_program_refuses_times_with_status_2_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text(write_ratings("\t"))
    (tmp_path / "predictions.csv").write_text("user,item,prediction\nu1,i1,3.5\nu1,i2,4\nu2,i1,1\n")
    files = [str(tmp_path / name) for name in ("u.data", "predictions.csv")]
    refused = CliRunner().invoke(main, ["evaluate", *files, "-m", "AP"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
    assert "--columns query=1,doc=2,grade=3" in refused.stderr
    numbered = [*files, "--columns", "query=1,doc=2,grade=3"]
    read = CliRunner().invoke(main, ["evaluate", *numbered, "-m", "AP(rel=4)", "--format", "csv"])
    assert read.exit_code == 0, read.stderr
    assert read.stdout.splitlines()[-1].endswith(f"{(1 / 2 + 1) / 2}")
