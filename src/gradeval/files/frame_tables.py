"""Frames of all libraries as tables of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gradeval._core import InputError
from gradeval.files.arrow_columns import decoded, first_line, is_text
from gradeval.files.plain_types import with_plain_types
from gradeval.files.unlike_objects import find_conversion
from gradeval.tables.arrow import require_pyarrow

if TYPE_CHECKING:
    import pyarrow


MOST_ROWS = 1_000_000
"""Rows that are looked at to say what a column may hold."""


def concat_tables(tables: Sequence[tuple[str, pyarrow.Table]]) -> pyarrow.Table:
    """The rows of all tables; columns of other types become text or doubles, as they are read."""
    import pyarrow

    if len(tables) == 1:
        return tables[0][1]
    names = [name for name in tables[0][1].column_names if all(name in table.column_names for _, table in tables)]
    columns = []
    for name in names:
        parts = [decoded(table.column(name)) for _, table in tables]
        kinds = {part.type for part in parts}
        if len(kinds) > 1:
            kind = pyarrow.large_string() if any(map(is_text, parts)) else pyarrow.float64()
            if all(pyarrow.types.is_integer(part.type) for part in parts):
                kind = pyarrow.int64()
            parts = [part.cast(kind) for part in parts]
        columns.append(pyarrow.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type))
    return pyarrow.Table.from_arrays(columns, names)


def arrow_table(
    frame: Any,
    place: str,
    choose: Callable[[pyarrow.Schema], Sequence[str]] = lambda _: (),
    mend: Callable[[Any], Any | None] = lambda _: None,
) -> pyarrow.Table:
    """A frame as an Arrow table; ``place`` names it in messages; ``choose`` picks the columns of what is not in memory
    out of its schema, all of them where it picks none; ``mend`` makes of a frame that Arrow refuses one to try."""
    arrow = require_pyarrow(f"{place}: reading it needs")
    try:
        return with_plain_types(arrow.table(_gather(arrow, frame, choose)))
    except (arrow.ArrowException, TypeError, ValueError, OverflowError, OSError) as error:
        if (mended := mend(frame)) is not None:
            return arrow_table(mended, place, choose)
        from gradeval.files.mixed_columns import refuse_one_without_list  # here, as most frames are tables

        refuse_one_without_list(frame, place)
        raise InputError(
            f"{place}: cannot be read as a table ({first_line(error)}); accepted: a table or data set of pyarrow; a "
            "frame of pandas, Polars, Dask or DuckDB; a dict of columns that each hold one "
            f"type{_tell_method(frame)}"
        ) from error


def _tell_method(frame: Any) -> str:
    """The method that makes of a foreign frame one that is accepted, if it has one that is known."""
    method = find_conversion(frame)
    return "" if method is None else f"; give the frame that its {method}() makes"


def _gather(arrow: Any, frame: Any, choose: Callable[[pyarrow.Schema], Sequence[str]]) -> Any:
    """What is computed only on demand, as something that Arrow takes: frames of Polars and Dask, data sets and
    scanners of pyarrow, lists of LensKit."""
    match type(frame).__module__.partition(".")[0]:
        case "polars" if type(frame).__name__ == "LazyFrame":
            return frame.collect()
        case "dask":
            return frame.compute()
        case "lenskit":
            return frame.to_df()
        case "pyarrow" if hasattr(frame, "projected_schema"):
            return frame.to_table()
        case "pyarrow" if hasattr(frame, "to_table"):
            return frame.to_table(columns=list(choose(frame.schema)) or None)
        case "pandas" if {type(name) for name in frame.columns} > {str}:
            return _gather(arrow, frame.set_axis([*map(str, frame.columns)], axis=1), choose)  # else Arrow warns
        case "pandas" if type(frame.index).__name__ == "RangeIndex" and frame.index.name is not None:
            return arrow.Table.from_pandas(frame, preserve_index=True)  # else Arrow leaves these ids out
    return frame


def rows_of(table: pyarrow.Table, names: Sequence[str]) -> Iterable[Sequence[Any]]:
    """The first rows of a table, as values of Python."""
    first = table.slice(0, MOST_ROWS)
    return zip(*(first.column(name).to_pylist() for name in names), strict=True)
