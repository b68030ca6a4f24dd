"""Columns of Arrow tables: ids, numbers and flags of every kind, and what none of these is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval.files.arrow_columns import read_coded_ids, read_flags, read_ids, read_numbers, require_frame_columns

CODED = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2], pa.int8()), pa.array(["a", "unused", "b"]))
BROKEN = pa.Array.from_buffers(
    pa.large_string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int64)), pa.py_buffer(b"a\xff")]
)


def chunked(*chunks: pa.Array) -> pa.ChunkedArray:
    return pa.chunked_array(chunks)


@pytest.mark.parametrize(
    ("column", "ids"),
    [
        (chunked(pa.array([2, 1, 2])), ["2", "1", "2"]),
        (chunked(CODED), ["b", "a", "b"]),
        (chunked(CODED.dictionary_decode(), CODED.dictionary_decode()), ["b", "a", "b"] * 2),
        (chunked(CODED, pa.array(["c", "a"]).dictionary_encode().cast(CODED.type)), ["b", "a", "b", "c", "a"]),
        (chunked(pa.array(["é", "", "é"], pa.large_string())), ["é", "", "é"]),
        (chunked(pa.array(["x", "b", "a"])[1:]), ["b", "a"]),
    ],
)
def test_ids_are_read_whole_and_as_codes_in_order_of_appearance(column: pa.ChunkedArray, ids: list[str]) -> None:
    assert read_ids(column, "id", "run") == ids
    known, codes = read_coded_ids(column, "id", "run")
    assert known == list(dict.fromkeys(ids))
    assert [known[code] for code in codes.tolist()] == ids


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([301.0]), "run: column 'id' holds floating-point numbers (double), which are no ids"),
        (
            pa.array([301.0, None]),
            "run: column 'id' holds floating-point numbers (double), which are no ids: 301 would read 301.0, and long "
            "ones lose digits; in pandas: df['id'] = df['id'].astype('Int64')",
        ),
        (
            pa.array([0.5]),
            "run: column 'id' holds floating-point numbers (double), which are no ids: 301 would read 301.0, and long "
            "ones lose digits; give text or whole numbers",
        ),
        (pa.array([True]), "run: column 'id' holds bool, which are no ids"),
        (pa.array([[1]]), "run: column 'id' holds list<"),
        (BROKEN, "run: column 'id' is not valid UTF-8"),
    ],
)
def test_what_are_no_ids_is_refused_with_the_reason(column: pa.Array, said: str) -> None:
    for read in (read_ids, read_coded_ids):
        if read is read_coded_ids and pa.types.is_list(column.type):
            continue  # Arrow makes no dictionary of lists
        assert said_of(lambda read=read: read(chunked(column), "id", "run")).startswith(said)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([True]), "holds bool, not numbers; convert it first"),
        (pa.array(["1", "x"]), "holds string, not numbers (row 1: 'x'); convert it first"),
        (pa.array([2**53 + 1]), "holds a number that no double equals"),
    ],
)
def test_what_are_no_numbers_is_refused_with_the_first_of_them(column: pa.Array, said: str) -> None:
    assert said_of(lambda: read_numbers(chunked(column), "score", "run")).startswith(f"run: column 'score' {said}")


@pytest.mark.parametrize("column", [pa.array([True, False]), pa.array([1, 0]), pa.array(["true", "false"])])
def test_flags_may_be_written_in_several_ways(column: pa.Array) -> None:
    assert read_flags(chunked(column), "click", "log").tolist() == [True, False]
    assert "not true and false" in said_of(lambda: read_flags(chunked(pa.array(["maybe"])), "click", "log"))


@pytest.mark.parametrize(
    ("names", "columns", "said"),
    [
        (["a", "b"], [["1"], ["2"]], "has no column 'score' (it has a, b)"),
        (["score", "score"], [[1], [2]], "has more than one column 'score' (it has score, score); name it"),
        (["score"], [pa.array([], pa.int64())], "the table has no rows"),
        (["score"], [[1, None]], "row 1: score is missing"),
        (["score"], [pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None]))], "row 1: score is missing"),
    ],
)
def test_a_column_is_there_once_and_complete(names: list[str], columns: list[Any], said: str) -> None:
    table = pa.table(columns, names=names)
    assert said_of(lambda: require_frame_columns(table, ["score"], "run", "name it")).startswith(f"run: {said}")
