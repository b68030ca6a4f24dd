"""A table on a Dask cluster as features: whole queries in each part."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.files.feature_frames import features_from_frame
from gradeval.files.frames import first_line
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.ltr.data.trainable import nothing_to_learn, trainable_places
from gradeval.ltr.saving import fingerprint
from gradeval.warning_categories import SplitQueriesWarning

ROW = "__row__"
"""The column with the place of a row in the table, while rows are moved."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some queries on a worker.

    Attributes
    ----------
    features : a future of Dask for Features, the rows of a query together.
    rows, queries : how many there are.
    """

    features: Any
    rows: int
    queries: int


@dataclass(frozen=True, eq=False)
class _Summary:
    """What the client knows of a partition.

    Attributes
    ----------
    rows : their number.
    queries : uint64[query], a hash of each name.
    grades : those that occur.
    fingerprint : that of the numbers.
    scattered : how many of its queries had their rows apart.
    """

    rows: int
    queries: Array
    grades: tuple[float, ...]
    fingerprint: str
    scattered: int


@dataclass(frozen=True, eq=False)
class PlacedTable:
    """A table whose parts lie on workers.

    Attributes
    ----------
    name : what messages call it.
    parts : those with rows, in order.
    columns : the names of the features.
    grades : those that occur, ascending.
    fingerprint : of the numbers of all parts, in order.
    """

    name: str
    parts: list[Part]
    columns: tuple[str, ...]
    grades: tuple[float, ...]
    fingerprint: str


def place_table(client: Any, frame: Any, label: str, qid: str, name: str) -> PlacedTable:
    """Read a Dask DataFrame, or Parquet files, on the workers.

    Where rows of a query lie in several partitions, Dask shuffles the table by query, with a SplitQueriesWarning:
    trained apart, they would count as several queries. Rows of a query keep their order.
    """
    frame = _open_table(frame, name)
    columns = _require_columns(frame, label, qid, name)
    features, summaries = _read(client, frame.to_delayed(), columns, label, qid, name)
    there = [summary for summary in summaries if summary.rows]
    if not there:
        raise InputError(f"{name}: holds no rows")
    _, times = np.unique(np.concatenate([summary.queries for summary in there]), return_counts=True)
    split, scattered = int((times > 1).sum()), sum(summary.scattered for summary in there)
    if split or scattered:
        _warn_of_splits(name, split, scattered)
    if split:
        features, summaries = _read(client, _shuffle(frame, qid), columns, label, qid, name)
    digest = hashlib.sha256("\n".join(summary.fingerprint for summary in summaries if summary.rows).encode())
    return PlacedTable(
        name=name,
        parts=[
            Part(part, summary.rows, len(summary.queries))
            for part, summary in zip(features, summaries, strict=True)
            if summary.rows
        ],
        columns=columns,
        grades=tuple(sorted({grade for summary in summaries for grade in summary.grades})),
        fingerprint=digest.hexdigest(),
    )


def keep_trainable(client: Any, table: PlacedTable, measure: Measure, levels: Levels) -> list[Part]:
    """The queries of each part that can be learnt from; an InputError where there is none in all, or where features do
    not differ."""
    kept = [client.submit(_select_trainable, part.features, measure, levels, pure=False) for part in table.parts]
    sizes = client.gather(client.map(_size_of, kept, pure=False))
    known = [(Part(part, *size[:2]), size[2]) for part, size in zip(kept, sizes, strict=True) if size is not None]
    if not known:
        raise nothing_to_learn(table.name, measure)
    parts, rows = zip(*known, strict=True)
    if None not in rows and len(set(rows)) == 1:
        raise InputError(f"{table.name}: every feature has one value throughout; there is nothing to split by")
    return list(parts)


def _open_table(frame: Any, name: str) -> Any:
    """The Dask DataFrame that a user gave, or that of Parquet files."""
    import dask.dataframe as dd
    import pyarrow

    if isinstance(frame, str | os.PathLike):
        place = os.fspath(frame)
        if not os.path.exists(place):
            raise InputError(f"{place}: no such file or folder; give Parquet that every worker can read")
        try:
            return dd.read_parquet(place)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise InputError(f"{place}: is no Parquet, or damaged ({first_line(error)}); name others") from error
    if not hasattr(frame, "to_delayed") or not hasattr(frame, "columns"):
        raise InputError(
            f"{name}: a {type(frame).__name__} is no table on a cluster; give a Dask DataFrame, or the path of a "
            "Parquet file or of a folder of them that every worker can read"
        )
    return frame


def _require_columns(frame: Any, label: str, qid: str, name: str) -> tuple[str, ...]:
    """The names of the features; an InputError where columns are missing, or features are categories."""
    columns = [str(column) for column in frame.columns]
    for asked in (label, qid):
        if asked not in columns and not (asked == qid and frame.index.name == qid):
            nearest = arguments.nearest(asked, columns)
            raise InputError(f"{name}: no column {asked!r}{nearest}; name the columns with label= and qid=")
    features = tuple(column for column in columns if column not in (label, qid))
    for column in features:
        if str(frame.dtypes[column]) == "category":
            raise InputError(
                f"{name}: column {column!r} is a category, and fit_dask takes numbers; give numbers in its place, "
                "or train a TreeRanker on one machine, which takes categories as they are"
            )
    return features


def _read(
    client: Any, partitions: Sequence[Any], columns: tuple[str, ...], label: str, qid: str, name: str
) -> tuple[list[Any], list[_Summary]]:
    """Futures of Features, and what is known of them; consecutive partitions go to one worker, as many to each."""
    workers = list(client.ncores())
    read = []
    for number, partition in enumerate(partitions):
        there = {"workers": [workers[number * len(workers) // len(partitions)]], "allow_other_workers": True}
        loaded = client.compute(partition, **there)
        place = f"{name}, partition {number}"
        read.append(client.submit(_read_partition, loaded, columns, label, qid, place, pure=False, **there))
    features = [client.submit(itemgetter(0), each, pure=False) for each in read]
    return features, client.gather([client.submit(itemgetter(1), each, pure=False) for each in read])


def _read_partition(
    frame: Any, columns: tuple[str, ...], label: str, qid: str, name: str
) -> tuple[Features | None, _Summary]:
    """A partition, a frame of pandas, as features; None where it is empty."""
    if ROW in frame.columns:
        frame = frame.sort_values(ROW).drop(columns=ROW)
    if frame.index.name == qid:
        frame = frame.reset_index()
    if not len(frame):
        return None, _Summary(0, np.empty(0, np.uint64), (), "", 0)
    if sorted(frame.columns) != sorted([*columns, label, qid]):
        raise InputError(f"{name}: has other columns than the table; give each partition the same")
    frame, scattered = _group_rows(frame, qid)
    features = features_from_frame(frame, query_id=qid, doc_id=None, relevance=label, features=columns, name=name)
    summary = _Summary(
        rows=len(features),
        queries=_hash_names(features.topics),
        grades=tuple(np.unique(features.grades).tolist()),
        fingerprint=fingerprint(features),
        scattered=scattered,
    )
    return features, summary


def _group_rows(frame: Any, qid: str) -> tuple[Any, int]:
    """The rows, those of a query together, queries by their first row; and how many queries had their rows apart."""
    import pandas as pd

    query, _ = pd.factorize(frame[qid])
    starts = query[np.flatnonzero(np.diff(query, prepend=query[0] - 1))]
    _, times = np.unique(starts, return_counts=True)
    if times.max() == 1:
        return frame, 0
    return frame.iloc[np.argsort(query, kind="stable")], int((times > 1).sum())


def _shuffle(frame: Any, qid: str) -> list[Any]:
    """The partitions after Dask has brought the rows of each query into one."""
    import dask.dataframe as dd
    from dask.delayed import delayed

    pieces = [delayed(_number_rows)(piece, number, qid) for number, piece in enumerate(frame.to_delayed())]
    numbered = dd.from_delayed(pieces, meta=_number_rows(frame._meta, 0, qid), verify_meta=False)
    partitions: list[Any] = numbered.shuffle(qid).to_delayed()
    return partitions


def _number_rows(frame: Any, number: int, qid: str) -> Any:
    """A partition with the place of each row in the table."""
    if frame.index.name == qid:
        frame = frame.reset_index()
    return frame.assign(**{ROW: (number << 32) + np.arange(len(frame), dtype=np.int64)})


def _hash_names(names: Sequence[str]) -> Array:
    """uint64[name]: the same in every process. Two names with one hash would only be moved together."""
    from pandas.util import hash_array

    hashed: Array = hash_array(np.array(names, dtype=object), categorize=False)
    return hashed


def _select_trainable(features: Features, measure: Measure, levels: Levels) -> Features | None:
    features = replace(features, levels=levels)
    try:
        places = trainable_places(features, levels, measure)
    except InputError:
        return None
    if len(places) == len(features.topics):
        return features
    return features.select([features.topics[place] for place in places])


def _size_of(features: Features | None) -> tuple[int, int, bytes | None] | None:
    """The numbers of rows and queries, and the row that all are, or None where they differ; None where nothing is."""
    if features is None:
        return None
    X = features.X[:]
    alike = all((X[0] == row).all() for row in X)
    return len(features), len(features.topics), X[0].tobytes() if alike else None


def _warn_of_splits(name: str, split: int, scattered: int) -> None:
    said = []
    if split:
        said.append(
            f"{split} {'query' if split == 1 else 'queries'} had rows in several partitions, so Dask shuffles the "
            "table by query"
        )
    if scattered:
        said.append(f"{scattered} had their rows apart in a partition, which were put together")
    warnings.warn(
        f"{name}: {'; '.join(said)} (in the order of the table); a table sorted by query, with partitions that end "
        "where a query ends, needs no such exchange",
        SplitQueriesWarning,
        stacklevel=4,
    )
