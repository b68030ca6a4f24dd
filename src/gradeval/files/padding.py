"""Document -1 in runs and at ends of lists, which recommenders and indexes put where they find no other item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

from gradeval.files.arrow_columns import decoded, is_text
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

PADDING = "-1"
FILLERS = (0, "0", "[PAD]")
"""What fills lists to the length of others in RecBole and other recommenders: item 0, called [PAD]."""
FILLED = "if it fills lists to the length of others, as item 0 of RecBole, leave it out"
"""What to do about such a document that a list repeats."""


def without_padding(table: pyarrow.Table, doc: str, place: str) -> tuple[pyarrow.Table, str]:
    """The table without such rows, of which a warning says how many there are, and what messages that number rows call
    it; ``doc``: the column of the documents."""
    import pyarrow
    from pyarrow import compute

    if table.column_names.count(doc) != 1:
        return table, place  # who reads it says what is wrong
    column = decoded(table.column(doc))
    if not (is_text(column) or pyarrow.types.is_signed_integer(column.type)):
        return table, place
    padding = compute.fill_null(compute.equal(column, PADDING if is_text(column) else int(PADDING)), fill_value=False)
    number = int(compute.sum(padding).as_py() or 0)
    if not 0 < number < len(table):
        return table, place
    say_padding(number, place)
    return table.filter(compute.invert(padding)), f"{place}, rows without document {PADDING}"


def find_end_of_list(items: Sequence[Any], fills: Callable[[Any], bool]) -> int:
    """How many items of a list stand before those that fill it at its end to the length of others."""
    end = len(items)
    while end and fills(items[end - 1]):
        end -= 1
    return end


def without_fillers(lists: Mapping[Any, Any]) -> tuple[dict[Any, Any], int]:
    """The lists without item 0 at their ends, and how many of these items were left out. Lists stay as they are where
    none ends in two items 0, or where one has item 0 before its end, as it is an item there."""
    kept = dict(lists)
    for filler in FILLERS:
        fills = partial(_is_filler, filler=filler)
        several = {name: one for name, one in lists.items() if isinstance(one, list | tuple)}
        cut = {name: one[: find_end_of_list(one, fills)] for name, one in several.items()}
        left_out = [len(one) - len(cut[name]) for name, one in several.items()]
        if max(left_out, default=0) > 1 and not any(fills(item) for one in cut.values() for item in one):
            return kept | cut, sum(left_out)
    return kept, 0


def _is_filler(item: Any, filler: int | str) -> bool:
    of_type = isinstance(item, str) if isinstance(filler, str) else isinstance(item, Integral)
    return of_type and item == filler


def say_fillers(number: int, place: str) -> None:
    """Say how many such items are left out, if any."""
    if number:
        warn(
            f"{place}: ends of lists hold {number} items 0 or [PAD], which fill them as in RecBole, and are left out",
            FilesWarning,
        )


def say_ends_of_lists(number: int, place: str, missing: str = "null, NaN, -1") -> None:
    """Say how many ids are left out at the ends of lists, if any; ``missing``: how they may be written."""
    if number:
        ids, are = ("id", "is") if number == 1 else ("ids", "are")
        warn(f"{place}: ends of lists hold {number} missing {ids} ({missing}), which {are} left out", FilesWarning)


def say_padding(number: int, place: str) -> None:
    """Say how many rows are left out."""
    rows, are = ("row", "is") if number == 1 else ("rows", "are")
    warn(f"{place}: {number} {rows} with document {PADDING}, which stands for no item, {are} left out", FilesWarning)
