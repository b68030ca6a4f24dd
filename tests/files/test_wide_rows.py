"""Rows with a ranked list each, a document a column."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from refusing import said_of
from table_forms import TEXTS, write_table

from gradeval import evaluate, read_run, run_from_frame
from gradeval.files.named_columns import Columns
from gradeval.files.wide_rows import find_wide

LISTS = {"u1": ["a", "b", "c", "d", "e"], "u2": ["e", "a", "", "", ""]}
RANKED = {"u1": {"a": -1, "b": -2, "c": -3, "d": -4, "e": -5}, "u2": {"e": -1, "a": -2}}
RELEVANT = {"u1": ["b", "e"], "u2": ["a"]}
AP = ((1 / 2 + 2 / 5) / 2 + 1 / 2) / 2
NAMES = {
    "rec": [f"rec{n}" for n in range(1, 6)],
    "rec_": [f"rec_{n}" for n in range(1, 6)],
    "Item ": [f"Item {n}" for n in range(5)],
    "top": [f"top{n:02}" for n in range(1, 6)],
    "item_id_": [f"item_id_{n}" for n in range(1, 6)],
    "recommended movie ": [f"recommended movie {n}" for n in range(1, 6)],
    "from 0": list("01234"),
    "from 1": list("12345"),
}


def wide(names: list[str], lists: dict[str, list[Any]] = LISTS, topic: str = "user") -> dict[str, list[Any]]:
    return {topic: [*lists]} | dict(zip(names, map(list, zip(*lists.values(), strict=True)), strict=True))


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("form", [*TEXTS, "parquet", "feather"])
def test_files_of_ranked_lists_are_runs(form: str, names: str, tmp_path: Path) -> None:
    table = wide(NAMES[names])
    place = write_table(form, table, tmp_path / f"als.{'csv' if form in TEXTS else form}")
    run = read_run(place)
    assert run.to_dict() == RANKED
    assert run.name == "als"
    assert f"{NAMES[names][0]} to {NAMES[names][-1]}" in run.read_as
    assert "in the order of the columns" in run.read_as
    assert evaluate(RELEVANT, tmp_path, "AP").mean().tolist() == [[pytest.approx(AP)]]


@pytest.mark.parametrize("topic", ["", "Unnamed: 0", "customer_id", "query"])
def test_an_index_without_a_name_holds_the_topics(topic: str, tmp_path: Path) -> None:
    place = write_table("csv", wide(NAMES["from 0"], topic=topic), tmp_path / "x.csv")
    assert read_run(place).to_dict() == RANKED
    named = write_table("csv", wide(NAMES["rec"], topic="wer"), tmp_path / "y.csv")
    assert read_run(named, columns={"query": "wer"}).to_dict() == RANKED
    numbered = {"": [0, 1]} | wide(NAMES["rec"])
    assert read_run(write_table("csv", numbered, tmp_path / "z.csv")).to_dict() == RANKED


PANDAS = pd.DataFrame([[one or None for one in cells] for cells in LISTS.values()], index=[*LISTS])
FRAMES = {
    "list of lists": PANDAS,
    "index named": PANDAS.rename_axis("user"),
    "reset": PANDAS.rename_axis("user").reset_index(),
    "polars": pl.DataFrame(wide(NAMES["rec"])),
    "names": PANDAS.set_axis(NAMES["top"], axis=1).rename_axis("user_id").reset_index(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_ranked_lists_are_runs(name: str, tmp_path: Path) -> None:
    assert run_from_frame(FRAMES[name]).to_dict() == RANKED
    assert evaluate(RELEVANT, FRAMES[name], "AP").mean().tolist() == [[pytest.approx(AP)]]


def test_whole_numbers_among_missing_ones_are_ids(tmp_path: Path) -> None:
    frame = pd.DataFrame([[120, 31, 7], [31, 120, None]], index=pd.Index([1, 2], name="user"))
    frame.columns = [f"rec{number}" for number in range(1, 4)]
    expected = {"1": {"120": -1, "31": -2, "7": -3}, "2": {"31": -1, "120": -2}}
    frame.to_csv(tmp_path / "x.csv")
    assert "7.0" in (tmp_path / "x.csv").read_text()
    assert run_from_frame(frame).to_dict() == read_run(tmp_path / "x.csv").to_dict() == expected


@pytest.mark.parametrize("column", ["model", "algorithm"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_column_of_names_tells_runs_apart(form: str, column: str, tmp_path: Path) -> None:
    table = {column: ["als", "als", "pop", "pop"], "user": [*LISTS, *LISTS]}
    for name, (first, second) in list(wide(NAMES["rec"]).items())[1:]:
        table[name] = [first, second, second, first]
    place = write_table(form, table, tmp_path / f"x.{form}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluate({"u1": ["a"], "u2": ["a"]}, place, "RR")
    assert scores.runs == ["als", "pop"]
    assert scores.mean().ravel().tolist() == [(1 + 1 / 2) / 2, (1 / 2 + 1) / 2]


DOUBTFUL: dict[str, tuple[dict[str, list[Any]], str]] = {
    "ratings": (wide(list("12345"), {"u1": [5, 3, 4, 1, 2], "u2": [3, 4, 5, 2, 1]}), "are small numbers, as grades"),
    "ratings by name": (wide(["item_1", "item_2"], {"u1": [5.0, 3.0], "u2": [3.0, 4.0]}), "are small numbers"),
    "ranks": (wide([f"item{n}" for n in range(12)], {"u1": [*range(12, 0, -1)]}), "are small numbers"),
    "a rating twice": (wide(list("12345"), {"u1": [5, 3, 3, 1, 2]}), "'3' stands twice in the ranked list of 'u1'"),
    "scores": (wide(list("012"), {"u1": [0.5, 0.25, 0.75]}), "'0.5' is no id of a ranked list"),
    "no id": (wide(["rec1", "rec2"], {"u1": ["a", "1e3"]}), "'1e3' is no id of a ranked list"),
    "twice": (wide(["rec1", "rec2"], {"u1": ["a", "a"]}), "'a' stands twice in the ranked list of 'u1'"),
    "a topic twice": ({"user": ["u", "u"], "rec1": ["a", "b"], "rec2": ["c", "d"]}, "topic 'u' was already given"),
    "no topic": ({"user": ["u", ""], "rec1": ["a", "b"], "rec2": ["c", "d"]}, "the topic is empty"),
    "other words": (wide(["x1", "x2", "x3"], {"u1": ["a", "b", "c"]}), "no column is known to hold the documents"),
    "scores between": (wide(["rec1", "score1"], {"u1": ["a", 1]}), "no column is known to hold the documents"),
    "a gap": (wide(["rec1", "rec3"], {"u1": ["a", "b"]}), "no column is known to hold the documents"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_may_be_something_else_is_refused(form: str, name: str, tmp_path: Path) -> None:
    table, said = DOUBTFUL[name]
    if form == "parquet" and name == "no id":
        return
    place = write_table(form, table, tmp_path / f"x.{form}")
    assert said in said_of(lambda: read_run(place))


def test_a_line_that_is_cut_off_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user,rec1,rec2\nu1,a,b\nu2,a\n")
    assert "x.csv:3: found 2 columns, where the first line has 3" in said_of(lambda: read_run(tmp_path / "x.csv"))


def test_lists_without_names_are_told_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1,a,b,c,d\n2,c,d,a,b\n")
    assert "a header that names the columns, as user,rec1,rec2 ... for ranked lists" in said_of(
        lambda: read_run(tmp_path / "x.csv")
    )
    said = said_of(lambda: run_from_frame(pd.DataFrame([*LISTS.values()])))
    assert said == "run: rows name no topics; make these the index, as in pandas: frame.index = users"
    matrix = pd.DataFrame([[1, 2], [2, 1]]).to_numpy()
    assert "give {topic: row}, as in dict(zip(users, ids))" in said_of(lambda: evaluate(RELEVANT, matrix, "AP"))


@pytest.mark.parametrize(
    "names", [["user", "item", "rec1"], ["user", "rec1", "rec2", "title"], ["user", "rec1"], ["rec1", "rec2"]]
)
def test_other_names_are_no_ranked_lists(names: list[str]) -> None:
    assert find_wide(names, Columns()) is None
    assert find_wide(["user", "rec1", "rec2"], Columns(doc="rec1")) is None
    assert find_wide(["user", "rec1", "rec2"], Columns(rank="rec1")) is None
