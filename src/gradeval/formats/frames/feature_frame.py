"""Tables as features for learning to rank, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formats.frames.frame import arrow_table, read_ids, read_numbers, require_frame_columns
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow


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
    query_id, doc_id, relevance : names of the columns with queries, documents (None: there are none; the default may
        be absent) and grades (None: there are none, the documents are to be ranked).
    features : names of the columns with features, in order. Default: all others.
    name : what messages call the features.

    A feature that is null or NaN is a missing value, which trees take and other rankers refuse. A missing id or grade,
    an infinite number, a negative grade and a query whose rows are scattered are InputErrors
    that name the row, counted from 0. Needs pyarrow: ``pip install 'gradeval[arrow]'``.
    """
    table = arrow_table(frame, name)
    if doc_id == "doc_id" and doc_id not in table.column_names:
        doc_id = None
    keys = [key for key in (query_id, doc_id, relevance) if key is not None]
    chosen = [column for column in table.column_names if column not in keys] if features is None else list(features)
    if not chosen:
        raise InputError(f"{name}: has no column with a feature beside {', '.join(keys)}")
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


def features_to_frame(features: Features) -> pyarrow.Table:
    """An Arrow table with the columns query_id, doc_id, relevance and one for each feature.

    ``features_to_frame(features).to_pandas()`` and ``polars.from_arrow(features_to_frame(features))`` turn it into
    theirs.
    """
    arrow = require_pyarrow("a table of features needs")
    topic = np.repeat(np.arange(len(features.topics), dtype=np.int32), np.diff(features.offsets))
    return arrow.table(
        {
            "query_id": arrow.array(features.topics, arrow.string()).take(arrow.array(topic)),
            "doc_id": arrow.array(features.docs, arrow.string()),
            "relevance": arrow.array(features.grades, mask=np.isnan(features.grades)),
            **{column: features.X[:, place] for place, column in enumerate(features.columns)},
        }
    )
