"""Rows that hold a ranked list each, a document a column: user, rec1, rec2 ..., or 0, 1, 2 as pandas names columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import DOCUMENTS, LIKELY_RUNS, QUERIES, RANKS, RUNS, SCORES, first_usual, normal_name
from gradeval.files.header_rows import is_number
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import ValuesByTopic, quote
from gradeval.files.run_columns import RunKey
from gradeval.files.unknown_columns import NAMELESS
from gradeval.messages import list_some

NUMBERED = re.compile(r"(?P<stem>.*?)_?(?P<number>\d+)")
STEMS = {
    *"rec recs recommendation recommended top rank place position pos result hit pred predicted id k".split(),
    *DOCUMENTS,
}
"""Words before the numbers of such columns."""
UNNAMED_INDEX = re.compile(r"__index_level_0__")
"""How pyarrow calls an index of pandas without a name."""
HIGHEST_GRADE = 10
"""Whole numbers up to this may be grades, and up to the number of columns ranks."""
ABSENT = frozenset(("", "nan", "none", "null", "<na>"))
"""What pandas and Python write for the places behind the end of a list."""
FIX = "name columns with a document each rec1, rec2 ..., or write rows of topic, document, score"
"""What to do where it is not clear that rows hold ranked lists."""
IN_ORDER_OF_COLUMNS = "in the order of the columns"


class WideColumns(NamedTuple):
    """The column of topics, the columns of a ranked list from the top rank down, and the one that names runs, if any.

    Attributes
    ----------
    named : do words stand before the numbers of the columns?
    ignored : other columns, which do not count.
    """

    query: int
    lists: tuple[int, ...]
    run: int | None = None
    named: bool = True
    ignored: tuple[str, ...] = ()

    def tell(self, names: Sequence[str]) -> str:
        """The columns of the lists, and those that do not count."""
        said = f"{names[self.lists[0]]} to {names[self.lists[-1]]}"
        if self.ignored:
            said += f"; {list_some(self.ignored, 5)} {'do' if self.ignored[1:] else 'does'} not count"
        return said


def find_wide(names: Sequence[str], columns: Columns) -> WideColumns | None:
    """The columns of such a table by their names; None for other tables."""
    if columns.doc is not None or columns.of_values("run") is not None:
        return None
    normal = [normal_name(str(name)) for name in names]
    numbered = {at: found for at, name in enumerate(normal) if (found := NUMBERED.fullmatch(name)) is not None}
    numbered = {at: found for at, found in numbered.items() if names[at] != columns.query and not _is_index(names[at])}
    stems = {found["stem"] for found in numbered.values()}
    places = {at: int(found["number"]) for at, found in numbered.items()}
    numbers = sorted(places.values())
    if len(numbers) < 2 or len(stems) > 1 or numbers not in (_count(0, numbers), _count(1, numbers)):
        return None
    [stem] = stems
    if stem and not (stem in STEMS or all(word in STEMS for word in stem.split("_"))):
        return None
    others = {name: at for at, name in reversed([*enumerate(normal)]) if at not in numbered}
    query = [*names].index(str(columns.query)) if columns.query in names else first_usual(others, QUERIES)
    if query is None:
        query = next((at for at in others.values() if _is_index(names[at])), None)
    run = [*names].index(str(columns.run)) if columns.run in names else first_usual(others, (*RUNS, *LIKELY_RUNS))
    known = {query, run, *(at for at in others.values() if _is_index(names[at]))}
    more = tuple(str(names[at]).strip() for at in sorted(others.values()) if at not in known)
    if query is None or len(others) + len(numbered) < len(names) or (more and not _may_be_ignored(stem, numbers, more)):
        return None
    return WideColumns(query, tuple(sorted(places, key=places.__getitem__)), run, bool(stem), more)


def _may_be_ignored(stem: str, numbers: Sequence[int], others: Iterable[str]) -> bool:
    """Are columns plainly a ranked list, so that others, which are not called as columns of runs are, do not count?"""
    return bool(stem) and len(numbers) > 2 and {*map(normal_name, others)}.isdisjoint((*DOCUMENTS, *SCORES, *RANKS))


def _is_index(name: Any) -> bool:
    """Is it how pandas and pyarrow call an index without a name?"""
    return bool(NAMELESS.fullmatch(str(name)) or UNNAMED_INDEX.fullmatch(str(name)))


def _count(start: int, numbers: Sequence[int]) -> list[int]:
    return list(range(start, start + len(numbers)))


def read_wide(
    rows: Iterable[tuple[str, Sequence[Any]]], wide: WideColumns, width: int, place: str
) -> dict[RunKey, ValuesByTopic]:
    """``{topic: {document: -rank}}`` of rows, each with what errors call it, by the cells that name runs; an empty cell
    is no document."""
    tables: dict[RunKey, ValuesByTopic] = {}
    highest = 0.0
    for where, row in rows:
        if len(row) != width:
            raise InputError(f"{where}: found {len(row)} columns, where the first line has {width}")
        topic = _text(row[wide.query])
        if not topic:
            raise InputError(f"{where}: the topic is empty; write one in each row")
        table = tables.setdefault(() if wide.run is None else (_text(row[wide.run]),), {})
        if topic in table:
            raise InputError(f"{where}: topic {quote(topic)} was already given; write one row a topic")
        documents = table[topic] = {}
        listed = [_text(row[at]) for at in wide.lists]
        while listed and listed[-1].lower() in ABSENT:
            listed.pop()
        for rank, document in enumerate(listed, 1):
            if not document:
                continue
            if is_number(document) and not document.isdecimal():
                raise InputError(f"{where}: {quote(document)} is no id of a ranked list; name a column of documents")
            if document in documents:
                raise InputError(f"{where}: {quote(document)} stands twice in the ranked list of {quote(topic)}; {FIX}")
            documents[document] = float(-rank)
            highest = max(highest, float(document) if document.isdecimal() else float("inf"))
    if highest <= max(HIGHEST_GRADE, len(wide.lists)):
        raise InputError(f"{place}: all cells of the ranked lists are small numbers, as grades and ranks are; {FIX}")
    return tables


def _text(cell: Any) -> str:
    """The id in a cell; whole numbers have no decimals, which pandas adds where others are missing."""
    if cell is None or cell != cell:
        return ""
    text = str(cell).strip(" \t\r\n")
    return text.removesuffix(".0") if re.fullmatch(r"\d+\.0", text) else text
