"""Which columns of a frame are read: its usual names, and of its index the levels that hold ids."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gradeval._core import InputError
from gradeval.files.column_choice import choose_columns, keys_beside
from gradeval.files.column_names import (
    DOCUMENTS,
    FOLDS,
    LIKELY_RUNS,
    QUERIES,
    InputKind,
    find_called,
    find_other_grades,
    find_segments,
    normal_name,
)
from gradeval.files.dotted_columns import name_parts
from gradeval.files.mixed_raters import find_raters_columns
from gradeval.files.named_columns import GUESSED, Columns, Remedy, parts_of
from gradeval.files.pair_columns import are_known
from gradeval.files.split_columns import SPLITS
from gradeval.files.unknown_columns import NAMELESS, RESERVED

if TYPE_CHECKING:
    import pyarrow


class NeededColumns(NamedTuple):
    """The names of the columns of judgments or of a run that are read, and of these the names of those which may hold
    the names of runs."""

    names: list[str]
    runs: list[str]


def find_needed(schema: pyarrow.Schema, kind: InputKind, place: str, remedy: Remedy) -> NeededColumns:
    """The columns of a table that are read, known by their usual names; an error where one of the three is not."""
    names = columns_of_roles(schema, kind, GUESSED)
    chosen = choose_columns(names, kind, Columns(remedy=remedy), place)
    runs = [names[at] for at in chosen.runs]
    return NeededColumns([names[at] for at in (*chosen[:3], chosen.rank) if at is not None] + runs, runs)


def columns_of_roles(schema: pyarrow.Schema, kind: InputKind, columns: Columns) -> list[str]:
    """The columns of a table, without the index of a frame of pandas, unless the user names one of its levels, or there
    are no other queries or documents."""
    names = columns_beside_index(schema, (columns.query, columns.doc, columns.of_values(kind)))
    if are_known(names, kind, columns):
        return names
    return [*names, *(level for level in index_of_ids(schema) if level not in names)]


def needed_columns(
    schema: pyarrow.Schema, kind: InputKind, columns: Columns, keys: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The names of the columns that will be read, with the ``keys`` of folders; none where they cannot be told."""
    if name_parts(schema.names, columns):
        return []
    names = columns_of_roles(schema, kind, columns)
    parts = [names[at] for at in parts_of(columns.query, names)]
    names += [*keys_beside(names, keys, kind, columns), *([str(columns.query)] if parts else [])]
    try:
        chosen = choose_columns(names, kind, columns, "")
    except InputError:
        return []
    others = [*find_other_grades(names, chosen[:3]), *find_called(names, SPLITS, chosen[:3])] if kind == "qrels" else []
    others += find_raters_columns(names, chosen[:3]) if kind == "qrels" else []
    others += find_called(names, LIKELY_RUNS, chosen[:3]) if kind == "run" and not chosen.runs else []
    others += [*find_segments(names, chosen.query), *find_called(names, FOLDS, chosen[:3])]
    places = (*chosen[:3], chosen.rank, *chosen.runs, *others)
    needed = [*(names[at] for at in places if at is not None), *parts]
    return [name for name in dict.fromkeys(needed) if name in schema.names]


WHY_NAMELESS = "column {0!r} has no name of its own, as an index that pandas wrote to csv; drop or rename it"
"""Why such a column is no feature."""


def index_columns(schema: pyarrow.Schema) -> list[str]:
    """The columns of a table that are the index of the frame from which it was made, by the metadata of pandas."""
    try:
        described = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
        marked = {level for level in described if isinstance(level, str)}
    except (KeyError, TypeError, ValueError):
        marked = set()  # not from pandas
    return [name for name in schema.names if name in marked or RESERVED.fullmatch(name)]


def columns_beside_index(schema: pyarrow.Schema, asked: Collection[str | None] = ()) -> list[str]:
    """The columns of a table, without its index, except levels that the user ``asked`` for by name."""
    index = set(index_columns(schema)) - set(asked)
    return [name for name in schema.names if name not in index]


def index_of_ids(schema: pyarrow.Schema) -> list[str]:
    """The levels of the index that are called as queries and documents usually are."""
    return [name for name in index_columns(schema) if normal_name(name) in {*QUERIES, *DOCUMENTS}]


def nameless(names: Sequence[str]) -> list[str]:
    """The columns that have no name of their own."""
    return [name for name in names if NAMELESS.fullmatch(str(name))]
