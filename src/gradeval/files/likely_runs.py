"""Which column names the runs of a table, told by the documents that it repeats, or by its name and its few values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gradeval.files.column_names import (
    ARMS,
    SESSIONS,
    TIMES,
    RowsOfTable,
    find_likely_runs,
    first_usual,
    is_segment,
    normal_name,
    places_by_name,
)
from gradeval.files.unknown_columns import describe_naming
from gradeval.messages import join_names
from gradeval.warning_categories import FilesWarning, warn

MOST_RUNS = 200
"""Different values up to which a column may name the runs of a table."""

FEW_RUNS, MOST_ROWS = 20, 100_000
"""Different values up to which a column with a usual name may name runs that repeat their documents, as a log does; and
rows that are looked at."""
MOST_ARMS = 10
"""Different values up to which a column without a usual name may name the sides of an experiment."""


def find_variants(names: Sequence[str], chosen: Sequence[int], rows: RowsOfTable) -> tuple[str, list[str]]:
    """The first column that is called as runs or sides of an experiment are and holds two to a few values, and these;
    empty: there is none.

    ``chosen``: the columns of topics, documents and values.
    """
    arms = [at for at, name in enumerate(names) if normal_name(name) in ARMS and at not in chosen]
    for at in [*find_likely_runs(names, chosen), *arms]:
        cells = dict.fromkeys(str(row[at]).strip() for row in islice(rows(), MOST_ROWS) if len(row) > at)
        if 1 < len(cells) <= FEW_RUNS and "" not in cells:
            return names[at], [*cells]
    return "", []


def find_arms(names: Sequence[str], query: int, used: Sequence[int], rows: RowsOfTable) -> tuple[str, list[str]]:
    """The first column of a log, other than ``used``, times and segments, that holds one value in each session of a
    query, several in some query, and a few in all; and these. Empty: there is none."""
    session = first_usual(places_by_name(names), SESSIONS)
    if session is None or session == query:
        return "", []
    values: dict[int, dict[str, None]] = {
        at: {}
        for at, name in enumerate(names)
        if at not in (query, session, *used) and normal_name(name) not in TIMES and not is_segment(name)
    }
    of_search: dict[tuple[int, str, str], str] = {}
    of_query: dict[tuple[int, str], str] = {}
    several: set[int] = set()
    for row in islice(rows(), MOST_ROWS):
        if len(row) < len(names):
            return "", []
        topic, search, *cells = ("" if row[at] is None else str(row[at]).strip() for at in (query, session, *values))
        for at, cell in zip([*values], cells, strict=True):
            values[at][cell] = None
            if of_query.setdefault((at, topic), cell) != cell:
                several.add(at)
            if not cell or of_search.setdefault((at, topic, search), cell) != cell or len(values[at]) > MOST_ARMS:
                del values[at]
    return next(((names[at], [*cells]) for at, cells in values.items() if at in several), ("", []))


def warn_of_variants(
    names: Sequence[str], chosen: Sequence[int], rows: RowsOfTable, place: str, *, nameable: bool
) -> None:
    """Say that such a column is there where rows that come again are read as one run."""
    name, values = find_variants(names, chosen, rows)
    if name:
        how = describe_naming(name, nameable=nameable)
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
