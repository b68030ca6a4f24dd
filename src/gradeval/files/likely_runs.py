"""Which column names the runs of a table, told by the documents that it repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

MOST_RUNS = 200
"""Different values up to which a column may name the runs of a table."""


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
