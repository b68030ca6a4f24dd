"""What a study found, as text: tables for people, one value a line for programs."""

from __future__ import annotations

import csv as comma_separated
import io
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TypeAlias

from gradeval.tables.grid import Grid
from gradeval.tables.markup import as_latex, as_markdown
from gradeval.tables.table import show

Cell: TypeAlias = str | float | bool | None


@dataclass(frozen=True)
class Outcome:
    """The tables of a study, and the same as exact values.

    Attributes
    ----------
    tables : title and texts of each table; a table that stands alone shows no title.
    fields : names of the exact values in a line.
    records : the exact values; None where there is none.
    """

    tables: Sequence[tuple[str, Grid]]
    fields: Sequence[str]
    records: Sequence[Sequence[Cell]]


def write_outcome(outcome: Outcome, format: str, file: IO[bytes]) -> None:
    """Write what a study found in one of ``OUTCOME_FORMATS``."""
    OUTCOME_FORMATS[format][0](outcome, file)


def _table(outcome: Outcome, file: IO[bytes]) -> None:
    for place, (title, grid) in enumerate(outcome.tables):
        if len(outcome.tables) > 1:
            file.write(f"{chr(10) * bool(place)}{title}\n".encode())
        show(grid, file)


def _tsv(outcome: Outcome, file: IO[bytes]) -> None:
    for row in [outcome.fields, *outcome.records]:
        texts = (_text(cell).replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r") for cell in row)
        file.write(("\t".join(texts) + "\n").encode())


def _csv(outcome: Outcome, file: IO[bytes]) -> None:
    text = io.StringIO()
    writer = comma_separated.writer(text, lineterminator="\n")
    writer.writerow(outcome.fields)
    writer.writerows([_text(cell) for cell in row] for row in outcome.records)
    file.write(text.getvalue().encode())


def _jsonl(outcome: Outcome, file: IO[bytes]) -> None:
    for row in outcome.records:
        known = {field: _finite(cell) for field, cell in zip(outcome.fields, row, strict=True)}
        file.write((json.dumps(known, ensure_ascii=False) + "\n").encode())


def _markup(draw: Callable[[Grid], Iterator[str]], heading: str) -> Callable[[Outcome, IO[bytes]], None]:
    """Tables for documents, one below the other."""

    def write(outcome: Outcome, file: IO[bytes]) -> None:
        for place, (title, grid) in enumerate(outcome.tables):
            if len(outcome.tables) > 1:
                file.write(("\n" * bool(place) + heading.format(title)).encode())
            file.writelines(piece.encode() for piece in draw(grid))

    return write


OUTCOME_FORMATS: dict[str, tuple[Callable[[Outcome, IO[bytes]], None], str]] = {
    "table": (_table, ".txt"),
    "tsv": (_tsv, ".tsv"),
    "csv": (_csv, ".csv"),
    "jsonl": (_jsonl, ".jsonl"),
    "markdown": (_markup(as_markdown, "**{}**\n\n"), ".md"),
    "latex": (_markup(as_latex, "% {}\n"), ".tex"),
}
"""How an outcome is written, by name: the function, and how files end that are written so where nobody says."""


def _text(cell: Cell) -> str:
    """The shortest text that reads back as the same value; nothing for None."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def _finite(cell: Cell) -> Cell:
    """JSON has no infinity."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
