"""Rows of a text with separated columns: csv, tsv, ``::`` and blanks. Here alone is decided what a quote means."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NoReturn, TypeAlias, TypeVar

from gradeval._core import InputError
from gradeval.files.plain_text import EDGES
from gradeval.messages import LISTED, join_names
from gradeval.warning_categories import FilesWarning, warn

T = TypeVar("T")
Row: TypeAlias = tuple[int, list[str]]
"""The line in which a row begins, from 1, and its cells."""

PAIR = "::"
LINE_END = re.compile(r"\r\n|\r|\n")
BOM = "\ufeff"
"""The mark before the header of each file that some programs write."""
BLANKS = re.compile(f"[{EDGES}]+")


MOST_LINES_OF_ROW = 1000
"""Lines that a row may have in a text with faults."""


@dataclass(frozen=True)
class TextRows:
    """The rows of a text, except blank ones, as ``,,`` is; one may walk through them several times, within
    ``read_rows``.

    Attributes
    ----------
    text, delimiter, place : the text, what separates its columns ("": blanks), and how messages call it.
    letters : a line that shows that quotes are letters in this text; 0: they enclose cells.
    lenient : do blanks stand behind closing quotes?
    header : the row of the header, if it comes again, as where ``cat`` joined files. Rows that repeat it are left out.
    left_out : the lines of these rows.
    """

    text: str
    delimiter: str
    place: str
    letters: int = 0
    lenient: bool = False
    header: Row | None = None
    left_out: dict[int, None] = field(default_factory=dict, compare=False, repr=False)

    def __iter__(self) -> Iterator[Row]:
        if self.delimiter in (PAIR, ""):
            rows = self._split_lines()
        elif self.letters or '"' not in self.text:
            rows = self._split_plainly()
        else:
            rows = self._split_quoted()
        return rows if self.header is None else self._without_headers(rows, *self.header)

    def read_header_once(self, line: int) -> None:
        """The header stands in a line: begin anew without the rows that repeat it, if there are some."""
        if self.header is not None:
            return
        header = next(islice(self._lines(), line - 1, None), "").strip()
        if self.text.find(header, self.text.find(header) + len(header)) >= 0:
            found = next(row for row in self if row[0] == line)
            raise _ReadAnew(replace(self, header=found))

    def _without_headers(self, rows: Iterator[Row], first: int, header: list[str]) -> Iterator[Row]:
        """The rows, of which none below the ``first`` line is the header."""
        for line, row in rows:
            if line > first and row[-1] == header[-1] and [row[0].removeprefix(BOM), *row[1:]] == header:
                self.left_out[line] = None
            else:
                yield line, row

    def say_left_out(self) -> None:
        """Say which rows repeat the header."""
        if lines := [*map(str, self.left_out)]:
            are = "line {} repeats the header and is" if len(lines) == 1 else "lines {} repeat the header and are"
            warn(f"{self.place}: {are.format(join_names(lines, LISTED))} left out", FilesWarning)

    def _lines(self) -> io.StringIO:
        allow_long_cells()
        return io.StringIO(self.text, newline="")

    def _split_lines(self) -> Iterator[Row]:
        for number, line in enumerate(self._lines(), 1):
            stripped = line.strip(EDGES)
            if stripped:
                yield number, stripped.split(self.delimiter) if self.delimiter else BLANKS.split(stripped)

    def _split_plainly(self) -> Iterator[Row]:
        number = 0
        try:
            for number, row in enumerate(
                csv.reader(self._lines(), delimiter=self.delimiter, quoting=csv.QUOTE_NONE), 1
            ):
                if (row and row[0].strip(EDGES)) or any(cell.strip(EDGES) for cell in row):
                    yield number, row
        except csv.Error as error:
            self._refuse(number + 1, error)

    def _split_quoted(self) -> Iterator[Row]:
        reader = csv.reader(self._lines(), delimiter=self.delimiter, skipinitialspace=True, strict=not self.lenient)
        tabs = self.delimiter == "\t"
        begin, next_begin, width = 1, 1, 0
        try:
            for row in reader:
                begin, next_begin = next_begin, reader.line_num + 1
                if begin + 1 != next_begin and (tabs or self._are_rows_alone(row, width)):
                    self._read_letters(begin)
                if not any(cell.strip(EDGES) for cell in row):
                    continue
                if len(row) != width:
                    if tabs and any("\t" in cell for cell in row):
                        self._read_letters(begin)
                    width = width or len(row)
                yield begin, row
        except csv.Error as error:
            self._find_fault()
            self._refuse(next_begin, error)

    def _are_rows_alone(self, row: list[str], width: int) -> bool:
        """Has each of the lines of a row as many cells as a row, where quotes are letters?"""
        lines = LINE_END.split(self.delimiter.join(row))
        return all(line.count(self.delimiter) + 1 == width for line in lines)

    def _read_letters(self, line: int) -> NoReturn:
        """The quote of a cell is not closed in its line: in tsv it is a letter, in csv it may be either."""
        if self.delimiter == "\t":
            raise _ReadAnew(replace(self, letters=line))
        self._refuse_open(line)

    def _find_fault(self) -> None:
        """What csv's reader stumbled over: letters and blanks behind a closing quote, or a quote that is not closed."""
        end = f"{self.delimiter}\r\n"
        inside = f'"{end}' if self.delimiter == "\t" else '"'
        cells = re.compile(rf'(?:\A|(?<=[{end}])) *+"(?:[^{inside}]++|"")*+("?) *+([^{end}]?)')
        for cell in cells.finditer(self.text):
            closed, behind = cell.groups()
            if closed and not behind:
                continue
            line = len(LINE_END.findall(self.text, 0, cell.start())) + 1
            if behind:
                raise _ReadAnew(replace(self, letters=line))
            self._read_letters(line)
        if not self.lenient:
            raise _ReadAnew(replace(self, lenient=True))

    def _refuse_open(self, line: int) -> NoReturn:
        raise InputError(
            f"{self.place}:{line}: a quote opens a cell here and does not close it; close it, or save the file as tsv, "
            "where such a quote is a letter"
        )

    def _refuse(self, line: int, error: csv.Error) -> NoReturn:
        raise InputError(f"{self.place}:{line}: cannot be split into columns ({error}); save it as plain csv") from None


class _ReadAnew(Exception):
    """The rows have to be read in another way, from the first on."""

    def __init__(self, rows: TextRows) -> None:
        super().__init__()
        self.rows = rows


def read_rows(text: str, delimiter: str, place: str, take: Callable[[TextRows], T]) -> T:
    """What ``take`` makes of the rows of a text.

    In csv (``,`` and ``;``) quotes enclose cells, which may then hold delimiters and line ends; two stand for one. A
    quote that is not closed is an InputError. In tsv a cell ends at the next tab or line end, and a quote that is not
    closed there is a letter. Text behind a closing quote, as in ``"Heroes"_(album)``, shows that all quotes of the text
    are letters, as a program that encloses cells would double them. There are no comments.

    That quotes are letters may show late: ``take`` is then called again, with other rows, and must keep nothing of the
    first call.
    """
    rows = TextRows(text, delimiter, place)
    while True:
        try:
            taken = take(rows)
        except _ReadAnew as anew:
            rows = anew.rows
        else:
            rows.say_left_out()
            return taken


def rows_as_lines(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, str]]:
    """The rows of a text that has faults, each with the number of its first line, from 1.

    Lines are one row where quotes enclose their line ends. Lines that are rows each by itself are not joined, as where
    a quote is not closed.
    """
    at = 0
    while at < len(lines):
        end, odd = at + 1, lines[at].count('"') % 2 == 1
        while odd and end < min(len(lines), at + MOST_LINES_OF_ROW):
            odd, end = lines[end].count('"') % 2 == 0, end + 1
        text = "\n".join(lines[at:end])
        if end > at + 1 and (odd or not _is_one_row(text, delimiter)):
            text, end = lines[at], at + 1
        yield at + 1, text
        at = end


def _is_one_row(text: str, delimiter: str) -> bool:
    """Are the lines of a text one row, whose quotes enclose the line ends?"""
    allow_long_cells()
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error:
        return False
    alone = all(line.count(delimiter) + 1 == len(rows[0]) for line in text.split("\n"))
    return len(rows) == 1 and len(rows[0]) > 1 and not alone


def allow_long_cells() -> None:
    """Let Python's csv read cells of more than 128 KB, its limit for the whole process, as documents may have."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))


def split_row(line: str, delimiter: str) -> list[str]:
    """The cells of a line by itself, as in a beginning that is cut off; none where it cannot be split."""
    try:
        return next((row for _, row in TextRows(line, delimiter, "", lenient=True)), [])
    except (InputError, _ReadAnew):
        return next((row for _, row in TextRows(line, delimiter, "", letters=1)), [])
