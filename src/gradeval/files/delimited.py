"""Text with separated columns: tsv and csv, with a header (BEIR's among them) or without; three columns."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Never, TypeAlias

from gradeval._core import InputError
from gradeval.arguments import read_decimal
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import GUESSED, Chosen, Columns, Kind, are_known, choose_columns, refuse_time
from gradeval.files.esci import grade_of_label
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.plain_text import decode, quote
from gradeval.files.source import Source

Table: TypeAlias = dict[str, dict[str, float]]

BEIR = ["query-id", "corpus-id", "score"]
PAIR = "::"
DELIMITERS = {"\t": "tsv", ",": "csv", ";": "csv with semicolons", PAIR: "text with ::", "": "text"}
"""What separates columns, and how messages call it; the empty one: blanks, any number of them."""
POSITIONS: dict[Kind, dict[int, Chosen]] = {
    "qrels": {3: Chosen(0, 1, 2), 4: Chosen(0, 2, 3)},
    "run": {3: Chosen(0, 1, 2), 6: Chosen(0, 2, 4)},
}
"""The columns of lines without a header, by their number: three, or as in TREC text."""
RATINGS = {3: Chosen(0, 1, 2), 4: Chosen(0, 1, 2)}
"""The columns of lines with ``::``, which are MovieLens's: user, item, rating, time."""
LINES = {
    "qrels": "query,doc,grade or query,iteration,doc,grade",
    "run": "query,doc,rank or query,Q0,doc,rank,score,tag",
}


@dataclass(frozen=True)
class Layout:
    """How the lines of a text are to be read.

    Attributes
    ----------
    delimiter : what separates the columns.
    width : how many columns a line has.
    chosen : which of them are needed.
    header : the names of the columns, in the first line; empty where there is none.
    tag : the first word behind the score, where the columns are those of TREC's runs.
    blank : how many lines have no grade, once they are read.
    """

    delimiter: str
    width: int
    chosen: Chosen
    header: Sequence[str] = ()
    tag: str = ""
    blank: int = 0

    @property
    def name(self) -> str:
        """What messages call this format."""
        if self.delimiter == "\t" and list(self.header) == BEIR:
            return "BEIR tsv"
        form = DELIMITERS[self.delimiter]
        meaning = "; score = -rank" if self.chosen.ranks else ""
        if self.header:
            return f"{form} with a header ({self.chosen.list_names(self.header)}{meaning}){describe_blank(self.blank)}"
        places = ", ".join(
            f"{role} {place + 1}"
            for role, place in zip(
                ("query", "doc", "rank" if self.chosen.ranks else "value"), self.chosen[:3], strict=True
            )
        )
        return f"{form} of {self.width} columns ({places}{meaning}){describe_blank(self.blank)}"


def is_delimited(beginning: bytes, kind: Kind, columns: Columns) -> bool:
    """Do the first lines look like columns that this reader tells apart?"""
    text = beginning[:8192].decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")][:2]
    if not lines or "\0" in lines[0] or lines[0].lstrip().startswith(("{", "[", "<")):
        return False
    if columns.are_numbers(kind):
        return True
    delimiter = tell_delimiter(lines[0])
    first, *others = (split_line(line, delimiter) for line in lines)
    if tell_header(first):
        plainly = bool(others) and len(others[0]) == len(first) and not tell_header(others[0])
        return are_known(first, kind, columns) or (plainly and len(first) > 2)
    if delimiter in (",", ";") and len(first) > 2 and len(lines[0].split()) not in POSITIONS[kind]:
        return True  # whatever is wrong with it: TREC text has no commas between its columns
    positions = _positions(kind, delimiter)
    return len(first) in positions and _is_number(first[positions[len(first)].value])


def read_delimited_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments from separated columns."""
    table, layout = _read(source, "qrels", columns)
    return replace(Qrels.from_dict(table, name or source.place), read_as=layout.name)


def read_delimited_run(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Run:
    """A run from separated columns, called by ``name``, else by its tag, else by its file name."""
    table, layout = _read(source, "run", columns)
    run = Run.from_dict(table, name or layout.tag or os.path.basename(source.place))
    return replace(run, place=source.place, read_as=layout.name)


def _read(source: Source, kind: Kind, columns: Columns) -> tuple[Table, Layout]:
    place = source.place
    text = decode(source.data, place)
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise InputError(f"{place}: the file is empty; accepted are lines as in {LINES[kind]}, or a header and lines")
    layout = _lay_out(first, kind, columns, place)
    table: Table = {}
    sign = -1.0 if layout.chosen.ranks else 1.0
    query, doc, at = layout.chosen[:3]
    blank = 0
    labels = layout.header[at] if layout.header else ""
    for line, row in _rows(text, layout, place):
        if len(row) != layout.width:
            raise InputError(f"{place}:{line}: found {len(row)} columns, where the first line has {layout.width}")
        topic, document, value = row[query].strip(), row[doc].strip(), row[at].strip()
        if not value and kind == "qrels" and topic:  # as Quepid exports what nobody rated
            blank += 1
            continue
        number = read_decimal(value)
        if math.isnan(number) and (labelled := grade_of_label(labels, value)) is not None:
            number = labelled
        if math.isnan(number):
            _refuse_number(value, kind, layout, f"{place}:{line}")
        if not topic or not document:
            raise InputError(f"{place}:{line}: the {'document' if topic else 'topic'} is empty; each line names both")
        documents = table.setdefault(topic, {})
        if document in documents:
            _refuse_twice(topic, document, line, text, layout, place)
        documents[document] = sign * number
    if not table:
        raise InputError(f"{place}: holds a header and no {'line with a grade' if blank else 'lines'}")
    layout = replace(layout, blank=blank)
    if layout.chosen.guessed:
        layout.chosen.require_grades({grade for documents in table.values() for grade in documents.values()}, place)
    if kind == "run" and not layout.header and layout.width == 3 and columns.of_values(kind) is None:
        layout = _tell_ranks(table, layout, place)
    return table, layout


def _lay_out(line: str, kind: Kind, columns: Columns, place: str) -> Layout:
    delimiter = tell_delimiter(line)
    cells = split_line(line, delimiter)
    width = len(cells)
    if columns.are_numbers(kind):
        places = [int(str(name)) - 1 for name in (columns.query, columns.doc, columns.of_values(kind))]
        beyond = next((number + 1 for number in places if not 0 <= number < width), None)
        if beyond is not None or len(set(places)) < 3:
            fault = f"there is no column {beyond}" if beyond is not None else "three different columns are needed"
            raise InputError(f"{place}:1: {fault}; the first line has {width}, counted from 1")
        query, doc, value = places
        return Layout(delimiter, width, Chosen(query, doc, value, ranks=kind == "run" and columns.rank is not None))
    if tell_header(cells) or columns.of_values(kind) is not None:
        return Layout(delimiter, width, choose_columns(cells, kind, columns, f"{place}:1"), cells)
    positions = _positions(kind, delimiter)
    if width not in positions:
        raise InputError(
            f"{place}:1: found {width} columns ({quote(line)}); accepted are {LINES[kind]}, a header that names the "
            f"columns, or --columns query=1,doc=2,{'grade' if kind == 'qrels' else 'score'}=3"
        )
    if kind == "qrels":
        refuse_time(cells[positions[width].doc], cells[positions[width].value], f"{place}:1")
    tag = cells[5].split()[:1] if width == 6 else []
    return Layout(delimiter, width, positions[width], tag="".join(tag))


def _positions(kind: Kind, delimiter: str) -> dict[int, Chosen]:
    """The columns of lines without a header, by their number."""
    return RATINGS if delimiter == PAIR else POSITIONS[kind]


def _rows(text: str, layout: Layout, place: str) -> Iterator[tuple[int, list[str]]]:
    """The lines with their numbers, from 1; not the header, blank lines and comments."""
    passed = not layout.header
    quoted = layout.delimiter not in (PAIR, "")
    split = csv.reader(
        io.StringIO(text, newline=""), delimiter=layout.delimiter if quoted else " ", skipinitialspace=True
    )
    rows = split if quoted else (line.split(layout.delimiter or None) for line in text.splitlines())
    line = 0
    try:
        for number, row in enumerate(rows, 1):
            line = number
            if not row or (len(row) == 1 and not row[0].strip()) or row[0].startswith("#"):
                continue
            if quoted and split.line_num != number:
                raise InputError(f"{place}:{number}: a quoted column runs over the end of the line; close its quotes")
            if passed:
                yield number, row
            passed = True
    except csv.Error as error:
        raise InputError(f"{place}:{line + 1}: cannot be split into columns ({error}); save it as plain csv") from None


def _tell_ranks(table: Table, layout: Layout, place: str) -> Layout:
    """Whether the third column of a run holds ranks, as MS MARCO has them, or scores; the table becomes scores."""
    values = [list(documents.values()) for documents in table.values()]
    if not all(float(number).is_integer() for numbers in values for number in numbers):
        return layout
    if all(sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1))) for numbers in values):
        for documents in table.values():
            documents.update({document: -rank for document, rank in documents.items()})
        return replace(layout, chosen=layout.chosen._replace(ranks=True))
    raise InputError(
        f"{place}: three columns, and the third may hold ranks or scores (whole numbers that are not the ranks 1, 2, "
        "3 ... of each topic); say which: --columns query=1,doc=2,score=3 or --columns query=1,doc=2,rank=3"
    )


def tell_delimiter(line: str) -> str:
    """What separates the columns of a line: one of DELIMITERS."""
    if PAIR in line and len(line.split()) > 1:  # a :: in an id, among columns with blanks or tabs between them
        line = line.replace(PAIR, "")
    return next((delimiter for delimiter in DELIMITERS if delimiter in line), "")


def split_line(line: str, delimiter: str) -> list[str]:
    """The cells of a line, without the blanks around them."""
    if delimiter in (PAIR, ""):
        return line.split(delimiter or None)
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []


def tell_header(cells: Sequence[str]) -> bool:
    """Do names stand in the cells, and no number? Ids may be words, but a value is a number. The first may be empty, as
    that of an index is in what pandas writes."""
    return len(cells) > 1 and all(cells[1:]) and not any(map(_is_number, cells))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_number(value: str, kind: Kind, layout: Layout, where: str) -> Never:
    what = "grade" if kind == "qrels" else "rank" if layout.chosen.ranks else "score"
    if re.fullmatch(r"[-+]?\d+,\d+", value.strip()):
        raise InputError(f"{where}: {what} {quote(value)} has a comma; write it with a point, as in 0.5")
    raise InputError(f"{where}: {what} {quote(value)} is not a finite number; write it as in 2 or 0.5")


def _refuse_twice(topic: str, document: str, line: int, text: str, layout: Layout, place: str) -> Never:
    """Refuse a document that a topic has twice, and say where it was first."""
    query, doc = layout.chosen.query, layout.chosen.doc
    first = next(
        number
        for number, row in _rows(text, layout, place)
        if (row[query].strip(), row[doc].strip()) == (topic, document)
    )
    raise InputError(
        f"{place}:{line}: document {quote(document)} of topic {quote(topic)} was already given in line {first}; "
        "name each document once per topic"
    )
