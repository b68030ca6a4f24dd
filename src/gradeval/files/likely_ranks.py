"""Numbers that look like ranks, 1, 2, 3 ... in each topic, or like distances, which rise down its rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import isnan, lgamma, log, nan
from numbers import Real
from typing import Any

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.warning_categories import FilesWarning, RanksWarning, warn

LEAST = 2
"""Documents below the first ones of their topics, from which on numbers tell ranks from scores."""
CHANCE = log(1000)
"""Scores in no order rise in all topics less often than once in this many times, as a logarithm: then it is said."""


def look_like_ranks(topics: Iterable[Collection[float]]) -> bool:
    """Are these the whole numbers from 1 to n in each topic, in any order?"""
    below = 0
    for values in topics:
        if max(values, default=0) != len(values) or sorted(values) != list(range(1, len(values) + 1)):
            return False
        below += len(values) - 1
    return below >= LEAST


def rows_look_like_ranks(topics: Array, values: Array) -> bool:
    """The same for rows: int64[row], the topic of each row, and float64[row]."""
    order = np.lexsort((values, topics))
    starts = np.flatnonzero(np.diff(topics[order], prepend=-1))
    expected = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order))) + 1
    return bool((values[order] == expected).all()) and len(values) - len(starts) >= LEAST


def rise_down(topics: Iterable[Collection[float]]) -> bool:
    """Do these numbers rise, or stay, down the rows of every topic, and hardly by chance?"""
    unlikely = 0.0
    for values in topics:
        listed = [*values]
        if any(later < earlier for earlier, later in pairwise(listed)):
            return False
        unlikely += lgamma(len({*listed}) + 1)
    return unlikely > CHANCE


def rows_rise_down(topics: Array, values: Array) -> bool:
    """The same for rows: int64[row], the topic of each row, and float64[row]."""
    order = np.argsort(topics, kind="stable")
    within = np.diff(topics[order]) == 0
    steps = np.diff(values[order])
    if (steps[within] < 0).any():
        return False
    new = np.concatenate([[True], ~within | (steps > 0)])
    different = np.bincount(topics[order][new])
    return sum(map(lgamma, (different + 1).tolist())) > CHANCE


def warn_of_scores(rankings: Sequence[Collection[float]], column: str, place: str) -> None:
    """Say that the scores of a run, in the order of the rows of each topic, look like ranks or like distances."""
    if look_like_ranks(rankings):
        warn_of_ranks(column, place)
    elif rise_down(rankings):
        warn_of_rise(column, place)


def warn_of_scores_of_rows(topics_of: Callable[[], Array], values: Array, column: str, place: str, option: str) -> None:
    """The same for rows: int64[row], their topics, found only where they may matter, and float64[row]; ``option``: what
    stands before the names of columns."""
    lower = int(np.count_nonzero(np.diff(values) < 0))  # rows of a topic that rise fall only where another one begins
    from_one = values.min() == 1
    if not from_one and lower * 3 > len(values) * 2:
        return
    topics = topics_of()
    if from_one and rows_look_like_ranks(topics, values):
        warn_of_ranks(column, place)
    elif rows_rise_down(topics, values):
        warn_of_rise(column, place, option)


def warn_of_mapped_scores(table: Mapping[Any, Any], place: str) -> None:
    """The same for ``{topic: {document: score}}``; 3, 2, 1 down the documents of every topic are scores."""
    rankings = [documents.values() for documents in table.values() if isinstance(documents, Mapping)]
    if len(rankings) < len(table):
        return  # who reads it says what is wrong
    if look_like_ranks(map(_numbers, rankings)) and not all(map(are_falling, map(_numbers, rankings))):
        warn_of_mapped_ranks(place)
    elif rise_down(map(_numbers, rankings)):
        warn(
            f"{place}: the scores rise down the documents of every topic, as distances do; if less is better, negate "
            "them: {topic: {doc: -score for doc, score in docs.items()} for topic, docs in run.items()}",
            RanksWarning,
        )


def _numbers(values: Collection[Any]) -> Collection[float]:
    """The same, where all are numbers; else nothing."""
    return values if all(issubclass(kind, Real) for kind in {*map(type, values)}) else ()


def are_falling(values: Iterable[float]) -> bool:
    """Is each value less than the one before?"""
    return all(earlier > later for earlier, later in pairwise(values))


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
    warn(f"{place}: has neither scores nor ranks; read in the order of its rows, the best document first", FilesWarning)


def warn_of_ranks(column: str, place: str) -> None:
    """Say that scores look like ranks, so that the order may be the wrong way round."""
    warn(
        f"{place}: the scores in {column!r} are 1 to n in each topic, like ranks; did you mean rank={column}?",
        RanksWarning,
    )


def warn_of_mapped_ranks(place: str) -> None:
    """Say the same of {document: number} in records, whose numbers have no column."""
    warn(
        f"{place}: the scores are 1 to n in each topic, like ranks; for ranks write lists, the best document first: "
        "{topic: sorted(ranks, key=ranks.get) for topic, ranks in run.items()}",
        RanksWarning,
    )


def warn_of_rise(column: str, place: str, option: str = "--columns ") -> None:
    """Say that scores rise down the rows, as distances do, so that the order may be the wrong way round."""
    warn(
        f"{place}: the scores in {column!r} rise down the rows of every topic, as distances do; did you mean "
        f"{option}rank={column}?",
        RanksWarning,
    )
