"""Judgments and runs from files of columns: Parquet and Feather, in one file or in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from gradeval._core import InputError, Pools
from gradeval.atomic_files import Path
from gradeval.collection.qrels import Qrels, rule_of_judgments
from gradeval.collection.runs import Run, name_file
from gradeval.files.arrow_columns import first_line
from gradeval.files.chosen_columns import choose_of_table
from gradeval.files.column_choice import choose_columns, keys_beside
from gradeval.files.column_names import DOCUMENTS, QUERIES, InputKind, normal_name
from gradeval.files.frame_columns import columns_of_roles, needed_columns
from gradeval.files.frame_tables import concat_tables, rows_of
from gradeval.files.frames import (
    add_grade_of_pairs,
    judgments_of_columns,
    look_at_columns_of,
    order_rows,
    pairs_of_table,
)
from gradeval.files.joined_columns import join_table
from gradeval.files.list_columns import with_a_row_a_document
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.nested_tables import proposing_parts
from gradeval.files.plain_text import read_decimal
from gradeval.files.plain_types import with_plain_types
from gradeval.files.run_tables import part_of_pools, require_apart
from gradeval.files.runs_of_tables import split_runs
from gradeval.files.source import FEATHER, PARQUET, Source, as_source, name_place, open_file
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet


def read_columnar_qrels(path: Path, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments from a Parquet or Feather file."""
    source = as_source(path)
    with proposing_parts(partial(read_columns, source.parts[0]), "qrels", columns, source.place):
        return _read_qrels(source, name or source.place, columns)


def _read_qrels(source: Source, name: str, columns: Columns) -> Qrels:
    tables = _read_parts(source, "qrels", columns)
    pieces = [(place, choose_of_table(table, "qrels", columns, place)) for place, table in tables]
    if tables[1:]:
        rule = rule_of_judgments(source.repeated)
        pools = [(Pools.of_columns(*one.columns, one.place_rows(place), rule), place) for place, one in pieces]
        if not source.repeats:
            require_apart(source.place, [part_of_pools(*one) for one in pools])
    whole = concat_tables(tables)
    chosen = choose_of_table(whole, "qrels", columns, name) if tables[1:] else pieces[0][1]
    every = partial(read_columns, source) if not source.parts[1:] else lambda: whole
    qrels = judgments_of_columns(chosen, name, source.repeated, every, columns)
    found = [look_at_columns_of(table, columns, place) for place, table in tables]
    joinable = next(filter(None, found), "")
    return replace(qrels, read_as=_name_format(source, chosen.read_as), joinable=joinable)


def read_columnar_runs(path: Path, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """The runs in a Parquet or Feather file, each called by the column that names it, else by the file."""
    source = as_source(path)
    with proposing_parts(partial(read_columns, source.parts[0]), "run", columns, source.place):
        return _read_runs(source, name, columns)


def _read_runs(source: Source, name: str | None, columns: Columns) -> list[Run]:
    tables = _read_parts(source, "run", columns)
    one = not (tables[1:] or source.parts[1:] or source.repeats)
    every = (lambda: with_a_row_a_document(read_columns(source), "run", columns, source.place)) if one else None
    name = name or name_file(source.place)
    runs = split_runs(tables, columns, source.place, name, repeats=source.repeats, every=every)
    return [replace(run, read_as=_name_format(source, run.read_as)) for run in runs]


def _read_parts(source: Source, kind: InputKind, columns: Columns) -> list[tuple[str, pyarrow.Table]]:
    """The needed columns of all parts that have rows, each with its place."""
    tables = []
    for part in source.parts:
        table = read_columns(part, partial(needed_columns, kind=kind, columns=columns, keys=part.keys))
        table = join_table(_with_keys(table, part.keys, kind, columns), columns.query, part.place)
        table = with_a_row_a_document(table, kind, columns, part.place)
        tables.append((part.place, table))
    if kind == "run" and len(tables) == 1:
        [(place, table)] = tables
        tables = [(place, order_rows(table, columns, place))]
    filled = [(place, table) for place, table in tables if len(table)] or tables[:1]
    if kind == "qrels" and len({tuple(table.column_names) for _, table in filled}) == 1:
        graded, said = add_grade_of_pairs(concat_tables(filled), columns, source.place)
        filled = [(source.place, graded)] if said else filled
    first = _names_of(filled[0][1], kind, columns, filled[0][0])
    for place, table in filled[1:]:
        if (names := _names_of(table, kind, columns, place)) != first:
            raise InputError(
                f"{place}: has the columns {', '.join(names)}, where {filled[0][0]} has {', '.join(first)}; write all "
                "parts of a folder with the same columns"
            )
    return filled


def _names_of(table: pyarrow.Table, kind: InputKind, columns: Columns, place: str) -> list[str]:
    """The names of the columns that hold topics, documents, values and names of runs."""
    names = columns_of_roles(table.schema, kind, columns)
    chosen = choose_columns(names, kind, columns, place, rows=partial(rows_of, table, names))
    return [names[at] for at in (*chosen[:3], *chosen.runs)]


def _with_keys(table: pyarrow.Table, keys: Mapping[str, str], kind: InputKind, columns: Columns) -> pyarrow.Table:
    """The table, and what its folders say of all rows, where no column does."""
    import pyarrow

    for name, text in keys_beside(table.column_names, keys, kind, columns).items():
        values = pyarrow.repeat(text, len(table))
        if normal_name(name) not in (*QUERIES, *DOCUMENTS) and not isnan(number := read_decimal(text)):
            values = pyarrow.repeat(number, len(table))
        table = table.append_column(name, values)
    return table


def _name_format(source: Source, read_as: str) -> str:
    """The format, and the columns where they are not the usual ones."""
    if not read_as:
        return ""
    return f"{'Parquet' if is_parquet(source.beginning) else 'Feather'}, {read_as}"


def read_columnar_pairs(path: Path, columns: Columns) -> Pools:
    """The pairs of topic and document in a Parquet or Feather file, whatever else there is."""
    return pairs_of_table(read_columns(as_source(path)), name_place(path), columns)


def arrow_file(source: Source) -> pyarrow.NativeFile:
    """All bytes as a file of Arrow, in its own memory.

    A thread of Arrow may let go of them when the reading is over. Letting go of memory of Python while the interpreter
    ends would abort the process.
    """
    import pyarrow

    bytes_of_arrow = pyarrow.allocate_buffer(len(source.data))
    memoryview(bytes_of_arrow).cast("B")[:] = source.data
    return pyarrow.BufferReader(bytes_of_arrow)


def is_parquet(beginning: bytes, *_: object) -> bool:
    """Does the file begin as Parquet files do?"""
    return beginning.startswith(PARQUET)


def read_parquet(path: Path, choose: Callable[[pyarrow.Schema], Sequence[str]] = lambda _: ()) -> pyarrow.Table:
    """Some columns of a Parquet file, which ``choose`` picks out of its schema; all of them where it picks none."""
    source = as_source(path)
    place = source.place
    arrow = require_pyarrow(f"{place}: reading it needs")
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(arrow_file(source), page_checksum_verification=True)
        table = file.read(list(choose(file.schema_arrow)) or None)
        table.validate(full=True)  # damaged text is no text
        return with_plain_types(table)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _no_parquet(place, error) from error


def is_feather(beginning: bytes, *_: object) -> bool:
    """Does the file begin as Feather and other files of Arrow do?"""
    return beginning.startswith(FEATHER)


def read_columns(source: Source, choose: Callable[[pyarrow.Schema], Sequence[str]] = lambda _: ()) -> pyarrow.Table:
    """The table of a Parquet file (see ``read_parquet``) or of a Feather file."""
    if not is_feather(source.beginning):
        return read_parquet(source, choose)
    arrow = require_pyarrow(f"{source.place}: reading it needs")
    from pyarrow import ipc

    data = arrow_file(source)
    try:
        opened = ipc.open_file(data) if source.beginning.startswith(FEATHER[0]) else ipc.open_stream(data)
        table = opened.read_all()
        table.validate(full=True)
        return with_plain_types(table)
    except (arrow.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(
            f"{source.place}: is no Feather file, or a damaged one ({first_line(error)}); name another file"
        ) from error


@contextmanager
def open_parquet(file: Source, *, buffer: int = 0) -> Iterator[parquet.ParquetFile]:
    """A Parquet file, of which some row groups are read in the block; another or a damaged file is an InputError.

    ``buffer``: the bytes of a column that are read at a time; 0: row groups are read whole.
    """
    arrow = require_pyarrow(f"{file.place}: reading it needs")
    from pyarrow import parquet

    try:
        open_file(file).close()  # whose errors name the file
        opened = arrow.OSFile(os.fsencode(file))  # no file of Python: see arrow_file
        with parquet.ParquetFile(opened, buffer_size=buffer, pre_buffer=not buffer) as read:
            yield read
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _no_parquet(file.place, error) from error


def _no_parquet(place: str, error: BaseException) -> InputError:
    return InputError(f"{place}: is no Parquet file, or a damaged one ({first_line(error)}); name another file")
