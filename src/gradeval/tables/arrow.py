"""Records as an Arrow table and as a Parquet file, by way of pyarrow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.tables.records import Coded, Field, Records

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


KEY = b"gradeval"
"""The key of the metadata in the schema of a table."""


def require_pyarrow(what: str) -> Any:
    """Import pyarrow, or raise an InputError that begins with ``what``, as in "f.parquet: needs"."""
    try:
        import pyarrow
    except ImportError:
        from gradeval.extras import install_hint  # here, as most have it

        raise InputError(f"{what} the package pyarrow: {install_hint('arrow')}") from None
    return pyarrow


def to_arrow(records: Records) -> pyarrow.Table:
    """An Arrow table with a column for each field; coded names are dictionary-encoded."""
    arrow = require_pyarrow("tables as frames need")
    table = arrow.table({name: _column(arrow, field) for name, field in records.fields.items()})
    if records.metadata is None:
        return table
    import json

    return table.replace_schema_metadata({KEY: json.dumps(records.metadata).encode()})


def _column(arrow: Any, field: Field) -> Any:
    if isinstance(field, Coded):
        names = arrow.array(list(map(_as_utf8, field.names)), arrow.string())
        return arrow.DictionaryArray.from_arrays(field.codes.astype(np.int32), names)
    return arrow.array(field if isinstance(field, np.ndarray) else [_as_utf8(value) for value in field])


def _as_utf8(value: Any) -> Any:
    """A name as UTF-8 can hold it: other bytes of a file's name are written out, as other formats do."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


def parquet(records: Records, file: IO[bytes]) -> None:
    """Write records to a Parquet file."""
    table = to_arrow(records)
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, file, compression="zstd", write_page_checksum=True)


class Framed(ABC):
    """Something with exact values, one record a row."""

    __slots__ = ()

    @abstractmethod
    def to_frame(self) -> pyarrow.Table:
        """The exact values as an Arrow table, one record a row; ``polars.from_arrow`` takes it."""

    def to_pandas(self) -> pandas.DataFrame:
        """The exact values as a data frame of pandas, one record a row."""
        frame = self.to_frame()
        try:
            return frame.to_pandas()
        except ImportError:
            raise InputError("to_pandas() needs the package pandas: pip install pandas") from None

    def to_polars(self) -> polars.DataFrame:
        """The exact values as a data frame of Polars, one record a row."""
        frame = self.to_frame()
        try:
            import polars
        except ImportError:
            raise InputError("to_polars() needs the package polars: pip install polars") from None
        table = polars.from_arrow(frame)
        assert isinstance(table, polars.DataFrame)  # only a single column would be a Series
        return table
