"""Caches of features: the same features as read whole, whatever the pieces, and the same rankers trained from them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from graded_features import graded_features
from refusing import said_of

import gradeval.files.feature_cache as feature_cache
from gradeval import Features, cache_features, features_to_frame, open_features, read_letor, write_letor


def same(one: Features, other: Features) -> bool:
    return (
        one.X.tobytes() == other.X.tobytes()
        and one.grades.tobytes() == other.grades.tobytes()
        and one.offsets.tolist() == other.offsets.tolist()
        and (one.topics, one.columns, one.levels, one.docs) == (other.topics, other.columns, other.levels, other.docs)
    )


@pytest.fixture
def features() -> Features:
    return graded_features(40)


@pytest.mark.parametrize("piece", [1, 300, 2000, 1 << 26])
def test_pieces_of_letor_text_are_the_whole(
    features: Features, tmp_path: Path, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_cache, "PIECE", piece)
    write_letor(features, tmp_path / "all.txt")
    lines = (tmp_path / "all.txt").read_text().splitlines(keepends=True)
    (tmp_path / "all.txt").write_text("# a comment\n\n" + "".join(lines)[:-1])
    cached = cache_features(tmp_path / "all.txt", tmp_path / "cache")
    assert isinstance(cached.X, np.memmap)
    assert same(cached, read_letor(tmp_path / "all.txt"))
    assert same(open_features(tmp_path / "cache"), cached)


def test_several_files_with_different_features_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:2 3:4\n0 qid:1 2:1\n")
    (tmp_path / "b.txt").write_text("2 qid:2 0:7 2:1\n")
    cached = cache_features([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "cache")
    assert cached.X.tolist() == [[0, 2, 0, 4], [0, 0, 1, 0], [7, 0, 1, 0]]
    assert cached.columns == ("0", "1", "2", "3")
    assert cached.levels == (0, 1, 2)


@pytest.mark.parametrize("rows", [7, 64, 1000])
def test_row_groups_that_cut_queries_are_the_whole(features: Features, tmp_path: Path, rows: int) -> None:
    table = features_to_frame(features).drop_columns(["doc_id"])
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=rows)
    cached = cache_features(tmp_path / "t.parquet", tmp_path / "cache")
    assert cached.X.tobytes() == features.X.tobytes()
    assert (cached.topics, cached.offsets.tolist()) == (features.topics, features.offsets.tolist())


@pytest.mark.parametrize("kind", ["linear", "neural", "tree"])
@pytest.mark.parametrize("objective", ["lambdarank:GAP", "softrank:GAP"])
def test_rankers_trained_from_a_cache_are_those_trained_from_memory(
    features: Features, tmp_path: Path, kind: str, objective: str
) -> None:
    if kind == "tree" and objective.startswith("softrank"):
        pytest.skip("trees learn by lambdarank only")
    pytest.importorskip("torch")
    from gradeval.ltr.rankers.kinds import ranker_class

    settings: dict[str, Any] = {"epochs": 4, "min_rows": 5} if kind == "tree" else {"epochs": 4}
    valid = graded_features(15, seed=1, prefix="v")
    from_memory = ranker_class(kind)(objective, **settings).fit(features, valid)
    from_cache = ranker_class(kind)(objective, **settings).fit(cache_features(features, tmp_path / "cache"), valid)
    assert from_cache.score(valid).tobytes() == from_memory.score(valid).tobytes()
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["rest.npz", "table.npy"]


refusal = partial(said_of, cache_features)


def test_errors_name_the_line_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_cache, "PIECE", 40)
    good = "".join(f"1 qid:{query} 1:2\n0 qid:{query} 1:3\n" for query in range(10))
    (tmp_path / "a.txt").write_text(good + "1 qid:11 1:x\n")
    assert refusal(tmp_path / "a.txt", tmp_path / "cache").startswith(f"{tmp_path}/a.txt:21: ")
    (tmp_path / "a.txt").write_text(good + "1 qid:3 1:5\n")
    assert "topic 3 comes again" in refusal(tmp_path / "a.txt", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_what_is_no_source_or_no_place_is_refused(features: Features, tmp_path: Path) -> None:
    assert refusal([], tmp_path / "cache") == "no file to cache; give files of LETOR text, or Parquet"
    assert "the folder holds no .parquet files; name files" in refusal(tmp_path, tmp_path / "cache")
    assert "no such file" in refusal(tmp_path / "none.txt", tmp_path / "cache")
    (tmp_path / "no.parquet").write_text("no")
    assert "is no Parquet file" in refusal(tmp_path / "no.parquet", tmp_path / "cache")
    assert "not both" in refusal([tmp_path / "a.txt", tmp_path / "no.parquet"], tmp_path / "cache")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine")
    assert "'notes', so it is no cache" in refusal(features, tmp_path / "mine")


def refusal_to_open(place: Path) -> str:
    refused = said_of(lambda: open_features(place).X.sum())
    assert "make the cache again with cache_features()" in refused
    return refused


def test_numpy_reads_the_table_by_itself(features: Features, tmp_path: Path) -> None:
    cache_features(features, tmp_path / "cache")
    assert np.load(tmp_path / "cache" / "table.npy").tobytes() == features.X.tobytes()


@pytest.mark.parametrize("name", ["table.npy", "rest.npz"])
def test_a_file_that_is_cut_or_missing_is_refused(features: Features, tmp_path: Path, name: str) -> None:
    cache_features(features, tmp_path / "cache")
    file = tmp_path / "cache" / name
    whole = file.read_bytes()
    for size in sorted({0, 1, 10, 130, len(whole) // 2, len(whole) - 30, len(whole) - 1}):
        file.write_bytes(whole[:size])
        assert "is no whole cache of features" in refusal_to_open(tmp_path / "cache")
    file.unlink()
    assert f"it has no {name}" in refusal_to_open(tmp_path / "cache")


def rewrite(place: Path, **arrays: Any) -> None:
    """Write other arrays into a cache."""
    with np.load(place / "rest.npz") as archive:
        rest = {name: archive[name] for name in archive.files}
    np.savez(place / "rest.npz", **rest | arrays)


@pytest.mark.parametrize(
    "arrays",
    [
        {"offsets": [0, 3, 3, 5]},
        {"offsets": [0, 4, 3, 5]},
        {"offsets": [1, 2, 3, 5]},
        {"offsets": [0, 2, 3, 4]},
        {"offsets": [0, 2, 5]},
        {"offsets": [0.0, 2.0, 3.0, 5.0]},
        {"grades": [0.0, 1.0, 0.0, 1.0]},
        {"grades": [0.0, 1.0, 0.0, 1.0, 7.5]},
        {"id_ends": [0, 1, 2, 3, 4, 50]},
        {"id_ends": [0, 3, 2, 3, 4, 5]},
        {"ids": np.zeros(2, np.uint8)},
        {"head": 3},
        {"head": b"{}"},
        {"head": b'{"format": "gradeval features", "version": 3}'},
        {"grades": np.array([None] * 5)},
    ],
    ids=str,
)
def test_arrays_that_do_not_fit_together_are_refused(tmp_path: Path, arrays: dict[str, Any]) -> None:
    docs = ["a", "b", "c", "d", "e"]
    features = Features.from_arrays(np.ones((5, 2)), [0, 1, 0, 1, 2], topics=["a", "a", "b", "c", "c"], docs=docs)
    cache_features(features, tmp_path / "cache")
    rewrite(tmp_path / "cache", offsets=[0, 1, 3, 5])
    assert open_features(tmp_path / "cache").offsets.tolist() == [0, 1, 3, 5]
    rewrite(tmp_path / "cache", **arrays)
    refusal_to_open(tmp_path / "cache")


def test_a_table_of_other_numbers_or_shape_is_refused(tmp_path: Path) -> None:
    cache_features(Features.from_arrays(np.ones((4, 2)), [0, 1, 0, 1], sizes=[2, 2]), tmp_path / "cache")
    for table in (
        np.ones((4, 2), int),
        np.ones((4, 3), np.float32),
        np.ones((3, 2), np.float32),
        np.ones(8, np.float32),
    ):
        np.save(tmp_path / "cache" / "table.npy", table)
        assert "do not fit together" in refusal_to_open(tmp_path / "cache")


def test_parquet_has_the_usual_names_of_columns_or_those_that_are_given(features: Features, tmp_path: Path) -> None:
    table = features_to_frame(features).rename_columns(["qid", "docno", "label", *features.columns])
    pq.write_table(table, tmp_path / "t.parquet")
    cached = cache_features(tmp_path / "t.parquet", tmp_path / "cache")
    assert (cached.topics, cached.docs, cached.columns) == (features.topics, features.docs, features.columns)
    assert cached.grades.tobytes() == features.grades.tobytes()
    pq.write_table(table.rename_columns(["q", "docno", "stars", *features.columns]), tmp_path / "t.parquet")
    assert "no column is known to hold the queries (it has q, docno, stars" in refusal(
        tmp_path / "t.parquet", tmp_path / "cache"
    )
    assert "no column 'grade' is there for the grades" in refusal(
        tmp_path / "t.parquet", tmp_path / "cache", query_id="q", relevance="grade"
    )
    named = cache_features(tmp_path / "t.parquet", tmp_path / "cache", query_id="q", relevance="stars")
    assert named.X.tobytes() == features.X.tobytes()


def test_progress_ends_with_all_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_cache, "PIECE", 40)
    text = "".join(f"1 qid:{query} 1:2\n0 qid:{query} 1:3\n" for query in range(10))
    (tmp_path / "a.txt").write_text(text)
    told: list[tuple[int, int]] = []
    cache_features(tmp_path / "a.txt", tmp_path / "cache", progress=lambda *done: told.append(done))
    assert told == sorted(told)
    assert told[-1] == (2 * len(text), 2 * len(text))  # read twice, as nobody said how many features there are
    told.clear()
    cache_features(tmp_path / "a.txt", tmp_path / "cache", features=1, progress=lambda *done: told.append(done))
    assert told[-1] == (len(text), len(text))


def test_documents_without_grades_are_cached(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("? qid:1 1:2\n? qid:1 1:3\n")
    assert np.isnan(cache_features(tmp_path / "a.txt", tmp_path / "cache").grades).all()
    (tmp_path / "a.csv").write_text("qid,a\n1,2\n")
    assert "columns of text are not cached; write Parquet" in refusal(tmp_path / "a.csv", tmp_path / "cache")
