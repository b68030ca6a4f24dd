"""Rows that hold a list each, a document a column: user, rec1, rec2 ... from the top rank down, with score1, score2 ...
or without; 0, 1, 2 as pandas names columns; or relevant ones, as in user, rel1, rel2 ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    GRADES,
    HIGHEST_GRADE,
    LIKELY_RUNS,
    QUERIES,
    RANKS,
    RUNS,
    SCORES,
    InputKind,
    first_usual,
    normal_name,
)
from gradeval.files.header_rows import is_number
from gradeval.files.named_columns import Columns
from gradeval.files.padding import PADDING, find_end_of_list, say_padding
from gradeval.files.plain_text import quote, read_decimal
from gradeval.files.unknown_columns import is_index
from gradeval.messages import list_some

KINDS: tuple[InputKind, ...] = ("qrels", "run")
NUMBERED = re.compile(r"(?P<stem>.*?)_?(?P<number>\d+)")
STEMS: Mapping[InputKind, frozenset[str]] = {
    "run": frozenset(
        "rec recs recommendation recommended top rank place position pos result hit pred predicted id k".split()
        + DOCUMENTS
    ),
    "qrels": frozenset(
        "rel relevant positive target test held out heldout holdout true truth ground gold actual expected liked "
        "bought purchased id".split()
        + DOCUMENTS
    ),
}
"""Words before the numbers of such columns."""
VALUES: Mapping[InputKind, frozenset[str]] = {
    "run": frozenset(SCORES),
    "qrels": frozenset(name for name in GRADES if name not in (*SCORES, "rel", "relevant", "gold")),
}
"""Words before the numbers of the columns with their scores or grades."""
ABSENT = frozenset(("", "nan", "none", "null", "<na>", "-1"))
"""What pandas, Python and libraries of recommenders write for the places behind the end of a list."""
FIXES: Mapping[InputKind, str] = {
    "run": "name columns with a document each rec1, rec2 ..., or write rows of topic, document, score",
    "qrels": "name columns with a relevant document each rel1, rel2 ..., or write rows of topic, document, grade",
}
"""What to do where it is not clear that rows hold such lists."""
LISTS: Mapping[InputKind, str] = {"run": "ranked list", "qrels": "list"}
IN_ORDER_OF_COLUMNS = "in the order of the columns"


class WideColumns(NamedTuple):
    """The column of topics, the columns of a list, of a ranked one from the top rank down, and the one that names runs,
    if any.

    Attributes
    ----------
    kind : are they ranked lists, or relevant documents?
    values : the columns of the score or the grade of each document; empty where there are none.
    named : do words stand before the numbers of the columns?
    ignored : other columns, which do not count.
    """

    kind: InputKind
    query: int
    lists: tuple[int, ...]
    values: tuple[int, ...] = ()
    run: int | None = None
    named: bool = True
    ignored: tuple[str, ...] = ()

    def tell(self, names: Sequence[str]) -> str:
        """The columns of the lists, and those that do not count."""
        said = self.tell_lists(names) + (f", {self.tell_values(names)}" if self.values else "")
        if self.ignored:
            said += f"; {list_some(self.ignored, 5)} {'do' if self.ignored[1:] else 'does'} not count"
        return said

    def tell_lists(self, names: Sequence[str]) -> str:
        """The columns of the lists."""
        return f"{names[self.lists[0]]} to {names[self.lists[-1]]}"

    def tell_values(self, names: Sequence[str]) -> str:
        """The columns of the scores or the grades."""
        return f"{names[self.values[0]]} to {names[self.values[-1]]}"


class WideCell(NamedTuple):
    """A document of a wide row, and the number of the row.

    Attributes
    ----------
    value : its score or grade; without these its rank in a run, and 1 in judgments.
    run : what the row says its run is called; empty: nothing.
    """

    row: int
    topic: str
    document: str
    value: Any
    run: str


def find_wide(names: Sequence[str], columns: Columns, kind: InputKind = "run") -> WideColumns | None:
    """The columns of such a table by their names; None for other tables."""
    if columns.doc is not None or columns.of_values(kind) is not None:
        return None
    normal = [normal_name(str(name)) for name in names]
    numbered = {at: found for at, name in enumerate(normal) if (found := NUMBERED.fullmatch(name)) is not None}
    numbered = {at: found for at, found in numbered.items() if names[at] != columns.query and not is_index(names[at])}
    by_stem: dict[str, dict[int, int]] = {}
    for at, found in numbered.items():
        by_stem.setdefault(found["stem"], {})[int(found["number"])] = at
    found_stems = _choose_stems(by_stem, kind)
    others = {name: at for at, name in reversed([*enumerate(normal)]) if at not in numbered}
    if found_stems is None or len(others) + sum(map(len, by_stem.values())) < len(names):
        return None
    lists, values = found_stems
    query = [*names].index(str(columns.query)) if columns.query in names else first_usual(others, QUERIES)
    if query is None and (lists or kind == "run"):  # row numbers above TREC's columns would be topics, too
        query = next((at for at in others.values() if is_index(names[at])), None)
    run = None if kind == "qrels" else first_usual(others, (*RUNS, *LIKELY_RUNS))
    if kind == "run" and columns.run in names:
        run = [*names].index(str(columns.run))
    known = {query, run, *(at for at in others.values() if is_index(names[at]))}
    more = tuple(str(names[at]).strip() for at in sorted(others.values()) if at not in known)
    numbers = sorted(by_stem[lists])
    plainly = bool(lists) and len(numbers) > 2  # so that other columns, which are called otherwise, do not count
    if query is None or (more and not (plainly and _are_others(more, kind))):
        return None
    places = [tuple(by_stem[stem][number] for number in numbers) for stem in (lists, *values)]
    return WideColumns(kind, query, places[0], places[1] if values else (), run, bool(lists), more)


def _choose_stems(by_stem: Mapping[str, Mapping[int, int]], kind: InputKind) -> tuple[str, tuple[str, ...]] | None:
    """What stands before the numbers of the documents, and of their scores or grades, if any; None: something else
    stands there, or other numbers."""
    numbers = [sorted(places) for places in by_stem.values()]
    if not numbers or len(numbers[0]) < 2 or numbers[0][0] not in (0, 1) or len(by_stem) > 2:
        return None
    if any(one != list(range(numbers[0][0], numbers[0][0] + len(numbers[0]))) for one in numbers):
        return None
    values = tuple(stem for stem in by_stem if stem in VALUES[kind]) if by_stem.keys() - {""} else ()
    lists = [stem for stem in by_stem if stem not in values]
    if len(lists) != 1 or len(values) != len(by_stem) - 1:
        return None
    [stem] = lists
    known = not stem or stem in STEMS[kind] or all(word in STEMS[kind] for word in stem.split("_"))
    return (stem, values) if known and (stem or not values) else None


def _are_others(names: Iterable[str], kind: InputKind) -> bool:
    """Are columns not called as columns of judgments or of runs are?"""
    usual = GRADES if kind == "qrels" else (*SCORES, *RANKS)
    return {*map(normal_name, names)}.isdisjoint((*DOCUMENTS, *usual))


def refuse_other_lists(names: Sequence[str], columns: Columns, kind: InputKind, place: str) -> None:
    """Refuse ranked lists by their names where judgments are expected, and relevant documents for a run."""
    other: InputKind = "run" if kind == "qrels" else "qrels"
    if (wide := find_wide(names, columns, other)) is None or not wide.named:
        return
    what, expected = ("ranked lists", "judgments are") if other == "run" else ("relevant documents", "a run is")
    values = ("rating" if kind == "qrels" else "score") if wide.values else ""
    stem = "rel" if kind == "qrels" else "rec"
    call = ", ".join(f"{one}{number}" for number in (1, 2) for one in (stem, values) if one)
    raise InputError(
        f"{place}: {wide.tell(names)} are usual names of {what}, and {expected} expected; if the cells hold "
        f"{'relevant documents' if kind == 'qrels' else 'ranked lists'}, call the columns {call} ..."
    )


def lengthen(
    rows: Iterable[tuple[int, str, Sequence[Any]]], wide: WideColumns, names: Sequence[str], place: str
) -> Iterator[WideCell]:
    """The documents of rows, each with its number and what errors call it; an empty cell is no document."""
    met: set[tuple[str, str]] = set()
    highest, padding = 0.0, 0
    for number, where, row in rows:
        if len(row) != len(names):
            raise InputError(f"{where}: found {len(row)} columns, where the first line has {len(names)}")
        topic, run = _text(row[wide.query]), "" if wide.run is None else _text(row[wide.run])
        if not topic:
            raise InputError(f"{where}: the topic is empty; write one in each row")
        if (run, topic) in met:
            raise InputError(f"{where}: topic {quote(topic)} was already given; write one row a topic")
        met.add((run, topic))
        listed = [_text(row[at]) for at in wide.lists]
        padding += listed.count(PADDING)
        for document, value in _read_row(listed, row, wide, names, where).items():
            highest = max(highest, float(document) if document.isdecimal() else float("inf"))
            yield WideCell(number, topic, document, value, run)
    say_padding(padding, place, "cell")
    if met and not wide.values and highest <= max(HIGHEST_GRADE, len(wide.lists)):
        raise InputError(
            f"{place}: all cells of the {LISTS[wide.kind]}s are small numbers, as grades and ranks are; "
            f"{FIXES[wide.kind]}"
        )


def _read_row(
    listed: Sequence[str], row: Sequence[Any], wide: WideColumns, names: Sequence[str], where: str
) -> dict[str, Any]:
    """Each document of a row with its score or grade; without these its rank, and of a relevant document 1."""
    topic = quote(_text(row[wide.query]))
    documents: dict[str, Any] = {}
    for at, document in enumerate(listed[: find_end_of_list(listed, lambda one: one.lower() in ABSENT)]):
        if document in ("", PADDING):
            continue
        if is_number(document) and not document.isdecimal():
            raise InputError(f"{where}: {quote(document)} is no id of a {LISTS[wide.kind]}; {FIXES[wide.kind]}")
        value = row[wide.values[at]] if wide.values else 1 if wide.kind == "qrels" else at + 1
        if document in documents and not (wide.kind == "qrels" and documents[document] == value):
            raise InputError(
                f"{where}: {quote(document)} stands twice in the {LISTS[wide.kind]} of {topic}; {FIXES[wide.kind]}"
            )
        documents[document] = value
    if wide.kind == "qrels" and not documents:
        column = names[wide.lists[0]]
        raise InputError(
            f"{where}: topic {topic} has no document; leave such rows out, in pandas: "
            f"df = df.dropna(subset=[{column!r}])"
        )
    if wide.kind == "run" and wide.values:
        _require_falling([*documents.values()], wide.tell_values(names), where)
    return documents


def _require_falling(values: Sequence[Any], called: str, where: str) -> None:
    """Refuse scores that deny the order of the columns; what is no number is refused elsewhere."""
    for one, later in pairwise(map(read_decimal, map(str, values))):
        if later > one:
            raise InputError(
                f"{where}: scores rise along the row ({one:g}, then {later:g}); write the best document first; if the "
                f"order of the columns counts, leave {called} out"
            )


def _text(cell: Any) -> str:
    """The id in a cell; whole numbers have no decimals, which pandas adds where others are missing."""
    if cell is None or cell != cell:
        return ""
    text = str(cell).strip(" \t\r\n")
    return text.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", text) else text
