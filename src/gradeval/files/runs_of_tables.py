"""The runs in the rows of tables, by the columns that name runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gradeval._core import Lines
from gradeval.collection.runs import Run
from gradeval.files.arrow_columns import decoded, is_text, read_coded_ids
from gradeval.files.chosen_columns import choose_of_table
from gradeval.files.column_choice import choose_columns
from gradeval.files.frame_columns import columns_of_roles
from gradeval.files.frame_tables import concat_tables, rows_of
from gradeval.files.named_columns import Columns
from gradeval.files.other_columns import look_at_columns
from gradeval.files.padding import without_padding
from gradeval.files.run_columns import drop_ids_of_topics, name_runs
from gradeval.files.run_tables import PartTopics, require_apart
from gradeval.files.stacked_runs import refuse_unnamed_runs
from gradeval.formula.arithmetic import Array

if TYPE_CHECKING:
    import pyarrow


def split_runs(
    tables: Sequence[tuple[str, pyarrow.Table]],
    columns: Columns,
    place: str,
    name: str,
    *,
    repeats: bool = False,
    every: Callable[[], pyarrow.Table] | None = None,
) -> list[Run]:
    """The runs in the rows of some tables, by the columns that name runs; ``every`` gives the only table with all its
    columns, of which an unknown one may name runs."""
    whole = concat_tables(tables)
    names = columns_of_roles(whole.schema, "run", columns)
    below = partial(rows_of, whole, names)
    chosen = choose_columns(names, "run", columns, place, below)
    if every is not None and not chosen.runs:
        roles = [names[at] for at in (*chosen[:3], chosen.rank) if at is not None]
        refuse_unnamed_runs(whole, roles, columns, place, whole=every)
    pair, used = [names[chosen.query], names[chosen.doc]], (*chosen[:3], *chosen.runs)
    again = repeats and not chosen.runs and len(whole.group_by(pair, use_threads=False).aggregate([])) < len(whole)
    joinable = look_at_columns(names, used, "run", columns, below, place, again=again)
    whole, of_rows = without_padding(whole, names[chosen.doc], place)
    if of_rows != place and tables[1:]:
        tables = [(part, without_padding(table, names[chosen.doc], part)[0]) for part, table in tables]
    of_runs = _names_of_runs(whole, [names[at] for at in chosen.runs], names[chosen.query], columns, place)
    codes, named = _code_runs(whole, of_runs, place)
    if len(named) < 2:
        if tables[1:] and not repeats:
            require_apart(place, [_part_of_run(table, columns, part, part) for part, table in tables])
        run = _run_of_table(whole, columns, place, of_rows, next(iter(named), "") or name)
        return [replace(run, joinable=joinable)]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(named) + 1)).tolist()
    ends_of_parts = np.cumsum([len(table) for _, table in tables])
    runs = []
    for number, one in enumerate(named):
        rows = order[ends[number] : ends[number + 1]]
        where = f"{of_rows}, rows of the run {one}"
        if tables[1:] and not repeats:
            part_of = np.searchsorted(ends_of_parts, rows, side="right")
            named_parts = [(part, tables[part][0]) for part in np.unique(part_of).tolist()]
            require_apart(
                place,
                [
                    _part_of_run(whole.take(rows[part_of == part]), columns, file, f"{file}, rows of the run {one}")
                    for part, file in named_parts
                ],
            )
        run = _run_of_table(whole.take(rows), columns, place, where, one)
        if chosen.telling:
            run = replace(run, read_as=f"columns {chosen.list_names(names)}")
        runs.append(replace(run, joinable=joinable))
    return runs


def _part_of_run(table: pyarrow.Table, columns: Columns, place: str, where: str) -> PartTopics:
    """The rows of a run in one part of a folder, all of them checked."""
    lines = _run_of_table(table, columns, place, where, where).lines
    return PartTopics(place, lines.topics(), lines.of)


def _run_of_table(table: pyarrow.Table, columns: Columns, place: str, where: str, name: str) -> Run:
    """The rows of one run; ``where``: how errors call them."""
    chosen = choose_of_table(table, "run", columns, where)
    lines = Lines.of_columns(*chosen.columns, where, chosen.ranks)
    return Run(lines, name, place, chosen.read_as, rank_column=chosen.rank_column)


def _names_of_runs(table: pyarrow.Table, of_runs: Sequence[str], query: str, columns: Columns, place: str) -> list[str]:
    """The columns that name runs, without ids of requests, each of one topic."""
    kept = []
    for name in of_runs:
        pairs: list[tuple[tuple[str, ...], str]] = []
        if _may_be_ids_of_topics(table, name, query):
            both = table.select([name, query]).group_by([name, query], use_threads=False).aggregate([])
            pairs = [((str(value),), str(topic)) for value, topic in zip(*both.to_pydict().values(), strict=True)]
        if drop_ids_of_topics(pairs, [name], place, columns):
            kept.append(name)
    return kept


def _may_be_ids_of_topics(table: pyarrow.Table, name: str, query: str) -> bool:
    """Has the first value of the column one topic only, and has it other values?"""
    from pyarrow import compute

    column = decoded(table.column(name))
    if not len(table) or column[0].as_py() is None:
        return False
    alike = compute.fill_null(compute.equal(column, column[0]), fill_value=False)
    return not compute.all(alike).as_py() and len(table.column(query).filter(alike).unique()) == 1


def _code_runs(table: pyarrow.Table, columns: Sequence[str], place: str) -> tuple[Array, list[str]]:
    """int64[row]: which of some runs each row belongs to; and their names, in order of appearance."""
    import pyarrow

    coded = []
    for name in columns:
        column = decoded(table.column(name))
        if is_text(column) or pyarrow.types.is_integer(column.type):
            text = column.cast(pyarrow.large_string()).fill_null("")
            coded.append((name, *read_coded_ids(text, name, place)))
    if not coded or not len(table):
        return np.zeros(len(table), np.int64), []
    stacked = np.stack([codes for _, _, codes in coded], -1)
    combined, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    keys = [tuple(known[code] for (_, known, _), code in zip(coded, row, strict=True)) for row in combined.tolist()]
    by_key = name_runs([keys[at] for at in np.argsort(first).tolist()], [name for name, _, _ in coded], place)
    names = list(dict.fromkeys(by_key.values()))
    number = np.array([names.index(by_key[key]) for key in keys])
    return number[inverse.reshape(-1)], names
