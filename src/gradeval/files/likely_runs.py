"""Which column names the runs of a table, told by the documents that it repeats, or by its name and its few values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gradeval.files.column_names import ARMS, LIKELY_RUNS, RowsOfTable, find_called
from gradeval.files.named_columns import Columns
from gradeval.files.unknown_columns import describe_naming
from gradeval.messages import join_names
from gradeval.warning_categories import FilesWarning, warn

MOST_RUNS = 200
"""Different values up to which a column may name the runs of a table."""

FEW_RUNS, MOST_ROWS = 20, 100_000
"""Different values up to which a column with a usual name may name runs that repeat their documents, as a log does; and
rows that are looked at."""


def find_variants(names: Sequence[str], chosen: Sequence[int], rows: RowsOfTable) -> tuple[str, list[str]]:
    """The first column that is called as runs or sides of an experiment are and holds two to a few values, and these;
    empty: there is none.

    ``chosen``: the columns of topics, documents and values.
    """
    for at in [*find_called(names, LIKELY_RUNS, chosen), *find_called(names, ARMS, chosen)]:
        cells = dict.fromkeys(str(row[at]).strip() for row in islice(rows(), MOST_ROWS) if len(row) > at)
        if 1 < len(cells) <= FEW_RUNS and "" not in cells:
            return names[at], [*cells]
    return "", []


def warn_of_variants(
    names: Sequence[str], chosen: Sequence[int], rows: RowsOfTable, place: str, columns: Columns
) -> None:
    """Say that such a column is there where rows that come again are read as one run."""
    name, values = find_variants(names, chosen, rows)
    if name:
        how = describe_naming(name, columns)
        warn(f"{place}: {join_names(values[:3])} of {name!r} are read as one run; {how}", FilesWarning)


def find_telling(rows: Iterable[Sequence[Any]], query: int, doc: int, likely: Sequence[int]) -> int | None:
    """The first of some columns, none empty, that tells apart all documents which a topic has several times; None: no
    document is repeated, or no column does."""
    pairs: set[tuple[str, str]] = set()
    known: dict[int, set[tuple[str, str, str]]] = {at: set() for at in likely}
    values: dict[int, set[str]] = {at: set() for at in likely}
    count = 0
    for count, row in enumerate(rows, 1):
        if not known or len(row) <= max(query, doc, *known):
            return None
        topic, document = str(row[query]).strip(), str(row[doc]).strip()
        pairs.add((topic, document))
        for at in [*known]:
            cell = "" if row[at] is None else str(row[at]).strip()
            known[at].add((topic, document, cell))
            values[at].add(cell)
            if not cell or len(known[at]) < count or len(values[at]) > MOST_RUNS:
                del known[at]
    return next(iter(known), None) if len(pairs) < count else None
