"""Parquet files, by way of pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradeval._core import InputError
from gradeval.files.column_names import Columns, Kind
from gradeval.files.source import as_source
from gradeval.files.steady import SteadyFile
from gradeval.tables.arrow import require_pyarrow
from gradeval.whole import Path

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet


def is_parquet(beginning: bytes, kind: Kind, columns: Columns) -> bool:  # noqa: ARG001
    """Does the file begin as Parquet files do?"""
    return beginning.startswith(b"PAR1")


def read_parquet(
    path: Path, choose: Callable[[pyarrow.Schema], Sequence[str]] = lambda _: (), *, remedy: str = "name another file"
) -> pyarrow.Table:
    """Some columns of a Parquet file, which ``choose`` picks out of its schema; all of them where it picks none.

    ``remedy`` ends the message about a file that is damaged or not Parquet.
    """
    source = as_source(path)
    place = source.place
    arrow = require_pyarrow(f"{place}: reading it needs")
    import pyarrow.parquet

    data = arrow.py_buffer(source.data)
    try:
        file = pyarrow.parquet.ParquetFile(arrow.BufferReader(data))
        table = file.read(list(choose(file.schema_arrow)) or None)
        table.validate(full=True)  # damaged text is no text
        return table
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _no_parquet(place, error, remedy) from error


@contextmanager
def open_parquet(file: SteadyFile) -> Iterator[parquet.ParquetFile]:
    """A Parquet file, of which some row groups are read in the block; a file that is none, is damaged or changes is an
    InputError."""
    arrow = require_pyarrow(f"{file.place}: reading it needs")
    from pyarrow import parquet

    try:
        with file.open() as opened, parquet.ParquetFile(opened) as read:
            yield read
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _no_parquet(file.place, error) from error


def _no_parquet(place: str, error: BaseException, remedy: str = "name another file") -> InputError:
    return InputError(f"{place}: is no Parquet file, or a damaged one ({first_line(error)}); {remedy}")


def first_line(error: BaseException) -> str:
    """The first line of an error of pyarrow, without the details that follow."""
    return str(error).split("\n")[0].rstrip(".")
