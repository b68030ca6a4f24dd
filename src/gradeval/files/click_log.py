"""Clicks as text: a table with the columns ``session topic document rank click``, a line for each document shown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_file
from gradeval.collection.user_clicks import COLUMNS, Clicks
from gradeval.files.column_names import CLICKS, DOCUMENTS, QUERIES, RANKS, is_name_of_run, normal_name
from gradeval.files.header_rows import find_delimiter, strip_cells
from gradeval.files.plain_text import count_columns, decode
from gradeval.files.separated_rows import EDGES, TextRows, read_rows
from gradeval.files.source import Source, name_place
from gradeval.formula.arithmetic import Array
from gradeval.messages import nearest, shown

ACCEPTED = f"a header and lines with the columns {' '.join(COLUMNS)}, or others named by columns:session=S,click=C:FILE"
HIGHEST = 2**31 - 1
LINES = 1 << 16  # written at a time
USUAL = {
    "session": "session session_id sessionid search_id searchid impression_id request_id visit_id".split(),
    "topic": QUERIES,
    "document": DOCUMENTS,
    "rank": (*RANKS, "pos", "slot"),
    "click": CLICKS,
}
"""The usual names of the columns, in lower case and with ``_`` for ``-`` and blanks."""
ROLES = {"query": "topic", "doc": "document"} | {name: name for name in COLUMNS}
"""What ``columns`` may call a column, and which one it is."""
OWN_COLUMNS = re.compile(rf"columns:((?:{'|'.join(ROLES)})=.+?):(.+)")


@known_arguments()
def read_clicks(path: Path, *, columns: Mapping[str, str] | None = None) -> Clicks:
    """Clicks from a tsv or csv, plain or compressed; ``-`` is standard input.

    The first line names the columns ``session topic document rank click``, or calls them by other usual names, in any
    order among others; each further line is a document that was shown: rank from 1, click 1 or 0 (or true or false).
    Whatever is wrong is an InputError that names the line.

    Parameters
    ----------
    columns : names of columns that are called otherwise, as in ``{"session": "visit", "click": "buy"}``; the path
        ``columns:session=visit,click=buy:FILE`` says the same.
    """
    named = dict(columns or {})
    if (own := OWN_COLUMNS.fullmatch(os.fspath(path))) is not None and not os.path.exists(path):
        named |= dict(part.split("=", 1) for part in own[1].split(",") if "=" in part)
        path = own[2]
    place = name_place(path)
    text = decode(Source(path).data, place)
    if not text.strip():
        raise InputError(f"{place}:1: the file is empty; accepted: {ACCEPTED}")
    head, _, body = text.partition("\n")
    order = head.rstrip("\r").split("\t")
    if sorted(order) == sorted(COLUMNS) and not named and '"' not in body:
        column, first = _split_lines(body.replace("\r\n", "\n").rstrip("\n"), order, place), 2
        systems = ""
    else:
        column, lines, systems = read_rows(text, find_delimiter(head), place, partial(_take_clicks, named=named))
        first = lines[0]
        if lines != list(range(first, first + len(lines))):  # blank lines, or cells over several
            return replace(_of_columns(column, lines, place), systems=systems)
    clicks = _of_columns(column, range(first, first + len(column["click"])), place)
    return replace(clicks, systems=systems)


def _split_lines(body: str, order: Sequence[str], place: str) -> dict[str, list[str]]:
    """The columns of a log as ``write_clicks`` writes it, which is some ten times as fast as row by row."""
    if not body:
        raise InputError(f"{place}: holds no line below the header; accepted: {ACCEPTED}")
    _require_columns(body, place)
    words = body.replace("\n", "\t").split("\t")
    return {name: words[number :: len(COLUMNS)] for number, name in enumerate(order)}


def _take_clicks(rows: TextRows, named: Mapping[str, str]) -> tuple[dict[str, list[str]], list[int], str]:
    """The five columns of a log by their usual names, the line in which each row begins, and a column of systems."""
    walk = iter(rows)
    line, head = next(walk)
    places = _place_columns(strip_cells(head), named, f"{rows.place}:{line}")
    column: dict[str, list[str]] = {name: [] for name in COLUMNS}
    lines: list[int] = []
    for number, row in walk:
        if len(row) != len(head):
            found = count_columns(len(row))
            raise InputError(f"{rows.place}:{number}: has {found}; accepted: {len(head)}, as the header has")
        lines.append(number)
        for name, at in places.items():
            column[name].append(row[at].strip(EDGES))
    if not lines:
        raise InputError(f"{rows.place}: holds no line below the header; accepted: {ACCEPTED}")
    others = [name for at, name in enumerate(head) if at not in places.values()]
    return column, lines, next(filter(is_name_of_run, others), "")


def _place_columns(names: Sequence[str], named: Mapping[str, str], where: str) -> dict[str, int]:
    """Where each of the five columns stands."""
    given: dict[str, str] = {}
    for role, name in named.items():
        if role not in ROLES:
            raise InputError(f"{where}: no column is called {role!r}; accepted: {', '.join(ROLES)}")
        if name not in names:
            raise InputError(f"{where}: has no column {name!r}{nearest(name, names)} (it has {', '.join(names)})")
        given[ROLES[role]] = name
    normal = [normal_name(name) for name in names]
    places: dict[str, int] = {}
    for role, usual in USUAL.items():
        free = [at for at in range(len(names)) if at not in places.values() and names[at] not in given.values()]
        at = (
            names.index(given[role])
            if role in given
            else next((at for one in (role, *usual) for at in free if normal[at] == one), None)
        )
        if at is None:
            shown_names = shown(", ".join(names))
            raise InputError(
                f"{where}: no column is known to hold the {role} (the header is {shown_names}); {ACCEPTED}"
            )
        places[role] = at
    if len(set(places.values())) < len(COLUMNS) or len({names[at] for at in places.values()}) < len(COLUMNS):
        raise InputError(f"{where}: the header is {shown(', '.join(names))}; name five different columns")
    return places


def _of_columns(column: Mapping[str, list[str]], lines: Sequence[int], place: str) -> Clicks:
    for name in ("session", "topic", "document"):
        if "" in column[name]:
            raise InputError(f"{place}:{lines[column[name].index('')]}: the {name} is empty; give it a name")
    told = [{"true": "1", "false": "0"}.get(word.lower(), word) for word in column["click"]]
    clicks = Clicks(
        column["session"],
        column["topic"],
        column["document"],
        _read_numbers(column["rank"], "rank", f"a whole number from 1 to {HIGHEST}", 1, HIGHEST, place, lines),
        _read_numbers(told, "click", "0 or 1", 0, 1, place, lines).astype(bool),
        place,
    )
    clicks.require_distinct(f"{place}:", lines)
    return clicks


@known_arguments()
def write_clicks(clicks: Clicks, path: Path) -> None:
    """Write clicks as ``read_clicks`` reads them; ``-`` is standard output."""
    place = name_place(path)
    for name in ("session", "topic", "document"):
        for word in set(getattr(clicks, name)):
            if not word or set(word) & set("\t\n\r"):
                raise InputError(f"{place}: cannot write {name} {shown(word)}: it is empty or holds a tab; rename it")
    with whole_file(path) as file:
        file.write(("\t".join(COLUMNS) + "\n").encode())
        for begin in range(0, len(clicks), LINES):
            part = slice(begin, begin + LINES)
            texts = clicks.session[part], clicks.topic[part], clicks.document[part]
            numbers = clicks.rank[part].tolist(), clicks.click[part].astype(int).tolist()
            lines = zip(*(map(_enclose, column) for column in texts), *numbers, strict=True)
            file.write("".join(f"{s}\t{t}\t{d}\t{rank}\t{click}\n" for s, t, d, rank, click in lines).encode())


def _enclose(text: str) -> str:
    """The text as a cell that is read back as it is."""
    return '"' + text.replace('"', '""') + '"' if text.startswith('"') else text


def _require_columns(body: str, place: str) -> None:
    """Refuse a line that has not as many columns as the header."""
    data = np.frombuffer(body.encode(), np.uint8)
    ends = np.append(np.flatnonzero(data == ord("\n")), len(data))
    tabs = np.searchsorted(np.flatnonzero(data == ord("\t")), ends)
    counts = np.diff(tabs, prepend=0) + 1
    if (counts != len(COLUMNS)).any():
        line = int((counts != len(COLUMNS)).argmax())
        number = count_columns(counts[line])
        raise InputError(f"{place}:{line + 2}: has {number}; accepted: {len(COLUMNS)}: {' '.join(COLUMNS)}")


def _read_numbers(
    words: list[str], name: str, accepted: str, least: int, most: int, place: str, lines: Sequence[int]
) -> Array:
    """int64[line]: whole numbers; each distinct word is read once."""
    table: dict[str, int] = {}
    for word in set(words):
        plain = word.isascii() and word.isdigit() and len(word) <= len(str(most)) + 1
        if not plain or not least <= int(word) <= most:
            raise InputError(f"{place}:{lines[words.index(word)]}: {name} {shown(word)} is not {accepted}")
        table[word] = int(word)
    return np.fromiter(map(table.__getitem__, words), np.int64, len(words))
