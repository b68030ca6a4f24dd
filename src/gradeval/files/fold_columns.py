"""A column of folds that is not used: topics have rows of several folds, as users in crossvalidation have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gradeval.files.column_names import RowsOfTable, normal_name
from gradeval.files.named_columns import JOIN, Columns

FOLDS = frozenset("fold folds fold_id fold_no fold_nr cv cv_fold split split_id".split())
"""The usual names of such a column."""
MOST_FOLDS = 100
"""Different values up to which a column called so holds folds."""


def find_folds(names: Sequence[str], chosen: Collection[int]) -> list[int]:
    """The columns that are called so, other than the ``chosen`` ones."""
    return [at for at, name in enumerate(names) if at not in chosen and normal_name(name) in FOLDS]


def join_with_folds(names: Sequence[str], chosen: Sequence[int], columns: Columns, rows: RowsOfTable) -> str:
    """The columns that topics could join, as userId+fold, where rows of a topic differ in a column of folds; empty:
    they do not, or the user names the column of the topics. ``chosen``: the columns that are used, topics first."""
    query = chosen[0]
    for at in find_folds(names, chosen) if columns.query is None else ():
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
