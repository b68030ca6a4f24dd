"""Judgments and runs in frames and tables of other libraries, in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradeval import (
    AP,
    Features,
    Qrels,
    Run,
    evaluate,
    features_from_frame,
    features_to_frame,
    judge,
    qrels_from_frame,
    run_from_frame,
    write_qrels,
    write_run,
)


def as_frames(library: str, *tables: dict[str, list[Any]]) -> list[Any]:
    pytest.importorskip("pyarrow")
    made = {"pyarrow": "table", "pandas": "DataFrame", "polars": "DataFrame"}[library]
    return [getattr(pytest.importorskip(library), made)(table) for table in tables]


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_judge_and_evaluate_take_files_frames_and_tables_alike(tmp_path: Path, library: str) -> None:
    judgments = {"1": {"x": 2, "y": 0}, "2": {"x": 1}}
    first, second = {"1": {"x": 2.0, "y": 1.0}, "2": {"z": 1.0}}, {"1": {"y": 1.0}, "2": {"x": 1.0}}
    qrels, runs = Qrels.from_dict(judgments), [Run.from_dict(first, "run"), Run.from_dict(second, "run 2")]
    write_qrels(qrels, tmp_path / "qrels")
    for place, run in zip(("a", "b"), runs, strict=True):
        write_run(run, tmp_path / place, tag=place)
    tables = [
        {
            "query_id": [topic for topic in table for _ in table[topic]],
            "doc_id": [document for documents in table.values() for document in documents],
            column: [value for documents in table.values() for value in documents.values()],
        }
        for table, column in ((judgments, "relevance"), (first, "score"), (second, "score"))
    ]
    frames = as_frames(library, *tables)
    paths = [tmp_path / "a", str(tmp_path / "b")]
    for one, many in [(judgments, [first, second]), (tmp_path / "qrels", paths), (frames[0], frames[1:])]:
        assert AP(judge(one, many)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
        assert evaluate(one, many, [AP]).of("AP").tolist() == AP(judge(qrels, runs)).tolist()
        assert AP(judge(one, many[0])).tolist() == [[1.0, 0.0]]
        assert judge(one, iter(many)).runs == evaluate(one, many, [AP]).runs
    assert judge(tmp_path / "qrels", paths).runs == ["a", "b"]
    assert judge(frames[0], frames[1:]).runs == ["run", "run 2"]


def test_judgments_and_runs_become_frames_that_read_back() -> None:
    pytest.importorskip("pyarrow")
    judgments, scores = {"1": {"x": 2, "y": -1}, "2": {"z": 0.5}}, {"1": {"y": 0.25, "x": 3.0}, "2": {"z": 1.0}}
    qrels, run = Qrels.from_dict(judgments), Run.from_dict(scores, "bm25")
    assert (qrels.to_dict(), run.to_dict()) == (judgments, scores)
    assert qrels_from_frame(qrels.to_frame()).to_dict() == judgments
    assert run_from_frame(run.to_frame()).to_dict() == scores
    pytest.importorskip("pandas")
    assert list(qrels.to_pandas().columns) == ["query_id", "doc_id", "relevance"]
    assert list(run.to_pandas().columns) == ["query_id", "doc_id", "score"]
    pytest.importorskip("polars")
    assert qrels.to_polars().height == 3
    assert Run.over(scores).to_polars()["score"].to_list() == [0.25, 3.0, 1.0]


def test_features_become_frames_that_read_back() -> None:
    pytest.importorskip("pyarrow")
    features = Features.from_arrays([[1, 2], [3, 5], [0, 1]], [1, 0, 2], topics=["1", "2", "2"], docs=["a", "b", "c"])
    again = features_from_frame(features.to_frame())
    assert (again.topics, again.docs, again.columns) == (features.topics, features.docs, features.columns)
    assert (again.X == features.X).all()
    assert features.to_frame().cast(features_to_frame(features).schema) == features_to_frame(features)
    assert features.to_dict() == features.to_frame().to_pydict()


def test_judgments_runs_and_features_have_tables_of_their_sizes() -> None:
    qrels = Qrels.from_dict({"1": {"x": 2, "y": -1, "w": 2}, "2": {"z": 0}})
    features = Features.from_arrays([[1, 2], [3, 5]], [1, 0], topics=["1", "2"], name="50%")
    lines = qrels.to_markdown().splitlines()[2:]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines] == [
        ["topics", "2"],
        ["judgments", "4"],
        ["negative grades", "1"],
        ["grade 0", "1"],
        ["grade 1", "0"],
        ["grade 2", "2"],
    ]
    assert r"lines & 1 \\" in Run.over({"1": {"x": 1.0}}).to_latex()
    assert r"50\%" in features.to_latex()
    assert features.table().to_dict()["of"] == ["topics", "rows", "features", "levels"]


def test_lazy_frames_are_read_without_a_word() -> None:
    """A LazyFrame warns where its columns are asked for, and here every warning is an error."""
    polars = pytest.importorskip("polars")
    grades = polars.LazyFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    ranked = polars.LazyFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    for runs in (ranked, {"mine": ranked}, [ranked]):
        assert evaluate(grades, runs, AP).mean().tolist() == [[0.5]]
    assert judge(grades, run_from_frame(ranked)).topics == qrels_from_frame(grades).topics == ["1"]
