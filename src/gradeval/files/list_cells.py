"""Cells that hold a query's documents: with blanks between them, as Kaggle's solutions and submissions, with other
signs, or as Python and JSON write lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple, NoReturn

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_nothing
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run, name_file
from gradeval.files.column_names import GRADES, QUERIES, InputKind, find_column, normal_name
from gradeval.files.json_in_text import read_json_text
from gradeval.files.list_names import are_texts, describe_texts, find_list_column, is_list_of, may_be_ids
from gradeval.files.list_signs import Separation, find_separation, refuse_doubt
from gradeval.files.lists import grades_or_ranks
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.padding import PADDING, MissingIds
from gradeval.files.pair_columns import find_relevant_pairs
from gradeval.files.plain_text import EDGES, ValuesByTopic, decode, quote
from gradeval.files.record_names import LISTS, several_lists
from gradeval.files.separated_rows import LINE_END, TextRows, read_rows, split_row
from gradeval.files.source import Source
from gradeval.files.written_lists import have_commas, ids_of_written, inside_of_list, is_written, refuse_sets
from gradeval.messages import list_some, plural
from gradeval.warning_categories import FilesWarning, warn

QUOTED = re.compile(r"""\s*(["'])\s*[\[{].*[\]}]\s*\1\s*""", re.DOTALL)
"""A cell of JSON that was written as a text of JSON once more, whose parts between commas are no ids."""
OF_IDS = "ids item_ids doc_ids document_ids".split()
"""Names of lists that say no run, beside the usual ones."""
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
    several = find_separation(cells, head[pair[1]].strip()).sign is not None
    if written or (several and len({*topics}) == len(topics)):
        return True
    if several:
        return False  # a document a line, with signs in its name
    name = head[pair[1]].strip()
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
    lines = [line for line in LINE_END.split(beginning[:MOST].decode("utf-8-sig", "replace")) if line.strip()]
    delimiter = _find_delimiter(lines[0]) if lines else None
    if delimiter is None or not lines[1:]:
        return []
    head, first = (split_row(line, delimiter) for line in lines[:2])
    if len(head) < 3 or len(first) != len(head):
        return []
    return [name.strip() for name, cell in zip(head, first, strict=True) if _is_list(cell)]


def _places_of(head: Sequence[str], columns: Columns) -> tuple[int, int] | None:
    """The columns of topics and of the documents that the user names."""
    names = [name.strip() for name in head]
    if columns.doc not in names:
        return None
    query = find_column(names, columns.query, QUERIES)
    return None if query is None or columns.doc is None else (query, names.index(columns.doc))


def read_list_cells_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments of lines with a query and its relevant documents, as the solutions of Kaggle."""
    read = _read_cells(source, "qrels", columns)
    qrels = Qrels.of_table(read.table, name or source.place, source.repeated)
    return replace(qrels, read_as=read.read_as, leaves_out=read.leaves_out)


def read_list_cells_runs(source: Source, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """A run of lines with a query and its documents from rank 1 on, as submissions to Kaggle."""
    read = _read_cells(source, "run", columns)
    column = columns.doc if columns.doc in _find_lists(source.beginning) else None
    if column is not None and normal_name(column) in (*LISTS["run"], *OF_IDS):
        column = None  # a usual name of lists says no run
    run = Run.from_dict(read.table, name or column or name_file(source.place))
    return [replace(run, place=source.place, read_as=read.read_as)]


class ReadCells(NamedTuple):
    """The table of lists in cells, what messages call the format, and are other columns said not to count?"""

    table: ValuesByTopic
    read_as: str
    leaves_out: bool


def _read_cells(source: Source, kind: InputKind, columns: Columns) -> ReadCells:
    place = source.place
    text = decode(source.data, place)
    head, table, said = read_rows(
        text,
        _find_delimiter(text.partition("\n")[0]) or ",",
        place,
        partial(_take_rows, kind=kind, columns=columns, repeats=source.repeats, named_format=source.named_format),
    )
    if not table:
        raise InputError(f"{place}: holds a header and no lines")
    return ReadCells(table, f"lists of ids{said}", len(head) > 2)


def _take_rows(
    rows: TextRows, kind: InputKind, columns: Columns, *, repeats: bool, named_format: bool
) -> tuple[Sequence[str], ValuesByTopic, str]:
    cells: dict[str, list[tuple[str, str]]] = {}
    head: Sequence[str] = []
    query, listed, known = 0, 1, False
    for line, row in rows:
        where = f"{rows.place}:{line}"
        if not head:
            rows.read_header_once(line)
            head = row
            query, listed, known = _find_columns(rows, where, head, kind, columns)
            columns.met.update(dict.fromkeys(head))
            continue
        if len(row) != len(head) or len(row) <= max(query, listed):
            raise InputError(f"{where}: found {len(row)} columns; a line has a query, and a list of ids in one cell")
        topic = row[query].strip(EDGES)
        if not topic:
            raise InputError(f"{where}: the query is empty; each line names one")
        if topic in cells and not (known and kind == "qrels"):
            _refuse_again(topic, where)
        cells.setdefault(topic, []).append((where, row[listed]))
    every = [cell for of_topic in cells.values() for _, cell in of_topic]
    name = head[listed].strip()
    written = any(map(is_written, every))
    separation = find_separation([cell for cell in every if not is_written(cell)], name)
    if separation.sign is None and not written and are_texts(every):
        raise InputError(f"{rows.place}: {describe_texts(head[query].strip(), name, kind)}")
    if not named_format:
        refuse_doubt(separation, name, kind, rows.place)
    if kind == "run":
        refuse_sets(cell for of_topic in cells.values() for cell in of_topic)
    again = next((topic for topic, of_topic in cells.items() if len(of_topic) > 1), None)
    if again is not None and any(len(separation.ids_of(cell)) > 1 for cell in every):
        _refuse_again(again, cells[again][1][0])
    table = _ids_of_topics(cells, separation, rows.place, kind, repeats=repeats)
    between = "" if written or again is not None else separation.said
    return head, table, between + _describe_columns(head, query, listed, known=known)


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


def _refuse_again(topic: str, where: str) -> NoReturn:
    raise InputError(f"{where}: query {quote(topic)} was already given; write one line a query")


def _find_columns(
    rows: TextRows, where: str, head: Sequence[str], kind: InputKind, columns: Columns
) -> tuple[int, int, bool]:
    """The columns of topics and of lists, and does a name say so?"""
    named = find_list_column(head, kind, columns)
    found = named or _places_of(head, columns)
    if found is None and len(head) > 2:
        _, below = next(islice(rows, 1, None), (0, head))
        lists = [name for name, cell in zip(head, below, strict=False) if _is_list(cell)]
        if lists[1:] and find_column([*map(str.strip, head)], columns.query, QUERIES) is not None:
            raise several_lists([*map(str.strip, lists)], kind, where, columns)
        raise InputError(
            f"{where}: names no known columns of queries and of lists ({list_some(head)}); name both: "
            "columns:query=NAME,doc=NAME:FILE"
        )
    return *(found or (0, 1)), named is not None


def _describe_columns(head: Sequence[str], query: int, listed: int, *, known: bool) -> str:
    """Which columns are read, and which ones do not count where a name tells."""
    if len(head) <= max(query, listed):
        return f" ({', '.join(name.strip() for name in head)})"
    others = [name.strip() for at, name in enumerate(head) if known and at not in (query, listed)]
    left = f"; {list_some(others, 5)} {'do' if others[1:] else 'does'} not count" if others else ""
    return f" ({head[query].strip()}, {head[listed].strip()}){left}"


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
