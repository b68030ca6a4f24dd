"""Which column of a table may say that a row is not relevant: 0, false, a word as dislike."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from gradeval.files.column_names import HIGHEST_GRADE
from gradeval.files.header_rows import is_number

MOST_CELLS = 30
"""Different cells up to which a column may say so."""
DENIAL = re.compile(
    r"no?|false|negative|bad|hate[ds]?|irrelevant|(not|non)[-_ ].*|(thumbs?[-_ ]?)?down([-_ ]?vote\w*)?|"
    r"(dislike|unlike|unfav|unsubscribe|unfollow|uninterest|skip|hid|remov|return|refund|cancel|impression|block|reject|"
    r"abandon|bounce|ignore)\w*"
)
"""Words that say that a user did not want an item, in lower case."""


class Denying(NamedTuple):
    """A column that may say that a row is not relevant, and the cell that does."""

    column: str
    cell: str


RowsOfCells: TypeAlias = Callable[[], Iterable[Sequence[Any]]]
"""The rows of a table."""
CellsOfColumns: TypeAlias = Callable[[Sequence[int]], Mapping[int, Collection[Any]]]
"""The different cells of some columns; of a column with more than MOST_CELLS some of them."""


def no_cells(_: Sequence[int]) -> Mapping[int, Collection[Any]]:
    """What is known where names alone are."""
    return {}


def find_denial(cells: Collection[Any]) -> str:
    """The first cell of a column, in their order, that may say that a row is not relevant: 0 or less among few whole
    numbers, false, a word like dislike; empty: there is none."""
    if len(cells) > MOST_CELLS:
        return ""
    if not are_numbers(cells):
        return min((str(cell) for cell in cells if DENIAL.fullmatch(str(cell).strip().lower())), default="")
    numbers = [(float(str(cell).replace(",", ".")), str(cell)) for cell in cells]
    whole = all(number.is_integer() for number, _ in numbers)
    lowest, cell = min(numbers)
    return cell if whole and lowest <= 0 else ""


def find_denying(names: Sequence[str], columns: Sequence[int], rows: RowsOfCells) -> Denying | None:
    """The first of some columns that may say that a row is not relevant, and the cell that does; None: none may."""
    cells = find_cells(rows, columns) if columns else {}
    denials = (Denying(names[at], find_denial(cells[at])) for at in columns)
    return next((one for one in denials if one.cell), None)


def are_numbers(cells: Collection[Any]) -> bool:
    """Are there cells, and are all of them numbers?"""
    return bool(cells) and all(not isinstance(cell, bool) and is_number(str(cell)) for cell in cells)


def are_grades(cells: Collection[Any]) -> bool:
    """Are there cells, and are all of them whole numbers that grades may be?"""
    return are_numbers(cells) and all(float(str(cell).replace(",", ".")) in range(HIGHEST_GRADE + 1) for cell in cells)


def is_word(cell: Any) -> bool:
    """Is it text without a digit, which times have?"""
    return isinstance(cell, str) and not any(map(str.isdigit, cell))


def cells_of_rows(rows: RowsOfCells) -> CellsOfColumns:
    """The cells of a table that is read row by row."""
    return partial(find_cells, rows)


def find_cells(rows: RowsOfCells, columns: Sequence[int]) -> Mapping[int, Collection[Any]]:
    """The different cells of some columns that are neither empty nor lists, by column."""
    cells: dict[int, set[Any]] = {at: set() for at in columns}
    few = list(columns)
    for row in rows():
        for at in few if len(row) > max(columns) else ():
            cell = row[at]
            if cell is not None and cell != "" and not isinstance(cell, list | dict):
                cells[at].add(cell)
        few = [at for at in few if len(cells[at]) <= MOST_CELLS]
        if not few:
            break
    return cells
