"""Tables of any kind become judgments and runs, and are refused where they say less than they should."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusing import said_of

from gradeval import InputError, Qrels, Run, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame

COLUMNS: dict[str, list[Any]] = {
    "query_id": ["302", "301", "302", "301"],
    "doc_id": ["d3", "d1", "d1", "d2"],
    "score": [1.5, 2.5, -7.99e-10, 2.5],
}
SCORES = {"302": {"d3": 1.5, "d1": -7.99e-10}, "301": {"d1": 2.5, "d2": 2.5}}


def duckdb_relation(columns: dict[str, list[Any]]) -> Any:
    connection = duckdb.connect()
    connection.register("columns", pa.table(columns))
    return connection.sql("select * from columns")


MAKERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "columns": dict,
    "numpy columns": lambda columns: {name: np.array(column) for name, column in columns.items()},
    "pyarrow table": pa.table,
    "pyarrow batch": lambda columns: pa.table(columns).to_batches()[0],
    "pyarrow reader": lambda columns: pa.table(columns).to_reader(max_chunksize=2),
    "pyarrow chunks": lambda columns: pa.concat_tables([pa.table(columns).slice(0, 3), pa.table(columns).slice(3)]),
    "pyarrow slice": lambda columns: pa.concat_tables([pa.table(columns)] * 2).slice(4),
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns).astype({"doc_id": object}),
    "pandas of pyarrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"query_id": "category", "doc_id": "category"}),
    "pandas index": lambda columns: pd.DataFrame(columns).set_index(["query_id", "doc_id"]),
    "polars": pl.DataFrame,
    "polars lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "polars categories": lambda columns: pl.DataFrame(columns).with_columns(pl.col("query_id").cast(pl.Categorical)),
    "duckdb": duckdb_relation,
}


def table(**changed: Any) -> dict[str, Any]:
    columns = {**COLUMNS, **changed}
    return {name: column for name, column in columns.items() if column is not None}


def refusal(frame: Any, **options: Any) -> str:
    """What is said when a run is made of a table and judged."""
    return said_of(lambda: len(run_from_frame(frame, **options)))


def refusal_of_qrels(frame: Any) -> str:
    return said_of(lambda: qrels_from_frame(frame))


def of_run(run: Run) -> dict[str, dict[str, float]]:
    return {topic: run.of(topic) for topic in run.topics}


def of_qrels(qrels: Qrels) -> dict[str, dict[str, float]]:
    return {topic: qrels.of(topic) for topic in qrels.topics}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_table_with_scores_is_a_run(maker: str) -> None:
    assert of_run(run_from_frame(MAKERS[maker](COLUMNS))) == SCORES


@pytest.mark.parametrize("maker", MAKERS)
def test_a_table_with_relevance_is_judgments(maker: str) -> None:
    columns = {**COLUMNS, "relevance": [3, 0, -2, 1]}
    del columns["score"]
    qrels = qrels_from_frame(MAKERS[maker](columns))
    assert of_qrels(qrels) == {"302": {"d3": 3, "d1": -2}, "301": {"d1": 0, "d2": 1}}
    assert qrels.levels == (0, 1, 2, 3)


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint64()])
def test_whole_numbers_are_ids(kind: pa.DataType) -> None:
    run = run_from_frame(table(query_id=pa.array([2, 1, 2, 1], kind), doc_id=pa.array([3, 10, 1, 20], kind)))
    assert of_run(run) == {"2": {"3": 1.5, "1": -7.99e-10}, "1": {"10": 2.5, "20": 2.5}}


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()])
def test_text_of_every_layout_is_ids(kind: pa.DataType) -> None:
    assert of_run(run_from_frame(table(doc_id=pa.array(COLUMNS["doc_id"], kind)))) == SCORES


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal128(5, 2)])
def test_numbers_of_every_kind_are_scores(kind: pa.DataType) -> None:
    numbers = [Decimal(number) if pa.types.is_decimal(kind) else number for number in (3, 2, 1, 0)]
    if pa.types.is_floating(kind):
        numbers = [np.float16(number) for number in numbers]
    run = run_from_frame(table(score=pa.array(numbers, kind)))
    assert of_run(run) == {"302": {"d3": 3.0, "d1": 1.0}, "301": {"d1": 2.0, "d2": 0.0}}


def test_a_chunked_table_with_other_categories_in_each_chunk_is_read() -> None:
    chunks = []
    for query in ("2", "1"):
        queries = pa.array([query] * 2).dictionary_encode()
        chunks.append(pa.table({"query_id": queries, "doc_id": ["a", "b"], "score": [2.0, 1.0]}))
    scores = {"a": 2.0, "b": 1.0}
    assert of_run(run_from_frame(pa.concat_tables(chunks))) == {"2": scores, "1": scores}


def test_numbers_may_be_categories() -> None:
    assert of_run(run_from_frame(pd.DataFrame(COLUMNS).astype({"score": "category"}))) == SCORES


def test_names_of_columns_can_be_chosen() -> None:
    frame = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2], "score": [0.5]})
    names = {"query_id": "qid", "doc_id": "docno"}
    assert of_qrels(qrels_from_frame(frame, relevance="label", **names)) == {"1": {"d": 2}}
    run = run_from_frame(frame, score="score", name="mine", **names)
    assert (run.name, of_run(run)) == ("mine", {"1": {"d": 0.5}})


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.text(max_size=3), st.floats(-1e9, 1e9)),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_ids_and_scores_come_through_unchanged(rows: list[tuple[str, str, float]]) -> None:
    rows = [row for row in rows if row[0] and row[1]] or [("1", "d", 0.0)]
    queries, documents, scores = (list(column) for column in zip(*rows, strict=True))
    expected: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        expected.setdefault(query, {})[document] = score
    assert of_run(run_from_frame({"query_id": queries, "doc_id": documents, "score": scores})) == expected


# Parquet


def test_a_parquet_file_is_read_as_a_run_and_as_judgments(tmp_path: Path) -> None:
    path = tmp_path / "both.parquet"
    pq.write_table(pa.table({**COLUMNS, "relevance": [3, 0, -2, 1], "text": ["..."] * 4}), path)
    run = read_run(path)
    assert of_run(run) == SCORES
    assert (run.name, run.place) == ("both", str(path))
    assert of_qrels(read_qrels(path, recode={3: 2})) == {"302": {"d3": 2, "d1": -2}, "301": {"d1": 0, "d2": 1}}


def test_a_parquet_file_without_the_column_is_an_error_that_lists_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    ids = {name: COLUMNS[name] for name in ("query_id", "doc_id")}
    pq.write_table(pa.table({**ids, "note": COLUMNS["doc_id"]}), path)
    said = r"run\.parquet: no column is known to hold the grades .*query_id, doc_id, note"
    with pytest.raises(InputError, match=said):
        read_qrels(path)


def test_scores_are_not_taken_for_grades(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({**COLUMNS, "score": [0.5, 1.0, 2.0, 3.0]}), path)
    with pytest.raises(InputError, match=r"run\.parquet: column 'score' holds numbers that are not whole"):
        read_qrels(path)
    assert read_qrels(path, columns={"grade": "score"}).grades[0] == 0.5


@pytest.mark.parametrize("content", [b"", b"301 Q0 d1\n", b"PAR1 and no more"])
def test_what_is_no_parquet_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run\.parquet: is no Parquet file, or a damaged one"):
        read_run(path)


def test_a_missing_parquet_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.parquet: no such file"):
        read_run(tmp_path / "run.parquet")


# What is refused


def test_without_a_column_to_read_the_error_says_which_are_there() -> None:
    unknown = pd.DataFrame(COLUMNS).rename(columns={"score": "worth"})
    there = "(it has query_id, doc_id, worth)"
    named = "(frame, query_id=..., doc_id=..., "
    how = f"name the columns: run_from_frame{named}score=...), or by rank=..."
    of_run = f"run: no column is known to hold the scores {there}; {how}"
    of_qrels = f"qrels: no column is known to hold the grades {there}; name the columns: qrels_from_frame{named}"
    assert refusal(unknown) == of_run
    assert refusal_of_qrels(unknown) == f"{of_qrels}relevance=...)"
    known, qrels = pd.DataFrame(COLUMNS), {"1": {"a": 1}}
    for pair, message in (((unknown, known), f"{of_qrels}relevance=...)"), ((qrels, unknown), of_run)):
        with pytest.raises(InputError) as caught:
            evaluate(*pair, "AP")
        assert str(caught.value) == message


def test_a_missing_column_is_named_with_the_nearest() -> None:
    message = refusal(pd.DataFrame(COLUMNS), score="scores")
    assert message.startswith("run: has no column 'scores' (did you mean score?) (it has query_id, doc_id, score)")


def test_a_table_without_rows_is_an_error() -> None:
    assert refusal(pd.DataFrame(COLUMNS)[:0]) == "run: the table has no rows"
    assert refusal({"query_id": [], "doc_id": [], "score": []}) == "run: the table has no rows"


@pytest.mark.parametrize("frame", [3, [1, 2], {"query_id": ["1", 2]}, {"a": [1], "b": [1, 2]}])
def test_what_is_no_table_is_an_error(frame: Any) -> None:
    assert refusal(frame).startswith("run: cannot be read as a table (")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([True, False, True, False], "run: column 'score' holds bool, not numbers"),
        (["1", "2", "x", "4"], "run: row 2: score 'x' is not a finite number"),
        (["1", "N/A", "3", "4"], "run: row 1: score 'N/A' is not a finite number"),
        (["1", "yes", "3", "4"], "run: row 1: score 'yes' is not a finite number"),
    ],
)
def test_scores_that_are_no_numbers_are_refused(column: list[Any], said: str) -> None:
    assert refusal(table(score=column)).startswith(said)


@pytest.mark.parametrize(
    ("column", "rest"),
    [
        ("query_id", "doc_id 'd1', score 2.5"),
        ("doc_id", "query_id '301', score 2.5"),
        ("score", "query_id '301', doc_id 'd1'"),
    ],
)
@pytest.mark.parametrize("maker", ["columns", "pandas", "polars", "pandas categories", "duckdb"])
def test_a_missing_value_is_named_by_its_row(column: str, rest: str, maker: str) -> None:
    values = list(COLUMNS[column])
    values[1] = None
    message = refusal(MAKERS[maker]({**COLUMNS, column: values}))
    assert message == f"run: row 1: {column} is missing (null or NaN; {rest}); fill it or drop the row"


@pytest.mark.parametrize(("value", "said"), [(float("nan"), "is NaN"), (float("inf"), "is infinite")])
def test_a_number_that_is_not_finite_is_named_by_its_row(value: float, said: str) -> None:
    frame = pl.DataFrame(table(score=[1.0, value, 2.0, 3.0]))
    assert refusal(frame).startswith(f"run: row 1: score {said}")
    assert "(topic 301, document d1)" in refusal(frame)
    if math.isinf(value):  # NaN is a grade that is missing
        assert refusal_of_qrels(frame.rename({"score": "relevance"})).startswith(f"qrels: row 1: grade {said}")


def test_a_duplicate_document_is_reported_with_both_rows() -> None:
    frame = table(doc_id=["d3", "d1", "d1", "d1"])
    assert refusal(frame).startswith("run: row 3: document 'd1' of topic 301 was already given in row 1")
    judged = {"query_id": ["1", "1"], "doc_id": ["d", "d"], "relevance": [1, 2]}
    assert refusal_of_qrels(judged).startswith(
        "qrels: row 1: document 'd' of topic 1 was already judged in row 0 (grades 1 and 2); a topic judges"
    )


def test_a_missing_package_is_an_error_that_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'gradeval[arrow]'" in refusal(COLUMNS)
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"gradeval\[arrow\]"):
        read_run(tmp_path / "run.parquet")
