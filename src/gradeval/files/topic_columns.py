"""Which other column of a file names its topics as judgments or runs do: texts of queries on one side, ids on the
other."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import DOCUMENTS, RANKS, SCORES, normal_name
from gradeval.files.data_sets import TEXTS, texts_of
from gradeval.files.header_rows import find_delimiter, first_line, is_number, read_head
from gradeval.files.json_in_text import read_json_text
from gradeval.files.json_values import whole_value
from gradeval.files.likely_ranks import look_like_ranks
from gradeval.files.named_columns import GUESSED, are_mostly_known
from gradeval.files.plain_text import EDGES, decode
from gradeval.files.separated_rows import LINE_END, TextRows, read_rows
from gradeval.files.source import COLUMNAR, UTF_16, Source, open_unpacked
from gradeval.files.unknown_columns import how_to_name
from gradeval.messages import list_some

LOOKED_AT = 1 << 22
"""Bytes at the beginning of a text that are looked at."""
MOST_ROWS = 200_000
"""Rows of a table that are looked at."""
NEARLY_ALL = 0.9
"""The share of topics that such a column has at least; where the file has fewer topics, the share of these."""


def ask_about_columns(qrels: Qrels, runs: Sequence[Run]) -> str:
    """What to type where another column of the runs' files has the topics of the judgments, or a column of the file of
    judgments the topics of the runs; an empty text where none has."""
    topics = [topic for run in runs for topic in run.topics]
    judged = cells_of_file(qrels.name, qrels.topics)
    places = list(dict.fromkeys(run.place for run in runs))
    of_runs = [cells_of_file(place, topics) for place in places]
    name = _find_column(of_runs, qrels.topics)
    if name:
        everywhere = name not in judged or _has_topics(judged[name], qrels.topics)
        return _say(name, places, qrels.name, everywhere)
    name = _find_column([judged], topics)
    everywhere = all(name not in cells or _has_topics(cells[name], topics) for cells in of_runs)
    others = "the runs" if runs[1:] else runs[0].name
    return _say(name, [qrels.name], others, everywhere) if name else ""


def _find_column(files: Sequence[Mapping[str, Collection[str]]], topics: Collection[str]) -> str:
    """The column that has the topics in each of these files; empty: there is none."""
    others = {*DOCUMENTS, *SCORES, *RANKS}
    names = [name for name in (files[0] if files else ()) if normal_name(name) not in others]
    known = frozenset(topics)
    of_topics = (name for name in names if all(_has_topics(cells.get(name, ()), known) for cells in files))
    return next(of_topics, "")


def _has_topics(cells: Collection[str], topics: Collection[str]) -> bool:
    """Has a column nearly all topics, or are nearly all of its cells topics?"""
    common = len(frozenset(topics).intersection(cells))
    return common > 0 and common >= NEARLY_ALL * min(len(cells), len(frozenset(topics)))


def _say(name: str, places: Sequence[str], others: str, everywhere: bool) -> str:
    """That a column of these files has the topics of others, and what to type; ``everywhere``: may all files be read by
    it?"""
    from shlex import quote

    said = f"column {name!r} of {list_some(places, 3)} has the topics of {others}"
    if everywhere:
        return f"{said}; name it: {how_to_name({'query': name})}"
    return f"{said}; name it for {'each file' if places[1:] else 'that file'} alone: " + " ".join(
        quote(f"columns:query={name}:{place}") for place in places
    )


def cells_of_file(place: str, topics: Collection[str]) -> dict[str, set[str]]:
    """The different cells of each column with a name, of some rows of a file; nothing of what is no table.

    ``topics``: as the file was read. A column that counts the rows of each of them is no name of topics, and left out.
    """
    records: list[dict[str, str]] = []
    if os.path.isfile(place):
        with suppress(InputError, OSError, ValueError):
            records += (dict(record) for record in islice(_records_of(place), MOST_ROWS))
    cells: dict[str, set[str]] = {}
    for record in records:
        for name, cell in record.items():
            cells.setdefault(name, set()).add(cell)
    known = frozenset(topics)
    of_topics = next((name for name, held in cells.items() if held <= known), None)
    if of_topics is None:
        return cells
    return {name: held for name, held in cells.items() if not _counts_rows(records, of_topics, name)}


def _counts_rows(records: Sequence[Mapping[str, str]], of_topics: str, name: str) -> bool:
    """Does a column count the rows of each topic, from 0 or from 1?"""
    counts: dict[str, list[int]] = {}
    for record in records:
        cell = record.get(name, "")
        counts.setdefault(record.get(of_topics, ""), []).append(int(cell) if cell.isdecimal() else -1)
    return any(look_like_ranks([count + more for count in topic] for topic in counts.values()) for more in (0, 1))


def _records_of(place: str) -> Iterator[Iterable[tuple[str, str]]]:
    """The rows of a table as pairs of name and cell."""
    source = Source(place)
    if source.beginning.startswith(COLUMNAR):
        from gradeval.files.columnar import read_columns  # here, as text needs none

        table = read_columns(source).slice(0, MOST_ROWS)
        return (_scalars(row) for row in table.to_pylist())
    if texts := _texts_of_data_set(source):
        return ([(TEXTS, text)] for text in texts)
    with open_unpacked(place) as file:
        data = file.read(LOOKED_AT)
    text = data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig", "replace")
    if len(data) == LOOKED_AT:
        text = text[: text.rfind("\n") + 1]
    if text.lstrip()[:1] in ("{", "["):
        return (_scalars(record) for record in _parse_records(text))
    return iter(read_rows(text, find_delimiter(first_line(text)), place, _pair_cells))


def _texts_of_data_set(source: Source) -> Collection[str]:
    """The texts of queries in a data set of one object."""
    if not source.beginning.lstrip().startswith(b"{"):
        return ()
    with suppress(InputError):
        whole = whole_value(decode(source.data, source.place), source.place)
        return texts_of(whole).values() if isinstance(whole, dict) else ()
    return ()


def _pair_cells(rows: TextRows) -> list[list[tuple[str, str]]]:
    """The rows below a header; none where the text, as TREC's, has no header."""
    head_and_rows = read_head(
        iter(rows), lambda cells: not any(map(is_number, cells)), lambda cells: are_mostly_known(cells, GUESSED)
    )
    if head_and_rows is None or not head_and_rows[0].is_header:
        return []
    head, below = head_and_rows
    cells = ([cell.strip(EDGES) for cell in row] for _, row in islice(below, MOST_ROWS))
    return [[*_scalars(dict(zip(head.cells, row, strict=False)))] for row in cells]


def _parse_records(text: str) -> Iterator[dict[str, Any]]:
    """The records in a list, or one a line."""
    if text.lstrip().startswith("["):
        yield from (record for record in json.loads(text) if isinstance(record, dict))
        return
    for line in LINE_END.split(text):
        if line.strip() and isinstance(record := json.loads(line), dict):
            yield record


def _scalars(value: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """The texts and whole numbers in a record, by their names, with dots where they stand within objects."""
    for name, cell in value.items():
        inner = read_json_text(cell)
        if isinstance(inner, dict):
            yield from _scalars(inner, f"{before}{name}.")
        elif isinstance(cell, str | int):
            yield f"{before}{name}", str(cell).strip()
