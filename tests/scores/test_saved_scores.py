"""Scores as a table, and through a Parquet file and back."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusing import said_of

from gradeval import AP, GAP, InputError, Scores, nDCG, read_scores
from gradeval.files.seal import seal_content

MEASURES = [GAP(g={1: 0.1, 2: 0.9}) @ 100, AP(rel=2), nDCG(dcg="exp-log2") @ 10]


@pytest.fixture
def scores() -> Scores:
    """3 runs x 2 topics x 3 measures, no value like another, some of them hard to write."""
    values = np.arange(18, dtype=float).reshape(3, 2, 3) / 7
    values[0, 0] = [-0.0, 5e-324, 0.1 + 0.2]
    return Scores(
        values=values,
        present=np.array([[True, True], [False, True], [True, False]]),
        vacant=np.array([[False, True, False], [False, False, True]]),
        runs=["zeta", 'a run, "quoted"', "été"],
        topics=["302", "0301"],
        measures=list(MEASURES),
        missing="skip",
        empty="one",
    )


def same(one: Scores, other: Scores) -> bool:
    return (
        one.values.tobytes() == other.values.tobytes()
        and one.present.tolist() == other.present.tolist()
        and one.vacant.tolist() == other.vacant.tolist()
        and (one.runs, one.topics, one.measures) == (other.runs, other.topics, other.measures)
        and (one.missing, one.empty) == (other.missing, other.empty)
    )


refusal = partial(said_of, read_scores)


def test_the_table_has_one_row_a_value_in_run_topic_measure_order(scores: Scores) -> None:
    table = scores.to_frame()
    assert table.column_names == ["run", "topic", "measure", "value", "present", "vacant"]
    rows = table.to_pylist()
    assert len(rows) == 3 * 2 * 3
    assert rows[6 + 3 + 1] == {
        "run": scores.runs[1],
        "topic": "0301",
        "measure": "AP(rel=2)",
        "value": scores.values[1, 1, 1],
        "present": True,
        "vacant": False,
    }
    assert table.column("value").to_pylist() == scores.values.ravel().tolist()


def test_other_tools_read_the_table(scores: Scores, tmp_path: Path) -> None:
    expected = scores.values.ravel().tolist()
    assert scores.to_frame().to_pandas()["value"].tolist() == expected
    assert pl.DataFrame(scores.to_frame())["value"].to_list() == expected
    path = tmp_path / "scores.parquet"
    scores.save(path)
    assert pd.read_parquet(path)["value"].tolist() == expected
    assert pl.read_parquet(path)["topic"].to_list() == ["302"] * 3 + ["0301"] * 3 + (["302"] * 3 + ["0301"] * 3) * 2
    assert duckdb.sql(f"select count(*) from '{path}' where run = 'zeta' and vacant").fetchall() == [(2,)]


def test_saved_scores_load_as_they_were(scores: Scores, tmp_path: Path) -> None:
    scores.save(tmp_path / "scores.parquet")
    again = read_scores(tmp_path / "scores.parquet")
    assert same(again, scores)
    assert again.coverage is None
    assert again.mean().tolist() == scores.mean().tolist()


def test_scores_are_written_to_standard_output(scores: Scores, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr("sys.stdout", out)
    scores.save("-", format="parquet")
    (tmp_path / "scores.parquet").write_bytes(out.buffer.getvalue())  # type: ignore[attr-defined]
    assert same(read_scores(tmp_path / "scores.parquet"), scores)


def test_rows_in_another_order_load_to_the_same_scores(scores: Scores, tmp_path: Path) -> None:
    table = scores.to_frame()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    pq.write_table(shuffled, tmp_path / "scores.parquet")
    assert same(read_scores(tmp_path / "scores.parquet"), scores)


@pytest.mark.parametrize("kept", [slice(0, 17), slice(0, 0)])
def test_scores_that_lack_rows_are_an_error(scores: Scores, tmp_path: Path, kept: slice) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame()[kept], path)
    assert refusal(path).startswith(f"{path}: has {kept.stop} rows that fit, not one for each of 3 runs x 2 topics")


def test_scores_with_a_row_twice_are_an_error(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().take([*range(17), 3]), path)
    assert refusal(path).startswith(f"{path}: has some of its rows twice")


def test_scores_that_lack_a_column_are_an_error(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().drop_columns(["present"]), path)
    assert refusal(path).startswith(f"{path}: these scores are incomplete")


def described(scores: Scores, **changed: object) -> pa.Table:
    table = scores.to_frame()
    told = json.loads(table.schema.metadata[b"gradeval"])
    return table.replace_schema_metadata({b"gradeval": json.dumps(seal_content({**told, **changed})).encode()})


def test_scores_of_a_measure_that_is_not_known_here_are_scores_like_others(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    table = described(scores, measures=["Novelty@10", "AP(rel=2)", "nDCG@10"])
    measures = pa.array(["Novelty@10", "AP(rel=2)", "nDCG@10"] * 6)
    pq.write_table(table.set_column(2, "measure", measures), path)
    foreign = read_scores(path)
    assert list(map(str, foreign.measures)) == ["Novelty@10", "AP(rel=2)", "nDCG@10"]
    assert foreign.of("Novelty@10").tolist() == scores.values[:, :, 0].tolist()
    assert foreign.sel(measures="Novelty@10 AP(rel=2)").values.tolist() == scores.values[:, :, :2].tolist()
    assert same(pickle.loads(pickle.dumps(foreign)), foreign)
    assert same(copy.deepcopy(foreign), foreign)
    foreign.save(tmp_path / "again.parquet")
    assert same(read_scores(tmp_path / "again.parquet"), foreign)


def test_scores_of_a_later_version_are_an_error_that_says_so(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(described(scores, format=3, gradeval="7.0"), path)
    assert refusal(path) == (
        f"{path}: was written by gradeval 7.0 in its format 3, this version reads format 2; update gradeval"
    )


def test_scores_whose_values_or_description_changed_are_an_error(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    table = scores.to_frame()
    values = table.column("value").to_numpy().copy()
    values[0] += 0.25
    pq.write_table(table.set_column(3, "value", pa.array(values)), path)
    assert refusal(path) == f"{path}: the values are not those that were written; write them again with save()"
    told = json.loads(table.schema.metadata[b"gradeval"])
    for changed in ({"empty": "a"}, {"gradeval": "7.0"}, {"collection": "another"}, {"sha256": ""}):
        altered = {b"gradeval": json.dumps({**told, **changed}).encode()}
        pq.write_table(table.replace_schema_metadata(altered), path)
        assert refusal(path) == f"{path}: changed since it was written; write the scores again with save()"


def test_a_parquet_file_of_something_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"run": ["a"], "value": [1.0]}), path)
    assert refusal(path) == f"{path}: is a Parquet file, but not one of scores; name a file written by save()"


def test_a_truncated_file_is_an_error(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores.save(path)
    path.write_bytes(path.read_bytes()[:-30])
    assert refusal(path).startswith(f"{path}: is no Parquet file, or a damaged one (")


def test_scores_that_cannot_be_written_leave_the_file_that_is_there(
    scores: Scores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.parquet"
    scores.save(path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", fail)
    with pytest.raises(InputError, match="cannot be written"):
        replace(scores, values=scores.values + 1).save(path)
    assert same(read_scores(path), scores)
    assert [file.name for file in tmp_path.iterdir()] == ["scores.parquet"]


def test_a_missing_package_is_an_error_that_names_the_command_that_installs_it(
    scores: Scores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match='pip install "pyarrow>=16"'):
        scores.save(tmp_path / "scores.parquet")
    assert list(tmp_path.iterdir()) == []
