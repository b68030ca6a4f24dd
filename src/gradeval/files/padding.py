"""Document -1 in runs and in lists, which recommenders and indexes put where they find no other item, and masks put
over items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

from gradeval.collection.missing_grades import is_missing
from gradeval.files.arrow_columns import decoded, is_text
from gradeval.messages import plural
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

T = TypeVar("T")

PADDING = "-1"
SHOWN = 3
"""Lists that a message names which have such an item before others."""
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


@dataclass
class MissingIds:
    """The ids of lists that are left out as they stand for no item: how many there are, how many of them stand before
    other items, and where the first ones are."""

    number: int = 0
    before: int = 0
    places: list[str] = field(default_factory=list)

    def leave_out(self, items: Sequence[T], where: str, id_of: Callable[[T], Any]) -> list[T]:
        """A list without -1, and without missing ids at its end."""
        ids = [*map(id_of, items)]
        end = find_end_of_list(ids, lambda one: is_padding(one) or (not isinstance(one, str) and is_missing(one)))
        self.number += len(ids) - end
        if int(PADDING) not in ids and PADDING not in ids:
            return [*items[:end]]
        left_out = {at for at, one in enumerate(ids[:end]) if is_padding(one)}
        self.number += len(left_out)
        self.before += len(left_out)
        if left_out and len(self.places) < SHOWN:
            self.places.append(f"{where}, item {min(left_out) + 1}")
        return [one for at, one in enumerate(items[:end]) if at not in left_out]

    def say(self, place: str, missing: str = "null, NaN, -1") -> None:
        """Say how many are left out, if any; ``missing``: how they may be written."""
        if self.number:
            are = "is" if self.number == 1 else "are"
            ends, before = "ends of ", ""
            if self.before:
                first = "; ".join(one.removeprefix(f"{place}: ") for one in self.places)
                ends, before = "", f"; {self.before} of them before other items, as in {first}"
            ids = f"{plural(self.number, 'missing id')} ({missing})"
            warn(f"{place}: {ends}lists hold {ids}, which {are} left out{before}", FilesWarning)


def is_padding(item: object) -> bool:
    """Is it the -1 that libraries of recommenders and of nearest neighbours write for no item?"""
    return item == PADDING if isinstance(item, str) else isinstance(item, Integral) and item == int(PADDING)


def without_padding_of_topics(table: Mapping[Any, Any], place: str) -> Mapping[Any, Any]:
    """``{topic: {document: score}}`` of a run without document -1, of which a warning says how often it stands there;
    a run of nothing else keeps it."""
    mapped = {topic: one for topic, one in table.items() if isinstance(one, dict)}
    hold = [topic for topic, one in mapped.items() if PADDING in one or int(PADDING) in one]
    kept = {topic: {doc: score for doc, score in mapped[topic].items() if not is_padding(doc)} for topic in hold}
    if not hold or not any((mapped | kept).values()):
        return table
    say_padding(sum(len(mapped[topic]) - len(kept[topic]) for topic in hold), place, "score")
    return {**table, **kept}


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


def say_padding(number: int, place: str, what: str = "row") -> None:
    """Say how many rows are left out, if any."""
    if number:
        are = "is" if number == 1 else "are"
        said = f"{plural(number, what)} with document {PADDING}, which stands for no item, {are} left out"
        warn(f"{place}: {said}", FilesWarning)
