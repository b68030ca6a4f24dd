"""Tables of several slices as one: columns in front say which slice a row is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Coded, Field, Records, values_of
from gradeval.tables.table import Table


@dataclass(frozen=True, eq=False)
class SliceTable:
    """The table of a slice.

    Attributes
    ----------
    name : what titles call the slice.
    labels : by the name of each column what stands in front of each row.
    topics : how many topics the slice has.
    table : the table of these topics alone.
    counts : over how many of these topics each mean is, by the names of run and measure; empty: over all of them.
    """

    name: str
    labels: Mapping[str, str]
    topics: int
    table: Table
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def counts_of(self, runs: Sequence[object], measures: Sequence[object]) -> list[int]:
        """The different numbers of topics of means of these runs by these measures, ascending; of all means where no
        run or no measure is known."""
        known = [name for name in dict.fromkeys(run for run, _ in self.counts) if name in runs]
        named = [name for name in dict.fromkeys(measure for _, measure in self.counts) if name in measures]
        numbers = {
            number
            for (run, measure), number in self.counts.items()
            if run in (known or [run]) and measure in (named or [measure])
        }
        return sorted(numbers) or [self.topics]


def join_tables(parts: Sequence[SliceTable], unit: str) -> Table:
    """The tables of several slices as one: grids with the same columns become one, others stand below each other.

    ``unit``: the title of the column with the number of topics, and of its field, unless there is one.
    """
    shown = _show_once(parts)
    heads = [[grid.columns for grid in part.table.grids] for part in shown]
    if all(head == heads[0] for head in heads):
        grids = [
            _stack([_label_rows(part.table.grids[place], part, unit) for part in shown])
            for place in range(len(heads[0]))
        ]
    else:
        grids = [
            _within(f"{part.name} ({_write_range(part.counts_of([], []))} {unit})", grid)
            for part in shown
            for grid in part.table.grids
        ]
    records = reduce(
        Records.then, (label_records(part.table.records, part.labels, _count_topics(part), unit) for part in parts)
    )
    return Table(grids, records)


def _show_once(parts: Sequence[SliceTable]) -> list[SliceTable]:
    """The tables of all topics and of slices; a slice that has all topics gives the first table its label instead."""
    whole, *slices = parts
    alike = [one for one in slices if one.topics == whole.topics]
    labels = {name: label for one in alike for name, label in one.labels.items() if label != whole.labels[name]}
    return [replace(whole, labels={**whole.labels, **labels}), *(one for one in slices if one not in alike)]


def _within(slice: str, grid: Grid) -> Grid:
    """A grid whose title and caption say of which slice it is; a caption that is left out stays so."""
    caption = f"{slice}: {grid.caption}" if grid.caption else grid.caption
    return replace(grid, title=": ".join(filter(None, [slice, grid.title])), caption=caption)


def _count_topics(part: SliceTable) -> list[int]:
    """Over how many topics the value of each record is; where that depends, the most."""
    fields, rows = part.table.records.fields, len(part.table.records)
    runs, measures = (values_of(fields[name]) if name in fields else [None] * rows for name in ("run", "measure"))
    both = [*zip(runs, map(str, measures), strict=True)]
    most = {(run, measure): part.counts_of([run], [measure])[-1] for run, measure in dict.fromkeys(both)}
    return [most[names] for names in both]


def label_records(records: Records, labels: Mapping[str, str], topics: int | Sequence[int], unit: str) -> Records:
    """The records with the labels in front, and the number of topics where they do not have it."""
    rows = len(records)
    fields: dict[str, Field] = {
        column: Coded([label], np.zeros(rows, np.intp)) for column, label in name_fields(labels, records).items()
    }
    fields |= records.fields
    if unit not in fields:
        fields[unit] = np.full(rows, topics) if isinstance(topics, int) else np.array(topics, int)
    return Records(fields, records.metadata)


def name_fields(labels: Mapping[str, str], records: Records) -> dict[str, str]:
    """The labels by the names of their fields, which are the columns, unless a field of the records has the name."""
    return {f"slice {column}" if column in records.fields else column: label for column, label in labels.items()}


def name_labels(fields: Sequence[str]) -> Sequence[str]:
    """The fields of labels in scores by slice: they are in front, and the number of topics behind."""
    first = fields.index("run") if "run" in fields and not {"topics", "tasks"}.isdisjoint(fields) else 0
    return fields[:first]


def _label_rows(grid: Grid, part: SliceTable, unit: str) -> Grid:
    """The grid with the labels in front of each row, and the number of topics behind the names of the row."""
    counts = unit not in [column.title for column in grid.columns]
    names, width = grid.names, len(part.labels)
    columns = [*(Column(column, "name") for column in part.labels), *grid.columns[:names]]
    columns += [*([Column(unit, spec="d")] if counts else []), *grid.columns[names:]]
    about = [grid.title, *(column.title for column in grid.columns[names:])]
    numbers = [_write_range(part.counts_of(row[:names], [*about, *row[:names]])) for row in grid.rows]
    rows: list[list[Cell]] = [
        [*part.labels.values(), *row[:names], *([number] if counts else []), *row[names:]]
        for row, number in zip(grid.rows, numbers, strict=True)
    ]
    return replace(
        grid,
        columns=columns,
        rows=rows,
        best=frozenset((row, column + width + (counts if column >= names else 0)) for row, column in grid.best),
    )


def _write_range(numbers: Sequence[int]) -> Cell:
    """A number, or the least and the most of several."""
    return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _stack(grids: Sequence[Grid]) -> Grid:
    """Grids of the same columns as one, their rows below each other."""
    rows: list[Sequence[Cell]] = []
    best: set[tuple[int, int]] = set()
    for grid in grids:
        best |= {(len(rows) + row, column) for row, column in grid.best}
        rows += grid.rows
    caption = grids[0].caption
    if caption and len(grids) > 1:
        caption = f"{caption} Rows of slices: the same of each slice alone."
    return replace(grids[0], rows=rows, best=frozenset(best), ruled=None, caption=caption)
