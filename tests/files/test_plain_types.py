"""Columns of text in every layout of Arrow come in through every door for frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import compute, feather

from gradeval import (
    InputError,
    evaluate,
    features_from_frame,
    qrels_from_frame,
    read_qrels,
    read_runs,
    run_from_frame,
    scores_from_frame,
)
from gradeval.files.plain_types import with_plain_types
from gradeval.files.texts import read_texts
from gradeval.files.topic_labels import labels_of_frame
from gradeval.ltr.data.rows import frame_features

GRADES = {"q1": {"a": 1, "b": 2}, "q2": {"a": 0, "b": 1}}
RUNS = {"x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 1.0}}, "y": {"q1": {"b": 1.0}, "q2": {"a": 3.0, "b": 2.0}}}


def _coded(kind: Any, array: Any) -> Any:
    coded = array.cast(pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary.cast(kind))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "string": lambda array: array.cast(pa.string()),
    "large_string": lambda array: array.cast(pa.large_string()),
    "string_view": lambda array: array.cast(pa.string_view()),
    "dictionary of string": lambda array: _coded(pa.string(), array),
    "dictionary of large_string": lambda array: _coded(pa.large_string(), array),
    "dictionary of string_view": lambda array: _coded(pa.string_view(), array),
    "runs of equal values": compute.run_end_encode,
}


def _table(layout: str, columns: dict[str, list[Any]]) -> pa.Table:
    """The table, in two chunks, with each column of text in the layout."""
    arrays = {name: pa.array(cells) for name, cells in columns.items()}
    for name, array in arrays.items():
        if pa.types.is_string(array.type):
            arrays[name] = LAYOUTS[layout](array)
        elif pa.types.is_list(array.type) and layout == "string_view":
            arrays[name] = array.cast(pa.list_(pa.string_view()))
    table = pa.table(arrays)
    return pa.concat_tables([table.slice(0, 1), table.slice(1)])


def _qrels(layout: str) -> pa.Table:
    rows = [(topic, doc, grade) for topic, grades in GRADES.items() for doc, grade in grades.items()]
    return _table(
        layout, dict(zip(("query_id", "doc_id", "relevance"), map(list, zip(*rows, strict=True)), strict=True))
    )


def _runs(layout: str, name: str = "run", names: tuple[str, ...] = ("x", "y")) -> pa.Table:
    rows = [
        (run, topic, doc, score)
        for run in names
        for topic, scores in RUNS[run].items()
        for doc, score in scores.items()
    ]
    return _table(layout, dict(zip((name, "qid", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _as_polars(table: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(with_plain_types(table))
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_judgments_and_a_run(layout: str) -> None:
    qrels = qrels_from_frame(_qrels(layout))
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES
    run = run_from_frame(_runs(layout, names=("x",)))
    assert (run.name, {topic: run.of(topic) for topic in run.topics}) == ("x", RUNS["x"])


@pytest.mark.parametrize("name", ["run", "system"])
@pytest.mark.parametrize("form", [lambda table: table, _as_polars, lambda table: _as_polars(table).lazy()])
def test_several_runs_in_a_frame(layout: str, name: str, form: Callable[[pa.Table], Any]) -> None:
    scores = evaluate(form(_qrels(layout)), form(_runs(layout, name)), "P@1 RR")
    assert list(scores.runs) == ["x", "y"]
    expected = evaluate(GRADES, RUNS, "P@1 RR")
    np.testing.assert_array_equal(scores.values, expected.values)
    np.testing.assert_array_equal(scores.mean(), [[1, 1], [1 / 2, (1 + 1 / 2) / 2]])


@pytest.mark.parametrize("write", [pq.write_table, feather.write_feather])
def test_files_of_columns(layout: str, write: Callable[..., None], tmp_path: Path) -> None:
    for name, table in (("qrels", _qrels(layout)), ("runs", _runs(layout))):
        try:
            write(table, tmp_path / name)
        except (pa.ArrowException, TypeError):
            pytest.skip("Arrow writes no such file")
    qrels = read_qrels(tmp_path / "qrels")
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES
    runs = read_runs([tmp_path / "runs"])
    assert {run.name: {topic: run.of(topic) for topic in run.topics} for run in runs} == RUNS


def test_lists_in_cells(layout: str) -> None:
    lists = _table(layout, {"qid": ["q1", "q2"], "docs": [["b", "a"], ["a"]]})
    np.testing.assert_array_equal(evaluate(GRADES, lists, "P@1").mean(), [[1 / 2]])


def test_rows_in_rank_order_with_padding(layout: str) -> None:
    rows = _table(layout, {"qid": ["q1", "q1", "q2", "q2"], "docno": ["b", "a", "a", "-1"]})
    with pytest.warns(match="document -1"):
        np.testing.assert_array_equal(evaluate(GRADES, rows, "P@1").mean(), [[1 / 2]])


def test_judgments_some_of_which_lack_a_grade(layout: str) -> None:
    table = _table(layout, {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "grade": ["2", "", "1"]})
    with pytest.warns(match="without a grade"):
        qrels = qrels_from_frame(table)
    assert {topic: qrels.of(topic) for topic in qrels.topics} == {"q1": {"a": 2}, "q2": {"a": 1}}


def test_judgments_of_two_raters_are_told_apart(layout: str) -> None:
    columns = {"qid": ["q1", "q1"], "docno": ["a", "a"], "grade": [1, 2], "assessor": ["ann", "bob"]}
    with pytest.raises(InputError, match="assessor"):
        qrels_from_frame(_table(layout, columns))


def test_slices(layout: str) -> None:
    labels = _table(layout, {"query_id": ["q1", "q2"], "kind": ["short", "long"]})
    assert labels_of_frame(labels, "by") == {"kind": {"q1": "short", "q2": "long"}}


def test_exclusions(layout: str) -> None:
    seen = _table(layout, {"query_id": ["q1"], "doc_id": ["a"]})
    np.testing.assert_array_equal(
        evaluate(GRADES, {"q1": {"a": 2.0, "b": 1.0}}, "RR", exclude=seen).values.ravel(), [1, 0]
    )


def test_texts(layout: str, tmp_path: Path) -> None:
    table = _table(layout, {"query_id": ["q1", "q2"], "text": ["tea", "tea"]})
    found = read_texts(table, "topic", ["q2"]).by_id
    assert {topic: text.text for topic, text in found.items()} == {"q2": "tea"}


def test_scores(layout: str) -> None:
    columns = {"run": ["x", "y"], "topic": ["q1", "q1"], "measure": ["P@1", "P@1"], "value": [0.25, 0.75]}
    scores = scores_from_frame(_table(layout, columns))
    assert list(scores.runs) == ["x", "y"]
    np.testing.assert_array_equal(scores.values.ravel(), [0.25, 0.75])


def test_features(layout: str) -> None:
    columns = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "relevance": ["1", "0"], "price": ["0.5", "2"]}
    with pytest.warns(match="read as numbers"):
        features = features_from_frame(_table(layout, columns))
    assert (features.topics, features.docs) == (["q1"], ["a", "b"])
    np.testing.assert_array_equal(features.X, [[0.5], [2]])
    np.testing.assert_array_equal(features.grades, [1, 0])


def test_rows_to_train_on(layout: str) -> None:
    columns = {"qid": ["q1", "q1"], "grade": [1, 0], "price": [1.0, 2.0]}
    features, *_ = frame_features(_table(layout, columns), "qid", "grade", name="frame", whose="")
    assert features.topics == ["q1"]
    np.testing.assert_array_equal(features.X, [[1], [2]])


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["x", None, "y"], pa.string_view()),
        pa.array([b"1", None, b"2"], pa.binary_view()),
        pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.int32()), pa.array(["x", "y"], pa.string_view())),
        pa.array([["a"], None, ["b", "c"]], pa.large_list(pa.string_view())),
        pa.array([["a"], None, ["b"]], pa.list_(pa.string_view(), 1)),
        pa.array([["a"], None, ["b", "c"]], pa.list_view(pa.string_view())),
        pa.array([[1], [], [3, 4]], pa.large_list_view(pa.int32())),
        pa.array([{"k": "v"}, None, {"k": "w"}], pa.struct([("k", pa.string_view())])),
        pa.array([[{"k": "v"}], None, [{"k": "w"}, None]], pa.list_(pa.struct([("k", pa.string_view())]))),
        compute.run_end_encode(pa.array(["a", "a", "b"])),
    ],
)
def test_nothing_but_the_layout_changes(array: pa.Array) -> None:
    whole = pa.table({"kept": [1, 2, 3], "changed": array}, metadata={"said": "so"})
    parts = [whole, whole.slice(1), whole.slice(1, 1), whole.slice(3), pa.concat_tables([whole.slice(1), whole])]
    for rows in (*parts, whole.to_batches()[0].slice(1)):
        plain = with_plain_types(rows)
        plain.validate(full=True)
        assert (plain.to_pydict(), plain.schema.metadata) == (rows.to_pydict(), {b"said": b"so"})
        assert not any(word in str(plain.schema.types) for word in ("view", "run_end"))
        assert with_plain_types(plain) is plain
