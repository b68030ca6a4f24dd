"""Records that hold deeper what counts: dotted names, a list for each retriever, LangChain's own forms."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gradeval import CoverageWarning, InputError, evaluate, read_qrels, read_run
from gradeval.files.readers import read_runs

RANKINGS = {"bm25": {"q1": ["a", "b", "c"], "q2": ["d", "a"]}, "dense": {"q1": ["c", "a"], "q2": ["a", "d", "e"]}}
"""Two retrievers, which share ids."""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write_lines(records: Iterable[object]) -> Path:
        path = tmp_path / "run.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write_lines


def orders_of(path: Path, columns: Any = None) -> dict[str, dict[str, list[str]]]:
    """The documents of each run and topic, the best first."""
    orders: dict[str, dict[str, list[str]]] = {}
    for run in read_runs(path, columns=columns).runs:
        found = {topic: run.of(topic) for topic in run.topics}
        orders[run.name] = {
            topic: sorted(scores, key=scores.__getitem__, reverse=True) for topic, scores in found.items()
        }
    return orders


def wide(hits: bool, holder: str = "", **more: Any) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for topic in ("q1", "q2"):
        lists: dict[str, Any] = {
            name: [{"chunk_id": one, "score": -at} for at, one in enumerate(of[topic])] if hits else of[topic]
            for name, of in RANKINGS.items()
        }
        records.append({"question_id": topic, **more, **({holder: lists} if holder else lists)})
    return records


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "lists",
    [{"ann": ["b1"], "bob": ["b1"]}, {"ann": ["b1", "b2"], "bob": ["b3", "b1"]}, {"ann": ["b1"], "bob": ["b2", "b3"]}],
)
def test_lists_in_a_record_without_a_query_are_of_topics(
    lists: dict[str, list[str]], indent: int | None, tmp_path: Path
) -> None:
    """They are of topics whether these share documents, as lists of retrievers do, or not."""
    (tmp_path / "ui.json").write_text(json.dumps(lists, indent=indent))
    assert [*orders_of(tmp_path / "ui.json").values()] == [lists]
    assert read_qrels(tmp_path / "ui.json").to_dict() == {topic: dict.fromkeys(ids, 1) for topic, ids in lists.items()}


def test_lists_by_topic_on_several_lines_may_share_documents(write: Any) -> None:
    lines = [{"ann": ["b1"], "bob": ["b2", "b1"]}, {"eve": ["b1", "b2"]}]
    assert orders_of(write(lines)) == {"run": lines[0] | lines[1]}
    path = write({name: of[topic] for name, of in RANKINGS.items()} for topic in ("q1", "q2"))
    with pytest.raises(InputError, match=r"run.jsonl:2: query 'bm25' was .*; if 'bm25' is a run, write query_id in"):
        read_run(path)


def test_lists_that_are_not_plainly_alike_are_named_by_the_user(write: Any) -> None:
    texts = [{"question_id": "q1", "bm25": ["some text", "more"], "dense": ["other text"]}]
    tags = [{"question_id": "q1", "bm25": ["a", "b"], "tags": ["x", "y"]}]
    for records in (texts, tags):
        with pytest.raises(InputError, match="name the column of each run: columns:doc=bm25:FILE"):
            read_run(write(records))
    assert orders_of(write(tags), "doc=bm25") == {"run": {"q1": ["a", "b"]}}
    assert orders_of(write(wide(False)), "doc=dense") == {"run": RANKINGS["dense"]}
    path = write([{"question_id": "q1", "gold_set": ["a", "b"]}])
    assert read_qrels(path, columns="doc=gold_set").of("q1") == {"a": 1, "b": 1}


TRACES = [
    {
        "id": f"trace {topic}",
        "inputs": {"query": "how do I"},
        "extra": {"metadata": {"question_id": topic}},
        "outputs": {"documents": [{"id": f"u{one}", "metadata": {"key": {"id": one}}} for one in documents]},
    }
    for topic, documents in RANKINGS["bm25"].items()
]


@pytest.mark.parametrize("doc", ["metadata.key.id", "outputs.documents.metadata.key.id"])
@pytest.mark.parametrize("as_text", [False, True])
def test_parts_are_named_by_dots(write: Any, doc: str, as_text: bool) -> None:
    records = [record | {"extra": json.dumps(record["extra"])} for record in TRACES] if as_text else TRACES
    columns = f"query=extra.metadata.question_id,doc={doc}"
    assert orders_of(write(records), columns) == {"run": RANKINGS["bm25"]}


def test_errors_name_the_parts_that_exist(write: Any) -> None:
    with pytest.raises(InputError, match=r"did you mean extra\.metadata\.question_id"):
        read_run(write(TRACES[:1]), columns="query=extra.metadata.questio_id")


def test_lists_within_traces_name_no_runs(write: Any) -> None:
    with pytest.raises(InputError, match="query 'how do I' was already given; if 'id' names runs"):
        read_run(write(TRACES))


@pytest.mark.parametrize("as_text", [False, True])
def test_nested_grades_are_named_by_dots(write: Any, as_text: bool) -> None:
    judge: Any = {"model": "m", "grade": 2}
    records = [{"question_id": "q1", "chunk_id": "a", "judge": json.dumps(judge) if as_text else judge}]
    path = write(records)
    assert read_qrels(path, columns="grade=judge.grade").of("q1") == {"a": 2}
    with pytest.raises(InputError, match=r"name these parts: columns:grade=judge\.grade:FILE, "):
        read_qrels(path)


def test_documents_of_langchain_are_read_as_it_writes_them(write: Any) -> None:
    documents = [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "document", "Document"],
            "kwargs": {"metadata": {"chunk_id": one}, "page_content": "some text"},
        }
        for one in ("b", "a")
    ]
    path = write([{"question_id": "q1", "documents": documents}])
    assert orders_of(path) == {"run": {"q1": ["b", "a"]}}


def test_numbers_in_a_list_of_their_own_count_where_they_are_named(write: Any) -> None:
    path = write([{"qid": "q1", "retrieved_ids": ["b", "a"], "scores": [3, 2], "distances": [0.5, 1.5], "few": [1]}])
    assert read_run(path).of("q1") == {"b": -1, "a": -2}
    assert read_run(path, columns="score=scores").of("q1") == {"b": 3, "a": 2}
    assert read_run(path, columns="rank=distances").of("q1") == {"b": -0.5, "a": -1.5}
    with pytest.raises(InputError, match="2 documents in retrieved_ids have 1 numbers in few; give each one"):
        read_run(path, columns="score=few")


RERANKED = [
    {
        "qid": "q1",
        "chunks": [
            {"id": "a", "score": 0.5, "Rerank Score": 9.0, "size": 1},
            {"id": "b", "score": 0.7, "Rerank Score": 8.0, "size": 1},
            {"id": "c", "score": 0.6, "Rerank Score": 2.0, "size": 1},
        ],
    }
]


def test_lists_in_another_order_than_their_scores_name_the_ways_to_read_them(write: Any) -> None:
    path = write(RERANKED)
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:1: chunks: scores rise down the list; if 'rerank_score' orders it: --columns score=rerank_score; "
        "if its scores count: --columns score=score; "
        "if its order counts, without scores: --columns score=-, or in Python read_run(FILE, columns=...)"
    )
    assert read_run(path, columns="score=rerank_score").of("q1") == {"a": 9, "b": 8, "c": 2}
    assert read_run(path, columns="score=-").of("q1") == {"a": -1, "b": -2, "c": -3}
    with pytest.raises(InputError, match="no document has 'place'"):
        read_run(path, columns="rank=place")


def test_scores_of_lists_that_rise_throughout_may_be_distances(write: Any) -> None:
    path = write([{"qid": "q1", "chunks": [{"id": "a", "score": 0.5}, {"id": "b", "score": 0.7}]}])
    with pytest.raises(InputError, match="if less is better: --columns rank=score; if its scores count: "):
        read_run(path)
    assert orders_of(path, "rank=score") == {"run": {"q1": ["a", "b"]}}


def test_the_order_of_lists_is_refused_for_tables(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("qid,docid,score\nq1,a,2\nq1,b,1\n")
    with pytest.raises(InputError, match="score=- is for lists of hits, and this is a table"):
        read_run(path, columns="score=-")


def test_nothing_warns_of_records_with_lists(write: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_runs(write(wide(True)), columns="doc=bm25")


def test_the_field_of_hits_that_names_judged_documents_is_offered(write: Any) -> None:
    hits = [{"id": f"u{one}", "metadata": {"key": one}} for one in ("b", "a")]
    path = write([{"question_id": "q1", "documents": hits}])
    with pytest.warns(
        CoverageWarning, match="'documents.metadata.key' of its records names judged ones: --columns doc="
    ):
        evaluate({"q1": {"a": 1}}, path, "AP")
    assert read_run(path, columns="doc=documents.metadata.key").of("q1") == {"b": -1, "a": -2}
    said = r"none of the documents is judged: 'z' there, 'u\w' here \(topic q1\); are the ids alike"
    with pytest.warns(CoverageWarning, match=said):
        evaluate({"q1": {"z": 1}}, path, "AP")


@pytest.mark.parametrize("inner", [["q1"], ["bm25", "q1"]])
def test_names_of_runs_and_topics_are_no_part_of_the_field_that_is_offered(inner: list[str], tmp_path: Path) -> None:
    value: Any = [{"chunk_id": one, "id": f"u{one}", "score": score} for one, score in (("a", 2), ("b", 1))]
    for name in reversed(inner):
        value = {name: value}
    path = tmp_path / "hits.json"
    path.write_text(json.dumps(value))
    with pytest.warns(CoverageWarning, match="names judged ones: --columns doc=chunk_id, "):
        assert evaluate({"q1": {"a": 1}}, path, "AP").mean()[0, 0] == 0
    assert evaluate({"q1": {"a": 1}}, read_runs(path, columns="doc=chunk_id"), "AP").mean()[0, 0] == 1
