"""Scores as a table, and through a Parquet file and back."""

from __future__ import annotations

import copy
import gzip
import io
import json
import lzma
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest
from refusing import said_of

from gradeval import AP, GAP, InputError, Scores, nDCG, read_scores

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
    (tmp_path / "scores.parquet").write_bytes(out.buffer.getvalue())
    assert same(read_scores(tmp_path / "scores.parquet"), scores)


def test_rows_in_another_order_load_to_the_same_scores(scores: Scores, tmp_path: Path) -> None:
    table = scores.to_frame()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    pq.write_table(shuffled, tmp_path / "scores.parquet")
    assert same(read_scores(tmp_path / "scores.parquet"), scores)


def test_scores_that_lack_a_value_are_an_error_that_names_it(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    table = scores.to_frame()
    pq.write_table(table.take([*range(16), 17]), path)
    assert refusal(path).startswith(
        f"{path}: run {scores.runs[2]!r} has no {MEASURES[1]} for topic '0301', though it has other measures"
    )
    pq.write_table(table[:17], path)  # what is vacant counts 1, whatever its value
    assert read_scores(path).mean().tolist() == scores.mean().tolist()
    pq.write_table(described(scores, empty="zero")[:17], path)
    assert "has no nDCG(dcg='exp-log2')@10 for topic '0301'" in refusal(path)
    pq.write_table(scores.to_frame()[:0], path)
    assert refusal(path) == f"{path}: the table has no rows"


def test_scores_with_a_row_twice_are_an_error(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().take([*range(17), 3]), path)
    assert refusal(path) == f"{path} row 17: {MEASURES[0]} of run 'zeta' for topic '0301' is given twice"


def copied_by_pandas(path: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    change(pd.read_parquet(path)).to_parquet(path)


def copied_by_polars(path: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    pl.from_pandas(change(pl.read_parquet(path).to_pandas())).write_parquet(path)


def copied_by_duckdb(path: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    frame = change(duckdb.sql(f"select * from '{path}'").df())
    duckdb.sql(f"copy (select * from frame) to '{path}' (format parquet)")
    assert len(frame)


def copied_by_pyarrow(path: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    table = pq.read_table(path)
    metadata = table.schema.metadata
    pq.write_table(pa.Table.from_pandas(change(table.to_pandas())).replace_schema_metadata(metadata), path)


CHANGES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "as it is": lambda frame: frame,
    "shuffled": lambda frame: frame.sample(frac=1, random_state=1),
    "columns in another order": lambda frame: frame[list(frame.columns[::-1])],
    "a column more": lambda frame: frame.assign(mine=1.0),
    "a topic filtered": lambda frame: frame[frame["topic"] != "302"],
    "a run filtered": lambda frame: frame[frame["run"] != "zeta"],
    "a measure filtered": lambda frame: frame[frame["measure"] != str(MEASURES[1])],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("copied", [copied_by_pandas, copied_by_polars, copied_by_duckdb, copied_by_pyarrow])
def test_scores_that_other_tools_wrote_back_are_scores(
    scores: Scores, tmp_path: Path, copied: Callable[..., None], change: str
) -> None:
    path = tmp_path / "scores.parquet"
    scores.save(path)
    copied(path, CHANGES[change])
    again = read_scores(path, missing="skip", empty="one")
    kept = {
        "runs": scores.runs[1:] if change == "a run filtered" else scores.runs,
        "topics": scores.topics[1:] if change == "a topic filtered" else scores.topics,
        "measures": [MEASURES[0], MEASURES[2]] if change == "a measure filtered" else MEASURES,
    }
    expected = scores.sel(**kept)
    assert same(again.sel(**kept), expected)
    assert (len(again.runs), len(again.topics), len(again.measures)) == expected.values.shape
    if copied is copied_by_pyarrow:  # what the metadata say stays
        assert same(read_scores(path), expected)
    else:
        assert any("does not say levels, ties, judgments" in str(note) for note in again.notes)
        notes = [str(note) for note in read_scores(path).notes]
        assert any("they count 0" in note for note in notes)
        assert any("count 0, as nothing says otherwise" in note for note in notes)


def test_topics_that_were_filtered_from_saved_scores_are_counted_in_a_note(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().filter(pa.compute.field("topic") == "302"), path)
    assert f"{path}: has rows of 1 of the 2 topics that were saved" in [str(note) for note in read_scores(path).notes]


@pytest.mark.parametrize("lacks", ["present", "vacant"])
def test_a_column_that_is_gone_is_noted(scores: Scores, tmp_path: Path, lacks: str) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().drop_columns([lacks]), path)
    again = read_scores(path)
    assert f"{path}: does not say {lacks}" in [str(note) for note in again.notes]
    assert again.values.tobytes() == scores.values.tobytes()


def test_saved_scores_are_told_by_their_content(scores: Scores, tmp_path: Path) -> None:
    scores.save(tmp_path / "scores.parquet")
    data = (tmp_path / "scores.parquet").read_bytes()
    for name, content in {"a": data, "b.txt": data, "c.gz": gzip.compress(data), "d.xz": lzma.compress(data)}.items():
        (tmp_path / name).write_bytes(content)
        assert same(read_scores(tmp_path / name), scores)


def described(scores: Scores, **changed: object) -> pa.Table:
    table = scores.to_frame()
    told = json.loads(table.schema.metadata[b"gradeval"])
    return table.replace_schema_metadata({b"gradeval": json.dumps({**told, **changed}).encode()})


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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"empty": "a"}, "says empty='a'; accepted: zero, skip, one; write it again with save()"),
        ({"missing": ["zero"]}, "says missing=['zero']; accepted: zero, skip, common; write it again with save()"),
        ({"ties": {"a": 1}}, "says ties={'a': 1}; accepted: None, docid"),
        ({"unit": "yes"}, "says unit='yes'; accepted: None, topics, tasks"),
    ],
)
def test_what_saved_scores_say_of_themselves_is_checked(
    scores: Scores, tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(described(scores, **changed), path)
    assert refusal(path).startswith(f"{path}: {said}")


@pytest.mark.parametrize("metadata", [b"{", b"[1]", b"[" * 100_000, b"\xff"])
def test_unreadable_metadata_are_an_error(scores: Scores, tmp_path: Path, metadata: bytes) -> None:
    path = tmp_path / "scores.parquet"
    pq.write_table(scores.to_frame().replace_schema_metadata({b"gradeval": metadata}), path)
    assert refusal(path) == f"{path}: what it says of its scores is damaged; write it again with save()"


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("value", [np.nan, *[0.5] * 17], "row 0: value is missing"),
        ("value", [*[0.5] * 17, np.inf], " row 17: value 'inf' is not a finite number"),
        ("present", ["maybe"] * 18, "column 'present' holds"),
        ("vacant", [None] * 18, "row 0: vacant is missing"),
        ("levels", [3] * 18, "column 'levels' holds int64, not text as in '0,1,2'"),
        ("levels", ["2,1"] * 18, "column 'levels': levels 2,1 must ascend from 0"),
        ("present", [True, *[False] * 17], "run 'zeta' is present in some rows of topic '302' only"),
        ("vacant", [True, *[False] * 17], "topic '302' has relevant documents for"),
    ],
)
def test_columns_are_checked(scores: Scores, tmp_path: Path, column: str, values: list[object], said: str) -> None:
    frame = scores.to_pandas()
    frame[column] = values
    frame.to_parquet(tmp_path / "scores.parquet")
    assert said in refusal(tmp_path / "scores.parquet")


def test_a_parquet_file_of_something_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"query_id": ["1"], "doc_id": ["a"], "score": [1.0]}), path)
    known = "run, topic, measure, value, or as system, query, metric, score; rename or add it"
    assert refusal(path) == f"{path}: has no column 'run'; scores have {known}"


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
    with pytest.raises(InputError, match=r"pip install 'gradeval\[arrow\]'"):
        scores.save(tmp_path / "scores.parquet")
    assert list(tmp_path.iterdir()) == []
