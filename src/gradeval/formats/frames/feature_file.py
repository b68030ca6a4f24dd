"""Features from Parquet and csv files: a row for each document, columns with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.files.read import Path, name_place
from gradeval.files.source import as_source
from gradeval.formats.column_names import DOCUMENTS, QUERIES, normal_name
from gradeval.formats.frames.feature_frame import features_from_frame
from gradeval.formats.frames.parquet import first_line, read_parquet
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow

GRADES = "relevance rel grade label relevancy judgment judgement qrel".split()
"""The usual names of the column of grades; one called score or rating may well be a feature."""


HEADER = 1 << 20  # bytes in which the line of names is looked for


def read_parquet_features(path: Path, name: str | None = None) -> Features:
    """Features from a Parquet file; see ``_with_usual_names`` for its columns."""
    return _with_usual_names(read_parquet(path), name or name_place(path))


def read_csv_features(path: Path, name: str | None = None) -> Features:
    """Features from a csv file whose first line names the columns; an empty cell is a missing value.

    Columns are separated by what is most frequent in that line: commas, semicolons or tabs.
    """
    source = as_source(path)
    arrow = require_pyarrow(f"{source.place}: reading features from it needs")
    import pyarrow.csv

    try:
        header = bytes(source.data[:HEADER]).partition(b"\n")[0]
        separated = pyarrow.csv.ParseOptions(delimiter=max(",;\t", key=lambda mark: header.count(mark.encode())))
        table = pyarrow.csv.read_csv(arrow.BufferReader(arrow.py_buffer(source.data)), parse_options=separated)
    except arrow.ArrowException as error:
        fault = first_line(error)
        raise InputError(f"{source.place}: is no csv table with a header ({fault}); mend it first") from error
    return _with_usual_names(table, name or source.place)


def _with_usual_names(table: pyarrow.Table, name: str) -> Features:
    """The queries, the documents and the grades are the columns with the usual names (``query_id``, ``doc_id``,
    ``relevance``, ``label`` ...); all others are features. Without a column of grades the documents can be ranked only;
    without one of documents they have no names."""
    query, doc, grade = usual_columns(table.column_names)
    if query is None:
        listed = ", ".join(table.column_names[:8])
        raise InputError(f"{name}: no column is known as that of the queries (it has {listed}); call it query_id")
    return features_from_frame(table, query_id=query, doc_id=doc, relevance=grade, name=name)


def usual_columns(names: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """The columns of the queries, the documents and the grades by their usual names; None for none."""
    known = {normal_name(column): column for column in reversed(names)}
    query, doc, grade = (
        next((known[usual] for usual in usuals if usual in known), None) for usuals in (QUERIES, DOCUMENTS, GRADES)
    )
    return query, doc, grade
