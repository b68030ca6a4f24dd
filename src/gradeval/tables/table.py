"""A result as a table, and the methods that every result has for it: show, convert, save."""

from __future__ import annotations

import io
import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self

from gradeval.atomic_files import whole_file
from gradeval.messages import capitalised, visible
from gradeval.tables.arrow import Framed, to_arrow
from gradeval.tables.format import FORMATS, Format, choose_format
from gradeval.tables.grid import Column, Grid, as_label
from gradeval.tables.records import Records, Value, values_of
from gradeval.tables.text import text

if TYPE_CHECKING:
    import pyarrow

PRINTED = 60
"""Rows that ``print`` shows of a grid; files hold them all."""
SHOWN = 200
"""Rows that a notebook shows."""


class Tabular(Framed):
    """A result that has a table, from which it is shown, converted and saved.

    ``to_markdown``, ``to_latex`` and ``save`` take the options of ``table``, such as ``digits``, and ``caption`` and
    ``label``, which stand in LaTeX, Markdown and HTML (see ``Table.renamed``).
    """

    _names_tables: ClassVar[bool] = False
    """Does ``table`` itself take caption and label?"""

    @abstractmethod
    def table(self, *args: Any, **options: Any) -> Table:
        """The result as a table."""

    def __str__(self) -> str:
        table = self.table()
        grids = [grid.shortened(PRINTED) for grid in table.grids]
        return "".join([*text(grids), *(f"{visible(note)}\n" for note in table.notes)]).removesuffix("\n")

    def __repr__(self) -> str:
        sizes = [f"{len(getattr(self, axis))} {axis}" for axis in ("runs", "measures") if hasattr(self, axis)]
        return f"{type(self).__name__}({', '.join(sizes)})"

    def _repr_html_(self) -> str:
        from gradeval.tables.markup import html

        table = self.table()
        return "".join(html([grid.shortened(SHOWN) for grid in table.grids], table.notes))

    def to_frame(self) -> pyarrow.Table:
        """The exact values as an Arrow table, one record a row; ``polars.from_arrow`` takes it."""
        return to_arrow(self.table().records)

    def to_dict(self) -> dict[str, Any]:
        """The exact values of each field of the records: ``{field: [values]}``."""
        return {name: values_of(field) for name, field in self.table().records.fields.items()}

    def to_markdown(self, **options: Any) -> str:
        """The table in GitHub's Markdown."""
        return self._written("markdown", **options)

    def to_latex(self, **options: Any) -> str:
        """The table as a LaTeX tabular with the rules of booktabs."""
        return self._written("latex", **options)

    def save(self, path: str | PathLike[str], *, format: str | None = None, **options: Any) -> None:
        """Write the table to a file, whole or not at all; ``-`` is standard output.

        The ending of the file's name says the format, or ``format`` does: "table" (.txt), "markdown" (.md), "latex"
        (.tex) for people; "html" is a page with the chart of the result, too, as the commands write it, and needs the
        extra ``charts``; "tsv", "csv", "jsonl", "parquet" hold the exact values, one a line.
        """
        chosen = choose_format(os.fspath(path), format)
        with whole_file(path) as file:
            self.write(file, chosen.name, place=os.fspath(path), **options)

    def write(self, file: IO[bytes], format: str, *, place: str = "", **options: Any) -> None:
        """Write the table to an open binary file; formats for people are styled where it is a terminal.

        ``place``: its name, with which labels of LaTeX end, unless ``label`` names one: two files differ in them.
        """
        chosen = FORMATS[format]
        names = () if self._names_tables else ("caption", "label")
        named = {name: options.pop(name) for name in names if name in options}
        table = self._table_for(chosen, **options).renamed(**named)
        if chosen.name == "latex" and place not in ("", "-") and (options | named).get("label") is None:
            table = table.labelled_by(place)
        chosen.write(self, table, file)

    def _written(self, format: str, **options: Any) -> str:
        file = io.BytesIO()
        self.write(file, format, **options)
        return file.getvalue().decode()

    def _table_for(self, _: Format, /, **options: Any) -> Table:
        """The table that is written in a format."""
        return self.table(**options)


@dataclass(frozen=True, eq=False, repr=False)
class Table(Tabular):
    """A result as grids for people and as records for programs.

    Attributes
    ----------
    grids : one or several tables of rounded numbers and marks.
    records : the exact values.
    notes : sentences that print and notebooks show below the grids.
    """

    grids: Sequence[Grid]
    records: Records
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, columns: Sequence[Column], rows: Sequence[Sequence[Value]], fields: Sequence[str]) -> Self:
        """One grid whose cells are its records; ``fields``: what the records call the columns."""
        return cls([Grid(columns, rows)], Records.of(fields, rows))

    def table(self) -> Self:
        """This table."""
        return self

    def titled(self, title: str) -> Table:
        """The same table under another title."""
        return replace(self, grids=[replace(grid, title=title) for grid in self.grids])

    def renamed(self, caption: str | None = None, label: str | None = None) -> Table:
        """The same table with another caption and another label; None leaves each, and an empty one takes it away.

        Of several grids each has the caption behind its title, and its title behind the label. What the marks of a grid
        mean stays behind its caption.
        """
        if caption is None and label is None:
            return self
        several, grids = len(self.grids) > 1, []
        for grid in self.grids:
            said = f"{grid.title}: {caption}" if several and caption and grid.title else caption
            called = f"{label}-{grid.title}" if several and label and grid.title else label
            named = grid if said is None else grid.captioned(said)
            grids.append(named if called is None else replace(named, label=called))
        return replace(self, grids=grids)

    def labelled_by(self, place: str) -> Table:
        """The same table, whose labels end with the name of a file."""
        stem = os.path.splitext(os.path.basename(place))[0]
        return replace(
            self, grids=[replace(grid, label=f"{grid.label}-{stem}") if grid.label else grid for grid in self.grids]
        )

    def captioned(self, about: str, name: str, measures: Sequence[str] = ()) -> Table:
        """The same table, with captions and labels where a grid has none.

        ``about``: what is shown and how it was computed, a sentence without a full stop, in our own words where it
        begins; ``name``: how labels begin; ``measures``: which stand in labels, so that labels of two tables differ,
        unless the title of the grid is one of them.
        """
        grids = []
        for grid in self.grids:
            by = "" if grid.title in measures else " ".join(measures)
            label = as_label(name, grid.title, by) if grid.label is None else grid.label
            said = f"{grid.title}: {about}" if grid.title else capitalised(about)
            named = grid.described(said) if grid.caption is None else grid
            grids.append(replace(named, label=label, legend=grid.legend or named.legend))
        return replace(self, grids=grids)

    def above(self, below: Table, title: str = "measures") -> Table:
        """Both tables in one: the grids below each other, the records of ``below`` at the end.

        ``title``: of the grids of this table that have none.
        """
        titled = [replace(grid, title=grid.title or title) for grid in self.grids]
        return Table([*titled, *below.grids], self.records.then(below.records), [*self.notes, *below.notes])


class Overviewed(Framed):
    """Something with a name and a record for every document: frames hold them all, and a small table says how many."""

    name: str

    @abstractmethod
    def _sizes(self) -> list[tuple[str, int | str]]:
        """What the overview says, line by line."""

    def table(self) -> Table:
        """How much it holds, as a table."""
        rows = [[name, f"{value:,}" if isinstance(value, int) else value] for name, value in self._sizes()]
        return Table.of([Column(self.name, "name"), Column("", "text")], rows, ["of", "value"])

    def to_markdown(self) -> str:
        """The overview in GitHub's Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """The overview as a LaTeX tabular with the rules of booktabs."""
        return self.table().to_latex()

    def _repr_html_(self) -> str:
        from gradeval.tables.markup import facts

        return facts(self.name, self._sizes())
