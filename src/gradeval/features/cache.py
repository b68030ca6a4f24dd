"""Features in a folder of plain arrays, which are mapped into memory instead of read: larger tables than it holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np

from gradeval._core import InputError
from gradeval.checks import shown
from gradeval.features.arrays import Column, concatenate_columns, encode_column, offsets_of
from gradeval.features.features import Features
from gradeval.files.folder import recover_folder, whole_folder
from gradeval.files.read import Path
from gradeval.formula.arithmetic import Array

FORMAT, VERSION = "gradeval features", 1
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


@dataclass(frozen=True)
class Head:
    """What the folder says of itself.

    Attributes
    ----------
    name : what messages call the features.
    columns : the names of the features.
    levels : the grades of the collection.
    rows : how many there are.
    format, version : of the folder.
    """

    name: str
    columns: Any
    levels: Any
    rows: Any
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
            json.dump(asdict(head), file)


def _write_pieces(pieces: Iterable[Features], beside: str, name: str | None) -> Head:
    grades: list[Array] = []
    sizes: list[Array] = []
    ids: list[Column] = []
    topics: dict[str, None] = {}
    levels: set[float] = {0.0}
    columns: tuple[str, ...] | None = None
    first_name = ""
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
            _write_table(table, piece.X)
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
    for each, values in arrays.items():
        np.ascontiguousarray(values, ARRAYS[each]).tofile(os.path.join(beside, each))
    return Head(name or first_name, list(columns), sorted(levels), len(arrays["grades"]))


def _write_table(file: BinaryIO, X: Array) -> None:
    file.write(np.ascontiguousarray(X, "<f4").reshape(-1).data)


def open_features(folder: Path) -> Features:
    """The features of a cache that ``cache_features`` wrote. Their table is mapped: what is used of it is read then."""
    place = os.fspath(folder)
    recover_folder(place)
    head = _read_head(place)
    sizes = {"grades": head.rows, "id_ends": head.rows + 1}
    arrays: dict[str, Array] = {}
    try:
        for each, kind in ARRAYS.items():
            arrays[each] = np.fromfile(os.path.join(place, each), kind)
        width = len(head.columns)
        if os.path.getsize(os.path.join(place, TABLE)) != head.rows * width * 4:
            raise InputError(f"{place}: {TABLE} does not have {head.rows} rows of {width} numbers; {REMEDY}")
        X = np.memmap(os.path.join(place, TABLE), "<f4", mode="r", shape=(head.rows, width))
    except OSError as error:
        raise InputError(f"{place}: cannot be read ({error.strerror}); {REMEDY}") from error
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


def _are_ends(ends: Array, last: int) -> bool:
    return bool(ends[0] == 0 and ends[-1] == last and (np.diff(ends) >= 0).all())


def _read_head(place: str) -> Head:
    try:
        with open(os.path.join(place, HEAD), encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
        head = Head(**content)
        fits = (
            (head.format, head.version) == (FORMAT, VERSION)
            and isinstance(head.rows, int)
            and head.rows > 0
            and all(isinstance(name, str) for name in (head.name, *head.columns))
            and len(head.columns) > 0
            and all(isinstance(level, int | float) for level in head.levels)
        )
    except OSError as error:
        raise InputError(f"{place}: is no cache of features ({error.strerror}); {REMEDY}") from error
    except (ValueError, TypeError):
        fits = False
    if not fits:
        raise InputError(f"{place}: {shown(HEAD)} is not that of a cache of this gradeval; {REMEDY}")
    return head


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
