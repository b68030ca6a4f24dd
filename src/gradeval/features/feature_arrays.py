"""The parts of Features: arrays checked on the way in, and columns of strings in the layout that the core reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.array_checks import read_finite, read_queries, read_sizes
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels, levels_of
from gradeval.messages import shown
from gradeval.warning_categories import SplitQueriesWarning, warn

Column: TypeAlias = tuple[Array, Array]
"""Strings as Arrow lays them out: offsets int64[rows + 1] into bytes."""

LISTED = 8
"""Names of features that messages list, where they are not plain numbers."""

SHAPES = "X is number[row, feature], grades number[row]"


class SplitQueriesError(InputError):
    """Rows of a query stand apart, so that they have to be sorted by query."""


def to_finite(values: Any, what: str, place: str) -> Array:
    """A copy of the values as float64, or an error where one is not a finite number."""
    return read_finite(f"{place}: {what}", values).copy()


def require_no_missing(X: Array, columns: Sequence[str], place: str, what: str) -> None:
    """An InputError where a table has missing values, which ``what`` cannot work with; it says how to fill them."""
    if X.size and np.isnan(X.sum(dtype=float)):
        missing = np.isnan(X)
        rows, column = int(missing.any(axis=1).sum()), int(np.argmax(missing.any(axis=0)))
        first = f"feature {columns[column]} is NaN (missing) in {int(missing[:, column].sum())} rows"
        raise InputError(
            f"{place}: {first}, and {rows} of {len(X)} rows miss a feature; {what} takes none: impute them "
            "(scikit-learn's SimpleImputer), or train a TreeRanker, which takes them as they are"
        )


def known_levels(grades: Array) -> Levels:
    """The levels of the grades that are there, which are not NaN."""
    return levels_of(grades[~np.isnan(grades)])


def require_id(identifier: object, place: str) -> str:
    """An id as text, from text or a whole number; anything else is an error."""
    if isinstance(identifier, str):
        return identifier
    if isinstance(identifier, int | np.integer) and not isinstance(identifier, bool):
        return str(identifier)
    raise InputError(f"{place}: {shown(identifier)} is no id; ids are text or whole numbers")


def read_ids(values: Any, what: str, place: str) -> list[str]:
    """Ids of rows as text, from text and whole numbers in a list or an array."""
    listed = values if isinstance(values, list | tuple) else read_queries(f"{place}: {what}", values).tolist()
    return [require_id(each, place) for each in listed]


def require_names(columns: Any, place: str) -> list[str]:
    """The names of features as plain text, the form in which a saved model lists them."""
    listed = columns if isinstance(columns, list | tuple) else read_queries(f"{place}: columns", columns).tolist()
    for column in listed:
        if not isinstance(column, str | int | np.integer) or isinstance(column, bool):
            raise InputError(f"{place}: {shown(column)} is no name of a feature; names are text or whole numbers")
    return [str(column) for column in listed]


def list_columns(columns: Sequence[str]) -> str:
    """The names of features in a few words: numbers as a range, of many others the first ones and the last."""
    numbers = [str(number) for number in range(len(columns) + 1)]
    if len(columns) > 1 and list(columns) in (numbers[1:], numbers[:-1]):
        return f"{columns[0]} to {columns[-1]}"
    if len(columns) > LISTED:
        return f"{', '.join(columns[: LISTED - 1])} ... {columns[-1]}"
    return ", ".join(columns) or "none"


def describe_columns(columns: Sequence[str], words: Collection[str] = ()) -> str:
    """How many features there are, and their names; ``words``: which of them are categories of words."""
    of_words = [name for name in columns if name in words]
    are = "are categories" if of_words[1:] else "is a category"
    known = f"; {list_columns(of_words)} {are} of words" if of_words else ""
    return f"{len(columns)} feature{'s' * (len(columns) != 1)} ({list_columns(columns)}){known}"


def group_topics(topics: Any, rows: int, place: str) -> tuple[list[str], Array]:
    """The distinct topics of rows and where each begins."""
    names = read_ids(topics, "topics", place)
    if isinstance(topics, list | tuple) and len({isinstance(topic, str) for topic in topics}) > 1:
        as_text = {topic for topic in topics if isinstance(topic, str)}
        if both := [topic for topic in topics if not isinstance(topic, str) and str(topic) in as_text]:
            raise InputError(f"{place}: topic {both[0]} is given as {both[0]} and as '{both[0]}'; write it in one way")
    if len(names) != rows:
        raise InputError(f"{place}: {len(names)} topics for {rows} rows; give one each")
    starts = [row for row in range(rows) if row == 0 or names[row] != names[row - 1]]
    first: dict[str, int] = {}
    for start in starts:
        if names[start] in first:
            raise SplitQueriesError(
                f"{place}: row {start}: query {names[start]} comes again, it began in row {first[names[start]]}; "
                "the rows of a query stand together: sort them by query"
            )
        first[names[start]] = start
    return list(first), np.array([*starts, rows], np.int64)


def order_by_query(queries: Array) -> Array:
    """int64[row]: the order that sorts rows by query, and leaves the rows of a query in their order. Queries that
    cannot be compared, text and numbers, come in the order in which they appear."""
    if queries.dtype.kind != "O":
        return np.argsort(queries, kind="stable")
    listed = queries.tolist()
    names = list(dict.fromkeys(listed))
    with suppress(TypeError):
        names.sort()
    rank = {name: place for place, name in enumerate(names)}
    return np.argsort([rank[name] for name in listed], kind="stable")


def warn_of_split_queries(place: str) -> None:
    """Say that the rows of a table were sorted by query."""
    warn(
        f"{place}: rows of a query stand apart, so all rows were sorted by query; within a query they keep their order",
        SplitQueriesWarning,
    )


def number_topics(sizes: Any, rows: int, place: str) -> tuple[list[str], Array]:
    """Topics called 1, 2 ... and where each begins, from the rows of each."""
    counts = read_sizes(f"{place}: sizes", sizes, rows)
    if not counts.all():
        raise InputError(f"{place}: sizes[{int(np.argmin(counts))}] is 0; a query has a row at least")
    return [str(number) for number in range(1, len(counts) + 1)], offsets_of(counts)


def offsets_of(sizes: Array) -> Array:
    """int64[n + 1]: offsets of consecutive parts of these sizes, from 0 to their total."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def encode_column(strings: Sequence[str]) -> Column:
    """Strings as one column. Lone surrogates pass here; the core refuses them, since they are not valid UTF-8."""
    encoded = [string.encode(errors="surrogatepass") for string in strings]
    return offsets_of(np.array([len(string) for string in encoded], np.int64)), np.frombuffer(
        b"".join(encoded), np.uint8
    )


def concatenate_columns(columns: Sequence[Column]) -> Column:
    """One column from several, in order; the offsets of each may cover only part of its bytes."""
    sizes = [np.diff(ends) for ends, _ in columns]
    data = [data[ends[0] : ends[-1]] for ends, data in columns]
    nothing = np.empty(0, np.uint8)
    return offsets_of(np.concatenate([np.empty(0, np.int64), *sizes])), np.concatenate([nothing, *data])
