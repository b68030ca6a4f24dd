"""Cells that hold a query's documents: with blanks between them, as Kaggle's solutions and submissions, with other
signs, or as Python and JSON write lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_nothing
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run, name_file
from gradeval.files.column_names import GRADES, LIKELY_RUNS, QUERIES, RUNS, InputKind, find_column, normal_name
from gradeval.files.json_in_text import read_json_text
from gradeval.files.likely_runs import find_telling
from gradeval.files.list_names import are_texts, describe_texts, find_list_column, is_list_of, may_be_ids
from gradeval.files.list_signs import Separation, find_separation, refuse_doubt
from gradeval.files.listings import IDS
from gradeval.files.lists import grades_or_ranks
from gradeval.files.lists_again import require_same_list, split_by
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.padding import PADDING, MissingIds
from gradeval.files.pair_columns import find_relevant_pairs
from gradeval.files.plain_text import EDGES, ValuesByTopic, decode, quote
from gradeval.files.record_names import several_lists
from gradeval.files.separated_rows import TextRows, read_rows
from gradeval.files.source import Source
from gradeval.files.unknown_columns import describe_naming, is_index
from gradeval.files.written_lists import have_commas, ids_of_written, inside_of_list, is_written, refuse_sets
from gradeval.messages import list_some, plural
from gradeval.warning_categories import FilesWarning, warn

QUOTED = re.compile(r"""\s*(["'])\s*[\[{].*[\]}]\s*\1\s*""", re.DOTALL)
"""A cell of JSON that was written as a text of JSON once more, whose parts between commas are no ids."""
ROWS = 100
"""Rows that are looked at."""
MOST = 1 << 16
"""Bytes in which the first line ends."""


def is_list_cells(beginning: bytes, kind: InputKind, columns: Columns) -> bool:
    """Are there two columns with names, the second with ids between blanks, or a written list, in some line; or is a
    column among others called as lists of documents are?"""
    if columns.of_values(kind) is not None:
        return False
    head, *rows = _begin_rows(beginning[:MOST]) or [[]]
    if columns.doc not in (None, *head) and any(str(columns.doc).startswith(f"{name.strip()}.") for name in head):
        return False  # a part of objects in that column
    if _find_named_list(head, rows, kind, columns) or len(_find_lists(beginning)) > (columns.doc is None):
        return True
    if any(_holds_objects(cell) for row in rows for cell in row):
        return False  # objects, whose ids are no cells
    topics = [row[0] for row in rows if len(row) == 2]
    if find_relevant_pairs(head, "qrels", columns) is not None and len(set(topics)) < len(topics):
        return False  # a pair of topic and document a line, whose names hold blanks
    return (
        len(head) == 2
        and len(rows) > 0
        and not any(len(name.split()) > 3 or name.strip().replace(".", "").isdecimal() for name in head)
        and all(len(row) in (0, 2) for row in rows[:-1])
        and any(len(row) == 2 and (len(row[1].split()) > 1 or is_written(row[1])) for row in rows)
    )


def _find_named_list(head: Sequence[str], rows: Sequence[Sequence[str]], kind: InputKind, columns: Columns) -> bool:
    """Is there a column that is called as lists of documents are, or named by the user, among others, with ids?"""
    pair = find_list_column(head, kind, columns)
    cells = [row[pair[1]] for row in rows if len(row) == len(head)] if pair is not None else []
    if pair is None or not any(map(str.strip, cells)) or any(map(_holds_objects, cells)):
        return False
    topics = [row[pair[0]] for row in rows if len(row) == len(head)]
    written = any(map(is_written, cells))
    name = head[pair[1]].strip()
    several = find_separation(cells, name).sign is not None
    if written or (several and len({*topics}) == len(topics)):
        return True
    if several:
        return False  # a document a line, with signs in its name
    return is_list_of(name, kind) and normal_name(name) not in GRADES and may_be_ids(name, cells)


def _begin_rows(beginning: bytes) -> list[Sequence[str]]:
    """The first rows with cells between signs; none below a fault, as a quote that the end of the bytes leaves open."""
    text = beginning.decode("utf-8-sig", "replace").lstrip("\r\n")
    delimiter = _find_delimiter(text.partition("\n")[0])
    begun: list[Sequence[str]] = []
    if delimiter is None:
        return begun

    def take(rows: TextRows) -> None:
        begun.clear()
        for _, row in islice(rows, ROWS):
            begun.append(row)

    with suppress(InputError, ValueError):  # who reads it says what is wrong
        read_rows(text, delimiter, "", take)
    return begun


def find_lists_of_runs(beginning: bytes) -> list[str]:
    """The columns of written lists beside the only one that is called as relevant documents are; none where there is no
    such one."""
    head, *rows = _begin_rows(beginning) or [[]]
    cells = {
        name.strip(): [row[at] for row in rows if len(row) == len(head) and row[at].strip()]
        for at, name in enumerate(head)
    }
    lists = [name for name, of_name in cells.items() if of_name and all(map(_is_list, of_name))]
    relevant = [name for name in lists if is_list_of(name, "qrels")]
    return [name for name in lists if name not in relevant] if len(relevant) == 1 else []


def _find_lists(beginning: bytes) -> list[str]:
    """The columns of written lists by the first line, where there are three columns or more; none has other numbers."""
    rows = [row for row in _begin_rows(beginning[:MOST]) if any(map(str.strip, row))]
    if len(rows) < 2 or not len(rows[1]) == len(rows[0]) > 2:
        return []
    return [name.strip() for name, cell in zip(*rows[:2], strict=True) if _is_list(cell)]


def _places_of(head: Sequence[str], columns: Columns) -> tuple[int, int] | None:
    """The columns of topics and of the documents that the user names."""
    if columns.doc is None or columns.doc not in head:
        return None
    query = find_column(head, columns.query, QUERIES)
    return None if query is None else (query, head.index(columns.doc))


def read_list_cells_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments of lines with a query and its relevant documents, as the solutions of Kaggle."""
    read = _read_cells(source, "qrels", columns)
    qrels = Qrels.of_table(read.tables.get("", {}), name or source.place, source.repeated)
    return replace(qrels, read_as=read.read_as, leaves_out=read.leaves_out)


def read_list_cells_runs(source: Source, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """The runs of lines with a query and its documents from rank 1 on, as submissions to Kaggle."""
    read = _read_cells(source, "run", columns)
    column = columns.doc if columns.doc in _find_lists(source.beginning) else None
    if column is not None and normal_name(column) in IDS:
        column = None  # a usual name of lists says no run
    named = name or column or name_file(source.place)
    runs = [Run.from_dict(table, called or named) for called, table in read.tables.items()]
    return [replace(run, place=source.place, read_as=read.read_as) for run in runs]


class ReadCells(NamedTuple):
    """The tables of lists in cells by the name of the run, what messages call the format, and are other columns said
    not to count?"""

    tables: dict[str, ValuesByTopic]
    read_as: str
    leaves_out: bool


def _read_cells(source: Source, kind: InputKind, columns: Columns) -> ReadCells:
    place = source.place
    text = decode(source.data, place)
    head, tables, said = read_rows(
        text,
        _find_delimiter(text.partition("\n")[0]) or ",",
        place,
        partial(_take_rows, kind=kind, columns=columns, repeats=source.repeats, named_format=source.named_format),
    )
    if not tables:
        raise InputError(f"{place}: holds a header and no lines")
    return ReadCells(tables, f"lists of ids{said}", len(head) > 2)


def _take_rows(
    rows: TextRows, kind: InputKind, columns: Columns, *, repeats: bool, named_format: bool
) -> tuple[Sequence[str], dict[str, ValuesByTopic], str]:
    read = _locate(rows, kind, columns)
    every = [row[read.listed] for _, row in read.rows]
    name = read.head[read.listed] if read.head else ""
    written = any(map(is_written, every))
    separation = find_separation([cell for cell in every if not is_written(cell)], name)
    if separation.sign is None and not written and are_texts(every):
        raise InputError(f"{rows.place}: {describe_texts(read.head[read.query], name, kind)}")
    if not named_format:
        refuse_doubt(separation, name, kind, rows.place)
    if kind == "run":
        refuse_sets((where, row[read.listed]) for where, row in read.rows)
    run = read.find_run() if kind == "run" else None
    cells: dict[str, dict[str, list[tuple[str, str]]]] = {}
    again = False
    for where, row in read.rows:
        topic = row[read.query].strip(EDGES)
        of_topic = cells.setdefault("" if run is None else row[run].strip(EDGES), {}).setdefault(topic, [])
        of_topic.append((where, row[read.listed]))
        again = again or len(of_topic) > 1
        if len(of_topic) > 1 and not (read.known and kind == "qrels"):
            raise InputError(f"{where}: query {quote(topic)} was already given; {read.tell_once(kind)}")
    if again and any(len(separation.ids_of(cell)) > 1 for cell in every):
        _require_same(cells[""], separation, read)
    tables = {
        called: _ids_of_topics(of_run, separation, rows.place, kind, repeats=repeats)
        for called, of_run in cells.items()
    }
    between = "" if written or again else separation.said
    by = "" if run is None else f"; a run by {read.head[run]}"
    return read.head, tables, f"{between}{_describe_columns(read, run)}{by}"


class LocatedRows(NamedTuple):
    """The first line, the other rows with their places, the columns of topics and of lists, and does a name say so?
    ``columns``: what the user names."""

    head: Sequence[str]
    rows: list[tuple[str, Sequence[str]]]
    query: int
    listed: int
    known: bool
    columns: Columns

    def find_run(self) -> int | None:
        """The column that names runs: the user says so, or a usual name, and it tells apart the lists of a query."""
        if self.columns.run in self.head:
            return self.head.index(str(self.columns.run))
        usual = (*RUNS, *LIKELY_RUNS)
        return self._find_telling([at for at, name in enumerate(self.head) if normal_name(name) in usual])

    def tell_once(self, kind: InputKind) -> str:
        """What to do about a query that comes again with another list."""
        others = [at for at, name in enumerate(self.head) if not is_index(name) and not is_list_of(name, "qrels")]
        telling = self._find_telling(others)
        name = None if telling is None else self.head[telling]
        if kind == "qrels":
            return split_by(name, "csv(f'{name}.csv', index=False)")
        return "write one line a query" if name is None else describe_naming(name, self.columns)

    def _find_telling(self, likely: Sequence[int]) -> int | None:
        likely = [at for at in likely if at not in (self.query, self.listed)]
        return find_telling((row for _, row in self.rows), self.query, self.query, likely) if likely else None


def _locate(rows: TextRows, kind: InputKind, columns: Columns) -> LocatedRows:
    located: list[tuple[str, Sequence[str]]] = []
    head: Sequence[str] = []
    query, listed, known = 0, 1, False
    for line, row in rows:
        where = f"{rows.place}:{line}"
        if not head:
            head = [name.strip() for name in row]
            query, listed, known = _find_columns(rows, where, head, kind, columns)
            columns.met.update(dict.fromkeys(head))
            continue
        if len(row) != len(head) or len(row) <= max(query, listed):
            raise InputError(f"{where}: found {len(row)} columns; a line has a query, and a list of ids in one cell")
        if not row[query].strip(EDGES):
            raise InputError(f"{where}: the query is empty; each line names one")
        located.append((where, row))
    return LocatedRows(head, located, query, listed, known, columns)


def _require_same(cells: Mapping[str, Sequence[tuple[str, str]]], separation: Separation, read: LocatedRows) -> None:
    """Refuse a list of judgments that comes again for a query with other documents."""
    commas = have_commas(row[read.listed] for _, row in read.rows)
    for topic, (first, *others) in cells.items():
        for other in others:
            one, again = (
                dict.fromkeys(_split_cell(cell, separation, where, commas=commas), 1.0)
                for where, cell in (first, other)
            )
            require_same_list(one, again, topic, other[0], lambda: read.tell_once("qrels"))


def _ids_of_topics(
    cells: Mapping[str, Sequence[tuple[str, str]]],
    separation: Separation,
    place: str,
    kind: InputKind,
    *,
    repeats: bool,
) -> ValuesByTopic:
    """The ids of each topic with their grades or ranks; among written lists, words for nothing, as None, are no ids."""
    table, missing, nothing = {}, MissingIds(), list[str]()
    every = [cell for of_topic in cells.values() for _, cell in of_topic]
    written, commas = any(map(is_written, every)), have_commas(every)
    for topic, of_topic in cells.items():
        ids = [one for where, cell in of_topic for one in _split_cell(cell, separation, where, commas=commas)]
        if written and ids and all(map(is_nothing, ids)):
            nothing.append(f"{topic}: {of_topic[0][1].strip()}")
            ids = []
        where = of_topic[-1][0]
        table[topic] = grades_or_ranks(missing.leave_out(ids, where, str), kind, where, repeats=repeats)
    missing.say(place, PADDING)
    if nothing:
        are = "is a list" if len(nothing) == 1 else "are lists"
        said = f"{plural(len(nothing), 'cell')} with a word for nothing ({list_some(nothing)}) {are} without documents"
        warn(f"{place}: {said}", FilesWarning)
    return table


def _find_columns(
    rows: TextRows, where: str, head: Sequence[str], kind: InputKind, columns: Columns
) -> tuple[int, int, bool]:
    """The columns of topics and of lists, and does a name say so?"""
    named = find_list_column(head, kind, columns)
    found = named or _places_of(head, columns)
    if found is None and len(head) > 2:
        _, below = next(islice(rows, 1, None), (0, head))
        lists = [name for name, cell in zip(head, below, strict=False) if _is_list(cell)]
        if lists[1:] and find_column(head, columns.query, QUERIES) is not None:
            raise several_lists(lists, kind, where, columns)
        raise InputError(
            f"{where}: no column has a usual name of queries or of lists ({list_some(head)}); name both: "
            "columns:query=NAME,doc=NAME:FILE"
        )
    return *(found or (0, 1)), named is not None


def _describe_columns(read: LocatedRows, run: int | None) -> str:
    """Which columns are read, and which ones do not count where a name tells."""
    if len(read.head) <= max(read.query, read.listed):
        return f" ({', '.join(read.head)})"
    others = [name for at, name in enumerate(read.head) if read.known and at not in (read.query, read.listed, run)]
    left = f"; {list_some(others, 5)} {'do' if others[1:] else 'does'} not count" if others else ""
    return f" ({read.head[read.query]}, {read.head[read.listed]}){left}"


def _split_cell(cell: str, separation: Separation, where: str, *, commas: bool) -> list[str]:
    """The ids of a cell, in order; ``commas``: see ``ids_of_written``."""
    if QUOTED.fullmatch(cell):
        said = "a cell holds JSON within quotes; write it without these and without backslashes"
        raise InputError(f'{where}: {said}, as ["d1", "d2"]')
    inside = inside_of_list(cell)
    return separation.ids_of(cell) if inside is None else ids_of_written(inside, where, commas=commas)


def _find_delimiter(line: str) -> str | None:
    return next((sign for sign in "\t,;" if sign in line), None)


def _is_list(cell: str) -> bool:
    return is_written(cell) and not _holds_objects(cell)


def _holds_objects(cell: str) -> bool:
    """Is it JSON of an object, or of a list of objects?"""
    value = read_json_text(cell)
    return any(isinstance(one, dict) for one in (value if isinstance(value, list) else [value]))
