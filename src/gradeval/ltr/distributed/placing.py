"""Read a table on the workers of a cluster: each gets its share of the parts, whole queries only."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, show_levels
from gradeval.ltr.data.trainable import nothing_to_learn
from gradeval.ltr.distributed.parts import (
    Columns,
    Part,
    Summary,
    count_trainable,
    list_row_groups,
    read_partition,
    read_row_group,
)
from gradeval.ltr.distributed.splits import find_split_queries, join_rows, take_rows
from gradeval.ltr.saving import describe_table
from gradeval.warning_categories import SplitQueriesWarning


@dataclass(frozen=True, eq=False)
class PlacedTable:
    """A table whose parts lie on workers.

    Attributes
    ----------
    name : what messages call it.
    parts : futures of Dask for ``Part``, in the order of the table.
    workers : the address of the worker that has each part.
    columns : the names of the features.
    grades : those that occur.
    rows, queries : how many there are.
    fingerprint : of the numbers of all parts, in order.
    """

    name: str
    parts: list[Any]
    workers: list[str]
    columns: tuple[str, ...]
    grades: tuple[float, ...]
    rows: int
    queries: int
    fingerprint: str

    def describe(self) -> dict[str, Any]:
        """The entry of a model's card."""
        return describe_table(self.name, self.queries, self.rows, self.fingerprint)

    def by_worker(self) -> dict[str, list[Any]]:
        """The parts of each worker, in order."""
        shares: dict[str, list[Any]] = {}
        for worker, part in zip(self.workers, self.parts, strict=True):
            shares.setdefault(worker, []).append(part)
        return shares

    def require_grades(self, levels: Levels) -> None:
        """Refuse a grade that is none of the levels."""
        if outside := [grade for grade in self.grades if grade not in levels]:
            raise InputError(
                f"{self.name}: grade {outside[0]:g} is not one of the levels {show_levels(levels)}; "
                "declare all grades of the collection with levels="
            )


def place_table(client: Any, frame: Any, columns: Columns, workers: Sequence[str], name: str) -> PlacedTable:
    """Read a Dask DataFrame, or Parquet files, on the workers; consecutive parts go to one worker.

    Where rows of a query lie in several parts, they are brought into one, in their order, with a SplitQueriesWarning:
    trained apart, they would count as several queries. See ``find_split_queries``.
    """
    parts, places = _start_reading(client, frame, columns, workers, name)
    summaries = client.gather(_map(client, _summarize, parts, places))
    there = [number for number, summary in enumerate(summaries) if summary is not None]
    if not there:
        raise InputError(f"{name}: holds no rows")
    parts, places = [parts[number] for number in there], [places[number] for number in there]
    known: list[Summary] = [summaries[number] for number in there]
    for summary in known:
        if summary.columns != known[0].columns:
            raise InputError(
                f"{name}: its parts have different columns ({differing(summary.columns, known[0].columns)}); "
                "give each part the same columns in the same order"
            )
    split = find_split_queries(known)
    if split.several or any(summary.scattered for summary in known):
        _warn_of_splits(name, split.several, sum(summary.scattered for summary in known))
    if len(split.queries):
        homes = [np.unique(split.home_of(each.queries, number)).tolist() for number, each in enumerate(known)]
        whole: list[Any] = []
        kept: list[str] = []
        for home, (part, place) in enumerate(zip(parts, places, strict=True)):
            if not split.parts[home]:
                whole.append(part)
                kept.append(place)
                continue
            senders = [number for number in range(len(parts)) if home in homes[number]]
            if not senders:  # all its rows belong elsewhere
                continue
            kept.append(place)
            pieces = [
                _submit(client, take_rows, places[number], parts[number], split, number, home) for number in senders
            ]
            whole.append(_submit(client, join_rows, place, pieces))
        parts, places = whole, kept
    digest = hashlib.sha256("\n".join(summary.fingerprint for summary in known).encode())
    return PlacedTable(
        name=name,
        parts=parts,
        workers=places,
        columns=known[0].columns,
        grades=tuple(sorted({grade for summary in known for grade in summary.grades})),
        rows=sum(summary.rows for summary in known),
        queries=len(np.unique(np.concatenate([summary.queries for summary in known]))),
        fingerprint=digest.hexdigest(),
    )


def keep_trainable(client: Any, table: PlacedTable, measure: Measure, levels: Levels) -> PlacedTable:
    """The table without the parts that have no query to learn from; an InputError where no part has one."""
    counts = client.gather(
        _map(client, partial(_count_trainable, measure=measure, levels=levels), table.parts, table.workers)
    )
    kept = [number for number, count in enumerate(counts) if count]
    if not kept:
        raise nothing_to_learn(table.name, measure)
    parts, workers = [table.parts[number] for number in kept], [table.workers[number] for number in kept]
    return replace(table, parts=parts, workers=workers)


def _start_reading(
    client: Any, frame: Any, columns: Columns, workers: Sequence[str], name: str
) -> tuple[list[Any], list[str]]:
    """Futures of the parts, or of None for empty ones, and the worker of each."""
    if isinstance(frame, str | os.PathLike):
        groups = list_row_groups(frame)
        places = _spread(len(groups), workers)
        return [
            _submit(client, read_row_group, place, group, columns) for group, place in zip(groups, places, strict=True)
        ], places
    if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
        raise InputError(f"{name}: a {type(frame).__name__} is no table on a cluster; {ACCEPTED}")
    partitions = frame.to_delayed()
    places = _spread(len(partitions), workers)
    parts = []
    for number, (partition, place) in enumerate(zip(partitions, places, strict=True)):
        loaded = client.compute(partition, workers=[place], allow_other_workers=True)
        parts.append(_submit(client, read_partition, place, loaded, columns, f"{name}, partition {number}"))
    return parts, places


ACCEPTED = "give a Dask DataFrame, or the path of a Parquet file or of a folder of them that every worker can read"


def _spread(parts: int, workers: Sequence[str]) -> list[str]:
    """The worker of each part: consecutive parts together, as many on each."""
    return [workers[number * len(workers) // parts] for number in range(parts)]


def _submit(client: Any, task: Any, worker: str, *arguments: Any) -> Any:
    return client.submit(task, *arguments, workers=[worker], allow_other_workers=True, pure=False)


def _map(client: Any, task: Any, parts: Sequence[Any], workers: Sequence[str]) -> list[Any]:
    return [_submit(client, task, worker, part) for part, worker in zip(parts, workers, strict=True)]


def _summarize(part: Part | None) -> Summary | None:
    return None if part is None else part.summarize()


def _count_trainable(part: Part | None, measure: Measure, levels: Levels) -> int:
    return 0 if part is None else count_trainable(part, measure, levels)


def differing(one: Sequence[str], other: Sequence[str]) -> str:
    """In what two lists of columns differ."""
    only = [name for name in [*one, *other] if (name in one) != (name in other)]
    return f"{only[0]!r} is not in all" if only else "in another order"


def _warn_of_splits(name: str, split: int, scattered: int) -> None:
    said = []
    if split:
        said.append(
            f"{split} {'query' if split == 1 else 'queries'} had rows in several partitions, which were moved into one"
        )
    if scattered:
        said.append(f"{scattered} had their rows apart in a partition, which were put together")
    warnings.warn(
        f"{name}: {'; '.join(said)} (in the order of the table); a table sorted by query, with partitions that end "
        "where a query ends, needs no such exchange",
        SplitQueriesWarning,
        stacklevel=4,
    )
