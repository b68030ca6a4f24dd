"""Cells that hold a query's documents: with blanks between them, as Kaggle's solutions and submissions, with other
signs, or as Python and JSON write lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run, name_file
from gradeval.files.column_names import Columns, InputKind
from gradeval.files.lists import grades_or_ranks
from gradeval.files.pair_columns import SIGNS, find_relevant_pairs
from gradeval.files.plain_text import ValuesByTopic, decode, quote
from gradeval.files.separated_rows import EDGES, LINE_END, TextRows, read_rows, split_row
from gradeval.files.source import Source

WRITTEN_LIST = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)
ITEM = re.compile(r"""\s*(?:'([^'\\]*)'|"([^"\\]*)"|([^\s,'"()\[\]\\]+))\s*(?:,|(?=\s|$))""")
"""An id of a list as Python, NumPy or JSON write it; none with an escape."""


def is_list_cells(beginning: bytes, kind: InputKind, columns: Columns) -> bool:
    """Are there two columns with names, the second with ids between blanks, or a written list, in some line?"""
    if columns.of_values(kind) is not None:
        return False
    lines = [line for line in LINE_END.split(beginning[:8192].decode("utf-8-sig", "replace")) if line.strip()]
    delimiter = _find_delimiter(lines[0]) if lines else None
    if delimiter is None:
        return False
    head, *rows = (split_row(line, delimiter) for line in lines)
    topics = [row[0] for row in rows if len(row) == 2]
    if find_relevant_pairs(head, "qrels", columns) is not None and len(set(topics)) < len(topics):
        return False  # a pair of topic and document a line, whose names hold blanks
    return (
        len(head) == 2
        and len(rows) > 0
        and not any(len(name.split()) > 3 or name.strip().replace(".", "").isdecimal() for name in head)
        and all(len(row) in (0, 2) for row in rows[:-1])
        and any(len(row) == 2 and (len(row[1].split()) > 1 or WRITTEN_LIST.fullmatch(row[1])) for row in rows)
    )


def read_list_cells_qrels(source: Source, name: str | None = None) -> Qrels:
    """Judgments of lines with a query and its relevant documents, as the solutions of Kaggle."""
    table, read_as = _read_cells(source, "qrels")
    return replace(Qrels.of_table(table, name or source.place, source.repeated), read_as=read_as)


def read_list_cells_run(source: Source, name: str | None = None) -> Run:
    """A run of lines with a query and its documents from rank 1 on, as submissions to Kaggle."""
    table, read_as = _read_cells(source, "run")
    run = Run.from_dict(table, name or name_file(source.place))
    return replace(run, place=source.place, read_as=read_as)


def _read_cells(source: Source, kind: InputKind) -> tuple[ValuesByTopic, str]:
    place = source.place
    text = decode(source.data, place)
    head, table, between = read_rows(
        text,
        _find_delimiter(text.partition("\n")[0]) or ",",
        place,
        partial(_take_rows, kind=kind, repeats=source.repeats),
    )
    if not table:
        raise InputError(f"{place}: holds a header and no lines")
    return table, f"lists of ids{between} ({', '.join(name.strip() for name in head)})"


def _take_rows(rows: TextRows, kind: InputKind, *, repeats: bool) -> tuple[Sequence[str], ValuesByTopic, str]:
    cells: dict[str, tuple[str, str]] = {}
    head: Sequence[str] = []
    for line, row in rows:
        where = f"{rows.place}:{line}"
        if not head:
            head = row
            continue
        if len(row) != 2:
            raise InputError(f"{where}: found {len(row)} columns; a line has a query, and a list of ids in one cell")
        topic = row[0].strip(EDGES)
        if not topic:
            raise InputError(f"{where}: the query is empty; each line names one")
        if topic in cells:
            raise InputError(f"{where}: query {quote(topic)} was already given; write one line a query")
        cells[topic] = where, row[1]
    sign = _find_sign([cell for _, cell in cells.values()])
    table = {
        topic: grades_or_ranks(_split_cell(cell, sign, where), kind, where, repeats=repeats)
        for topic, (where, cell) in cells.items()
    }
    written = any(WRITTEN_LIST.fullmatch(cell) for _, cell in cells.values())
    return head, table, "" if written else f" between {'blanks' if sign is None else quote(sign)}"


def _find_sign(cells: Sequence[str]) -> str | None:
    """What stands between the ids of all cells; None: blanks, which are within the parts by any sign."""

    def separates(sign: str) -> bool:
        parts = [part.split() for cell in cells for part in cell.split(sign)]
        return any(sign in cell for cell in cells) and all(len(part) < 2 for part in parts)

    return next(filter(separates, SIGNS), None)


def _split_cell(cell: str, sign: str | None, where: str) -> list[str]:
    """The ids of a cell, in order."""
    written = WRITTEN_LIST.fullmatch(cell)
    if written is None:
        return [part for one in cell.split(sign) if (part := one.strip())]
    ids, at = [], 0
    inside = written[1].strip()
    while at < len(inside):
        item = ITEM.match(inside, at)
        if item is None or item[3] == "...":  # which NumPy writes for the middle of a long array
            wrong = quote(inside[at : at + 20])
            raise InputError(f"{where}: {wrong} is no id of a list; write ids between blanks, or ['d1', 'd2']")
        ids.append(next(part for part in item.groups() if part is not None))
        at = item.end()
    return ids


def _find_delimiter(line: str) -> str | None:
    return next((sign for sign in "\t,;" if sign in line), None)
