"""Tables as features for learning to rank, and back."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path
from gradeval.features.feature_arrays import SplitQueriesError, order_by_query, warn_of_split_queries
from gradeval.features.features import Features
from gradeval.files.arrow_columns import first_line, read_ids, read_numbers, require_frame_columns
from gradeval.files.column_names import QUERIES, SCORES, find_documents, normal_name
from gradeval.files.columnar import read_parquet
from gradeval.files.frame_columns import WHY_NAMELESS, columns_beside_index, index_of_ids, nameless
from gradeval.files.frame_tables import arrow_table
from gradeval.files.source import as_source, name_place
from gradeval.files.unknown_columns import find_misspelt
from gradeval.formula.arithmetic import part_of_row
from gradeval.tables.arrow import require_pyarrow
from gradeval.warning_categories import FeaturesWarning, level_of_caller

if TYPE_CHECKING:
    import pyarrow


@known_arguments()
def features_from_frame(
    frame: Any,
    *,
    query_id: str = "query_id",
    doc_id: str | None = "doc_id",
    relevance: str | None = "relevance",
    features: Sequence[str] | None = None,
    name: str = "features",
) -> Features:
    """Features from a table with a row for each document of a query.

    Parameters
    ----------
    frame : anything that speaks Arrow (see ``qrels_from_frame``), or a dict of columns. The rows of a query stand
        together.
    query_id, doc_id, relevance : names of the columns with queries, documents (None: there are none; where the
        default is absent, a column docid, docno or alike) and grades (None: there are none, the documents are to be
        ranked).
    features : names of the columns with features, in order. Default: all others; the index of a frame of pandas is
        none of them.
    name : what messages call the features.

    A feature that is null or NaN is a missing value, which trees take and other rankers refuse. A missing id or grade,
    an infinite number, a negative grade and a query whose rows are scattered are InputErrors
    that name the row, counted from 0. Needs pyarrow, which the extra ``arrow`` brings.
    """
    table = arrow_table(frame, name)
    if doc_id == "doc_id" and doc_id not in table.column_names:
        others = [column for column in table.column_names if column not in (query_id, relevance, *(features or ()))]
        doc_id = find_documents(others)
    keys = [key for key in (query_id, doc_id, relevance) if key is not None]
    if features is None:
        chosen = [column for column in columns_beside_index(table.schema) if column not in keys]
        if found := nameless(chosen):  # mostly an index, whose order can tell which documents are relevant
            raise InputError(f"{name}: {WHY_NAMELESS.format(found[0])}, or name the features with features=")
    else:
        chosen = list(features)
    if not chosen:
        raise InputError(f"{name}: has no column with a feature besides {', '.join(keys)}")
    remedy = "name the columns with query_id=, doc_id=, relevance= and features="
    columns = require_frame_columns(table, keys, name, remedy)
    columns |= require_frame_columns(table, chosen, name, remedy, missing=True)
    X = np.empty((len(table), len(chosen)))
    for place, column in enumerate(chosen):
        X[:, place] = read_numbers(columns[column], column, name)
    return Features.from_arrays(
        X,
        None if relevance is None else read_numbers(columns[relevance], relevance, name),
        topics=read_ids(columns[query_id], query_id, name),
        docs=None if doc_id is None else read_ids(columns[doc_id], doc_id, name),
        columns=chosen,
        name=name,
    )


@known_arguments()
def features_to_frame(features: Features) -> pyarrow.Table:
    """An Arrow table with the columns query_id, doc_id, relevance and one for each feature.

    ``features_to_frame(features).to_pandas()`` and ``polars.from_arrow(features_to_frame(features))`` turn it into
    theirs.
    """
    arrow = require_pyarrow("a table of features needs")
    topic = part_of_row(features.offsets).astype(np.int32)
    return arrow.table(
        {
            "query_id": arrow.array(features.topics, arrow.string()).take(arrow.array(topic)),
            "doc_id": arrow.array(features.docs, arrow.string()),
            "relevance": arrow.array(features.grades, mask=np.isnan(features.grades)),
            **{column: features.X[:, place] for place, column in enumerate(features.columns)},
        }
    )


GRADES = "relevance rel grade label relevancy judgment judgement qrel".split()
"""The usual names of the column of grades; one called score or rating may well be a feature."""


LETOR = re.compile(rb"\s*\S+\s+qid:\S")
"""How a line of LETOR text begins, which no line of names does."""

HEADER = 1 << 20  # bytes in which the line of names is looked for


def read_parquet_features(path: Path, name: str | None = None) -> Features:
    """Features from a Parquet file; see ``_with_usual_names`` for its columns."""
    return _with_usual_names(read_parquet(path), name or name_place(path))


def read_csv_features(path: Path, name: str | None = None) -> Features:
    """Features from a csv or tsv file whose first line names the columns; an empty cell is a missing value.

    Columns are separated by what is most frequent in that line: commas, semicolons or tabs.
    """
    source = as_source(path)
    arrow = require_pyarrow(f"{source.place}: reading features from it needs")
    import pyarrow.csv

    header = bytes(source.data[:HEADER]).partition(b"\n")[0]
    if LETOR.match(header):
        raise InputError(f"{source.place}: is LETOR text by its first line; write letor:{source.place}")
    try:
        separated = pyarrow.csv.ParseOptions(delimiter=max(",;\t", key=lambda mark: header.count(mark.encode())))
        table = pyarrow.csv.read_csv(arrow.BufferReader(arrow.py_buffer(source.data)), parse_options=separated)
    except arrow.ArrowException as error:
        fault = first_line(error)
        raise InputError(f"{source.place}: is no csv table with a header ({fault}); mend it first") from error
    return _with_usual_names(table, name or source.place)


def _with_usual_names(table: pyarrow.Table, name: str) -> Features:
    """The queries, the documents and the grades are the columns with the usual names (``query_id``, ``doc_id``,
    ``relevance``, ``label`` ...); all others are features. Without a column of grades the documents can only be ranked;
    without a column of documents they have no names. Where the rows of a query stand apart, rows are sorted by query,
    with a SplitQueriesWarning."""
    query, doc, grade = usual_columns(table.schema)
    if query is None:
        columns = columns_beside_index(table.schema)
        listed = ", ".join(columns[:8])
        near = "".join(f"{one!r} is nearly {usual!r}; " for one, usual in find_misspelt(columns, ["query"]).values())
        raise InputError(f"{name}: no column is known to hold the queries (it has {listed}); {near}call it query_id")
    if grade is None:
        _warn_of_misspelt_grades(columns_beside_index(table.schema), name)
    try:
        return features_from_frame(table, query_id=query, doc_id=doc, relevance=grade, name=name)
    except SplitQueriesError:
        warn_of_split_queries(name)
        table = table.take(order_by_query(np.asarray(table.column(query))))
        return features_from_frame(table, query_id=query, doc_id=doc, relevance=grade, name=name)


def _warn_of_misspelt_grades(columns: Sequence[str], name: str) -> None:
    """Say which feature may have been meant as the grades."""
    for column, usual in find_misspelt(columns, ["grade"]).values():
        if usual not in SCORES:  # as a feature may be called score1
            text = f"column {column!r} is read as a feature, and is nearly {usual!r}; if it holds grades, call it so"
            warnings.warn(f"{name}: {text}", FeaturesWarning, stacklevel=level_of_caller())


def usual_columns(schema: pyarrow.Schema) -> tuple[str | None, str | None, str | None]:
    """The columns of the queries, the documents and the grades by their usual names; None for none.

    The index of a frame of pandas can be the queries or the documents where no column is.
    """
    columns, index = columns_beside_index(schema), index_of_ids(schema)
    return (
        _usual(columns, QUERIES) or _usual(index, QUERIES),
        find_documents(columns) or find_documents(index),
        _usual(columns, GRADES),
    )


def _usual(names: Sequence[str], usuals: Sequence[str]) -> str | None:
    """The first of the usual names that is there, as it is spelled."""
    known = {normal_name(name): name for name in reversed(names)}
    return next((known[usual] for usual in usuals if usual in known), None)
