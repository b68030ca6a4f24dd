"""Rows with a list each, a document a column: ranked ones with scores or without, and relevant documents."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from refusing import said_of
from table_forms import TEXTS, write_table

from gradeval import evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame
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
    "other words": (
        wide(["x1", "x2", "x3"], {"u1": ["a", "b", "c"]}),
        "no columns are known to hold the documents and the scores",
    ),
    "scores between": (
        wide(["rec1", "score1"], {"u1": ["a", 1]}),
        "no columns are known to hold the documents and the scores",
    ),
    "a gap": (wide(["rec1", "rec3"], {"u1": ["a", "b"]}), "no columns are known to hold the documents and the scores"),
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


HELD_OUT = {"u1": ["b", "e", "a"], "u2": ["a", "", ""]}
JUDGED = {"u1": {"b": 1, "e": 1, "a": 1}, "u2": {"a": 1}}
STEMS = ["rel", "relevant_", "item", "test_item_", "true", "held_out_", "liked"]


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("form", [*TEXTS, "parquet", "feather"])
def test_files_of_relevant_documents_are_judgments(form: str, stem: str, tmp_path: Path) -> None:
    names = [f"{stem}{number}" for number in (1, 2, 3)]
    place = write_table(form, wide(names, HELD_OUT), tmp_path / f"test.{form}")
    qrels = read_qrels(place)
    assert {topic: qrels.of(topic) for topic in qrels.topics} == JUDGED
    assert f"{names[0]} to {names[2]}" in qrels.read_as
    assert "grade 1 each" in qrels.read_as
    frame = pd.DataFrame(wide(names, HELD_OUT)).replace("", None)
    assert qrels_from_frame(frame).of("u1") == JUDGED["u1"]
    assert evaluate(place, {"u1": ["x", "b"], "u2": ["a"]}, "AP").mean().tolist() == [[(1 / 2 / 3 + 1) / 2]]


def test_an_item_that_a_user_has_twice_counts_once(tmp_path: Path) -> None:
    place = write_table("csv", wide(["rel1", "rel2", "rel3"], {"u": ["a", "b", "a"]}), tmp_path / "x.csv")
    assert read_qrels(place).of("u") == {"a": 1, "b": 1}


def with_values(stems: tuple[str, str], order: str = "alternating") -> dict[str, list[Any]]:
    """Two rows of three documents with a number each."""
    documents = {"1": ["a", "d"], "2": ["b", "e"], "3": ["c", ""]}
    numbers = {"1": [3.5, 4], "2": [3, 2], "3": [0.5, None]}
    columns = [(number, at) for number in "123" for at in (0, 1)]
    if order == "blocks":
        columns.sort(key=lambda column: column[1])
    return {"user": ["u1", "u2"]} | {stems[at] + number: (documents, numbers)[at][number] for number, at in columns}


VALUES = {"u1": {"a": 3.5, "b": 3, "c": 0.5}, "u2": {"d": 4, "e": 2}}


@pytest.mark.parametrize("order", ["alternating", "blocks"])
@pytest.mark.parametrize("form", [*TEXTS, "parquet"])
def test_scores_and_grades_stand_beside_the_documents(form: str, order: str, tmp_path: Path) -> None:
    for stems in (("rec", "score"), ("item_", "similarity_"), ("recommended item ", "prediction ")):
        run = read_run(write_table(form, with_values(stems, order), tmp_path / f"run.{form}"))
        assert run.to_dict() == VALUES
        assert f"{stems[0]}1 to {stems[0]}3, {stems[1]}1 to {stems[1]}3" in run.read_as
    for stems in (("rel", "grade"), ("item", "rating")):
        qrels = read_qrels(write_table(form, with_values(stems, order), tmp_path / f"qrels.{form}"))
        assert {topic: qrels.of(topic) for topic in qrels.topics} == VALUES


def test_a_relevant_document_without_a_grade_is_unjudged(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user,item1,rating1,item2,rating2\nu,a,4,b,\n")
    qrels = read_qrels(tmp_path / "x.csv")
    assert qrels.of("u") == {"a": 4}
    assert "1 without a grade is unjudged" in qrels.read_as


def test_scores_that_deny_the_order_of_the_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user,rec1,score1,rec2,score2\nu,a,0.2,b,0.3\n")
    said = said_of(lambda: read_run(tmp_path / "x.csv"))
    assert "x.csv:2: scores rise along the row (0.2, then 0.3); write the best document first" in said
    assert said.endswith("if the order of the columns counts, leave score1 to score2 out")
    (tmp_path / "y.csv").write_text("user,rec1,score1,rec2,score2\nu,a,0.2,b,\n")
    assert "y.csv:2: score '' is not a finite number" in said_of(lambda: read_run(tmp_path / "y.csv"))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_names_of_the_other_kind_are_refused(form: str, tmp_path: Path) -> None:
    ranked = write_table(form, wide(["rec1", "rec2"], {"u": ["a", "b"]}), tmp_path / f"recs.{form}")
    judged = write_table(form, wide(["rel1", "rel2"], {"u": ["a", "b"]}), tmp_path / f"test.{form}")
    rated = write_table(form, with_values(("item", "rating")), tmp_path / f"rated.{form}")
    assert "rec1 to rec2 are usual names of ranked lists, and judgments are expected; if the cells hold relevant" in (
        said_of(lambda: read_qrels(ranked))
    )
    assert "call the columns rec1, rec2 ..." in said_of(lambda: read_run(judged))
    assert "call the columns rec1, score1, rec2, score2 ..." in said_of(lambda: read_run(rated))
    assert said_of(lambda: evaluate(ranked, judged, "AP")).endswith("these look swapped; give the judgments first")
    either = write_table(form, wide(["item1", "item2"], {"u": ["a", "b"]}), tmp_path / f"items.{form}")
    assert "look swapped" in said_of(lambda: evaluate(ranked, either, "AP"))
    assert evaluate(either, ranked, "AP").mean().tolist() == [[1]]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_doubtful_judgments_are_refused(form: str, tmp_path: Path) -> None:
    doubtful: dict[str, tuple[dict[str, list[Any]], str]] = {
        "a matrix": (wide(list("12345"), {"u1": [5, None, 4, 1, 2]}), "all cells of the lists are small numbers"),
        "halves": (wide(list("12"), {"u1": [5, 4.5]}), "'4.5' is no id of a list; name columns with a relevant"),
        "grades": (wide(["rel1", "rel2"], {"u1": [1, 0]}), "all cells of the lists are small numbers"),
        "nobody": (wide(["rel1", "rel2"], {"u1": ["a", "b"], "u2": [None, None]}), "df = df.dropna(subset=['rel1'])"),
        "two grades": ({"user": ["u"], "rel1": ["a"], "grade1": [1], "rel2": ["a"], "grade2": [2]}, "'a' stands twice"),
    }
    for table, said in doubtful.values():
        place = write_table(form, table, tmp_path / f"x.{form}")
        assert said in said_of(lambda place=place: read_qrels(place))


@pytest.mark.parametrize("padding", [-1, None, "-1"])
def test_what_libraries_write_behind_the_end_of_a_list_is_no_document(padding: Any, tmp_path: Path) -> None:
    table = wide(["rec1", "rec2", "rec3"], {"u1": ["31", "17", "12"], "u2": ["12", padding, padding]})
    place = write_table("csv", table, tmp_path / "x.csv")
    assert read_run(place).to_dict()["u2"] == {"12": -1}


def test_rows_of_trec_text_without_names_are_no_lists_of_relevant_documents() -> None:
    frame = pd.DataFrame([["q1", 0, "d1", 1], ["q1", 0, "d2", 0]]).iloc[1:]
    assert "no columns are known to hold the topics, the documents and the grades" in said_of(
        lambda: qrels_from_frame(frame)
    )
