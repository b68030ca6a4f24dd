"""The formats in which a table is written: each is one record here and one function in this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from gradeval._core import InputError
from gradeval.messages import visible
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records
from gradeval.tables.text import show
from gradeval.upward import write_result_page


class Shown(Protocol):
    """What is written of a table."""

    @property
    def grids(self) -> Sequence[Grid]: ...

    @property
    def records(self) -> Records: ...


Writer: TypeAlias = Callable[[Any, Shown, IO[bytes]], None]


class Format(NamedTuple):
    """How a table is written.

    Attributes
    ----------
    name : what the command line and ``save(format=...)`` call it.
    ending : the ending of file names that chooses this format where none is named.
    write : writes the grids or the records of a result's table to a binary file, given the result and the table.
    exact : does it hold the records, one value a line, rather than the grids?
    """

    name: str
    ending: str
    write: Writer
    exact: bool = False


def write_text(pieces: Iterable[str], file: IO[bytes]) -> None:
    """Write pieces of text; on a terminal control characters are escaped."""
    terminal = file.isatty()
    for piece in pieces:
        file.write((visible(piece, keep="\n\t") if terminal else piece).encode(errors="backslashreplace"))


def _write_tsv(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.long import tsv

    write_text(tsv(table.records), file)


def _write_csv(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.long import csv

    write_text(csv(table.records), file)


def _write_jsonl(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.long import jsonl

    write_text(jsonl(table.records), file)


def _write_markdown(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.markup import markdown

    write_text(markdown(table.grids), file)


def _write_latex(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.markup import latex

    write_text(latex(table.grids), file)


def _write_parquet(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.arrow import parquet

    parquet(table.records, file)


def write_page(result: Any, table: Shown, file: IO[bytes]) -> None:
    """Write a result as the commands do: its tables, its notes and its chart in the shell of all pages."""
    file.write(write_result_page(result, table).encode())


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("table", ".txt", lambda _, table, file: show(table.grids, file)),
        Format("tsv", ".tsv", _write_tsv, exact=True),
        Format("csv", ".csv", _write_csv, exact=True),
        Format("jsonl", ".jsonl", _write_jsonl, exact=True),
        Format("markdown", ".md", _write_markdown),
        Format("latex", ".tex", _write_latex),
        Format("html", ".html", write_page),
        Format("parquet", ".parquet", _write_parquet, exact=True),
    )
}
"""Every format by its name."""


def choose_format(path: str, name: str | None = None) -> Format:
    """The format of a name, else of the file's ending."""
    if name is not None:
        if name not in FORMATS:
            raise InputError(f"format {name!r} is not one of {', '.join(FORMATS)}")
        return FORMATS[name]
    ending = os.path.splitext(path)[1].lower()
    by_ending = {format.ending: format for format in FORMATS.values()}
    if ending not in by_ending:
        fault = f"no format has the ending {ending}" if ending else "no ending says the format"
        raise InputError(f"{path}: {fault}; accepted: {', '.join(by_ending)}, or format= one of {', '.join(FORMATS)}")
    return by_ending[ending]
