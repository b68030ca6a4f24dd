"""Columns that are joined to one: a query in a segment is ``query+segment``, and its topic ``laptop+de``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.named_columns import JOIN, parts_of
from gradeval.files.nested_records import Located, LocatedRecords
from gradeval.files.plain_text import EDGES, read_id
from gradeval.files.separated_rows import Row, TextRows
from gradeval.messages import shown

if TYPE_CHECKING:
    import pyarrow


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


@dataclass(frozen=True)
class JoinedRows(TextRows):
    """The rows of a text with one more cell, which joins others of the row; ``head`` is the line of the header, above
    which rows stay as they are; ``joined`` and ``name``: which cells, and what the header then calls the column."""

    head: int = 0
    joined: tuple[int, ...] = ()
    name: str = ""

    def __iter__(self) -> Iterator[Row]:
        for line, row in super().__iter__():
            if line < self.head or len(row) <= max(self.joined):  # who reads it says what is wrong
                yield line, row
            elif line == self.head:
                yield line, [*row, self.name]
            else:
                cells = [row[at].strip(EDGES) for at in self.joined]
                yield line, [*row, join_cells(cells, self.name, f"{self.place}:{line}")]


def join_rows(rows: TextRows, head: int, names: Sequence[str], name: str | None) -> TextRows:
    """The rows with the column that ``name`` joins, if it joins some; ``head``: the line of the header; 0: there is
    none in this part of a file."""
    if not (parts := parts_of(name, names)):
        return rows
    own = {one.name: getattr(rows, one.name) for one in fields(TextRows)}
    return JoinedRows(**own, head=head, joined=tuple(parts), name=str(name))


def join_records(records: LocatedRecords, name: str | None) -> LocatedRecords:
    """The records with the field that ``name`` joins, where they have the fields."""
    if name is None or JOIN not in name:
        return records

    def joined() -> Iterator[Located]:
        for where, record in records():
            if isinstance(record, dict) and (parts := parts_of(name, [*record])):
                items = [*record.items()]
                cells = [
                    "" if items[at][1] in (None, "") else read_id(items[at][1], items[at][0], where) for at in parts
                ]
                record = {**record, name: join_cells(cells, name, where)}
            yield where, record

    return joined


def join_table(table: pyarrow.Table, name: str | None, place: str) -> pyarrow.Table:
    """The table with the column that ``name`` joins, if it joins some."""
    if not (parts := parts_of(name, table.column_names)):
        return table
    import pyarrow

    from gradeval.files.arrow_columns import read_ids  # here, as text needs none

    columns = [read_ids(table.column(at), table.column_names[at], place) for at in parts]
    ids = [
        join_cells(cells, str(name), f"{place}: row {row}") or None
        for row, cells in enumerate(zip(*columns, strict=True))
    ]
    return table.append_column(str(name), pyarrow.array(ids, pyarrow.large_string()))
