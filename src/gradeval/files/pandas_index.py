"""What in a table is the index of a frame of pandas: it names rows, and is no column like the others."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from gradeval.files.column_names import DOCUMENTS, QUERIES, normal_name

if TYPE_CHECKING:
    import pyarrow

RESERVED = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""The names of an index without one, as pyarrow and Dask write them: tools that know no index keep them as columns."""

NAMELESS = re.compile(r"|Unnamed: \d+(_level_\d+)?")
"""The name of a column without one, in csv and as pandas reads it: so it writes its index."""

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
    """The columns of a table, without its index; a level of that which the user ``asked`` for by its name is one."""
    index = set(index_columns(schema)) - set(asked)
    return [name for name in schema.names if name not in index]


def index_of_ids(schema: pyarrow.Schema) -> list[str]:
    """The levels of the index that are called as queries and documents usually are."""
    return [name for name in index_columns(schema) if normal_name(name) in {*QUERIES, *DOCUMENTS}]


def nameless(names: Sequence[str]) -> list[str]:
    """The columns that have no name of their own."""
    return [name for name in names if NAMELESS.fullmatch(str(name))]
