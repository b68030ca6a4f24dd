"""What other columns than the used ones say of rows: queries in segments, several raters or runs, and folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval.files.column_names import FOLDS, InputKind, RowsOfTable, find_called
from gradeval.files.likely_runs import warn_of_variants
from gradeval.files.mixed_raters import warn_of_mixed_raters
from gradeval.files.named_columns import JOIN, Columns
from gradeval.files.telling_columns import warn_of_segments

MOST_FOLDS = 100
"""Different values up to which a column called so holds folds."""


def look_at_columns(
    names: Sequence[str],
    chosen: Sequence[int],
    kind: InputKind,
    columns: Columns,
    rows: RowsOfTable,
    place: str,
    *,
    again: bool = False,
) -> str:
    """Say that rows of a topic differ in a column that tells queries apart, that humans and models graded, or that rows
    of several runs are read as one. Also returns the columns that topics could join, as ``join_with_folds`` says.

    ``chosen``: the columns of topics, documents and values, and those that name runs; ``again``: does a topic of the
    run have a document several times?
    """
    warn_of_segments(names, chosen[0], columns, rows, place)
    if kind == "qrels":
        warn_of_mixed_raters(names, chosen[:3], rows, place)
    elif again and not chosen[3:]:
        warn_of_variants(names, chosen[:3], rows, place, columns)
    return join_with_folds(names, chosen, columns, rows)


def join_with_folds(names: Sequence[str], chosen: Sequence[int], columns: Columns, rows: RowsOfTable) -> str:
    """The columns that topics could join, as userId+fold, where rows of a topic differ in a column of folds; empty:
    they do not, or the user names the column of the topics. ``chosen``: the columns that are used, topics first."""
    query = chosen[0]
    for at in find_called(names, FOLDS, chosen) if columns.query is None else ():
        folds: set[Any] = set()
        first: dict[Any, Any] = {}
        mixed = False
        for row in rows():
            if len(row) > max(at, query) and row[at] not in (None, ""):
                folds.add(row[at])
                mixed = mixed or first.setdefault(row[query], row[at]) != row[at]
        if mixed and len(folds) <= MOST_FOLDS:
            return f"{names[query].strip()}{JOIN}{names[at].strip()}"
    return ""
