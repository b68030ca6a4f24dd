"""Fields of records that dotted names find in objects within them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from gradeval.files.json_in_text import read_json_text
from gradeval.files.named_columns import Columns

Located = tuple[str, Any]
"""A record, and where it stands: file and line, or file and number in the list."""
LocatedRecords = Callable[[], Iterator[Located]]
"""What gives all records, from the first one on, each time that it is called."""
LOOKED_AT = 100
"""Lines of a file in which fields are looked for."""


def unfold(records: LocatedRecords, columns: Columns) -> LocatedRecords:
    """The records, with the fields of dotted names at their top."""
    named = (columns.query, columns.doc, columns.grade, columns.score, columns.rank, columns.run)
    dotted = [name for name in named if name and "." in name.strip(".")]
    if dotted:
        return lambda: ((where, _name_parts(record, dotted, columns)) for where, record in records())
    return records


def _name_parts(record: Any, dotted: Sequence[str], columns: Columns) -> Any:
    """A record and its hits, with these parts under their dotted names; text that holds JSON is read."""
    if not isinstance(record, dict):
        return record
    whole = {
        name: read_json_text(value) if any(one.startswith(f"{name}.") for one in dotted) else value
        for name, value in record.items()
    }
    columns.met.update(dict.fromkeys(names_within(whole)))
    named: dict[str, Any] = _with_names(whole, dotted)
    for name in (name for name in dotted if name not in named):
        listed = _name_in_list(named, name, name)
        if listed is not None and name == columns.doc:
            named[name] = listed
        elif listed is not None and len(listed) == 1 and isinstance(listed[0], dict) and name in listed[0]:
            named[name] = listed[0][name]  # as the only one of the choices of a model
        elif listed is None and name == columns.grade and (answer := find_answer(whole, name)) is not None:
            named[name] = answer
    return named


def find_answer(value: Any, name: str) -> str | None:
    """The text where a dotted name leads into JSON in other records: a model's answer in words;
    None: no text does."""
    if isinstance(value, str):
        return value if value.strip() and not isinstance(read_json_text(value), dict | list) else None
    inner = read_json_text(value)
    if not isinstance(inner, dict):
        return None
    below = (find_answer(inner[key], name[len(key) + 1 :]) for key in inner if name.startswith(f"{key}."))
    return next((found for found in below if found is not None), None)


def _with_names(value: Any, dotted: Sequence[str]) -> Any:
    """A value in which all objects have these parts under their names, too."""
    if isinstance(value, list):
        return [_with_names(one, dotted) for one in value]
    if not isinstance(value, dict):
        return value
    named = {name: _with_names(inner, dotted) for name, inner in value.items()}
    for name in dotted:
        part = follow(value, name)
        if part is not None:
            named.setdefault(name, part)
    return named


def follow(value: Any, name: str) -> Any:
    """The part of an object to which a dotted name leads, also within text that is JSON; None: it leads to none. Keys
    may hold dots themselves."""
    if not name:
        return value
    value = read_json_text(value)
    if not isinstance(value, dict):
        return None
    if name in value:
        return value[name]
    inner = (follow(value[key], name[len(key) + 1 :]) for key in value if name.startswith(f"{key}."))
    return next((found for found in inner if found is not None), None)


def _name_in_list(value: dict[str, Any], steps: str, name: str) -> list[Any] | None:
    """Give the objects of the list, to which the first ``steps`` lead, the part to which the others lead, under a name;
    and that list. None: they lead to no list."""
    for key in value:
        if not steps.startswith(f"{key}."):
            continue
        value[key] = inner = read_json_text(value[key])
        rest = steps[len(key) + 1 :]
        if isinstance(inner, dict) and (listed := _name_in_list(inner, rest, name)) is not None:
            return listed
        if isinstance(inner, list) and all(isinstance(hit, dict) for hit in inner):
            for hit in inner:
                if (part := follow(hit, rest)) is not None:
                    hit.setdefault(name, part)
            return inner
    return None


def names_within(value: Any, before: str = "") -> Iterator[str]:
    """The dotted names of the parts of an object, and of the first object in its lists."""
    value = read_json_text(value)
    if isinstance(value, list):
        yield from names_within(value[0], before) if value else ()
    elif isinstance(value, dict):
        for name, inner in value.items():
            inner = read_json_text(inner)
            if not isinstance(inner, dict | list) or (isinstance(inner, list) and not _holds_objects(inner)):
                yield f"{before}{name}"
            yield from names_within(inner, f"{before}{name}.")


def _holds_objects(listed: list[Any]) -> bool:
    return any(isinstance(one, dict) for one in listed[:1])


def find_field(place: str, wanted: Collection[str]) -> str:
    """The dotted name of the field in the first lines of a file of JSON records that holds one of the ``wanted`` ids;
    empty: none does."""
    with suppress(OSError, ValueError, RecursionError), open(place, encoding="utf-8") as file:
        for line in islice(file, LOOKED_AT):
            field = next((name for name, text in texts_within(json.loads(line)) if text in wanted), None)
            if field is not None:
                return field
    return ""


def texts_within(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """All texts in a value, each with the dotted name of its field."""
    value = read_json_text(value)
    if isinstance(value, str) and name:
        yield name, value
    elif isinstance(value, list):
        for one in value:
            yield from texts_within(one, name)
    elif isinstance(value, dict):
        for field, inner in value.items():
            yield from texts_within(inner, f"{name}.{field}" if name else field)
