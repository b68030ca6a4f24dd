"""Records as text for programs, one a line: tsv, csv and jsonl hold the same fields.

Control characters are escaped: a name stays in its line, and moves no cursor. In jsonl readers get them back, and in
csv line breaks, which stand between quotes.
Numbers are the shortest text that reads back as the same double. Texts are made column by column, some thousand lines
at a time, which is fast: 400,000 lines take half a second.
"""

from __future__ import annotations

import csv as comma_separated
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from gradeval.messages import visible
from gradeval.tables.records import Coded, Field, Records, Sentences, Value

LINES = 2**15  # written at a time

FieldTexts: TypeAlias = Callable[[slice], list[str]]
"""Returns the texts of a field for some of the records."""


def tsv(records: Records) -> Iterator[str]:
    """Separated by tabs, the names of the fields in the first line; a text that begins with a quote is quoted, as
    readers take that quote for one that encloses."""
    yield "\t".join(map(visible, records.fields)) + "\n"
    for lines in _write_lines(records, _tabbed):
        yield "\n".join(map("\t".join, lines)) + "\n"


def csv(records: Records) -> Iterator[str]:
    """Separated by commas, quoted where a field holds one (RFC 4180, lines ending in \\n)."""
    text = io.StringIO()
    writer = comma_separated.writer(text, lineterminator="\n")
    writer.writerow(map(visible, records.fields))
    for lines in _write_lines(records, _write_lines_of_value):
        writer.writerows(lines)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def jsonl(records: Records) -> Iterator[str]:
    """One JSON object a line; NaN and infinities are null."""
    names = [_json(name).replace("%", "%%") for name in records.fields]
    line = "{" + ", ".join(f"{name}: %s" for name in names) + "}\n"
    for lines in _write_lines(records, _json):
        yield "".join(map(line.__mod__, lines))


def _tabbed(value: Value) -> str:
    text = _write_value(value)
    return '"' + text.replace('"', '""') + '"' if text.startswith('"') else text


def _write_lines(records: Records, write: Callable[[Value], str]) -> Iterator[Iterator[tuple[str, ...]]]:
    """The texts of the records, some thousand lines at a time."""
    parts = [_part(field, write) for field in records.fields.values()]
    for begin in range(0, len(records), LINES):
        here = slice(begin, begin + LINES)
        yield zip(*(part(here) for part in parts), strict=True)


def _part(field: Field, write: Callable[[Value], str]) -> FieldTexts:
    if isinstance(field, Coded):
        names = list(map(write, field.names))
        return lambda here: list(map(names.__getitem__, field.codes[here].tolist()))
    if isinstance(field, np.ndarray):
        exact = repr if field.dtype.kind == "f" and np.isfinite(field).all() else write
        return lambda here: list(map(exact, field[here].tolist()))
    return lambda here: list(map(write, field[here]))


def _write_value(value: Value) -> str:
    """The shortest text that reads back as the same value, without control characters; nothing for None."""
    if value is None:
        return ""
    return float.__repr__(value) if isinstance(value, float) else visible(str(value))


def _write_lines_of_value(value: Value) -> str:
    """The same, but its line breaks stay: they are quoted in csv."""
    if not isinstance(value, str) or "\n" not in value:
        return _write_value(value)
    return "".join(part if part.endswith("\n") else visible(part) for part in re.split(r"(\r?\n)", value))


def _json(value: Value) -> str:
    """A value as JSON, which has no infinity."""
    if isinstance(value, Sentences):
        return f"[{', '.join(map(_json, value.listed))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=visible(value) != value)
    return json.dumps(None if isinstance(value, float) and not math.isfinite(value) else value)
