"""Columns that are joined to one: a query in a segment is ``query+segment``, and its topic ``laptop+de``."""

from __future__ import annotations

from collections.abc import Sequence

from gradeval._core import InputError
from gradeval.messages import shown

JOIN = "+"
"""What joins the names of columns, and the cells of a row."""


def parts_of(name: str | None, names: Sequence[str]) -> list[int]:
    """Where the columns stand whose names a name joins; none where a column is called so, or one of them is absent."""
    if name is None or name in names or JOIN not in name:
        return []
    places = {one.strip().casefold(): at for at, one in reversed([*enumerate(names)])}
    exact = {one: at for at, one in reversed([*enumerate(names)])}
    found = [exact.get(part.strip(), places.get(part.strip().casefold())) for part in name.split(JOIN)]
    whole = [at for at in found if at is not None]
    return whole if len(whole) == len(found) == len(set(whole)) else []


def join_cells(cells: Sequence[str], name: str, where: str) -> str:
    """The cells of the columns that ``name`` joins, as one; empty where one is. The join tells them apart: a + may
    stand in the first one only."""
    for column, cell in zip(name.split(JOIN)[1:], cells[1:], strict=True):
        if JOIN in cell:
            raise InputError(
                f"{where}: column {column!r} holds {shown(cell)}, and {JOIN} joins the columns; name this column "
                f"first, or write another sign for {JOIN} there"
            )
    return JOIN.join(cells) if all(cells) else ""
