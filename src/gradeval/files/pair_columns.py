"""Tables of topics and documents without values: each row of judgments is relevant, rows of a run are in rank order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_choice import choose_columns, find_pair
from gradeval.files.column_names import (
    CLICKS,
    GRADED,
    GRADES,
    RANKS,
    RUNS,
    SCORES,
    TIMES,
    USERS,
    InputKind,
    RowsOfTable,
    normal_name,
)
from gradeval.files.denials import MOST_CELLS, CellsOfColumns, are_numbers, find_denial, is_word, no_cells
from gradeval.files.header_rows import is_number
from gradeval.files.named_columns import Columns, find_joined
from gradeval.files.plain_text import SIGNS
from gradeval.files.unknown_columns import NAMELESS, find_misspelt, how_to_name
from gradeval.messages import list_some

MOST_WORDS = 8
"""Words of a column that a note lists."""
PAIR_GRADE = {"relevance": "1"}
"""The column that is added to such judgments."""
PLACE_OF_ROW = {"rank": ""}
"""The column that is added to such a run."""
IN_ORDER = "in the order of the rows"


class RelevantPairs(NamedTuple):
    """The columns of topics and documents of judgments without grades, and what is said of the others."""

    query: int
    doc: int
    ignored: str = ""


def find_relevant_pairs(
    names: Sequence[str], kind: InputKind, columns: Columns, cells_of: CellsOfColumns = no_cells
) -> RelevantPairs | None:
    """The columns of topics and documents of judgments that have no other columns, except times, as of users and the
    items that they took: each row is a relevant document. So it is in a log of users whose other columns are not called
    as grades are, and never deny, as 0, false and dislike do. None for other tables."""
    if kind == "run" or columns.grade is not None or (pair := find_pair(names, columns)) is None:
        return None
    others = [at for at in _others(names, pair) if normal_name(names[at]) not in TIMES]
    if not others:
        return RelevantPairs(*pair)
    called = [names[at] for at in others]
    user, item = (normal_name(names[at]) for at in pair)
    if user not in USERS or not {user, item}.isdisjoint(map(normal_name, called)):
        return None
    if any(map(_may_be_value, called)) or find_misspelt(called, ["grade"]):
        return None
    cells = cells_of(others)
    if any(map(find_denial, cells.values())):
        return None
    return RelevantPairs(*pair, _describe_ignored(called, [cells.get(at, ()) for at in others], columns))


def _may_be_value(name: str) -> bool:
    """Is it called as a column of grades, scores, ranks or clicks?"""
    return normal_name(name) in (*GRADES, *SCORES, *RANKS, *CLICKS) or GRADED.fullmatch(normal_name(name)) is not None


def _describe_ignored(names: Sequence[str], cells: Sequence[Collection[Any]], columns: Columns) -> str:
    """Which columns do not count, and how one of numbers or of a few words would."""
    known = dict(zip(names, cells, strict=True)) if cells else {}
    numeric = [name for name in known if are_numbers(known[name]) and not normal_name(name).endswith("id")]
    words = [name for name in known if 1 < len(known[name]) <= MOST_CELLS and all(map(is_word, known[name]))]
    said = f"; {list_some(names, 5)} {'do' if names[1:] else 'does'} not count"
    if numeric:
        given = {"grade": numeric[0]}
        said += f"; to grade by {numeric[0]}: {columns.say_remedy(given) or how_to_name(given)}"
    return said + (_describe_recoding(words[0], known[words[0]]) if words else "")


def _describe_recoding(name: str, words: Collection[Any]) -> str:
    """How to grade by a column of words."""
    from shlex import quote

    pairs = [f"{word}=GRADE" for word in sorted({str(word).strip() for word in words})]
    if len(pairs) > MOST_WORDS or any(set(",=:") & set(pair.removesuffix("=GRADE")) for pair in pairs):
        return f"; to grade by {name}: write numbers for its words"
    return f"; to grade by {name}: --columns grade={quote(name)} --recode {quote(','.join(pairs))}"


def find_ordered_pairs(names: Sequence[str], columns: Columns, rows: RowsOfTable) -> tuple[int, int] | None:
    """The columns of topics and documents of a run without scores and ranks: its rows are then in rank order. None for
    other tables, as where another column holds numbers alone, which may be scores, or grades among other words, which
    are of judgments."""
    if columns.of_values("run") is not None or (pair := find_pair(names, columns)) is None:
        return None
    others = _others(names, pair)
    if any(normal_name(names[at]) in (*SCORES, *RANKS, *CLICKS) for at in others):
        return None
    others = [at for at in others if normal_name(names[at]) not in RUNS and names[at] != columns.run]
    graded = {at for at in others if normal_name(names[at]) in GRADES}
    return pair if _are_in_order(rows(), pair, others, graded) else None


def _are_in_order(
    rows: Iterable[Sequence[Any]], pair: tuple[int, int], others: Sequence[int], graded: Collection[int]
) -> bool:
    """Has each of the ``others`` a cell that is no number, and the ``graded`` ones among these no other cells, and do
    rows name a document each, rather than a list?"""
    numeric = dict.fromkeys(others, False)
    topics: set[str] = set()
    lists = repeated = False
    for row in rows:
        if len(row) <= max(*pair, *others):
            continue  # who reads it says what is wrong
        topic, document = (str(row[at]) for at in pair)
        repeated = repeated or topic in topics
        topics.add(topic)
        lists = lists or any(sign in document.strip() for sign in (*SIGNS, "\n"))
        for at in [*numeric]:
            cell = row[at]
            if isinstance(cell, list | dict) or (isinstance(cell, str) and cell.strip() and not is_number(cell)):
                if at not in graded:
                    del numeric[at]
            elif cell is not None and cell != "":
                numeric[at] = True
        if repeated and not numeric:
            break
    return not any(numeric.values()) and (repeated or not lists)


def _others(names: Sequence[str], pair: tuple[int, int]) -> list[int]:
    """The other columns, without the index that pandas writes first, without a name, and what the topics join."""
    index = 1 if names and NAMELESS.fullmatch(str(names[0])) else 0
    return [at for at in range(index, len(names)) if at not in {*pair, *find_joined(names)}]


def describe_pairs(ignored: str) -> str:
    """That each row of a table is relevant, and what is said of other columns; stands behind the names of its
    columns."""
    return f"; no grades: each row is relevant, grade 1{ignored}"


def are_known(names: Sequence[str], kind: InputKind, columns: Columns) -> bool:
    """Are these names of columns, among them those needed?"""
    if find_relevant_pairs(names, kind, columns) is not None:
        return True
    try:
        choose_columns(names, kind, columns, "")
    except InputError:
        return False
    return True
