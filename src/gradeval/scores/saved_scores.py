"""Scores from the Parquet file that ``Scores.save`` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.collection.identity import Identity
from gradeval.files.parquet import read_parquet
from gradeval.files.read import name_place
from gradeval.files.seal import is_whole
from gradeval.formula.definition import Measure, values_only
from gradeval.formula.spelling import measure_of_values
from gradeval.scores.score_table import VALUES, digest_of_values
from gradeval.scores.scores import FORMAT, Scores
from gradeval.tables.arrow import KEY
from gradeval.whole import Path

if TYPE_CHECKING:
    import pyarrow

AXES = ("run", "topic", "measure")


def read_saved_scores(path: Path) -> Scores:
    """The scores in a Parquet file, as they were (without coverage).

    A file that is not Parquet, was not written by gradeval, lacks rows or does not match its seal is an InputError.
    """
    place = name_place(path)
    table = read_parquet(path, remedy="name a file written by save()")
    described = _read_description(table, place)
    try:
        axes: list[list[str]] = [described[axis] for axis in ("runs", "topics", "measures")]
        row = _rows(table, axes)
        values = table.column("value").to_numpy()[row]
        present = table.column("present").to_numpy()[row][:, :, 0]
        vacant = table.column("vacant").to_numpy()[row][0]
        if digest_of_values(values, present, vacant) != described[VALUES]:
            raise InputError("the values are not those that were written; write them again with save()")
        return Scores(
            values=values,
            present=present,
            vacant=vacant,
            runs=axes[0],
            topics=axes[1],
            measures=_spell(axes[2]),
            missing=described["missing"],
            empty=described["empty"],
            ties=described.get("ties"),
            collection=_read_collection(described),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{place}: these scores are incomplete ({error}); write them again with save()") from error
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _spell(names: list[str]) -> list[Measure]:
    """The measures of these names; a name of one that also stands there by our own name keeps its values only."""
    measures = {name: measure_of_values(name) for name in names}
    return [
        values_only(name) if name != str(measure) and str(measure) in measures else measure
        for name, measure in measures.items()
    ]


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
    if not isinstance(described, dict):
        raise InputError(f"{place}: is a Parquet file, but not one of scores; name a file written by save()")
    if described.get("format") != FORMAT:
        remedy = "save them again" if described.get("format") == 1 else "update gradeval"
        raise InputError(
            f"{place}: was written by gradeval {described.get('gradeval')} in its format "
            f"{described.get('format')}, this version reads format {FORMAT}; {remedy}"
        )
    if not is_whole(described):
        raise InputError(f"{place}: changed since it was written; write the scores again with save()")
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
