"""Clicks as text: tsv with the header ``session topic document rank click``, a line for each document shown."""

from __future__ import annotations

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments, shown
from gradeval.atomic_files import Path, whole_file
from gradeval.collection.user_clicks import COLUMNS, Clicks
from gradeval.files.separated_rows import TextRows, read_rows
from gradeval.files.source import name_place, read_bytes
from gradeval.formula.arithmetic import Array

ACCEPTED = f"a header and lines with the columns {' '.join(COLUMNS)}, separated by tabs"
HIGHEST = 2**31 - 1
LINES = 1 << 16  # written at a time


@known_arguments()
def read_clicks(path: Path) -> Clicks:
    """Clicks from a tsv, plain or compressed; ``-`` is standard input.

    The first line names the columns ``session topic document rank click``, in any order; each further line is a
    document that was shown: rank from 1, click 1 or 0. Whatever is wrong is an InputError that names the line.
    """
    place = name_place(path)
    data = bytes(read_bytes(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{place}:{line}: is not text (UTF-8); accepted: {ACCEPTED}") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.strip():
        raise InputError(f"{place}:1: the file is empty; accepted: {ACCEPTED}")
    head, _, body = text.partition("\n")
    order = head.split("\t")
    if sorted(order) != sorted(COLUMNS):
        raise InputError(f"{place}:1: the header is {shown(head)}; accepted: {ACCEPTED}")
    body = body.rstrip("\n")
    if not body:
        raise InputError(f"{place}: holds no line below the header; accepted: {ACCEPTED}")
    _require_columns(body, place)
    words = body.replace("\n", "\t").split("\t") if '"' not in body else read_rows(body, "\t", place, _take_words)
    column = {name: words[number :: len(COLUMNS)] for number, name in enumerate(order)}
    for name in ("session", "topic", "document"):
        if "" in column[name]:
            raise InputError(f"{place}:{column[name].index('') + 2}: the {name} is empty; give it a name")
    clicks = Clicks(
        column["session"],
        column["topic"],
        column["document"],
        _read_numbers(column["rank"], "rank", f"a whole number from 1 to {HIGHEST}", 1, HIGHEST, place),
        _read_numbers(column["click"], "click", "0 or 1", 0, 1, place).astype(bool),
        place,
    )
    clicks.require_distinct(f"{place}:", 2)
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


def _take_words(rows: TextRows) -> list[str]:
    """All cells, row after row; quotes may enclose them."""
    return [cell for _, row in rows for cell in row]


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
        number = "1 column" if counts[line] == 1 else f"{counts[line]} columns"
        raise InputError(f"{place}:{line + 2}: has {number}; accepted: {len(COLUMNS)}: {' '.join(COLUMNS)}")


def _read_numbers(words: list[str], name: str, accepted: str, least: int, most: int, place: str) -> Array:
    """int64[line]: whole numbers; each distinct word is read once."""
    table: dict[str, int] = {}
    for word in set(words):
        plain = word.isascii() and word.isdigit() and len(word) <= len(str(most)) + 1
        if not plain or not least <= int(word) <= most:
            raise InputError(f"{place}:{words.index(word) + 2}: {name} {shown(word)} is not {accepted}")
        table[word] = int(word)
    return np.fromiter(map(table.__getitem__, words), np.int64, len(words))
