"""The parts of a table on a cluster: partitions of a Dask DataFrame, or row groups of Parquet files, as features."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.files.feature_frames import features_from_frame
from gradeval.files.parquet import open_parquet
from gradeval.files.steady import SteadyFile
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.ltr.data.trainable import trainable_places
from gradeval.ltr.saving import fingerprint
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Columns:
    """The names of the columns with grades and queries; all others are features."""

    label: str
    qid: str


@dataclass(frozen=True, eq=False)
class Summary:
    """What the client knows of a part.

    Attributes
    ----------
    rows : their number.
    queries : uint64[query], a hash of each name, in order.
    sizes : int64[query], the rows of each.
    grades : those that occur, ascending.
    columns : the names of the features.
    fingerprint : that of the part's numbers.
    scattered : how many of its queries had their rows apart.
    """

    rows: int
    queries: Array
    sizes: Array
    grades: tuple[float, ...]
    columns: tuple[str, ...]
    fingerprint: str
    scattered: int


@dataclass(frozen=True, eq=False)
class Part:
    """Some queries with all or some of their rows; those of a query stand together.

    ``scattered``: how many queries had their rows apart in the table.
    """

    features: Features
    scattered: int = 0

    def summarize(self) -> Summary:
        """What the client must know to plan."""
        features = self.features
        return Summary(
            rows=len(features),
            queries=hash_names(features.topics),
            sizes=np.diff(features.offsets),
            grades=tuple(np.unique(features.grades).tolist()),
            columns=features.columns,
            fingerprint=fingerprint(features),
            scattered=self.scattered,
        )


def list_row_groups(folder: str | os.PathLike[str]) -> list[tuple[str, int]]:
    """Every row group of a Parquet file, or of those in a folder, by name: the file, and the number in it."""
    place = os.fspath(folder)
    require_pyarrow(f"{place}: reading it needs")
    if os.path.isdir(place):
        names = sorted(name for name in os.listdir(place) if name.endswith((".parquet", ".pq")))
        files = [os.path.join(place, name) for name in names]
        if not files:
            raise InputError(f"{place}: holds no file that ends in .parquet; give a folder of such")
    elif os.path.exists(place):
        files = [place]
    else:
        raise InputError(f"{place}: no such file or folder; give Parquet that every worker can read")
    groups: list[tuple[str, int]] = []
    for file in files:
        with open_parquet(SteadyFile(file)) as opened:
            groups += [(file, group) for group in range(opened.num_row_groups)]
    if not groups:
        raise InputError(f"{place}: holds no rows; give a folder with .parquet files, or a Dask DataFrame")
    return groups


def read_row_group(place: tuple[str, int], columns: Columns) -> Part | None:
    """A row group as a part; None where it is empty."""
    file, group = place
    with open_parquet(SteadyFile(file)) as opened:
        return _to_part(opened.read_row_group(group), columns, f"{file}, row group {group}")


def read_partition(frame: Any, columns: Columns, name: str) -> Part | None:
    """A partition, a frame of pandas, as a part; None where it is empty."""
    import pyarrow

    if frame.index.name == columns.qid:
        frame = frame.reset_index()
    return _to_part(pyarrow.Table.from_pandas(frame, preserve_index=False), columns, name)


def _to_part(table: pyarrow.Table, columns: Columns, name: str) -> Part | None:
    for given in (columns.label, columns.qid):
        if given not in table.column_names:
            nearest = arguments.nearest(given, table.column_names)
            raise InputError(f"{name}: no column {given!r}{nearest}; name the columns with label= and qid=")
    if not len(table):
        return None
    _require_no_categories(table, columns, name)
    order, scattered = _group_rows(table.column(columns.qid))
    if scattered:
        table = table.take(order)
    features = features_from_frame(table, query_id=columns.qid, doc_id=None, relevance=columns.label, name=name)
    return Part(features, scattered)


def _require_no_categories(table: pyarrow.Table, columns: Columns, name: str) -> None:
    import pyarrow

    for each in table.schema:
        if pyarrow.types.is_dictionary(each.type) and each.name not in (columns.label, columns.qid):
            raise InputError(
                f"{name}: column {each.name!r} is a category, and fit_dask takes numbers; give numbers in its place, "
                "or train a TreeRanker on one machine, which takes categories as they are"
            )


def _group_rows(query: pyarrow.ChunkedArray) -> tuple[Array, int]:
    """The rows, those of a query together, queries by their first row; and how many queries had their rows apart."""
    import pyarrow

    if pyarrow.types.is_dictionary(query.type):
        query = query.cast(query.type.value_type)
    code = query.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    starts = code[np.flatnonzero(np.diff(code, prepend=code[0] - 1))]
    _, times = np.unique(starts, return_counts=True)
    if times.max(initial=1) == 1:
        return np.empty(0, np.int64), 0
    return np.argsort(code, kind="stable"), int((times > 1).sum())


def hash_names(names: Sequence[str]) -> Array:
    """uint64[name]: the same in every process. Two names with one hash would only be kept together."""
    from pandas.util import hash_array

    hashed: Array = hash_array(np.array(names, dtype=object), categorize=False)
    return hashed


def count_trainable(part: Part, measure: Measure, levels: Levels) -> int:
    """How many queries of a part can be learnt from."""
    try:
        return len(trainable_places(part.features, levels, measure))
    except InputError:
        return 0
