"""Tables of Arrow whose columns hold objects: parts that the user names by dots become columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradeval._core import InputError
from gradeval.files.arrow_columns import first_line
from gradeval.files.json_in_text import read_json_text
from gradeval.files.named_columns import Columns
from gradeval.files.nested_records import find_answer, follow

if TYPE_CHECKING:
    import pyarrow


def with_parts(table: pyarrow.Table, columns: Columns, place: str) -> pyarrow.Table:
    """The table, and a column for each part of an object, or of the objects in lists, that has a dotted name; text that
    holds JSON is read, too."""
    import pyarrow

    for name, holder in name_parts(table.column_names, columns).items():
        values = table.column(holder).to_pylist()
        parts = [_follow(value, name[len(holder) + 1 :]) for value in values]
        if name == columns.grade and any(part is not None for part in parts):
            parts = _with_answers(values, parts, name[len(holder) + 1 :])
        if all(part is None for part in parts):
            continue  # who reads the table says that there is no such column
        try:
            table = table.append_column(name, pyarrow.array(parts))
        except pyarrow.ArrowException as error:
            raise InputError(
                f"{place}: parts called {name!r} are of several types ({first_line(error)}); write all as one type"
            ) from None
    return table


def _with_answers(values: Sequence[Any], parts: Sequence[Any], steps: str) -> list[Any]:
    """The grades, and the text that a model answers instead of JSON with a grade, where there is any."""
    answers = [find_answer(value, steps) if part is None else None for value, part in zip(values, parts, strict=True)]
    if not any(answers):
        return [*parts]
    pairs = zip(parts, answers, strict=True)
    return [answer if part is None else str(part) for part, answer in pairs]


def name_parts(names: Sequence[str], columns: Columns) -> dict[str, str]:
    """The dotted names of parts that the user gives, each with the column that holds its object."""
    named = (columns.query, columns.doc, columns.grade, columns.score, columns.rank, columns.run)
    holders = {
        name: next((one for one in names if name.startswith(f"{one}.")), "")
        for name in named
        if name and name not in names
    }
    return {name: holder for name, holder in holders.items() if holder}


def _follow(value: Any, steps: str) -> Any:
    """The part to which the steps lead; a list of parts where they lead through a list."""
    value = read_json_text(value)
    if isinstance(value, list):
        return [_follow(one, steps) for one in value]
    found = follow(value, steps)
    if found is not None or not isinstance(value, dict):
        return found
    inner = (_follow(value[key], steps[len(key) + 1 :]) for key in value if steps.startswith(f"{key}."))
    return next((one for one in inner if one is not None), None)
