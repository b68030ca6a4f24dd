"""Pairs of topic and document in JSON and records, whatever else there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusing import said_of

from gradeval import evaluate
from gradeval.files.json_pairs import pairs_of_mapping, pairs_of_records
from gradeval.files.named_columns import GUESSED


@pytest.mark.parametrize(
    "documents",
    [["a", "b"], ("a", "b"), {"a": 1, "b": 0}, [("a", 0.5), ("b", 0.1)], [{"docid": "a"}, {"id": "b", "text": "x"}]],
)
def test_documents_of_a_topic_are_listed_in_many_ways(documents: Any) -> None:
    assert pairs_of_mapping({"q": documents}, "x") == {"q": {"a": 0.0, "b": 0.0}}


FIRST = {"q1": {"a": 0.0, "b": 0.0}, "q2": {"a": 0.0}}
RECORDS: dict[str, list[dict[str, Any]]] = {
    "retrieved": [{"query": "q1", "retrieved": ["a", "b"]}, {"query": "q2", "retrieved": ["a"]}],
    "relevant": [{"question": "q1", "relevant": {"a", "b"}}, {"question": "q2", "relevant": ("a",)}],
    "seen": [{"user": "q1", "items": np.array(["a", "b"])}, {"user": "q2", "items": ["a"]}],
    "hits": [{"query": "q1", "hits": [{"sku": "a"}, {"node": {"id_": "b"}}]}, {"query": "q2", "hits": [{"id": "a"}]}],
    "grades": [{"query": "q1", "grades": {"a": 2, "b": 0}}, {"query": "q2", "grades": {"a": 1}}],
    "lists of documents": [{"query": "q1", "doc": ["a", "b"]}, {"query": "q2", "doc": frozenset("a")}],
    "one each": [{"query": "q1", "doc": "a"}, {"query": "q1", "doc": "b"}, {"query": "q2", "doc": "a"}],
    "excluded beside gold": [
        {"id": "q1", "gold_ids": ["c"], "excluded_ids": ["a", "b"]},
        {"id": "q2", "gold_ids": ["c"], "excluded_ids": ["a"]},
    ],
    "nothing": [
        {"query": "q1", "retrieved": ["a", "b"]},
        {"query": "q2", "retrieved": ["a"]},
        {"query": "q3", "retrieved": None},
    ],
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_name_queries_and_documents_as_judgments_and_runs_do(name: str) -> None:
    located = [(f"x:{number}", record) for number, record in enumerate(RECORDS[name], 1)]
    assert {topic: docs for topic, docs in pairs_of_records(located, GUESSED).items() if docs} == FIRST


def test_which_names_count_is_decided_once_a_file() -> None:
    records = [("x:1", {"query": "the first", "qid": "q1", "doc": "a"}), ("x:2", {"qid": "q1", "doc": "b"})]
    assert pairs_of_records(records, GUESSED) == {"q1": FIRST["q1"]}
    said = said_of(lambda: pairs_of_records([*records, ("x:3", {"query_id": "q2", "doc": "a"})], GUESSED))
    assert said == "x:1: has no 'query_id', as other records have (it has query, qid, doc); write it"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"doc": "a"}, "x:1: no columns are known to hold topics and documents (it has doc); call them query_id and"),
        ({"query": "q", "retrieved": ["a"], "relevant": ["b"]}, "x:1: has 2 lists of documents (retrieved, relevant)"),
        ({"query": "q", "retrieved": [0.5]}, "x:1: document '0.5' is not an id"),
        (["q", "a"], "x:1: is a list; accepted are records with a topic and a document"),
    ],
)
def test_records_without_pairs_are_refused(record: Any, said: str) -> None:
    assert said_of(lambda: pairs_of_records([("x:1", record)], GUESSED)).startswith(said)


@pytest.mark.parametrize("name", ["doc", "items", "seen"])
def test_frames_may_have_a_list_of_documents_a_row(name: str) -> None:
    frame = pd.DataFrame({"user": ["q1", "q2"], name: [{"a", "b"}, {"a"}]})
    run = {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 2, "c": 1}}
    scores = evaluate({"q1": {"c": 1, "a": 1}, "q2": {"c": 1}}, run, "P@1 NumRel", exclude=frame)
    assert scores.mean()[0].tolist() == [1, 2]
