"""Where the rows of a text with columns begin: comments above them, and a header or none."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from gradeval._core import InputError
from gradeval.files.plain_text import EDGES, decode
from gradeval.files.separated_rows import PAIR, Row, TextRows, read_rows
from gradeval.files.source import Source

T = TypeVar("T")

DELIMITERS = {"\t": "tsv", ",": "csv", ";": "csv with semicolons", PAIR: "text with ::", "": "text"}
"""What separates columns, and how messages call it; the empty one: blanks, any number of them."""


DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d+(?:[eE][-+]?\d+)?[ \t\r]*(?:;|$))", re.MULTILINE)
"""The comma of a number at the end of a cell, where semicolons separate the cells."""


class Head(NamedTuple):
    """The first row of a text that is no comment.

    Attributes
    ----------
    line : where it stands, from 1.
    cells : its cells, without the blanks around them.
    is_header : does it name the columns, rather than hold data?
    comments : how many lines above it begin with ``#``.
    separator : does the first line say ``sep=;``, as Excel writes it?
    """

    line: int
    cells: Sequence[str]
    is_header: bool
    comments: int = 0
    separator: bool = False


def names_separator(line: str) -> bool:
    """Is it Excel's line that says what separates columns, as ``sep=;``?"""
    return len(line.strip(EDGES)) <= 5 and line.strip(EDGES).lower().startswith("sep=")


def read_head(
    rows: TextRows, is_header: Callable[[Sequence[str]], bool], is_known: Callable[[Sequence[str]], bool]
) -> tuple[Head, Iterator[Row]] | None:
    """What ``find_head`` finds; a header that comes again further down is left out there."""
    found = find_head(iter(rows), is_header, is_known)
    if found is not None and found[0].is_header:
        rows.read_header_once(found[0].line)
    return found


def find_head(
    rows: Iterator[Row], is_header: Callable[[Sequence[str]], bool], is_known: Callable[[Sequence[str]], bool]
) -> tuple[Head, Iterator[Row]] | None:
    """The first row, and the rows of data; None where there is no row.

    Rows that begin with ``#`` at the top are comments where a header follows them, or where they have other columns
    than the first row below; else they are rows of data as all rows below are. ``# query,doc,grade`` is a header where
    its names are known. ``is_header``, ``is_known``: of cells.
    """
    first = next(rows, None)
    if first is not None and names_separator(first[1][0]) and not any(first[1][1:]):
        found = find_head(rows, is_header, is_known)
        return None if found is None else (found[0]._replace(separator=True), found[1])
    top: list[Row] = []
    while first is not None and first[1][0].startswith("#"):
        cells = strip_cells(first[1])
        cells[0] = cells[0].lstrip("# ")
        if is_known(cells):
            return Head(first[0], cells, True, len(top)), rows
        top.append(first)
        first = next(rows, None)
    if first is None and not top:
        return None
    if first is not None:
        cells = strip_cells(first[1])
        if is_header(cells):
            return Head(first[0], cells, True, len(top)), rows
        comments = next((place for place, (_, row) in enumerate(top) if len(row) == len(cells)), len(top))
        rows = chain(top[comments:], [first], rows)
    else:
        comments, rows = 0, iter(top)
    head = next(rows)
    return Head(head[0], strip_cells(head[1]), False, comments), chain([head], rows)


def find_delimiter(line: str) -> str:
    """What separates the columns of a line: one of DELIMITERS."""
    if PAIR in line and len(line.split()) > 1:  # a :: in an id, among columns with blanks or tabs between them
        line = line.replace(PAIR, "")
    if line.count(";") > 1:
        line = DECIMAL_COMMA.sub(".", line)
    return next((delimiter for delimiter in DELIMITERS if delimiter in line), "")


def first_line(text: str) -> str:
    """The first line that is neither blank nor begins with ``#``, else the first that is not blank; empty: there is
    none."""
    first = ""
    for line in io.StringIO(text, newline=""):
        if not line.strip() or names_separator(line):
            continue
        if not line.startswith("#"):
            return line
        first = first or line
    return first


def read_text_rows(source: Source, accepted: str, take: Callable[[TextRows], T]) -> T:
    """What ``take`` makes of the rows of a text, whose first line shows what separates its columns; ``accepted``: what
    stands in such a file."""
    text = decode(source.data, source.place)
    line = first_line(text)
    if not line:
        raise InputError(f"{source.place}: the file is empty; {accepted}")
    return read_rows(text, find_delimiter(line), source.place, take)


def count_numbered(cells: Sequence[str]) -> int:
    """How many cells are the numbers 0, 1, 2 ... by which pandas calls columns without names; 0 where there are other
    cells than these and the index."""
    numbered = [cell for place, cell in enumerate(cells) if place or cell]
    return len(numbered) if numbered == list(map(str, range(len(numbered)))) else 0


def strip_cells(row: Sequence[str]) -> list[str]:
    """The cells of a row without the blanks around them."""
    return [cell.strip(EDGES) for cell in row]


def is_number(text: str) -> bool:
    """Does Python read it as a number, also with a decimal comma?"""
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True
