"""One run as tables of all libraries, and what is said of one that is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from refusing import said_of

from gradeval import Run, qrels_from_frame, run_from_frame

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
