"""From the text of JSON to its values: one of a file, or one a line."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any, Never

from gradeval import arguments
from gradeval._core import InputError
from gradeval.files.column_names import QUERIES, normal_name
from gradeval.files.judgment_lists import TOOLS
from gradeval.files.nested_records import Located
from gradeval.files.other_json import is_other_json
from gradeval.files.plain_text import quote
from gradeval.files.record_names import are_runs_of_records, find_wrapped, is_trace

MAPPING = "JSON {topic: {document: number}}"


def is_json(beginning: bytes, *_: object) -> bool:
    """Does the text begin as JSON does?"""
    return beginning.removeprefix(BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def whole_value(text: str, place: str) -> Any:
    """The value of a text that is one; None where it is one value a line."""
    line, _, rest = text.strip().partition("\n")
    if not rest:
        value = parse_json(text, place)
        alone = value and _is_record(value) and not TOOLS.keys() & value.keys() and find_wrapped(value) is None
        alone = alone and not is_other_json(value) and not are_runs_of_records(value)
        return None if alone else value
    if line.startswith("{") and line.rstrip().endswith("}"):
        try:
            if _is_record(parse_json(line, place)):
                return None
        except InputError:
            pass  # the first line of a mapping that runs over several
        else:
            if _is_object(rest.lstrip().partition("\n")[0]):
                return None
    return parse_json(text, place)


def _is_object(line: str) -> bool:
    """Does a line hold a whole object?"""
    try:
        return isinstance(parse_json(line, ""), dict)
    except InputError:
        return False


def _is_record(value: Any) -> bool:
    """Is it an object of plain values, or a trace, or has it a query, rather than objects alone?"""
    return isinstance(value, dict) and (
        is_trace(value)
        or not any(isinstance(inner, dict) for inner in value.values())
        or any(isinstance(inner, str | int) and normal_name(name) in QUERIES for name, inner in value.items())
    )


def parse_lines(text: str, place: str) -> Iterator[Located]:
    """The values of a text with one a line, each with its file and line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{place}:{number}", parse_json(line, f"{place}:{number}", located=True)


def parse_json(text: str, place: str, *, located: bool = False) -> Any:
    """The value of a text; keys given twice, NaN and infinities are errors, as they are in JSON's standard."""
    try:
        return json.loads(
            text,
            object_pairs_hook=lambda pairs: _unique(pairs, place),
            parse_constant=lambda name: _refuse_constant(name, place),
        )
    except json.JSONDecodeError as error:
        where = place if located else f"{place}:{error.lineno}"
        raise InputError(f"{where}: is not valid JSON ({error.msg}, column {error.colno}); is it complete?") from None
    except RecursionError:
        raise InputError(f"{place}: is nested too deeply; accepted is {MAPPING}") from None
    except InputError:
        raise
    except ValueError as error:  # whole numbers of thousands of digits
        raise InputError(f"{place}: holds a number that cannot be read ({str(error).split(';')[0]})") from None


def _unique(pairs: list[tuple[str, Any]], place: str) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs) and (twice := arguments.find_twice(key for key, _ in pairs)) is not None:
        raise InputError(f"{place}: {quote(twice)} is given twice; name each topic and each document once")
    return record


def _refuse_constant(name: str, place: str) -> Never:
    raise InputError(f"{place}: {name} is no number of JSON; accepted are finite numbers")


def number_records(records: Iterable[Any], place: str) -> Iterator[Located]:
    """The records of a list, each with its place and number."""
    return ((f"{place}, record {number}", record) for number, record in enumerate(records, 1))
