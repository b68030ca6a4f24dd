"""Do one's own numbers agree with those that a text prints? Both side by side, number by number.

The printed numbers are facts in ``published/``; its README says how they are written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

from gradeval.papers.item import Item, Printed
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records, Value, values_of
from gradeval.tables.table import Table

FOLDER = Path(__file__).parent / "published"
Agreement: TypeAlias = Literal["agrees", "differs", "cannot be told", "not here", ""]
MARKS: Mapping[Agreement, str] = {"agrees": "✓", "differs": "✗", "cannot be told": "?", "not here": "", "": ""}
COUNTED: Mapping[Agreement, str] = {
    "agrees": "agree",
    "differs": "differ",
    "cannot be told": "cannot be told",
    "not here": "have no counterpart here",
    "": "are not compared",
}
SAME = 1e-9
"""Numbers that differ by rounding errors alone are the same."""
NumberKey: TypeAlias = tuple[tuple[str, str], ...]
"""Which number it is: fields and their words."""


@dataclass(frozen=True)
class PrintedNumber:
    """A number of a text, and what stands for it here.

    Attributes
    ----------
    collection : the text's.
    key : which number it is.
    text : as it is printed.
    here : the number of one's own; None where there is none.
    agreement : of the two; nothing where there is nothing to compare.
    """

    collection: str
    key: NumberKey
    text: str
    here: float | None = None
    agreement: Agreement = ""

    @property
    def value(self) -> float:
        """The number."""
        return float(Fraction(self.text))

    @property
    def unit(self) -> float:
        """One in its last place: a text rounds or cuts."""
        return SAME if "/" in self.text else 10.0 ** -len(self.text.partition(".")[2])

    def show_here(self) -> str:
        """One's own number with as many decimals: rounded, or cut where the text has cut the same number."""
        if self.here is None:
            return "-"
        if "/" in self.text:
            return f"{self.here:.4f}"
        cut = math.floor(self.here / self.unit + SAME) * self.unit
        places = len(self.text.partition(".")[2])
        return self.text if f"{cut:.{places}f}" == self.text else f"{self.here:.{places}f}"


@dataclass(frozen=True)
class PublishedComparison:
    """The numbers that a text prints for an item, and one's own.

    Attributes
    ----------
    item : which one.
    numbers : all that the text prints.
    wide : the field whose words are columns of the table, if there is one.
    """

    item: Item
    numbers: list[PrintedNumber]
    wide: str

    @property
    def title(self) -> str:
        """What the table shows, and what its marks mean."""
        where = " / ".join(["here", *dict.fromkeys(one.collection for one in self.numbers)])
        against = self.item.printed.against if self.item.printed and self.item.printed.contrast else ""
        if not against:
            return f"{where}; ✓ the same to the last digit printed, rounded or cut, ✗ not"
        return f"{where}; ✓ {_same_side(against)}, ✗ not, ? equal to {against} here or in the text"

    def table(self) -> Table:
        """A row for each of one's own rows; each cell holds one's own number, then the numbers of the text's
        collections."""
        cells: dict[NumberKey, dict[str, list[PrintedNumber]]] = {}
        for one in self.numbers:
            row = tuple(pair for pair in one.key if pair[0] != self.wide)
            cells.setdefault(row, {}).setdefault(dict(one.key).get(self.wide, "value"), []).append(one)
        names = [name for name, _ in next(iter(cells))]
        columns = list(dict.fromkeys(column for row in cells.values() for column in row))
        rows = [
            [*(word for _, word in row), *(_show(by_column.get(column, [])) for column in columns)]
            for row, by_column in cells.items()
        ]
        return Table([Grid.of_texts([*names, *columns], rows, len(names), self.title)], self._records())

    def _records(self) -> Records:
        names = list(dict.fromkeys(name for one in self.numbers for name, _ in one.key))
        rows: list[list[Value]] = [
            [one.collection, *(dict(one.key).get(name) for name in names), one.value, one.here, one.agreement or None]
            for one in self.numbers
        ]
        return Records.of(["collection", *names, "printed", "here", "agreement"], rows)

    def notes(self) -> Iterator[str]:
        """How many agree, by the text's collections, and on what nothing can be said."""
        for collection in dict.fromkeys(one.collection for one in self.numbers):
            of_it = [one for one in self.numbers if one.collection == collection]
            counts = Counter(one.agreement for one in of_it)
            said = [f"{counts[word]} {words}" for word, words in COUNTED.items() if counts[word]]
            yield f"{self.item}, {len(of_it)} printed numbers of {collection}: {', '.join(said)}"
        if self.item.printed and (against := self.item.printed.against):
            yield f"{self.item}, agree: {_same_side(against)}"
            yield f"{self.item}, cannot be told: equal to {against} here or in the text; not compared: {against} itself"


def compare_with_published(item: Item, records: Records) -> PublishedComparison | None:
    """The printed numbers of an item with the records of one's own; None where the text has none."""
    if item.printed is None:
        return None
    numbers, wide = read_printed(item)
    own = _index(records, [name for name, _ in numbers[0].key])
    known = {(one.collection, one.key): one for one in numbers}
    compared = []
    for one in numbers:
        here = own.get(one.key)
        agreement: Agreement = "not here"
        if here is not None:
            agreement = _digits(one, here) if item.printed.contrast is None else _side(one, item.printed, known, own)
        compared.append(PrintedNumber(one.collection, one.key, one.text, here, agreement))
    return PublishedComparison(item, compared, wide)


def read_printed(item: Item) -> tuple[list[PrintedNumber], str]:
    """All printed numbers of an item, and the field whose words are columns of its file."""
    head, *lines = (
        line.split("\t") for line in (FOLDER / f"{item.text}_{item.name}.tsv").read_text(encoding="utf-8").splitlines()
    )
    keys = [name for name in head[1:] if "=" not in name and name != "value"]
    wide = next((name.partition("=")[0] for name in head if "=" in name), "")
    numbers = []
    for collection, *words in lines:
        key = tuple(zip(keys, words, strict=False))
        for name, text in zip(head[1 + len(keys) :], words[len(keys) :], strict=True):
            if text:
                column = (tuple(name.split("=", 1)),) if wide else ()
                numbers.append(PrintedNumber(collection, (*key, *column), text))
    return numbers, wide


def _index(records: Records, names: list[str]) -> dict[NumberKey, float]:
    """One's own values by their keys."""
    columns = [[_word(name, value) for value in values_of(records.fields[name])] for name in names]
    values = values_of(records.fields["value"])
    return {
        tuple(zip(names, words, strict=True)): float(value)
        for *words, value in zip(*columns, values, strict=True)
        if isinstance(value, int | float)
    }


def _word(name: str, value: Value) -> str:
    """A value as the files of printed numbers write it; measures in columns go by their names alone."""
    if name == "column":
        return str(value).partition("(")[0]
    return "" if value is None else f"{value:g}" if isinstance(value, int | float) else value


def _digits(one: PrintedNumber, here: float) -> Agreement:
    """Are two numbers the same, to the last digit printed?"""
    return "agrees" if abs(one.value - here) < one.unit + SAME else "differs"


def _side(
    one: PrintedNumber,
    printed: Printed,
    known: Mapping[tuple[str, NumberKey], PrintedNumber],
    own: Mapping[NumberKey, float],
) -> Agreement:
    """Is a number on the same side of that with which the text compares it, there and here?"""
    word = dict(one.key)[str(printed.contrast)]
    name = word.partition("(")[0]
    if name == printed.against or not printed.against or dict(one.key).get("column") in printed.trivial:
        return ""
    other = tuple(
        (field, printed.against + text[len(name) :] if field == printed.contrast else text) for field, text in one.key
    )
    if (one.collection, other) not in known or other not in own:
        return "not here"
    theirs = one.value - known[one.collection, other].value
    ours = own[one.key] - own[other]
    if abs(theirs) < SAME or abs(ours) < SAME:
        return "cannot be told"
    return "agrees" if (theirs > 0) == (ours > 0) else "differs"


def _same_side(against: str) -> str:
    """What it is for a number to agree, where the text compares it with another."""
    return f"above {against} both here and in the text, or below it in both"


def _show(numbers: list[PrintedNumber]) -> str:
    """A cell: one's own number, then the printed ones with their marks."""
    if not numbers:
        return ""
    return " / ".join([numbers[0].show_here(), *(f"{one.text}{MARKS[one.agreement]}" for one in numbers)])
