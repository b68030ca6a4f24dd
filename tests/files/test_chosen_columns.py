"""The columns of tables as the core reads them: ids, numbers, and what is refused of a row."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from made_frames import COLUMNS, MAKERS, SCORES, of_run, refusal, refusal_of_qrels, table

from gradeval import run_from_frame


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


def test_numbers_may_be_categories() -> None:
    assert of_run(run_from_frame(pd.DataFrame(COLUMNS).astype({"score": "category"}))) == SCORES


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
    leave_out = "leave out documents that must not count, as items that were seen: df[numpy.isfinite(df['score'])]"
    remedy = leave_out if column == "score" else "fill it or drop the row"
    assert message == f"run: row 1: {column} is missing (null or NaN; {rest}); {remedy}"


@pytest.mark.parametrize(("value", "said"), [(float("nan"), "is NaN"), (float("inf"), "is infinite")])
def test_a_number_that_is_not_finite_is_named_by_its_row(value: float, said: str) -> None:
    frame = pl.DataFrame(table(score=[1.0, value, 2.0, 3.0]))
    assert refusal(frame).startswith(f"run: row 1: score {said}")
    assert "(query_id '301', doc_id 'd1'); leave out documents that must not count" in refusal(frame)
    if math.isinf(value):  # NaN is a grade that is missing
        assert refusal_of_qrels(frame.rename({"score": "relevance"})).startswith(f"qrels: row 1: grade {said}")


def test_a_duplicate_document_is_reported_with_both_rows() -> None:
    frame = table(doc_id=["d3", "d1", "d1", "d1"])
    assert refusal(frame).startswith("run: row 3: document 'd1' of topic 301 was already given in row 1")
    judged = {"query_id": ["1", "1"], "doc_id": ["d", "d"], "relevance": [1, 2]}
    assert refusal_of_qrels(judged).startswith(
        "qrels: row 1: document 'd' of topic 1 was already judged in row 0 (grades 1 and 2); a topic judges"
    )
