"""Tables of users and the items that were recommended, without scores or ranks: in the order of the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of
from table_forms import FILES, TABLE_FORMS, TEXTS, give_table, write_table

from gradeval import InputError, evaluate, read_run, run_from_frame
from gradeval.warning_categories import FilesWarning

ROWS = {"user": ["u1", "u2", "u1", "u1"], "item": ["a", "b", "c", "d"]}
RANKED = {"u1": {"a": -1.0, "c": -2.0, "d": -3.0}, "u2": {"b": -1.0}}
RELEVANT = {"u1": ["d", "c"], "u2": ["b"]}
AP = ((1 / 2 + 2 / 3) / 2 + 1) / 2


ENDINGS = {"semicolons": "csv", "lines": "jsonl", "array": "json"}


def place_of(form: str, table: dict[str, list[Any]], folder: Path) -> Any:
    return (
        write_table(form, table, folder / f"recs.{ENDINGS.get(form, form)}")
        if form in FILES
        else give_table(form, table)
    )


@pytest.mark.filterwarnings("ignore::gradeval.FilesWarning")
@pytest.mark.parametrize("beside", [{}, {"title": ["A", "7", "C", "D"]}, {"tag": ["als"] * 4}, {"blank": [""] * 4}])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_rows_are_in_rank_order(form: str, beside: dict[str, list[Any]], tmp_path: Path) -> None:
    given = place_of(form, ROWS | beside, tmp_path)
    if form == "columns":
        assert run_from_frame(ROWS | beside).to_dict() == RANKED
        return
    assert evaluate(RELEVANT, given, "AP").mean().tolist() == [[pytest.approx(AP)]]
    if form in FILES:
        run = read_run(given)
        assert run.to_dict() == RANKED
        assert run.name == ("als" if "tag" in beside else "recs")
        assert ", in the order of " in run.read_as
        assert "rank" not in run.read_as


@pytest.mark.parametrize("column", ["worth", "year", "timestamp", "rating", "click"])
@pytest.mark.parametrize("form", [*TEXTS, "lines", "array", "records"])
def test_a_column_of_numbers_may_hold_scores(form: str, column: str, tmp_path: Path) -> None:
    given = place_of(form, ROWS | {column: [3, 1, 2, 2]}, tmp_path)
    said = said_of(lambda: evaluate(RELEVANT, given, "AP"))
    assert column in said
    assert "scores" in said
    if form in FILES and column in ("worth", "year"):
        assert said.endswith("; or keep topics and documents alone: the rows are then in rank order")


@pytest.mark.parametrize("form", FILES)
def test_a_column_of_names_tells_runs_apart_each_in_its_order(form: str, tmp_path: Path) -> None:
    table = {"algorithm": ["als"] * 4 + ["pop"] * 4}
    table |= {name: [*cells, *reversed(cells)] for name, cells in ROWS.items()}
    place = write_table(form, table, tmp_path / "x")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluate(RELEVANT, place, "RR")
    assert scores.runs == ["als", "pop"]
    assert scores.mean().ravel().tolist() == [(1 / 2 + 1) / 2, 1.0]


def test_records_of_python_warn_as_frames_do() -> None:
    with pytest.warns(FilesWarning, match="run: has neither scores nor ranks; read in the order of its rows"):
        evaluate(RELEVANT, give_table("records", ROWS), "AP")


def test_an_index_that_pandas_wrote_is_no_score(tmp_path: Path) -> None:
    place = write_table("csv", {"": [0, 1, 2, 3]} | ROWS, tmp_path / "x.csv")
    assert read_run(place).to_dict() == RANKED


def test_names_of_items_may_have_blanks(tmp_path: Path) -> None:
    place = write_table("csv", {"user": [1, 1], "movie": ["The Matrix", "Heat"]}, tmp_path / "x.csv")
    assert read_run(place).to_dict() == {"1": {"The Matrix": -1, "Heat": -2}}


@pytest.mark.parametrize("cell", ["a|b", "a;b", "a,b"])
def test_a_list_in_each_cell_is_no_document(cell: str, tmp_path: Path) -> None:
    place = write_table("csv", {"user": ["u1", "u2"], "item": [cell, "c"]}, tmp_path / "x.csv")
    assert "are read as lists:FILE" in said_of(lambda: read_run(place))


def test_an_item_that_a_user_has_twice_is_refused(tmp_path: Path) -> None:
    place = write_table("csv", {"user": ["u1"] * 3, "item": ["a", "b", "a"]}, tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"x.csv:4: document 'a' of topic 'u1' was already given in line 2;"):
        read_run(place)
    assert read_run(place, repeated="first").to_dict() == {"u1": {"a": -1, "b": -2}}


@pytest.mark.parametrize("form", ["csv", "lines"])
def test_parts_of_a_folder_have_no_order(form: str, tmp_path: Path) -> None:
    for number in range(2):
        table = {name: cells[2 * number : 2 * number + 2] for name, cells in ROWS.items()}
        write_table(form, table, tmp_path / f"part-{number}.{'jsonl' if form == 'lines' else form}")
    with pytest.raises(InputError, match="scores"):
        read_run(tmp_path)


def test_a_late_number_counts_for_all(tmp_path: Path) -> None:
    place = write_table("lines", ROWS, tmp_path / "x.jsonl")
    with place.open("a") as file:
        file.write('{"user": "u2", "item": "z", "worth": 3}\n')
    assert "'worth'" in said_of(lambda: read_run(place))


@pytest.mark.parametrize("form", ["csv", "lines"])
def test_grades_of_which_one_is_a_word_are_judgments(form: str, tmp_path: Path) -> None:
    grades = {"grade": ["1", "2", "bad", "0"]}
    place = place_of(form, ROWS | grades, tmp_path)
    assert "'grade' is usual in judgments" in said_of(lambda: read_run(place))
    words = {"grade": ["good", "good", "bad", "good"]}
    assert read_run(place_of(form, ROWS | words, tmp_path)).to_dict() == RANKED
