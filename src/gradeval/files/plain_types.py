"""Types of Arrow that few of its functions know, as Polars gives them, made into types that all of them know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow

    Rows = TypeVar("Rows", pyarrow.Table, pyarrow.RecordBatch)


def with_plain_types(rows: Rows) -> Rows:
    """The same rows without views of text and runs of equal values, also in lists, in records and in dictionaries.

    Whoever takes in a table calls it once; whoever reads its columns meets text and lists of the usual layouts alone.
    """
    import pyarrow

    if all(_is_plain(kind) for kind in rows.schema.types):
        return rows
    chunked = isinstance(rows, pyarrow.Table)
    columns = [_plain_column(column) if chunked else _plain_array(column) for column in rows.columns]
    fields = [field.with_type(column.type) for field, column in zip(rows.schema, columns, strict=True)]
    return type(rows).from_arrays(columns, schema=pyarrow.schema(fields, rows.schema.metadata))


def _is_plain(kind: pyarrow.DataType) -> bool:
    import pyarrow

    types = pyarrow.types
    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    if types.is_map(kind):
        return True  # nobody reads columns of maps
    rare = (types.is_string_view, types.is_binary_view, types.is_list_view, types.is_large_list_view)
    return not any(is_rare(kind) for is_rare in (*rare, types.is_run_end_encoded)) and all(
        _is_plain(kind.field(at).type) for at in range(kind.num_fields)
    )


def _plain_column(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    import pyarrow

    if _is_plain(column.type):
        return column
    return pyarrow.chunked_array([_plain_array(chunk) for chunk in column.chunks or [column.combine_chunks()]])


def _plain_array(array: Any) -> Any:
    """One array, whose parts become plain first."""
    import pyarrow
    from pyarrow import compute

    kind, types = array.type, pyarrow.types
    if _is_plain(kind):
        return array
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return array.cast(pyarrow.large_string() if types.is_string_view(kind) else pyarrow.large_binary())
    if types.is_dictionary(kind):
        dictionary = _plain_array(array.dictionary)
        return pyarrow.DictionaryArray.from_arrays(array.indices, dictionary, ordered=kind.ordered)
    if types.is_run_end_encoded(kind):
        return _plain_array(compute.run_end_decode(array))
    if types.is_struct(kind):
        fields = [_plain_array(field) for field in array.flatten()]
        return pyarrow.StructArray.from_arrays(fields, [field.name for field in kind], mask=array.is_null())
    lengths = compute.list_value_length(array).fill_null(0).cast(pyarrow.int64())
    ends = pyarrow.concat_arrays([pyarrow.array([0], pyarrow.int64()), compute.cumulative_sum(lengths)])
    return pyarrow.LargeListArray.from_arrays(ends, _plain_array(array.flatten()), mask=array.is_null())
