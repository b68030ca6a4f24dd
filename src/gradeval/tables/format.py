"""The formats in which a table is written: each is one record here and one function in this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import visible
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records
from gradeval.tables.text import show


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


def _by_name(module: str, name: str, part: str) -> Writer:
    """The writer of a part of tables by its name in a module here, which is imported when it writes."""

    def write(_: Any, table: Shown, file: IO[bytes]) -> None:
        write_text(getattr(import_module(f"gradeval.tables.{module}"), name)(getattr(table, part)), file)

    return write


def _write_parquet(_: Any, table: Shown, file: IO[bytes]) -> None:
    from gradeval.tables.arrow import parquet

    parquet(table.records, file)


def write_page(result: Any, table: Shown, file: IO[bytes]) -> None:
    """Write a result as the commands do: its tables, its notes and its chart in the shell of all pages."""
    page_of: Callable[..., str] = import_module("gradeval.page.writing").page_of  # by name: pages stand above tables
    file.write(page_of(result, table).encode())


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("table", ".txt", lambda _, table, file: show(table.grids, file)),
        Format("tsv", ".tsv", _by_name("long", "tsv", "records"), exact=True),
        Format("csv", ".csv", _by_name("long", "csv", "records"), exact=True),
        Format("jsonl", ".jsonl", _by_name("long", "jsonl", "records"), exact=True),
        Format("markdown", ".md", _by_name("markup", "markdown", "grids")),
        Format("latex", ".tex", _by_name("markup", "latex", "grids")),
        Format("html", ".html", write_page),
        Format("parquet", ".parquet", _write_parquet, exact=True),
    )
}
"""Every format by its name."""


def choose_format(path: str, name: str | None = None) -> Format:
    """The format of a name, else that of the file's ending."""
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
