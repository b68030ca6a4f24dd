"""Records as an Arrow table and as a Parquet file, by way of pyarrow."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.tables.records import Coded, Field, Records

if TYPE_CHECKING:
    import pyarrow

KEY = b"gradeval"
"""The key of the metadata in the schema of a table."""


def require_pyarrow(what: str) -> Any:
    """Import pyarrow, or raise an InputError that begins with ``what``, as in "f.parquet: needs"."""
    try:
        import pyarrow
    except ImportError:
        raise InputError(f"{what} the package pyarrow: pip install 'gradeval[arrow]'") from None
    return pyarrow


def to_arrow(records: Records) -> pyarrow.Table:
    """An Arrow table with a column for each field; coded names are dictionary-encoded."""
    arrow = require_pyarrow("tables as frames need")
    table = arrow.table({name: _column(arrow, field) for name, field in records.fields.items()})
    if records.metadata is None:
        return table
    return table.replace_schema_metadata({KEY: json.dumps(records.metadata).encode()})


def _column(arrow: Any, field: Field) -> Any:
    if isinstance(field, Coded):
        names = arrow.array(list(field.names), arrow.string())
        return arrow.DictionaryArray.from_arrays(field.codes.astype(np.int32), names)
    return arrow.array(field)


def parquet(records: Records, file: IO[bytes]) -> None:
    """Write records to a Parquet file."""
    table = to_arrow(records)
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, file, compression="zstd")
