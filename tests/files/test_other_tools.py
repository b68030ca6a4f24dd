"""Objects of other tools are read as they are: records, and Qrels and Run of ranx (where it is installed)."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gradeval import InputError, evaluate, judge
from gradeval.files.other_tools import read_objects


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class Retrieved(NamedTuple):
    query_id: str
    doc_id: str
    score: float


QRELS = [Judgment("q1", "a", 2), Judgment("q2", "a", 1), Judgment("q1", "b", 0)]
RUN = [Retrieved("q1", "b", 2.0), Retrieved("q1", "a", 1.0), Retrieved("q2", "a", 1.0)]


def test_records_become_tables() -> None:
    assert read_objects(QRELS, "relevance", "qrels") == {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}
    assert read_objects(RUN, "score", "run") == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    assert read_objects(RUN, "relevance", "qrels") is None
    assert read_objects([1, 2], "score", "run") is None
    assert read_objects(None, "score", "run") is None


def test_one_run_and_several_are_told_apart() -> None:
    assert evaluate(QRELS, RUN, "AP").mean().tolist() == [[(1 / 2 + 1) / 2]]
    assert judge(iter(QRELS), iter(RUN)).runs == ["run"]
    assert judge(QRELS, [RUN, iter(RUN), {"q1": {"a": 1.0}}]).runs == ["run", "run 2", "run 3"]


def test_a_document_twice_is_an_input_error() -> None:
    with pytest.raises(InputError, match="document 'a' of topic 'q1' occurs twice"):
        evaluate([*QRELS, QRELS[0]], RUN, "AP")


def test_qrels_and_runs_of_ranx_are_read() -> None:
    ranx = pytest.importorskip("ranx")
    qrels = ranx.Qrels({"q1": {"a": 2, "b": 1}, "q2": {"a": 1}})
    runs = [ranx.Run({"q1": {"b": 2.0, "x": 3.0}, "q2": {"a": 1.0}}, name=name) for name in ("bm25", "e5")]
    scores = evaluate(qrels, runs, "map ndcg@2")
    assert scores.runs == ["bm25", "e5"]
    expected = ranx.evaluate(qrels, runs[0], ["map", "ndcg@2"])
    assert scores.mean()[0].tolist() == pytest.approx([expected["map"], expected["ndcg@2"]])
    assert evaluate(qrels, runs[0], "map").runs == ["bm25"]
