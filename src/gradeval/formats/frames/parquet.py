"""Parquet files, by way of pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.read import Path
from gradeval.files.source import as_source
from gradeval.formats.column_names import Columns, Kind
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow


def is_parquet(beginning: bytes, kind: Kind, columns: Columns) -> bool:  # noqa: ARG001
    """Does the file begin as Parquet files do?"""
    return beginning.startswith(b"PAR1")


def read_parquet(
    path: Path, choose: Callable[[list[str]], Sequence[str]] = list, *, remedy: str = "name another file"
) -> pyarrow.Table:
    """Some columns of a Parquet file, which ``choose`` picks out of their names; all of them where it picks none.

    ``remedy`` ends the message about a file that is damaged or not Parquet.
    """
    source = as_source(path)
    place = source.place
    arrow = require_pyarrow(f"{place}: reading it needs")
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(arrow.BufferReader(arrow.py_buffer(source.data)))
        return file.read(list(choose(file.schema_arrow.names)) or None)
    except (arrow.ArrowException, OSError) as error:
        fault = first_line(error)
        raise InputError(f"{place}: is no Parquet file, or a damaged one ({fault}); {remedy}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error of pyarrow, without the details that follow."""
    return str(error).split("\n")[0].rstrip(".")
