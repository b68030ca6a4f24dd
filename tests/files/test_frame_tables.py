"""Frames of all libraries as tables of Arrow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from made_frames import COLUMNS, of_run, refusal

from gradeval import InputError, read_run, run_from_frame
from gradeval.files.frame_tables import arrow_table, concat_tables


def test_a_chunked_table_with_other_categories_in_each_chunk_is_read() -> None:
    chunks = []
    for query in ("2", "1"):
        queries = pa.array([query] * 2).dictionary_encode()
        chunks.append(pa.table({"query_id": queries, "doc_id": ["a", "b"], "score": [2.0, 1.0]}))
    scores = {"a": 2.0, "b": 1.0}
    assert of_run(run_from_frame(pa.concat_tables(chunks))) == {"2": scores, "1": scores}


@pytest.mark.parametrize("frame", [3, [1, 2], {"query_id": ["1", 2]}, {"a": [1], "b": [1, 2]}])
def test_what_is_no_table_is_an_error(frame: Any) -> None:
    assert refusal(frame).startswith("run: cannot be read as a table (")


def test_a_missing_package_is_an_error_that_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'gradeval[arrow]'" in refusal(COLUMNS)
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"gradeval\[arrow\]"):
        read_run(tmp_path / "run.parquet")


def test_only_chosen_columns_of_what_is_not_in_memory_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "x.parquet")
    data_set = pyarrow.dataset.dataset(tmp_path / "x.parquet")
    assert arrow_table(data_set, "x", lambda schema: schema.names[1:]).to_pydict() == {"b": [2]}
    assert arrow_table(data_set, "x").column_names == ["a", "b"]


@pytest.mark.parametrize(
    ("other", "expected"), [(["x"], ["1", "x"]), ([0.5], [1.0, 0.5]), (pa.array([2], pa.int8()), [1, 2])]
)
def test_columns_of_several_types_become_one_that_holds_both(other: Any, expected: list[Any]) -> None:
    parts = [("first", pa.table({"a": [1], "b": [0]})), ("second", pa.table({"a": other}))]
    assert concat_tables(parts).to_pydict() == {"a": expected}
