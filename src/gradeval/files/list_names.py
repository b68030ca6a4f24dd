"""Which column lists the relevant, or retrieved, documents of a query, by its name, among columns of other things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    GRADES,
    QUERIES,
    RANKS,
    SCORES,
    InputKind,
    RowsOfTable,
    find_column,
    normal_name,
)
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.plain_text import SIGNS
from gradeval.files.record_names import LISTS, OF_IDS, OF_RETRIEVED, is_of_judgments, words_of
from gradeval.files.unknown_columns import AS_LISTS, LETTERS, MOST_ROWS
from gradeval.files.written_lists import is_written, lists_in_pandas
from gradeval.tables.text import shorten

OF_DOCUMENTS = frozenset(
    "chunk chunks context contexts doc docs document documents hit hits match matches node nodes passage passages "
    "source sources".split()
)
"""Words in the names of documents, and of lists of them."""
NEGATIVE = frozenset("hard irrelevant negative negatives non nonrelevant not".split())
"""Words in the names of lists of documents that are not relevant."""
WORDS_OF_TEXTS = 3
"""Words beyond which a cell is no list of ids, but a text."""
LITTLE = frozenset("the of and is was a an to in for".split())
"""Words of English that ids seldom are."""
OF_VALUES = {*GRADES, *SCORES, *RANKS} - {*LISTS["qrels"]}
"""The names of numbers, which may be for each document of a list."""


def find_list_column(names: Sequence[str], kind: InputKind, columns: Columns) -> tuple[int, int] | None:
    """The columns of the queries and of the only list of documents, as the user names them, else by their names, among
    three or more; None: there is none, or another column has documents or numbers."""
    names = [name.strip() for name in names]
    if len(names) < 3:
        return None
    query = find_column(names, columns.query, QUERIES)
    if columns.doc in names:
        listed = [names.index(str(columns.doc))]
    else:
        every = [at for at, name in enumerate(names) if is_list_of(name, kind)]
        listed = [at for at in every if words_of(names[at]) & OF_IDS] or every  # texts may stand beside ids
    if query is None or len(listed) != 1 or query == listed[0] or columns.of_values(kind) is not None:
        return None
    others = {normal_name(name) for at, name in enumerate(names) if at not in (query, listed[0])}
    numbers = {name for name in others if name.removesuffix("s") in OF_VALUES}
    documents = others & {*DOCUMENTS} if columns.doc is None else set()
    return None if numbers or documents else (query, listed[0])


def is_list_of(name: str, kind: InputKind) -> bool:
    """Is it called as lists of relevant documents are, or as lists of retrieved ones?"""
    words = words_of(name)
    if words & NEGATIVE or is_of_judgments(name) is not (kind == "qrels"):
        return False
    of_documents = words & (OF_IDS | OF_DOCUMENTS)
    return normal_name(name) in LISTS[kind] or bool(of_documents and (kind == "qrels" or words & OF_RETRIEVED))


def may_be_ids(name: str, cells: Iterable[str]) -> bool:
    """Do cells without signs hold ids between blanks, rather than texts, as the name says, or a digit in each word?"""
    words = [word for cell in cells if len(cell.split()) > 1 for word in cell.split()]
    return bool(words_of(name) & OF_IDS) or all(any(map(str.isdigit, word)) for word in words)


def are_texts(cells: Iterable[str]) -> bool:
    """Are most cells texts of a language, as few words that every text has show, rather than ids between blanks?"""
    words = [cell.lower().split() for cell in cells if cell.strip()]
    texts = [cell for cell in words if len(cell) > WORDS_OF_TEXTS and not LITTLE.isdisjoint(cell)]
    return 2 * len(texts) > len(words)


def describe_texts(query: str, name: str, kind: InputKind, columns: Columns = GUESSED) -> str:
    """What to do about a column of whole texts where ids are needed."""
    other, value = ("run has", "relevance") if kind == "qrels" else ("judgments have", "score")
    said = (
        f"{name!r} holds texts, and documents are told by their ids; write these; if the {other} the very same texts, "
    )
    if columns.in_python:
        return f"{said}{kind}_from_frame(frame[{[query, name]}], query_id={query!r}, doc_id={name!r})"
    return f"{said}call the column doc_id, and add a column {value} of numbers"


def refuse_text_lists(
    names: Sequence[str], kind: InputKind, place: str, rows: RowsOfTable, columns: Columns = GUESSED
) -> None:
    """Refuse a column among others that is called as lists of documents are, and holds text."""
    pair = find_list_column(names, kind, GUESSED)
    cells = [row[pair[1]] for row in islice(rows(), MOST_ROWS) if len(row) == len(names)] if pair is not None else []
    held = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    if pair is None or not held:
        return
    name, frame = names[pair[1]], f"df[{names[pair[1]]!r}]"
    sign = next((sign for sign in SIGNS if any(sign in cell for cell in held)), None)
    written = all(map(is_written, held))
    if not written and not may_be_ids(name, [" ".join(cell.split(sign)) for cell in held]):
        if any(len(cell.split()) > WORDS_OF_TEXTS for cell in held):
            raise InputError(f"{place}: {describe_texts(names[pair[0]], name, kind, columns)}")
        return
    if written:
        split = lists_in_pandas(frame, cells)
    elif sign is not None and all(one.startswith(" ") for cell in held for one in cell.split(sign)[1:]):
        split = f"{frame}.str.split({f'{sign} '!r})"
    else:
        split = f"{frame}.str.split({'' if sign is None else repr(sign)})"
    how = f"write {frame} = {split}" if columns.in_python else AS_LISTS
    what = f"{name!r} holds lists of documents as text, as {shorten(held[0], LETTERS)!r}"
    raise InputError(f"{place}: {what}; {how}")


def find_lists(names: Sequence[str], rows: RowsOfTable) -> list[str]:
    """The columns that hold lists alone, which are no vectors."""
    cells = [row for row in islice(rows(), MOST_ROWS) if len(row) == len(names)]
    return [name for at, name in enumerate(names) if cells and all(_is_list(row[at]) for row in cells)]


def _is_list(cell: Any) -> bool:
    """Is it a list of Python or of NumPy, or written as one, and no vector?"""
    if isinstance(cell, str):
        return is_written(cell)
    return (isinstance(cell, list | tuple) or hasattr(cell, "tolist")) and not any(
        isinstance(one, float) for one in cell
    )
