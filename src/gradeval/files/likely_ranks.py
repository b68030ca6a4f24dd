"""Numbers that look like ranks: 1, 2, 3 ... in each topic."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.warning_categories import FilesWarning, RanksWarning, level_of_caller

LEAST = 2
"""Documents below the first ones of their topics, from which on numbers tell ranks from scores."""


def look_like_ranks(topics: Iterable[Collection[float]]) -> bool:
    """Are these the whole numbers from 1 to n in each topic, in any order?"""
    below = 0
    for values in topics:
        if sorted(values) != list(range(1, len(values) + 1)):
            return False
        below += len(values) - 1
    return below >= LEAST


def rows_look_like_ranks(topics: Array, values: Array) -> bool:
    """The same for rows: int64[row], the topic of each row, and float64[row]."""
    order = np.lexsort((values, topics))
    starts = np.flatnonzero(np.diff(topics[order], prepend=-1))
    expected = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order))) + 1
    return bool((values[order] == expected).all()) and len(values) - len(starts) >= LEAST


def find_ranks(rows: Iterable[Sequence[Any]], topic: int, columns: Sequence[int]) -> int | None:
    """The first of these columns that looks like ranks by the topics in another one; None: none does."""
    values: dict[int, dict[Any, list[float]]] = {column: {} for column in columns}
    for row in rows:
        for column in [*values]:
            number = _read_whole(row[column]) if len(row) > max(topic, column) else nan
            if isnan(number):
                del values[column]
            else:
                values[column].setdefault(row[topic], []).append(number)
        if not values:
            return None
    return next((column for column, topics in values.items() if look_like_ranks(topics.values())), None)


def _read_whole(cell: Any) -> float:
    """The whole number in a cell, also where it is text; NaN where there is none."""
    if isinstance(cell, str):
        return float(cell) if re.fullmatch(r"\s*[0-9]{1,15}(\.0*)?\s*", cell) else nan
    return cell if isinstance(cell, int | float) and not isinstance(cell, bool) else nan


def warn_of_order(place: str) -> None:
    """Say that a run has no numbers, so that its rows were taken to be in rank order."""
    text = f"{place}: has neither scores nor ranks; read in the order of its rows, the best document first"
    warnings.warn(text, FilesWarning, stacklevel=level_of_caller())


def warn_of_ranks(column: str, place: str) -> None:
    """Say that scores look like ranks, so that the order may be the wrong way round."""
    text = f"{place}: the scores in {column!r} are 1 to n in each topic, like ranks; did you mean rank={column}?"
    warnings.warn(text, RanksWarning, stacklevel=level_of_caller())
