"""Parquet files, by way of pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.read import Path, name_place, read_bytes
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow


def read_parquet(path: Path, columns: Sequence[str] = (), *, remedy: str = "name another file") -> pyarrow.Table:
    """Some columns of a Parquet file; all of them where one is missing, or none is named.

    ``remedy`` ends the message about a file that is damaged or not Parquet.
    """
    place = name_place(path)
    arrow = require_pyarrow(f"{place}: reading it needs")
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(arrow.BufferReader(arrow.py_buffer(read_bytes(path))))
        there = columns and set(columns) <= set(file.schema_arrow.names)
        return file.read(list(columns) if there else None)
    except (arrow.ArrowException, OSError) as error:
        fault = first_line(error)
        raise InputError(f"{place}: is no Parquet file, or a damaged one ({fault}); {remedy}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error of pyarrow, without the details that follow."""
    return str(error).split("\n")[0].rstrip(".")
