"""Columns that a place names for its file, beside columns that an option names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError, read_run, read_runs
from gradeval.files.named_columns import Columns
from gradeval.files.readers import read_features

from .conftest import Gradeval

TABLE = "search_id,product_id,label,ctr,sales\n1,a,1,0.5,3\n1,b,0,0.25,9\n2,a,0,0.5,3\n2,c,1,0.75,1\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    place = tmp_path / "week48.csv"
    place.write_text(TABLE)
    return place


def test_an_option_fills_what_a_place_leaves_open(gradeval: Gradeval, table: Path) -> None:
    whole = gradeval("evaluate", "--columns", "query=search_id", table, f"columns:score=ctr:{table}", "-m", "RR")
    assert whole.exit_code == 0
    prefixed = f"columns:query=search_id,score=ctr:{table}"
    assert gradeval("evaluate", "--columns", "query=search_id", table, prefixed, "-m", "RR").stdout == whole.stdout
    assert read_run(f"columns:score=sales:{table}", columns={"query": "search_id"}).of("1") == {"a": 3, "b": 9}


def test_a_place_goes_before_an_option() -> None:
    own = Columns(score="ctr").filled_by(Columns(query="q", rank="place", doc="d"))
    assert own == Columns(query="q", doc="d", score="ctr")
    assert Columns(query="a").filled_by(Columns(query="b")) == Columns(query="a")


def test_runs_of_two_columns_are_called_by_them(table: Path) -> None:
    places = [f"columns:query=search_id,score={name}:{table}" for name in ("ctr", "sales")]
    assert [run.name for run in read_runs(places)] == ["week48 ctr", "week48 sales"]
    assert [run.name for run in read_runs(places[:1])] == ["week48"]
    with pytest.raises(InputError, match="is given twice"):
        read_runs([places[0], places[0]])


def test_features_of_a_table_are_no_letor(table: Path) -> None:
    with pytest.raises(InputError, match=f"not LETOR text; write columns:score=ctr:{table}"):
        read_run(f"letor:{table}#ctr")


def test_a_missing_grade_of_features_names_its_line(tmp_path: Path) -> None:
    place = tmp_path / "rows.csv"
    place.write_text("query_id,label,a\n1,0,2\n1,,3\n")
    with pytest.raises(InputError, match=r"rows\.csv:3: label is missing"):
        read_features(place)
