"""Clicks as text: a table with the columns ``session topic document rank click``, a line for each document shown."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_file
from gradeval.collection.user_clicks import COLUMNS, Clicks
from gradeval.files.column_names import (
    CLICKS,
    DOCUMENTS,
    PLACES,
    QUERIES,
    RANKS,
    SESSIONS,
    RowsOfTable,
    is_name_of_run,
    normal_name,
)
from gradeval.files.header_rows import find_delimiter, strip_cells
from gradeval.files.joined_columns import join_cells
from gradeval.files.likely_clicks import describe_counts, describe_events, find_clicks
from gradeval.files.named_columns import JOIN, parts_of
from gradeval.files.plain_text import EDGES, count_columns, decode
from gradeval.files.separated_rows import TextRows, read_rows
from gradeval.files.source import Source, name_place
from gradeval.formula.arithmetic import Array
from gradeval.messages import nearest, shown

ACCEPTED = f"a header and lines with the columns {' '.join(COLUMNS)}, or others named by columns:session=S,click=C:FILE"
ONE_QUERY = {"session": "topic", "topic": "session"}
"""The column of topics may also be the column of sessions, if the user names it: each session then asks one query."""
HIGHEST = 2**31 - 1
LINES = 1 << 16  # written at a time
USUAL = {"session": SESSIONS, "topic": QUERIES, "document": DOCUMENTS, "rank": (*RANKS, *PLACES), "click": CLICKS}
"""The usual names of the columns, in lower case and with ``_`` for ``-`` and blanks."""
PAGES = "number its pages, or join a column that tells the pages apart, as in columns:session=SESSION+TIME:FILE"
"""What to do where a session asks a query again."""
ROLES = {"query": "topic", "doc": "document"} | {name: name for name in COLUMNS}
"""What ``columns`` may call a column, and which one it is."""
OWN_COLUMNS = re.compile(rf"columns:((?:{'|'.join(ROLES)})=.+?):(.+)")


@known_arguments()
def read_clicks(path: Path, *, columns: Mapping[str, str] | None = None) -> Clicks:
    """Clicks from a tsv or csv, plain or compressed; ``-`` is standard input.

    The first line names the columns ``session topic document rank click``, or calls them by other usual names, in any
    order among others; each further line is a document that was shown: rank from 1 (or from 0 where a rank is 0), click
    1 or 0 (or true or false). Whatever is wrong is an InputError that names the line.

    Parameters
    ----------
    columns : names of columns that are called otherwise, as in ``{"session": "visit", "click": "buy"}``; the path
        ``columns:session=visit,click=buy:FILE`` says the same. ``session+time`` joins two columns.
    """
    named = {str(role): name for role, name in (columns or {}).items()}
    if (own := OWN_COLUMNS.fullmatch(os.fspath(path))) is not None and not os.path.exists(path):
        named |= dict(part.split("=", 1) for part in own[1].split(",") if "=" in part)
        path = own[2]
    place = name_place(path)
    for role in named:
        if role not in ROLES:
            raise InputError(f"{place}: no column is called {role!r}; accepted: {', '.join(ROLES)}")
    named = {ROLES[role]: name for role, name in named.items()}
    text = decode(Source(path).data, place)
    if not text.strip():
        raise InputError(f"{place}:1: the file is empty; accepted: {ACCEPTED}")
    head, _, body = text.partition("\n")
    order = head.rstrip("\r").split("\t")
    if sorted(order) == sorted(COLUMNS) and not named and '"' not in body:
        column, first = _split_lines(body.replace("\r\n", "\n").rstrip("\n"), order, place), 2
        systems, lines = "", list[int]()
    else:
        column, lines, systems = read_rows(text, find_delimiter(head), place, partial(_take_clicks, named=named))
        first = lines[0]

    numbers: Sequence[int] = range(first, first + len(column["click"]))
    if lines and lines != list(numbers):  # blank lines, or cells over several
        numbers = lines
    clicks = _of_columns(column, numbers, place)
    clicks.require_distinct(f"{place}:", numbers, PAGES)
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
    rows.read_header_once(line)
    names = strip_cells(head)
    below = partial(_rows_below, rows, line)
    places = _place_columns(names, named, rows.place, line, below)
    column: dict[str, list[str]] = {name: [] for name in COLUMNS}
    lines: list[int] = []
    for number, row in walk:
        if len(row) != len(head):
            found = count_columns(len(row))
            raise InputError(f"{rows.place}:{number}: has {found}; accepted: {len(head)}, as the header has")
        lines.append(number)
        for name, at in places.items():
            cells = [row[one].strip(EDGES) for one in at]
            column[name].append(
                cells[0] if len(cells) == 1 else join_cells(cells, named[name], f"{rows.place}:{number}")
            )
    if not lines:
        raise InputError(f"{rows.place}: holds no line below the header; accepted: {ACCEPTED}")
    taken = {one for at in places.values() for one in at}
    others = [name for at, name in enumerate(head) if at not in taken]
    return column, lines, next(filter(is_name_of_run, others), "")


def _rows_below(rows: TextRows, line: int) -> Iterator[Sequence[str]]:
    return (row for number, row in rows if number > line)


def _place_columns(
    names: Sequence[str], named: Mapping[str, str], place: str, line: int, rows: RowsOfTable = tuple
) -> dict[str, list[int]]:
    """Where each of the five columns stands, or the columns that are joined to it; ``rows`` are looked at only to say
    why one is absent."""
    where, given = f"{place}:{line}", dict[str, list[int]]()
    for role, name in named.items():
        if name not in names and not parts_of(name, names):
            raise InputError(f"{where}: has no column {name!r}{nearest(name, names)} (it has {', '.join(names)})")
        given[role] = parts_of(name, names) or [names.index(name)]
    normal = [normal_name(name) for name in names]
    taken = {one for at in given.values() for one in at}
    places: dict[str, list[int]] = {}
    absent = []
    for role, usual in USUAL.items():
        free = [at for at in range(len(names)) if at not in taken or [at] == given.get(ONE_QUERY.get(role, ""))]
        found = next((at for one in (role, *usual) for at in free if normal[at] == one), None)
        if role not in given and found is None:
            absent.append(role)
        else:
            places[role] = given.get(role, [found or 0])
            taken.update(places[role])
    if absent:
        called = {role: JOIN.join(names[one] for one in at) for role, at in places.items()}
        said = _describe_absent(names, absent, called, rows) or _ask_for(absent, names, named, called, place)
        raise InputError(f"{where}: {said}")
    every = [one for role, at in places.items() for one in at if role != "topic" or at != places["session"]]
    if len({names[at] for at in every}) < len(every):
        raise InputError(f"{where}: the header is {shown(', '.join(names))}; name five different columns")
    return places


def _describe_absent(names: Sequence[str], absent: Sequence[str], called: Mapping[str, str], rows: RowsOfTable) -> str:
    """Why a column is absent, where the log counts clicks or names events, and what to make of the log; else nothing.
    ``called``: the columns that are there, by their roles."""
    clicks = find_clicks(names, rows)
    if clicks is not None and clicks.impressions and "session" in absent and {"topic", "document"} <= called.keys():
        return (
            f"{clicks.column!r} counts the clicks of many users, and a line is needed for each document that a user "
            f"was shown; {describe_counts(clicks, called['topic'], called['document'])}"
        )
    if clicks is not None and clicks.event and {"session", "topic", "document"} <= called.keys():
        return describe_events(clicks, called)
    return ""


def _ask_for(
    absent: Sequence[str], names: Sequence[str], named: Mapping[str, str], called: Mapping[str, str], place: str
) -> str:
    """That no column is known to have a role, and how to name one beside those that are named."""

    def typed(column: str) -> str:
        others = ",".join(f"{role}={name}" for role, name in {**named, absent[0]: column}.items())
        return shlex.quote(f"columns:{others}:{place}")

    said = f"no column is known to hold the {absent[0]} (the header is {shown(', '.join(names))})"
    if len(absent) > 1:
        return f"{said}; {ACCEPTED}"
    same = called.get(ONE_QUERY.get(absent[0], ""), "")
    or_same = f"; or, if each session asks one query: {typed(same)}" if same else ""
    return f"{said}; name it: {typed('COLUMN')}{or_same}"


def _of_columns(column: Mapping[str, list[str]], lines: Sequence[int], place: str) -> Clicks:
    for name in ("session", "topic", "document"):
        if "" in column[name]:
            raise InputError(f"{place}:{lines[column[name].index('')]}: the {name} is empty; give it a name")
    told = [{"true": "1", "false": "0"}.get(word.lower(), word) for word in column["click"]]
    ranks = _read_numbers(column["rank"], "rank", f"a whole number from 1 to {HIGHEST}", 0, HIGHEST, place, lines)
    from_zero = bool(ranks.min() == 0)
    return Clicks(
        column["session"],
        column["topic"],
        column["document"],
        ranks + from_zero,
        _read_numbers(told, "click", "0 or 1", 0, 1, place, lines).astype(bool),
        place,
        from_zero=from_zero,
    )


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
