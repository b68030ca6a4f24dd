"""Frames whose columns hold values of several types: Arrow takes columns of one type."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number, Real
from typing import Any

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_missing
from gradeval.files.column_names import DOCUMENTS, QUERIES, InputKind, normal_name
from gradeval.files.given_values import is_truth
from gradeval.files.plain_text import quote, write_number
from gradeval.files.record_names import SEVERAL

MOST_SETS = 1000
"""Cells that are looked at to see whether a column holds sets."""


def with_one_type_a_column(frame: Any) -> Any | None:
    """The frame of pandas, or the dict of columns, as columns of one type: numbers among text as text, sets and tuples
    as lists; None: it has no such column, or is something else."""
    mended = {name: other for name, column in _columns_of(frame) if (other := _mend(str(name), column)) is not None}
    if not mended:
        return None
    if isinstance(frame, Mapping):
        return {**frame, **mended}
    other = frame.copy(deep=False)
    for name, values in mended.items():
        other[name] = type(frame[name])(values, index=frame.index, dtype=object)
    return other


def refuse_sets(frame: Any, kind: InputKind, place: str) -> None:
    """Refuse a column of sets in a run: its documents need an order."""
    for name, column in _columns_of(frame) if kind == "run" else ():
        if any(isinstance(value, set | frozenset) for value in list(column[:MOST_SETS])):
            raise InputError(
                f"{place}: column {str(name)!r} holds sets, which have no order; give lists, from rank 1 on"
            )


def refuse_one_without_list(frame: Any, place: str) -> None:
    """Name the first cell without a list in a column where others have lists."""
    for name, column in _columns_of(frame):
        values = list(column)
        odd = [row for row, value in enumerate(values) if isinstance(value, str | Number) and value == value]
        if odd and any(isinstance(value, SEVERAL) or getattr(value, "ndim", 0) == 1 for value in values):
            raise InputError(
                f"{place}: row {odd[0]}: {quote(str(name))} has {quote(str(values[odd[0]]))}, and other rows have "
                "lists; give a list, or drop the row"
            )


def _columns_of(frame: Any) -> list[tuple[Any, Any]]:
    """The columns that hold any objects, by their names."""
    if isinstance(frame, Mapping):
        return [(name, column) for name, column in frame.items() if isinstance(column, list)]
    if type(frame).__module__.partition(".")[0] != "pandas" or not frame.columns.is_unique:
        return []
    return [(name, frame[name]) for name, of in frame.dtypes.items() if str(of) == "object"]


def _mend(name: str, column: Any) -> list[Any] | None:
    """The values of a column as one type; None: they have one, or are something else."""
    values = [None if not isinstance(value, str) and is_missing(value) else value for value in column]
    there = [value for value in values if value is not None]
    if any(isinstance(value, tuple | set | frozenset) for value in there):
        if all(isinstance(value, list | tuple | set | frozenset) or hasattr(value, "tolist") for value in there):
            return [None if value is None else list(value) for value in values]
        return None
    numbers = [value for value in there if isinstance(value, Number) or is_truth(value)]
    mixed = len({type(value) for value in there}) > 1 and len(numbers) > 0
    if not mixed or len(numbers) + sum(isinstance(value, str) for value in there) < len(there):
        return None
    return None if normal_name(name) in (*QUERIES, *DOCUMENTS) else [_as_text(value) for value in values]


def _as_text(value: Any) -> str | None:
    """A number or a truth as text that reads back as the same."""
    if value is None or isinstance(value, str):
        return value
    return str(value) if is_truth(value) or not isinstance(value, Real) else write_number(float(value))
