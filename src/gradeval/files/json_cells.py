"""Separated columns whose cells hold JSON, as LangSmith and pandas write objects: read as records of JSON are."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from itertools import islice
from typing import Any

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_choice import choose_columns
from gradeval.files.column_names import InputKind
from gradeval.files.delimited import read_delimited_qrels, read_delimited_runs
from gradeval.files.header_rows import DELIMITERS, find_delimiter, first_line, read_text_rows, strip_cells
from gradeval.files.json_in_text import read_json_text
from gradeval.files.json_text import read_json_qrels, read_json_runs
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.nested_records import Located
from gradeval.files.pair_columns import are_known
from gradeval.files.plain_text import EDGES
from gradeval.files.record_tables import JsonTables, fill_tables
from gradeval.files.separated_rows import TextRows, allow_long_cells
from gradeval.files.source import Source

LOOKED_AT = 20
"""Rows in which JSON is looked for."""


def read_columns_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments from separated columns, whose cells may hold JSON."""
    if not have_json(source, "qrels", columns):
        return read_delimited_qrels(source, name, columns)
    return read_json_qrels(source, name, columns, _read_rows)


def read_columns_runs(source: Source, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """Runs from separated columns, whose cells may hold JSON."""
    if not have_json(source, "run", columns):
        return read_delimited_runs(source, name, columns)
    return read_json_runs(source, name, columns, _read_rows)


def have_json(source: Source, kind: InputKind, columns: Columns) -> bool:
    """Are objects needed that cells of the first rows hold as JSON?"""
    text = source.parts[0].beginning.decode("utf-8-sig", "replace")
    delimiter = find_delimiter(first_line(text))
    if len(delimiter) != 1 or not ("{" in text or "[" in text):
        return False
    allow_long_cells()
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    head, *below = [row for row in islice(rows, LOOKED_AT + 1) if row] or [[]]
    names = strip_cells(head)
    records = [dict(zip(names, row, strict=True)) for row in below if len(row) == len(names)]
    nested = {name for name in names if any(_is_nested(record[name]) for record in records)}
    given = (columns.query, columns.doc, columns.of_values(kind), columns.run)
    if any(name and name not in names and name.startswith(f"{one}.") for name in given for one in nested):
        return True
    if not nested or not are_known(names, kind, columns):
        return bool(nested)
    return not nested.isdisjoint(names[at] for at in choose_columns(names, kind, columns, "")[:3])


def _is_nested(cell: str) -> bool:
    """Does a cell hold an object, or a list of objects?"""
    value = read_json_text(cell)
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value))


def _read_rows(source: Source, kind: InputKind, columns: Columns) -> JsonTables:
    """The tables of one file."""
    accepted = "accepted are a header and lines"
    delimiter, located = read_text_rows(source, accepted, partial(_take_records, kept=columns.grade))
    records = partial(iter, located)
    read = fill_tables(records, kind, columns, source.place, source.keys, repeats=source.repeats)
    return read._replace(read_as=f"{DELIMITERS[delimiter]} with JSON in its cells")


def _take_records(rows: TextRows, kept: str | None) -> tuple[str, list[Located]]:
    """What separates the columns, and a record for each row, whose cells are values where these are JSON, except the
    column of grades, ``kept`` as text that may hold other answers, too."""
    below = ((line, [cell.strip(EDGES) for cell in row]) for line, row in rows)
    first, names = next(below)
    rows.read_header_once(first)
    cells = [(f"{rows.place}:{line}", dict(zip(names, row, strict=False))) for line, row in below]
    looked_at = [record for _, record in cells[:LOOKED_AT]]
    nested = [name for name in names if name != kept and _is_json(name, looked_at)]
    return rows.delimiter, [(where, dict(_with_values(record, nested))) for where, record in cells]


def _is_json(name: str, records: Sequence[Mapping[str, str]]) -> bool:
    """Does a filled cell of a column hold an object or a list?"""
    filled = [cell for record in records if (cell := record.get(name, ""))]
    return any(isinstance(read_json_text(cell), dict | list) for cell in filled)


def _with_values(record: Mapping[str, str], nested: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name, cell in record.items():
        if name in nested:
            yield name, read_json_text(cell) if cell else None
        else:
            yield name, cell
