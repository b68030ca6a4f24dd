"""Features in a folder of plain arrays, which are mapped into memory instead of read: larger tables than it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments, shown
from gradeval.features.feature_arrays import Column, concatenate_columns, encode_column, offsets_of
from gradeval.features.features import Features
from gradeval.files.seal import BlockDigests, Data, digests_of, is_whole, seal_content
from gradeval.files.sealed_table import SealedTable
from gradeval.files.steady import SteadyFile
from gradeval.formula.arithmetic import Array
from gradeval.whole import Path, recover_folder, whole_folder

FORMAT, VERSION = "gradeval features", 2  # 1 had no seal
HEAD = "features.json"
TABLE = "X.float32"
ARRAYS = {
    "grades": "<f8",
    "offsets": "<i8",
    "topics": "|u1",
    "topic_ends": "<i8",
    "ids": "|u1",
    "id_ends": "<i8",
}
"""The other files, and what they hold."""

REMEDY = "make the cache again with cache_features()"
DAMAGED = "is not as it was written (damaged or changed)"
ROWS = 1 << 16  # written at a time
LARGE = 1 << 28
"""Bytes of a table from which on it is not read whole when it is opened: its blocks are checked when they are used."""


@dataclass(frozen=True)
class Head:
    """What the folder says of itself.

    Attributes
    ----------
    name : what messages call the features.
    columns : the names of the features.
    levels : the grades of the collection.
    rows : how many there are.
    files : for each of the other files the digests of its blocks: see ``gradeval.files.seal``.
    format, version : of the folder.
    """

    name: str
    columns: Any
    levels: Any
    rows: Any
    files: Any
    format: str = FORMAT
    version: int = VERSION


def write_cache(pieces: Iterable[Features], folder: Path, name: str | None = None) -> None:
    """Write pieces of a collection, one after the other, as one cache; the folder appears whole or not at all.

    Only one piece is in memory at a time. All have the same features; a query in two of them is an InputError.
    """
    require_replaceable_cache(folder)
    with whole_folder(folder) as beside:
        head = _write_pieces(pieces, beside, name)
        with open(os.path.join(beside, HEAD), "w", encoding="utf-8") as file:
            json.dump(seal_content(asdict(head)), file)


def _write_pieces(pieces: Iterable[Features], beside: str, name: str | None) -> Head:
    grades: list[Array] = []
    sizes: list[Array] = []
    ids: list[Column] = []
    topics: dict[str, None] = {}
    levels: set[float] = {0.0}
    columns: tuple[str, ...] | None = None
    first_name = ""
    digests = BlockDigests()
    with open(os.path.join(beside, TABLE), "wb") as table:
        for piece in pieces:
            if columns is None:
                columns, first_name = piece.columns, piece.name
            if piece.columns != columns:
                raise InputError(f"{piece.name}: {len(piece.columns)} features, the pieces before have {len(columns)}")
            for topic in piece.topics:
                if topic in topics:
                    raise InputError(
                        f"{piece.name}: topic {topic} comes again; the rows of a query stand together: sort by query"
                    )
                topics[topic] = None
            for begin in range(0, len(piece), ROWS):
                data = _bytes_of(piece.X[begin : begin + ROWS], "<f4")
                table.write(data)
                digests.update(data)
            grades.append(piece.grades)
            sizes.append(np.diff(piece.offsets))
            ids.append(piece.ids)
            levels |= set(piece.levels)
    if columns is None:
        raise InputError("no features to cache: there are no rows")
    topic_ends, topic_bytes = encode_column(list(topics))
    id_ends, id_bytes = concatenate_columns(ids)
    arrays = {
        "grades": np.concatenate(grades),
        "offsets": offsets_of(np.concatenate(sizes)),
        "topics": topic_bytes,
        "topic_ends": topic_ends,
        "ids": id_bytes,
        "id_ends": id_ends,
    }
    files = {TABLE: digests.digests()}
    for each, values in arrays.items():
        data = _bytes_of(values, ARRAYS[each])
        with open(os.path.join(beside, each), "wb") as file:
            file.write(data)
        files[each] = digests_of(data)
    return Head(name or first_name, list(columns), sorted(levels), len(arrays["grades"]), files)


def _bytes_of(values: Array, kind: str) -> Data:
    return np.ascontiguousarray(values, kind).reshape(-1).view(np.uint8).data


@known_arguments()
def open_features(folder: Path) -> Features:
    """The features of a cache that ``cache_features`` wrote. Their table is mapped: what is used of it is read then.

    A cache that is damaged is an InputError. That is found out now; of a table of more than 256 MB, which is not read
    now, when rows of the damaged part are used (``features.X[rows]``).
    """
    place = os.fspath(folder)
    recover_folder(place)
    head = _read_head(place)
    for each in (TABLE, *ARRAYS):
        if not os.path.isfile(os.path.join(place, each)):
            raise InputError(f"{place}: has no file {each}; {REMEDY}")
    arrays = {each: np.frombuffer(_read_sealed(place, each, head), kind) for each, kind in ARRAYS.items()}
    X = _map_table(place, head)
    sizes = {"grades": head.rows, "id_ends": head.rows + 1}
    offsets, ends = arrays["offsets"], arrays["topic_ends"]
    whole = (
        all(len(arrays[each]) == size for each, size in sizes.items())
        and len(offsets) == len(ends) > 1
        and _are_ends(offsets, head.rows)
        and bool((np.diff(offsets) > 0).all())
        and _are_ends(ends, len(arrays["topics"]))
        and _are_ends(arrays["id_ends"], len(arrays["ids"]))
        and bool((np.isin(arrays["grades"], head.levels) | np.isnan(arrays["grades"])).all())
    )
    if not whole:
        raise InputError(f"{place}: its arrays do not fit together; {REMEDY}")
    text = arrays["topics"].tobytes()
    return Features(
        X=X,
        grades=arrays["grades"],
        topics=[text[begin:end].decode("utf-8", "replace") for begin, end in pairwise(ends.tolist())],
        offsets=offsets,
        ids=(arrays["id_ends"], arrays["ids"]),
        columns=tuple(head.columns),
        levels=tuple(head.levels),
        name=head.name,
    )


def _read_sealed(place: str, name: str, head: Head) -> bytes:
    """The bytes of one of the arrays."""
    file = SteadyFile(os.path.join(place, name))
    data = file.read()
    if digests_of(data) != head.files.get(name):
        raise InputError(f"{file.place}: {DAMAGED}; {REMEDY}")
    return data


def _map_table(place: str, head: Head) -> Array:
    file, shape = SteadyFile(os.path.join(place, TABLE)), (head.rows, len(head.columns))
    if file.size != shape[0] * shape[1] * 4:
        raise InputError(f"{file.place}: does not have {shape[0]} rows of {shape[1]} numbers; {REMEDY}")
    try:
        table = SealedTable.map(file.place, shape, head.files.get(TABLE), f"{DAMAGED}; {REMEDY}")
    except OSError as error:
        raise InputError(f"{file.place}: cannot be read ({error.strerror}); {REMEDY}") from error
    return table if file.size > LARGE else table.checked()


def _are_ends(ends: Array, last: int) -> bool:
    return bool(ends[0] == 0 and ends[-1] == last and (np.diff(ends) >= 0).all())


def _read_head(place: str) -> Head:
    file = os.path.join(place, HEAD)
    if not os.path.isfile(file):
        raise InputError(f"{place}: is no cache of features (it has no {HEAD}); {REMEDY}")
    try:
        content: Any = json.loads(SteadyFile(file).read())
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{file}: is not that of a cache of features, or damaged; {REMEDY}")
    if content.get("version") != VERSION:
        raise InputError(
            f"{file}: a cache of version {shown(content.get('version'))}, this gradeval reads {VERSION}, "
            f"which is sealed against damage; {REMEDY}"
        )
    if not is_whole(content):
        raise InputError(f"{file}: {DAMAGED}; {REMEDY}")
    return Head(**{each.name: content[each.name] for each in fields(Head)})


def require_replaceable_cache(folder: Path) -> None:
    """An InputError where the folder holds anything else than a cache, so that it is not replaced."""
    place = os.fspath(folder)
    if os.path.isdir(place) and (others := set(os.listdir(place)) - {HEAD, TABLE, *ARRAYS}):
        raise InputError(f"{place}: holds {shown(min(others))}, so it is no cache of features; name another folder")


def is_mapped(X: Array) -> bool:
    """Whether a table is mapped from a file, so that what is made of it should not fill the memory, either."""
    return isinstance(X, np.memmap)


def folder_of(X: Array) -> str:
    """The folder of the file that a table is mapped from."""
    assert isinstance(X, np.memmap)
    return os.path.dirname(os.path.abspath(str(X.filename)))
