"""Scores from the Parquet file that ``Scores.save`` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.collection.identity import Identity
from gradeval.files.read import Path, name_place
from gradeval.formats.frames.parquet import read_parquet
from gradeval.formula.spelling import measure_of_values
from gradeval.scores.scores import FORMAT, Scores
from gradeval.tables.arrow import KEY

if TYPE_CHECKING:
    import pyarrow

AXES = ("run", "topic", "measure")


def read_saved_scores(path: Path) -> Scores:
    """The scores in a Parquet file, as they were (without coverage).

    A file that is not Parquet, was not written by gradeval, or lacks rows is an InputError.
    """
    place = name_place(path)
    table = read_parquet(path, remedy="name a file written by save()")
    described = _read_description(table, place)
    try:
        axes: list[list[str]] = [described[axis] for axis in ("runs", "topics", "measures")]
        row = _rows(table, axes)
        return Scores(
            values=table.column("value").to_numpy()[row],
            present=table.column("present").to_numpy()[row][:, :, 0],
            vacant=table.column("vacant").to_numpy()[row][0],
            runs=axes[0],
            topics=axes[1],
            measures=[measure_of_values(measure) for measure in axes[2]],
            missing=described["missing"],
            empty=described["empty"],
            ties=described.get("ties"),
            collection=_read_collection(described),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{place}: these scores are incomplete ({error}); write them again with save()") from error
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _read_collection(described: Mapping[str, Any]) -> Identity | None:
    """Which judgments the scores belong to; earlier versions did not write that."""
    digest = described.get("collection")
    return Identity.from_digest(digest) if isinstance(digest, str) else None


def _read_description(table: pyarrow.Table, place: str) -> Mapping[str, Any]:
    """The description of the scores in the metadata of the schema."""
    try:
        described: dict[str, Any] = json.loads((table.schema.metadata or {})[KEY])
    except (KeyError, ValueError):
        raise InputError(f"{place}: is a Parquet file, but not one of scores; name a file written by save()") from None
    if described.get("format") != FORMAT:
        raise InputError(
            f"{place}: was written by gradeval {described.get('gradeval')} in its format "
            f"{described.get('format')}, this version reads format {FORMAT}; update gradeval"
        )
    return described


def _rows(table: pyarrow.Table, axes: list[list[str]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """int64[run, topic, measure]: the row of each value; the rows may be in any order."""
    import pyarrow.compute

    shape = tuple(map(len, axes))
    places = []
    for axis, names in zip(AXES, axes, strict=True):
        column = table.column(axis).cast(pyarrow.string())
        place = pyarrow.compute.index_in(column, value_set=pyarrow.array(names, pyarrow.string()))
        places.append(place.fill_null(-1).to_numpy())
    cells = np.array(places).reshape(3, -1)
    if cells.shape[1] != np.prod(shape) or (cells < 0).any():
        raise InputError(
            f"has {len(table)} rows that fit, not one for each of {shape[0]} runs x {shape[1]} topics x "
            f"{shape[2]} measures; name a file as save() wrote it"
        )
    flat = np.ravel_multi_index(tuple(cells), shape)
    rows = np.full(np.prod(shape), -1)
    rows[flat] = np.arange(len(flat))
    if (rows < 0).any():
        raise InputError("has some of its rows twice; name a file as save() wrote it")
    return rows.reshape(shape)
