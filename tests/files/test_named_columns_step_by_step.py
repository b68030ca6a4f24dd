"""Columns that are named one file after the other: each error says what was typed before, too, until all files are
read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval.cli import main
from gradeval.files.named_columns import Columns

FILES = "test.csv als.csv"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.csv").write_text(
        "Nutzer;Film;Bewertung;Zeit\n1;5;4,0;1000000028\n1;6;1,0;1000000030\n2;7;5,0;1000000099\n"
    )
    Path("als.csv").write_text("Nutzer;Film;Punkte\n1;6;5,5\n1;5;3,25\n2;7;0,5\n")


def evaluate(columns: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["evaluate", *FILES.split(), "-m", "RR(rel=4)", *shlex.split(columns)])
    return done.exit_code, done.output


def test_advice_is_joined_with_what_was_typed() -> None:
    typed = "--columns query=Nutzer,doc=Film,grade=Bewertung"
    status, said = evaluate(typed)
    assert status == 2
    told = re.search(r"for all files (--columns \S+),", said)
    assert told is not None
    assert told[1] == f"{typed},score=Punkte"
    status, said = evaluate(told[1])
    assert status == 0, said
    assert evaluate(f"{typed} --columns query=Nutzer,doc=Film,score=Punkte") == (0, said)


def test_a_rank_takes_the_place_of_a_score_that_was_typed() -> None:
    typed = Columns.parse("query=Nutzer,grade=Bewertung,score=Punkte")
    assert typed.joined_with({"doc": "Film", "rank": "Platz"}) == "query=Nutzer,doc=Film,grade=Bewertung,rank=Platz"


def test_two_names_of_one_column_are_refused() -> None:
    status, said = evaluate("--columns query=Nutzer --columns query=Film")
    assert status == 2
    assert "names the column query twice" in said
