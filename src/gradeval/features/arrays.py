"""What features are made of: checked arrays, and columns of strings as the core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array

Column: TypeAlias = tuple[Array, Array]
"""Strings as Arrow lays them out: offsets int64[rows + 1] into bytes."""

SHAPES = "X is number[row, feature], grades number[row]"


def single(X: Array, place: str) -> Array:
    """A table of its own in single precision, or an error where a number does not fit."""
    try:
        given = np.asarray(X)
    except ValueError:
        raise InputError(f"{place}: the rows of X differ in length; {SHAPES}") from None
    if given.dtype.kind not in "fiub":
        raise InputError(f"{place}: X holds {given.dtype}, not numbers; {SHAPES}")
    with np.errstate(over="ignore"):
        table = np.array(given, dtype=np.float32, order="C")
    if not np.isfinite(table).all():
        row = int(np.argmax(~np.isfinite(table.reshape(len(table), -1)).all(axis=1)))
        raise InputError(f"{place}: row {row}: a feature is NaN, infinite or beyond single precision; mend it first")
    return table


def finite(values: Sequence[float] | Array, what: str, place: str) -> Array:
    """float64 of their own, or an error where one is not a finite number."""
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{place}: {what} are not numbers; give one finite number for each row") from None
    if not np.isfinite(numbers).all():
        row = int(np.argmax(~np.isfinite(numbers)))
        raise InputError(f"{place}: row {row}: {what} hold {numbers.flat[row]}; give finite numbers")
    return numbers


def checked_id(identifier: object, place: str) -> str:
    """An id as text: it is text already, or a whole number."""
    if isinstance(identifier, str):
        return identifier
    if isinstance(identifier, int | np.integer) and not isinstance(identifier, bool):
        return str(identifier)
    raise InputError(f"{place}: {identifier!r} is no id; ids are text or whole numbers")


def named_by(columns: Sequence[str | int] | Array, place: str) -> list[str]:
    """The names of features as plain text: that is what a model's card can say."""
    for column in columns:
        if not isinstance(column, str | int | np.integer) or isinstance(column, bool):
            raise InputError(f"{place}: {column!r} is no name of a feature; names are text or whole numbers")
    return [str(column) for column in columns]


def grouped(topics: Sequence[str | int] | Array, rows: int, place: str) -> tuple[list[str], Array]:
    """The distinct topics of rows and where each begins."""
    names = [checked_id(topic, place) for topic in topics]
    if len(names) != rows:
        raise InputError(f"{place}: {len(names)} topics for {rows} rows; give one each")
    starts = [row for row in range(rows) if row == 0 or names[row] != names[row - 1]]
    first: dict[str, int] = {}
    for start in starts:
        if names[start] in first:
            raise InputError(
                f"{place}: row {start}: query {names[start]} comes again, it began in row {first[names[start]]}; "
                "the rows of a query stand together: sort them by query"
            )
        first[names[start]] = start
    return list(first), np.array([*starts, rows], np.int64)


def sized(sizes: Sequence[int] | Array | None, rows: int, place: str) -> tuple[list[str], Array]:
    """Topics called 1, 2 ... and where each begins, from the rows of each."""
    counts = np.asarray(sizes)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or (counts < 1).any() or counts.sum() != rows:
        raise InputError(f"{place}: sizes must be whole numbers from 1, one for each query, that add up to {rows} rows")
    return [str(number) for number in range(1, len(counts) + 1)], ends_of(counts)


def ends_of(sizes: Array) -> Array:
    """int64[n + 1]: where things of these sizes, one after the other, begin and end."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def column_of(strings: Sequence[str]) -> Column:
    """Strings, laid out; what is no Unicode text is for the core to refuse."""
    encoded = [string.encode(errors="surrogatepass") for string in strings]
    return ends_of(np.array([len(string) for string in encoded], np.int64)), np.frombuffer(b"".join(encoded), np.uint8)


def joined(columns: Sequence[Column]) -> Column:
    """Columns one after the other; each may look at a part of its bytes only."""
    sizes = [np.diff(ends) for ends, _ in columns]
    data = [data[ends[0] : ends[-1]] for ends, data in columns]
    nothing = np.empty(0, np.uint8)
    return ends_of(np.concatenate([np.empty(0, np.int64), *sizes])), np.concatenate([nothing, *data])
