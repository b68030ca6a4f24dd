"""What a file looks like by its first bytes: judgments, a run, either, or plainly something else."""

from __future__ import annotations

import json
import os
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import DOCUMENTS, GRADES, MOST_GRADES, QUERIES, RANKS, SCORES, normal_name
from gradeval.files.header_rows import find_delimiter, first_line, is_number
from gradeval.files.likely_clicks import find_clicks
from gradeval.files.likely_ranks import are_falling
from gradeval.files.list_cells import is_list_cells
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.plain_text import EDGES, read_decimal
from gradeval.files.record_names import LISTS
from gradeval.files.scored_judgments import are_like_scores
from gradeval.files.separated_rows import LINE_END, split_row
from gradeval.files.source import COLUMNAR, PARQUET, UTF_16, open_unpacked
from gradeval.files.trec import SECOND, is_trec
from gradeval.files.wide_rows import KINDS, find_wide

OF_JUDGMENTS = "judgments"
"""What a file of judgments is called."""
PEEK = 1 << 14
"""Bytes at the beginning of a file that tell what it looks like."""
ROWS = 400
"""Rows that are looked at."""
UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".swp", ".bak", "~")
"""How the names of files end that are not complete yet, or are copies that an editor keeps."""
OF_TEXTS = (".md", ".markdown", ".rst")
"""How the names of texts for people end."""
PICTURES = (b"%PDF", b"\x89PNG")
ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"Rar!", b"7z\xbc\xaf")
WORKBOOK = b"[Content_Types].xml"
"""What a workbook of Excel, which is an archive, begins with."""
OF_RANKER = re.compile(r'\s*\{\s*"format":\s*"gradeval ranker"')
"""How the card of a trained ranker begins."""
TAR = slice(257, 262)
"""Where an archive of tar has its name."""
NESTED = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*(?:(-?[\d.]+(?:[eE][-+]?\d+)?)\s*[,}]|\{)')
"""A document with its number in JSON, or a topic."""


class FileShape(NamedTuple):
    """What a file may be.

    Attributes
    ----------
    judgments, run : may it be judgments, and may it be a run? Neither: it may be damaged, or ``other`` says what it is.
    other : what it plainly is, as "text"; empty where it may be a damaged file of judgments or of a run.
    sure : do names of columns, or their number, say so? Else values do, which may be unusual.
    """

    judgments: bool = False
    run: bool = False
    other: str = ""
    sure: bool = True

    @property
    def no_run(self) -> str:
        """What it plainly is instead of a run; empty: it may be a run, whole or damaged."""
        return OF_JUDGMENTS if self == JUDGMENTS else self.other


EITHER = FileShape(judgments=True, run=True)
JUDGMENTS, RUN, UNKNOWN = FileShape(judgments=True), FileShape(run=True), FileShape()
ARCHIVE, COPY = FileShape(other="an archive"), FileShape(other="unfinished or a copy")
LOG, RANKER = FileShape(other="a log of clicks"), FileShape(other="a trained ranker")
BINARY, TEXT, JSON = FileShape(other="binary data"), FileShape(other="text"), FileShape(other="JSON without topics")


def shape_of(place: str, columns: Columns = GUESSED) -> FileShape:
    """What a file looks like; nothing is known of pipes, folders, and places that are no files."""
    with suppress(OSError):
        if not stat.S_ISREG(os.stat(place).st_mode):
            return UNKNOWN
        if place.lower().endswith(UNFINISHED):
            return COPY
        with suppress(InputError), open_unpacked(place) as file:  # who reads it says what is wrong
            return _shape_of_bytes(file.read(PEEK), place, columns)
    return UNKNOWN


def _shape_of_bytes(beginning: bytes, place: str, columns: Columns) -> FileShape:
    if beginning.startswith(UTF_16):
        beginning = beginning.decode("utf-16", "replace").encode()
    if beginning.startswith(COLUMNAR):
        return _shape_of_parquet(place, columns) if beginning.startswith(PARQUET) else UNKNOWN
    if beginning.startswith(ARCHIVES) or beginning[TAR] == b"ustar":
        return UNKNOWN if WORKBOOK in beginning else ARCHIVE
    if beginning.startswith(PICTURES):
        return BINARY
    if is_trec(beginning, "run"):
        return RUN
    if is_trec(beginning, "qrels"):
        return JUDGMENTS
    text = beginning.removeprefix(BOM_UTF8).replace(b"\0", b"").decode("utf-8", "replace")
    if len(beginning) == PEEK:
        text = text[: text.rfind("\n") + 1] or text
    stripped = text.lstrip()
    if OF_RANKER.match(stripped):
        return RANKER
    if stripped.startswith(("{", "[")):
        return _shape_of_json(text, columns)
    if not stripped:
        return BINARY if beginning.strip() else UNKNOWN
    if is_list_cells(beginning, "run", columns):
        return EITHER
    if is_list_cells(beginning, "qrels", columns):
        return JUDGMENTS
    shape = _shape_of_rows(text, columns)
    if shape == UNKNOWN and (not _are_rows(text) or _is_heading(text, place)):
        return BINARY if b"\0" in beginning else TEXT
    return shape


def _shape_of_rows(text: str, columns: Columns) -> FileShape:
    """The shape of rows with columns between tabs, commas or semicolons."""
    delimiter = find_delimiter(first_line(text))
    if not delimiter:
        return UNKNOWN
    lines = (line for line in LINE_END.split(text) if line.strip() and not line.startswith("#"))
    rows = [[cell.strip(EDGES) for cell in split_row(line, delimiter)] for line in islice(lines, ROWS)]
    if not rows or len(rows[0]) < 3:
        return UNKNOWN
    head = rows[0]
    if not any(map(is_number, head[1:])):
        return _shape_of_records(head, rows[1:], columns)
    return _shape_of_values((row[0], row[2]) for row in rows if len(row) == 3) if len(head) == 3 else UNKNOWN


def _shape_of_records(names: Sequence[str], rows: Sequence[Sequence[Any]], columns: Columns) -> FileShape:
    """The shape of rows whose columns have these names."""
    if not {columns.query, columns.doc, columns.grade, columns.score, columns.rank}.isdisjoint(names):
        return EITHER
    judged, ranked_lists = (find_wide(names, columns, kind) is not None for kind in KINDS)
    if judged or ranked_lists:
        return FileShape(judged, ranked_lists)
    if not _name_pairs(names):
        return UNKNOWN
    normal = [normal_name(name) for name in names]
    clicks = find_clicks(names, lambda: rows) if {*GRADES, *SCORES}.isdisjoint(normal) else None
    if clicks is not None and clicks.is_log:
        return LOG
    values = [name for name in normal if name in (*GRADES, *SCORES, *RANKS)]
    graded = [name for name in values if name in GRADES and name not in SCORES]
    ranked = [name for name in values if name in (*SCORES, *RANKS)]
    if not values or (graded and ranked):
        return EITHER if values else UNKNOWN
    if graded:
        return JUDGMENTS
    if not set(RANKS).isdisjoint(ranked) or set(GRADES).isdisjoint(ranked):
        return RUN
    at = normal.index(ranked[0])
    numbers = [read_decimal(str(row[at])) for row in rows if len(row) > at]
    whole = all(number.is_integer() for number in numbers if number == number)
    return EITHER if whole and len(set(numbers)) <= MOST_GRADES else RUN


def _name_pairs(names: Sequence[str]) -> bool:
    """Are there usual names of topics and of documents among them?"""
    normal = {normal_name(name) for name in names}
    return not normal.isdisjoint(QUERIES) and not normal.isdisjoint(DOCUMENTS)


def _shape_of_values(pairs: Iterable[tuple[str, str]]) -> FileShape:
    """The shape of topics with values that have no name.

    Runs are sorted and hardly tie: the values fall or rise in each topic, and are more than grades are. Grades are few
    whole numbers, many alike.
    """
    by_topic: dict[str, list[float]] = {}
    for topic, value in pairs:
        by_topic.setdefault(topic, []).append(read_decimal(value))
    values = {value for topic in by_topic.values() for value in topic}
    if not values or any(value != value for value in values):
        return EITHER if values else UNKNOWN
    ordered = all(are_falling(topic) or are_falling([-value for value in topic]) for topic in by_topic.values())
    if ordered and len(values) > 6:
        return RUN._replace(sure=are_like_scores(values))
    tied = any(len(set(topic)) < len(topic) for topic in by_topic.values())
    few = len(values) < 7 and all(value.is_integer() for value in values)
    return JUDGMENTS._replace(sure=False) if tied and few else EITHER


def _shape_of_json(text: str, columns: Columns) -> FileShape:
    """The shape of JSON: of its records, or of its numbers by topic."""
    if NESTED.match(text):
        pairs: list[tuple[str, str]] = []
        topic = ""
        for name, number in VALUE.findall(text):
            if number:
                pairs.append((topic, number))
            else:
                topic = name
        return _shape_of_values(pairs)
    records, whole = _first_records(text)
    if not records:
        return UNKNOWN
    names = {normal_name(name): name for name in records[0]}
    if not names.keys().isdisjoint({*LISTS["run"], *LISTS["qrels"]}):
        return EITHER
    shape = _shape_of_records(list(records[0]), [list(record.values()) for record in records], columns)
    lone = whole and any(not isinstance(value, dict | list) for value in records[0].values())
    few = len(names) < 3 and not any(isinstance(value, dict | list) for value in records[0].values())
    if shape == UNKNOWN and (lone or few) and names.keys().isdisjoint({*QUERIES, *DOCUMENTS}):
        return JSON
    return shape


def _first_records(text: str) -> tuple[list[dict[str, Any]], bool]:
    """Some records at the beginning of JSON, one a line or in a list; and is there one object, and nothing else?"""
    decoder = json.JSONDecoder()
    records: list[dict[str, Any]] = []
    rest = text.lstrip()
    listed = rest.startswith("[")
    rest = rest.removeprefix("[").lstrip()
    while rest.startswith("{") and len(records) < ROWS:
        try:
            record, end = decoder.raw_decode(rest)
        except ValueError:
            break
        records.append(record)
        rest = rest[end:].lstrip(" \t\r\n,")
    return records, len(records) == 1 and not rest and not listed


def _shape_of_parquet(place: str, columns: Columns) -> FileShape:
    """The shape of a file of Parquet by the names of its columns."""
    try:
        from pyarrow import ArrowException, parquet  # here, as most files are text
    except ImportError:
        return UNKNOWN
    with suppress(ArrowException, OSError):
        return _shape_of_records(parquet.read_schema(place).names, [], columns)
    return UNKNOWN


def _is_heading(text: str, place: str) -> bool:
    """Are all lines comments, in a file that is called as texts for people are? In Markdown, # begins a heading."""
    name = os.path.basename(place).lower()
    silent = all(line.startswith("#") for line in LINE_END.split(text) if line.strip())
    return silent and (name.startswith("readme") or name.endswith(OF_TEXTS))


def _are_rows(text: str) -> bool:
    """Do lines have columns as a run has them, whole or damaged: three or more with numbers behind the first, or a Q0,
    or topics and documents below their names?

    Features of LETOR, and text of comments alone, pass, too: their readers say what to do.
    """
    lines = [line for line in LINE_END.split(text) if line.strip() and not line.startswith("#")][:ROWS]
    if text.startswith("#!"):
        return False
    if not lines:
        return True
    words = [line.split() for line in lines]
    if 2 * sum(len(row) > 3 and row[1].encode() in SECOND for row in words) >= len(lines):  # scores may be 24,23
        return True
    delimiter = find_delimiter(lines[0])
    rows = [split_row(line, delimiter) if delimiter else line.split() for line in lines]
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=widths.count)
    if rows[1:] and (_name_pairs(rows[0]) or any(find_wide(rows[0], GUESSED, kind) for kind in KINDS)):
        return True
    if delimiter and usual > 2 and widths.count(usual) * 2 > len(rows):
        return any(is_number(cell) for row in rows for cell in row[1:])
    like = sum(
        row[1].encode() in SECOND
        or row[1].startswith("qid:")
        or (len(row) == usual > 2 and any(map(is_number, row[1:])))
        for row in rows
        if len(row) > 1
    )
    return bool(2 * like >= len(rows))
