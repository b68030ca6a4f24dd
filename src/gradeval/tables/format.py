"""The formats in which a table is written: each is one record here and one function in this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import visible
from gradeval.tables.arrow import parquet
from gradeval.tables.grid import Grid
from gradeval.tables.long import csv, jsonl, tsv
from gradeval.tables.markup import latex, markdown, page
from gradeval.tables.records import Records
from gradeval.tables.text import show

Writer: TypeAlias = Callable[[Sequence[Grid], Records, IO[bytes]], None]


@dataclass(frozen=True)
class Format:
    """How a table is written.

    Attributes
    ----------
    name : what the command line and ``save(format=...)`` call it.
    ending : the ending of file names that chooses this format where none is named.
    write : writes the grids or the records of a table to a binary file.
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


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("table", ".txt", lambda grids, _, file: show(grids, file)),
        Format("tsv", ".tsv", lambda _, records, file: write_text(tsv(records), file), exact=True),
        Format("csv", ".csv", lambda _, records, file: write_text(csv(records), file), exact=True),
        Format("jsonl", ".jsonl", lambda _, records, file: write_text(jsonl(records), file), exact=True),
        Format("markdown", ".md", lambda grids, _, file: write_text(markdown(grids), file)),
        Format("latex", ".tex", lambda grids, _, file: write_text(latex(grids), file)),
        Format("html", ".html", lambda grids, _, file: write_text(page(grids), file)),
        Format("parquet", ".parquet", lambda _, records, file: parquet(records, file), exact=True),
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
