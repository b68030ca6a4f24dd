"""Columns that a user names, or numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from frame_forms import QRELS, as_given

from gradeval import InputError, evaluate, read_qrels, read_runs
from gradeval.files.named_columns import Columns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query", "'query' names no column"),
        ("query=a,query=b", "names the column query twice"),
        ("quury=a", r"no column is called 'quury' \(did you mean query"),
        ("score=a,rank=b", "by a score or by a rank, not by both"),
    ],
)
def test_what_names_no_columns_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Columns.parse(text)


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "categories"])
def test_a_column_of_runs_is_named_by_the_user(form: str, tmp_path: Path) -> None:
    given = as_given(form, "arm", ["oak", "elm", "oak", "elm"], tmp_path)
    assert [run.name for run in read_runs(given, columns={"run": "arm"}).runs] == ["oak", "elm"]
    assert [run.name for run in read_runs(f"columns:run=arm:{given}").runs] == ["oak", "elm"]
    assert evaluate(QRELS, f"columns:run=arm:{given}", "AP").runs == ["oak", "elm"]


def test_a_column_of_runs_without_a_name_is_numbered(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("q1,oak,d1,2\nq1,elm,d1,1\n")
    read = read_runs(tmp_path / "lines", columns="query=1,doc=3,score=4,run=2")
    assert [run.name for run in read.runs] == ["oak", "elm"]


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_columns_are_found_in_any_case(tmp_path: Path, case: Callable[[str], str]) -> None:
    file = tmp_path / "test.csv"
    file.write_text("Benutzer;Artikel;Bewertung\n7;a;3\n7;b;0\n")
    named = {"query": case("Benutzer"), "doc": case("Artikel"), "grade": case("Bewertung")}
    assert read_qrels(file, columns=named).of("7") == {"a": 3, "b": 0}
    with pytest.raises(InputError):
        read_qrels(file, columns=named | {"query": "Benutzern"})
