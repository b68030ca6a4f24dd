"""Judgments whose columns stand in another order than they should."""

from __future__ import annotations

from gradeval._core import InputError
from gradeval.files.read import Path
from gradeval.files.source import Source

ORDER = "topic iteration document grade"
ENOUGH = 5  # lines that show which columns vary


def find_swapped(path: Path) -> str:
    """What the order of the columns of TREC judgments seems to be, where it is another; else an empty text.

    The documents are the column that is no number, or that varies most; grades and iterations are small numbers.
    """
    try:
        beginning = Source(path).beginning.decode("utf-8", "replace")
    except InputError:
        return ""
    rows = [line.split() for line in beginning.splitlines()[:200] if not line.startswith("#")]
    rows = [row for row in rows if len(row) == 4]
    if len(rows) < ENOUGH:
        return ""
    different = [len(set(column)) for column in zip(*rows, strict=True)]
    numeric = [all(_is_small(cell) for cell in column) for column in zip(*rows, strict=True)]
    most = max(different)
    documents = [
        place for place in range(4) if different[place] > max(1, most // 2) and not (numeric[place] and most > 6)
    ]
    if len(documents) != 1 or documents == [2]:
        return ""
    return f"; the documents seem to be in column {documents[0] + 1}: the order is {ORDER}"


def _is_small(cell: str) -> bool:
    try:
        return abs(float(cell)) < 20
    except ValueError:
        return False
