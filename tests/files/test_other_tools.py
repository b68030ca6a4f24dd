"""Objects of other tools are read as they are: records, and Qrels and Run of ranx (where it is installed)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from refusing import said_of

from gradeval import InputError, evaluate, judge
from gradeval.files.accepted import as_qrels, as_runs
from gradeval.files.other_tools import ReadObjects, read_objects


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
    assert read_objects(QRELS, "qrels", "qrels") == ReadObjects({"": ({"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}, {})})
    assert read_objects(RUN, "run", "run") == ReadObjects({"": ({"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}, {})})
    assert read_objects([1, 2], "run", "run") is None
    assert read_objects(None, "run", "run") is None
    with pytest.raises(InputError, match="item 1 is a Retrieved, not a record with query_id, doc_id and relevance"):
        read_objects(RUN, "qrels", "qrels")


class Labelled(NamedTuple):
    qid: int
    docno: str
    label: float


RECORDS: list[list[Any]] = [
    QRELS,
    [SimpleNamespace(**judgment._asdict()) for judgment in QRELS],
    [judgment._asdict() for judgment in QRELS],
    [{"qid": query, "docno": document, "label": np.int64(grade)} for query, document, grade in QRELS],
    [{"query-id": query, "corpus-id": document, "score": float(grade)} for query, document, grade in QRELS],
]


@pytest.mark.parametrize("records", RECORDS, ids=["tuples", "objects", "dictionaries", "names", "beir"])
@pytest.mark.parametrize("take", [list, tuple, iter])
def test_records_are_objects_or_dictionaries(records: list[Any], take: Callable[[list[Any]], Any]) -> None:
    assert as_qrels(take(records)).to_dict() == {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}}


def test_numbers_are_topics_of_records_too() -> None:
    expected = {"1": {"a": 2}, "2": {"b": 1}}
    assert as_qrels([Labelled(1, "a", 2), Labelled(2, "b", 1)]).to_dict() == expected
    assert as_qrels([Judgment(1, "a", 2), Judgment(2, "b", 1)]).to_dict() == expected


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: as_qrels(one for one in []), "qrels: a generator gives nothing: it is empty, or was read before"),
        (lambda: as_runs(iter([])), "runs: a list_iterator gives nothing"),
        (lambda: as_runs([RUN, iter([])]), "run 2: a list_iterator gives nothing"),
        (lambda: as_qrels([]), "not a list without items"),
        (lambda: as_qrels([("q1", "a")]), "not a list, whose first item is a tuple"),
        (lambda: as_qrels([("q1", "a")]), "which are objects or dictionaries with query_id, doc_id and relevance"),
        (lambda: as_runs([1]), "a run is a Run, a file, a frame"),
        (
            lambda: as_qrels([{"qid": "q1", "docno": "a", "worth": 1}]),
            "qrels, record 1: no column is known to hold the grades",
        ),
        (lambda: as_runs([{"qid": "q", "docno": "a", "score": "x"}]), "run, record 1: score 'x' is not a finite"),
        (lambda: as_qrels({"query_id": ["q1"], "doc_id": ["a"]}), "by their names; give them to qrels_from_frame()"),
    ],
)
def test_what_is_no_record_is_named(call: Callable[[], object], said: str) -> None:
    assert said in said_of(call)


def test_one_run_and_several_are_told_apart() -> None:
    assert evaluate(QRELS, RUN, "AP").mean().tolist() == [[(1 / 2 + 1) / 2]]
    assert judge(iter(QRELS), iter(RUN)).runs == ["run"]
    assert judge(QRELS, [RUN, iter(RUN), {"q1": {"a": 1.0}}]).runs == ["run", "run 2", "run 3"]


def test_a_document_twice_is_an_input_error() -> None:
    with pytest.raises(InputError, match="document 'a' of topic 'q1' occurs twice"):
        evaluate([*QRELS, QRELS[0]._replace(relevance=3)], RUN, "AP")


def test_qrels_and_runs_of_ranx_are_read() -> None:
    ranx = pytest.importorskip("ranx")
    qrels = ranx.Qrels({"q1": {"a": 2, "b": 1}, "q2": {"a": 1}})
    runs = [ranx.Run({"q1": {"b": 2.0, "x": 3.0}, "q2": {"a": 1.0}}, name=name) for name in ("bm25", "e5")]
    scores = evaluate(qrels, runs, "map ndcg@2")
    assert scores.runs == ["bm25", "e5"]
    expected = ranx.evaluate(qrels, runs[0], ["map", "ndcg@2"])
    assert scores.mean()[0].tolist() == pytest.approx([expected["map"], expected["ndcg@2"]])
    assert evaluate(qrels, runs[0], "map").runs == ["bm25"]
