"""Scores as a table with means over all topics and over slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradeval.scores.score_table import ALL
from gradeval.scores.slices import Slice, Slices
from gradeval.tables.grid import Cell, Column
from gradeval.tables.joined_slices import SliceTable, join_tables, name_fields
from gradeval.tables.records import Coded, Field, Records
from gradeval.tables.table import Table


def labels_in(column: str, label: str, columns: Sequence[str]) -> dict[str, str]:
    """What a row of a slice has in each column of labels: its label in its own column, "all" in others."""
    return {other: label if other == column else ALL for other in columns}


def join_slices(
    slices: Slices,
    unit: str,
    whole: tuple[Sequence[str], Table],
    parts: Sequence[tuple[Slice, Table]],
    by_topic: Table | None,
    count: Callable[[Sequence[str]], Mapping[tuple[str, str], int]],
) -> Table:
    """One table of the means over all topics and over each slice.

    ``whole``: all topics and their table. ``by_topic``: a table with rows of single topics, which come above, each with
    its labels; None: they are not asked for. ``count``: over how many of some topics each mean is.
    """
    topics, of_all = whole
    tables = [SliceTable(ALL, dict.fromkeys(slices.columns, ALL), len(topics), of_all, count(topics))]
    for one, table in parts:
        labels = labels_in(*one[:2], slices.columns)
        tables.append(SliceTable(str(one), labels, len(one.topics), table, count(one.topics)))
    joined = join_tables(tables, unit)
    return joined if by_topic is None else _put_topics_above(joined, by_topic, slices, unit)


def _put_topics_above(table: Table, by_topic: Table, slices: Slices, unit: str) -> Table:
    """The table of slices below the rows of single topics, which are the first rows of ``by_topic``."""
    [grid], [topics] = table.grids, by_topic.grids
    width, number = len(slices.columns), topics.ruled or 0
    rows: list[list[Cell]] = []
    for run, topic, *values in topics.rows[:number]:
        labels = [slices.of(column, [str(topic)])[0] for column in slices.columns]
        rows.append([*labels, run, topic, None, *values])
    rows += [[*row[: width + 1], ALL, *row[width + 1 :]] for row in grid.rows]
    grid = replace(
        grid,
        columns=[*grid.columns[: width + 1], Column("topic", "name"), *grid.columns[width + 1 :]],
        rows=rows,
        best=frozenset((number + row, column + 1) for row, column in grid.best),
        ruled=number or None,
    )
    records = Records.then(_label_topics(by_topic.records, slices, unit), table.records)
    return replace(table, grids=[grid], records=records)


def _label_topics(records: Records, slices: Slices, unit: str) -> Records:
    """The records of single topics, with the labels of each in front."""
    topic = records.fields["topic"]
    assert isinstance(topic, Coded)  # as score_records has them
    single = np.flatnonzero(topic.codes < len(topic.names) - 1)
    of_topics = Records({name: _take(field, single) for name, field in records.fields.items()}, records.metadata)
    labelled = label_values(of_topics, slices)
    return Records({**labelled.fields, unit: np.ones(len(single), int)}, records.metadata)


def label_values(records: Records, slices: Slices) -> Records:
    """The records of topics with the labels of each in front."""
    topic = records.fields["topic"]
    assert isinstance(topic, Coded)  # as score_records and exact_records have them
    fields: dict[str, Field] = {}
    for name, column in name_fields({column: column for column in slices.columns}, records).items():
        of_topics = slices.of(column, topic.names)
        known = {label: code for code, label in enumerate(dict.fromkeys(of_topics))}
        fields[name] = Coded(list(known), np.array([known[label] for label in of_topics], np.intp)[topic.codes])
    return Records({**fields, **records.fields}, records.metadata)


def _take(field: Field, rows: Any) -> Field:
    """Some rows of a field."""
    if isinstance(field, Coded):
        return Coded(field.names, field.codes[rows])
    return field[rows] if isinstance(field, np.ndarray) else [field[row] for row in rows.tolist()]
