"""What separates the ids in the cells of a column of lists, by the whole column: ids may hold blanks and signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import InputKind, normal_name
from gradeval.files.list_names import OF_DOCUMENTS
from gradeval.files.plain_text import quote
from gradeval.files.record_names import OF_IDS
from gradeval.tables.text import shorten

STRONGEST_FIRST = "\n;|,"
"""Signs that may separate ids; one that ids seldom hold stands before others."""
SINGULAR: dict[InputKind, str] = {"qrels": "relevant_doc_id", "run": "retrieved_doc_id"}
"""The name of a column with one id a cell."""
LETTERS = 40
"""Letters of a cell that a message shows."""


class Separation(NamedTuple):
    """What separates the ids of cells.

    Attributes
    ----------
    sign : the sign; None: blanks.
    whole : is each cell one id?
    doubt : a cell that may be one id with blanks or commas, or several; empty: none.
    """

    sign: str | None = None
    whole: bool = False
    doubt: str = ""

    def ids_of(self, cell: str) -> list[str]:
        """The ids of a cell, in order."""
        parts = [cell] if self.whole else cell.split(self.sign)
        return [part for one in parts if (part := one.strip())]

    @property
    def said(self) -> str:
        """How notes call it."""
        if self.whole:
            return ", one a cell"
        return " between blanks" if self.sign is None else f" between {quote(self.sign)}"


def find_separation(cells: Iterable[str], name: str) -> Separation:
    """What separates the ids in cells of a column of this name: the strongest sign, unless it is within ids; else
    blanks, unless one id with blanks a cell is as likely."""
    held = [cell.strip() for cell in cells if cell.strip()]
    blanks = any(len(cell.split()) > 1 for cell in held)
    unlike = [cell for cell in held if len(cell.split()) > 1 and _begins_with_words(cell.split())]
    apart = sum(len(cell.split()) > 1 for cell in held)
    doubt = unlike[0] if unlike and 2 * len(unlike) >= apart else ""
    for place, sign in enumerate(STRONGEST_FIRST):
        if not any(sign in cell for cell in held) or _is_within(sign, held, STRONGEST_FIRST[place + 1 :]):
            continue
        if sign != "," or not blanks or _do_commas_separate(held, within_words=not doubt):
            return Separation(sign)
        doubt = doubt or next((cell for cell in held if ", " in cell), "")
    if not blanks:
        return Separation()
    if _is_of_one(name) and not all(any(map(str.isdigit, word)) for cell in held for word in cell.split()):
        return Separation(whole=True)
    return Separation(doubt=doubt)


def refuse_doubt(separation: Separation, name: str, kind: InputKind, place: str) -> None:
    """Refuse cells that may be one id each, or several ids between blanks."""
    if not separation.doubt:
        return
    one = name[:-1] if name.endswith("s") and _is_of_one(name[:-1]) else SINGULAR[kind]
    raise InputError(
        f"{place}: {quote(name)} may hold one id a cell or several, as {quote(shorten(separation.doubt, LETTERS))}; "
        f"if it is one, call the column {one}; if blanks separate ids, read lists:{place}; "
        'else write lists of JSON, as ["d1", "d2"]'
    )


def _is_of_one(name: str) -> bool:
    """Is a column called as one document is, or its id?"""
    last = normal_name(name).rpartition("_")[2]
    return not last.endswith("s") and last in OF_IDS | OF_DOCUMENTS


def _is_within(sign: str, cells: Sequence[str], weaker: str) -> bool:
    """Does each part between weaker signs, or blanks, hold this one inside, where such parts are in some cell?"""
    for other in (*weaker, None):
        parts = [[part for one in cell.split(other) if (part := one.strip())] for cell in cells]
        if any(len(of_cell) > 1 for of_cell in parts) and all(
            sign in part[1:-1] for of_cell in parts for part in of_cell
        ):
            return True
    return False


def _do_commas_separate(cells: Sequence[str], *, within_words: bool) -> bool:
    """Do commas separate ids, rather than belong to them, in cells that also hold blanks; ``within_words``: does one
    without a blank behind it belong to its word?"""
    if within_words and any("," in word[:-1] for cell in cells for word in cell.split()):
        return False
    parts = [cell.split(",") for cell in cells]
    several = [of_cell for of_cell in parts if len(of_cell) > 1]
    unlike = sum(_begins_with_words(of_cell) for of_cell in several)
    alike = {len(of_cell) for of_cell in parts} == {2} and 2 * len({first for first, _ in parts}) <= len(parts)
    return 2 * unlike < len(several) and not alike


def _begins_with_words(parts: Sequence[str]) -> bool:
    """Is the first part words of letters, and the last one not, as in the parts of one id?"""
    first, last = (all(word.strip(",").isalpha() for word in part.split()) for part in (parts[0], parts[-1]))
    return first and not last
