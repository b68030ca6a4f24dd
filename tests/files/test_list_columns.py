"""Frames and files with a list of documents in each row, or without scores: the same as a row a document."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from refusing import said_of

from gradeval import FilesWarning, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame

RANKED = {"1": {"a": -1.0, "b": -2.0}, "2": {"c": -1.0}}
SCORED = {"1": {"a": 0.9, "b": 0.5}, "2": {"c": 0.7}}
RELEVANT = {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 1.0}}
GRADED = {"1": {"a": 3.0, "b": 0.0}, "2": {"c": 1.0}}
ITEMS, SCORES, GRADES = [["a", "b"], ["c"]], [[0.9, 0.5], [0.7]], [[3, 0], [1]]
LONG = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "c"]})
GROUPED = LONG.groupby("user").item.apply(list)
HITS = [[{"id": "a", "score": 0.9}, {"id": "b", "score": 0.5}], [{"id": "c", "score": 0.7}]]

RUNS: dict[str, tuple[Callable[[], Any], Any]] = {
    "pandas": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS}), RANKED),
    "pandas, to_frame": (GROUPED.to_frame, RANKED),
    "pandas, reset_index": (GROUPED.reset_index, RANKED),
    "pandas, arrays": (lambda: pd.DataFrame({"user": [1, 2], "item": [np.array(one) for one in ITEMS]}), RANKED),
    "polars": (lambda: pl.DataFrame({"query": ["1", "2"], "retrieved": ITEMS}), RANKED),
    "polars, lazy": (lambda: pl.LazyFrame({"query": ["1", "2"], "docs": ITEMS}), RANKED),
    "arrow": (lambda: pa.table({"qid": ["1", "2"], "hits": ITEMS}), RANKED),
    "arrow, large": (
        lambda: pa.table({"qid": ["1", "2"], "hits": pa.array(ITEMS, pa.large_list(pa.large_string()))}),
        RANKED,
    ),
    "dict of columns": (lambda: {"qid": ["1", "2"], "anything": ITEMS}, RANKED),
    "scores beside": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS, "scores": SCORES}), SCORED),
    "ranks beside": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS, "rank": [[1, 2], [1]]}), RANKED),
    "objects": (lambda: pa.table({"query": ["1", "2"], "results": HITS}), SCORED),
    "whole numbers": (lambda: pl.DataFrame({"user": [1, 2], "items": [[5, 6], [7]]}), None),
    "text beside": (lambda: pd.DataFrame({"user": [1, 2], "title": ["x", "y"], "items": ITEMS}), RANKED),
    "rows": (lambda: LONG, RANKED),
    "rows, apart": (lambda: LONG.iloc[[0, 2, 1]], RANKED),
    "rows, categories": (lambda: LONG.astype("category"), RANKED),
    "rows, text beside": (lambda: LONG.assign(title="x"), RANKED),
    "rows, polars": (lambda: pl.from_pandas(LONG), RANKED),
    "rows, arrow": (lambda: pa.Table.from_pandas(LONG), RANKED),
}
QRELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "pandas": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS}), RELEVANT),
    "pandas, to_frame": (GROUPED.to_frame, RELEVANT),
    "polars": (lambda: pl.DataFrame({"query": ["1", "2"], "relevant": ITEMS}), RELEVANT),
    "arrow": (lambda: pa.table({"qid": ["1", "2"], "gold_ids": ITEMS}), RELEVANT),
    "grades beside": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS, "grades": GRADES}), GRADED),
    "a grade for each row": (lambda: pd.DataFrame({"user": [1, 2], "items": ITEMS, "grade": [2, 1]}), None),
}


@pytest.mark.filterwarnings("ignore::gradeval.FilesWarning")
@pytest.mark.parametrize("form", RUNS)
@pytest.mark.parametrize("way", ["frame", "parquet", "feather", "evaluate"])
def test_lists_and_rows_in_order_are_a_run(form: str, way: str, tmp_path: Path) -> None:
    make, expected = RUNS[form]
    expected = {"1": {"5": -1.0, "6": -2.0}, "2": {"7": -1.0}} if expected is None else expected
    given = make()
    if way == "frame":
        assert run_from_frame(given).to_dict() == expected
    elif way == "evaluate":
        if not isinstance(given, dict):
            assert (
                evaluate(RELEVANT, given, "P@1 RR").values.tolist()
                == evaluate(RELEVANT, expected, "P@1 RR").values.tolist()
            )
    else:
        table = pa.table(given.collect() if hasattr(given, "collect") else given)
        path = tmp_path / f"run.{way}"
        pq.write_table(table, path) if way == "parquet" else pyarrow.feather.write_feather(table, path)
        run = read_run(path)
        assert run.to_dict() == expected
        order = ", in the order of" in run.read_as
        assert order == (expected != SCORED and "ranks" not in form)


@pytest.mark.parametrize("form", QRELS)
def test_lists_are_judgments(form: str, tmp_path: Path) -> None:
    make, expected = QRELS[form]
    expected = {"1": {"a": 2.0, "b": 2.0}, "2": {"c": 1.0}} if expected is None else expected
    assert qrels_from_frame(make()).to_dict() == expected
    assert evaluate(make(), RANKED, "nDCG").values.tolist() == evaluate(expected, RANKED, "nDCG").values.tolist()
    pq.write_table(pa.table(make()), tmp_path / "q.parquet")
    assert read_qrels(tmp_path / "q.parquet").to_dict() == expected


def test_rows_in_order_are_said_to_be_so() -> None:
    with pytest.warns(FilesWarning, match="run: has neither scores nor ranks; read in the order of its rows") as warned:
        run = run_from_frame(LONG)
    assert run.read_as == "columns user, item, in the order of its rows"
    assert warned[0].filename == __file__


def test_runs_that_a_column_tells_apart_have_an_order_each() -> None:
    table = pd.concat([LONG.assign(system="x"), LONG.iloc[[1, 0, 2]].assign(system="y")])
    with pytest.warns(FilesWarning):
        scores = evaluate({"1": {"a": 1}, "2": {"c": 1}}, table, "RR")
    assert (scores.runs, scores.mean().ravel().tolist()) == (["x", "y"], [1.0, 0.75])


def test_vectors_beside_documents_are_no_lists_of_them() -> None:
    table = pd.DataFrame({"query": ["q"], "doc": ["a"], "score": [0.5], "vector": [[0.1, 0.2]]})
    assert run_from_frame(table).to_dict() == {"q": {"a": 0.5}}


@pytest.mark.parametrize(
    ("read", "given", "said"),
    [
        (run_from_frame, LONG.assign(worth=1.5), "no column is known to hold the scores (it has user, item, worth)"),
        (run_from_frame, LONG.astype({"user": float}), "holds floating-point numbers (double), which are no ids"),
        (qrels_from_frame, LONG.assign(worth=[1, 0, 2]), "no column is known to hold the grades"),
        (
            qrels_from_frame,
            {"user": [1, 2], "items": [["a"], []]},
            "row 1: items is an empty list; in pandas drop such rows",
        ),
        (run_from_frame, {"user": [1, 2], "items": [["a"], None]}, "row 1: items is missing; in pandas drop such rows"),
        (run_from_frame, {"user": [1], "items": [["a", "b"]], "scores": [[0.1]]}, "differ in length"),
        (run_from_frame, {"user": [1], "hits": [[{"name": "a"}]]}, "holds objects without an id (they have name)"),
        (run_from_frame, {"user": [1], "items": [["a", "a"]]}, "'a'"),
        (run_from_frame, {"user": [1], "item": [["a", "b"]], "score": [0.5]}, "column 'item' holds list<"),
    ],
)
def test_what_is_no_list_of_documents_is_refused(read: Callable[[Any], Any], given: Any, said: str) -> None:
    assert said in said_of(lambda: evaluate(RELEVANT, read(given), "AP") if read is run_from_frame else read(given))


ONE_TABLE = {"question_id": ["1", "2"], "retrieved_ids": [["b", "x"], ["y", "c"]], "scores": [[0.9, 0.5], [0.7, 0.2]]}


@pytest.mark.parametrize("retrieved", ["retrieved_ids", "docs", "hits", "contexts", "chunk_ids"])
@pytest.mark.parametrize("relevant", ["gold_ids", "relevant", "expected_chunks", "relevant_items"])
@pytest.mark.parametrize("gold", [[["a", "b"], ["c", "d"]], [["a"], ["c", "d", "e"]]])
def test_scores_of_retrieved_documents_are_no_grades(retrieved: str, relevant: str, gold: Any, tmp_path: Path) -> None:
    table = pa.table(ONE_TABLE | {relevant: gold}).rename_columns(["question_id", retrieved, "scores", relevant])
    expected = {topic: dict.fromkeys(ids, 1.0) for topic, ids in zip(["1", "2"], gold, strict=True)}
    pq.write_table(table, tmp_path / "all.parquet")
    assert read_qrels(tmp_path / "all.parquet").to_dict() == expected
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        assert qrels_from_frame(frame).to_dict() == expected


def test_one_table_of_both_scores_the_same_in_each_format(tmp_path: Path) -> None:
    table = pa.table(ONE_TABLE | {"gold_ids": [["a", "b"], ["c", "d"]]})
    records = table.to_pylist()
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "all.json").write_text(json.dumps(records))
    pq.write_table(table, tmp_path / "all.parquet")
    table.to_pandas().map(lambda one: one if isinstance(one, str) else str([*one])).to_csv(tmp_path / "all.csv")
    csv = f"columns:doc={{}}:{tmp_path / 'all.csv'}"
    both = [(one, one) for one in (table, table.to_pandas(), records)]
    both += [(tmp_path / f"all.{ending}",) * 2 for ending in ("jsonl", "json", "parquet")]
    both += [(csv.format("gold_ids"), csv.format("retrieved_ids"))]
    for qrels, run in both:
        assert evaluate(qrels, run, "P@1 RR").mean().ravel().tolist() == [0.5, 0.75]


def test_scores_that_the_user_names_are_grades_beside_retrieved_documents() -> None:
    table = pa.table(ONE_TABLE | {"gold_ids": [["a", "b"], ["c", "d"]]})
    assert qrels_from_frame(table, relevance="scores").to_dict()["1"] == {"a": 0.9, "b": 0.5}
    alone = table.drop_columns("retrieved_ids")
    assert qrels_from_frame(alone).to_dict()["1"] == {"a": 0.9, "b": 0.5}


@pytest.mark.parametrize("nothing", [[], None])
def test_advice_on_rows_without_relevant_documents_works_as_typed(nothing: list[str] | None) -> None:
    df = pd.DataFrame({"query": ["1", "2"], "gold": [["a"], nothing]})
    run = {"1": ["a"], "2": ["b"]}
    said = said_of(lambda: evaluate(df, run, "RR"))
    assert "df[df['gold'].str.len() > 0], or keep their topics: dict(zip(df['query'], df['gold']))" in said
    with warnings.catch_warnings(action="ignore"):
        dropped, kept = (
            evaluate(df[df["gold"].str.len() > 0], run, "RR"),
            evaluate(dict(zip(df["query"], df["gold"], strict=True)), run, "RR"),
        )
    assert (dropped.mean().tolist(), kept.mean().tolist()) == ([[1.0]], [[0.5]])


TRUTH, FOUND = [[1010, 523, 37], [262, 676, 5]], [[523, 128, 1406], [762, 262, 1416]]


def both_lists(judged: str, ranked: str, form: str, tmp_path: Path) -> Any:
    """Lists of relevant documents and of recommendations, of equal lengths, in one frame or file."""
    frame = pd.DataFrame({"user": [7, 8], judged: TRUTH, ranked: FOUND})
    path = tmp_path / f"both.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif form == "csv":
        frame.to_csv(path, index=False)
    return {"frame": frame, "records": frame.to_dict("records")}.get(form, path)


@pytest.mark.parametrize("form", ["frame", "parquet"])
@pytest.mark.parametrize(
    "names", [("items", "recs"), ("actual", "predicted"), ("movieId", "recs"), ("truth", "recs"), ("y_true", "y_pred")]
)
def test_names_tell_the_relevant_list_from_the_recommended_one(
    names: tuple[str, str], form: str, tmp_path: Path
) -> None:
    both = both_lists(*names, form, tmp_path)
    assert evaluate(both, both, "RR").values.ravel().tolist() == [1, 1 / 2]


@pytest.mark.parametrize("form", ["frame", "records", "parquet", "jsonl", "csv"])
@pytest.mark.parametrize("names", [("test", "als"), ("labels", "preds"), ("held", "target")])
def test_ids_are_never_grades_of_other_ids_and_the_calls_in_the_error_work(
    names: tuple[str, str], form: str, tmp_path: Path
) -> None:
    both = both_lists(*names, form, tmp_path)
    said = said_of(lambda: evaluate(both, both, "RR"))
    assert f"{names[0]!r} and {names[1]!r} hold lists of documents" in said
    if form in ("frame", "records"):
        known = {"frame": both, "RECORDS": both, "pandas": pd}
        known |= {"run_from_frame": run_from_frame, "qrels_from_frame": qrels_from_frame}
        run, qrels = (eval(call, known) for call in re.findall(r"\w+_from_frame\(.*?'\)", said))
    else:
        run, qrels = (one.replace("FILE", str(both)) for one in re.findall(r"columns:\S+:FILE", said))
    assert evaluate(qrels, run, "RR").values.ravel().tolist() == [1, 1 / 2]


def test_small_numbers_in_lists_called_labels_are_grades() -> None:
    frame = {"user": [1, 2], "docs": ITEMS, "labels": GRADES}
    assert qrels_from_frame(frame).to_dict() == GRADED


def test_ids_that_the_user_names_as_grades_are_asked_about() -> None:
    frame = pd.DataFrame({"user": [7, 8], "actual": TRUTH, "predicted": FOUND})
    with pytest.warns(
        FilesWarning, match="qrels: 'predicted' may hold ids, .*; if 'actual' holds only relevant documents"
    ):
        qrels_from_frame(frame, doc_id="actual", relevance="predicted")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert qrels_from_frame(frame, doc_id="actual").of("7") == {"1010": 1, "523": 1, "37": 1}
        graded = pd.DataFrame({"user": [1, 2], "docs": ITEMS, "g": [[10, 0], [3]]})
        assert qrels_from_frame(graded, doc_id="docs", relevance="g").of("1") == {"a": 10, "b": 0}
