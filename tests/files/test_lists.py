"""Lists of ids: records, mappings, lists in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run
from gradeval.files.accepted import as_qrels
from gradeval.files.plain_text import read_id

SAMPLES = [
    {"user_input": "Who?", "retrieved_context_ids": ["x", "a"], "reference_context_ids": ["a", "b"], "response": "I"},
    {"user_input": "When?", "retrieved_context_ids": [3], "reference_context_ids": [3], "response": "now"},
]


TRAINING = [
    {
        "query_id": "1",
        "query": "who",
        "positive_passages": [{"docid": "a", "title": "t", "text": "t"}],
        "negative_passages": [{"docid": "b", "text": "t"}],
    }
]


def write(folder: Path, records: list[Any], *, lines: bool = True) -> Path:
    path = folder / "records.json"
    path.write_text("".join(json.dumps(record) + "\n" for record in records) if lines else json.dumps(records))
    return path


@pytest.mark.parametrize("lines", [True, False])
def test_samples_of_ragas_are_judgments_and_a_run(tmp_path: Path, lines: bool) -> None:
    path = write(tmp_path, SAMPLES, lines=lines)
    qrels, run = read_qrels(path), read_run(path)
    assert qrels.to_dict() == {"Who?": {"a": 1, "b": 1}, "When?": {"3": 1}}
    assert {topic: run.of(topic) for topic in run.topics} == {"Who?": {"x": -1, "a": -2}, "When?": {"3": -1}}
    assert evaluate(qrels, run, "R@2 P@1").mean().ravel().tolist() == [(1 / 2 + 1) / 2, (0 + 1) / 2]


def test_training_data_of_tevatron_are_judgments(tmp_path: Path) -> None:
    qrels = read_qrels(write(tmp_path, TRAINING))
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}}
    assert qrels.read_as == "JSON records with lists of ids"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"user_input": "Who?", "reference_context_ids": ["a"]}, "query 'Who?' was already given"),
        (
            {"reference_context_ids": ["a"], "k": 3},
            "has no 'user_input', which names the query (it has reference_context_ids, k)",
        ),
        (
            {"user_input": "q", "positive_passages": [{"text": "t"}]},
            "no name of an id is known in a document (it has text)",
        ),
        ({"user_input": "q", "positive_passages": ["a"], "negative_passages": "b"}, "is no list of ids"),
    ],
)
def test_mistakes_are_said_in_one_line(tmp_path: Path, record: Any, said: str) -> None:
    path = write(tmp_path, [SAMPLES[0], record])
    assert said in said_of(lambda: read_qrels(path))


RELEVANT = {"q1": ["a", "b"], "q2": ["3"]}


FOUND = {"q1": ["x", "a", "b"], "q2": ["3", "4"]}


EXPECTED = [((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1) / 2]  # AP, RR


@pytest.mark.parametrize("whole", [True, False])
def test_mappings_of_lists_in_json(tmp_path: Path, whole: bool) -> None:
    for name, lists in (("qrels.json", RELEVANT), ("run.json", FOUND)):
        text = json.dumps(lists) if whole else "".join(json.dumps({query: lists[query]}) + "\n" for query in lists)
        (tmp_path / name).write_text(text)
    assert evaluate(tmp_path / "qrels.json", tmp_path / "run.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)
    (tmp_path / "pretty.json").write_text(json.dumps(FOUND, indent=2))
    assert evaluate(RELEVANT, tmp_path / "pretty.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_data_sets_of_llamaindex_hold_judgments(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({"queries": {"q1": "who?"}, "corpus": {"a": "I"}, "relevant_docs": {"q1": ["a"]}}))
    assert read_qrels(path).to_dict() == {"q1": {"a": 1}}


def test_mappings_of_lists_in_memory() -> None:
    for qrels in (RELEVANT, {query: set(ids) for query, ids in RELEVANT.items()}):
        for runs in (FOUND, {"mine": FOUND}, [FOUND]):
            assert evaluate(qrels, runs, "AP RR").mean()[0] == pytest.approx(EXPECTED)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"q1": ["a", "a"]}, "run: query 'q1': document 'a' is listed twice"),
        ({"q1": {"a", "b"}}, "has a set, which has no order"),
        ({"q1": [None]}, "run: query 'q1': item 1 is a NoneType; accepted are ids, or pairs (document, score)"),
        ({"q1": ["a", ("b", 1.0)]}, "item 2 is a tuple; accepted are ids, or pairs"),
        ({"q1": [("b", 1.0), "a"]}, "item 2 is a str; accepted are ids, or pairs"),
        ({"q1": [(1.0, "b")]}, "item 1 is a tuple"),
        ({"q1": [{"colour": "red", "score": 1.0}]}, "item 1 is a dict; accepted are ids, or pairs"),
        ({"q1": [("a", 1.0), ("a", 2.0)]}, "document 'a' is listed twice; a run names a document once per topic"),
        ({"q1": [("a", float("nan"))]}, "score is NaN"),
        ({"q1": ["a"], "q2": {"b": 1.0}}, "query q2 has a dict, and others have lists; give all topics lists"),
        ({"q1": ["a"], "q2": "None"}, "run: query q2 has 'None', and others have lists; give a list, [] for no "),
        ({"q1": ["a"], "q2": 3}, "run: query q2 has '3', and others have lists; give a list, [] for no documents"),
        ({1: ["a"], "1": ["b"]}, "run: topic 1 is given twice, as 1 and as '1'"),
    ],
)
def test_mistakes_in_lists_are_said_in_one_line(run: Any, said: str) -> None:
    assert said in said_of(lambda: evaluate(RELEVANT, run, "AP"))


@pytest.mark.parametrize("gold", [{"q1": "None", "q2": ["a"]}, {"q2": ["a"], "q1": "None"}])
def test_the_topic_without_a_list_is_named_and_no_other(gold: dict[str, Any]) -> None:
    said = said_of(lambda: evaluate(gold, RELEVANT, "AP"))
    assert said == "qrels: query q1 has 'None', and others have lists; give a list, [] for no documents"
    assert evaluate({**gold, "q1": []}, {"q1": ["a"], "q2": ["a"]}, "AP", empty="zero").mean().tolist() == [[0.5]]


ORDERED: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda ids: np.array(ids, object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda ids: pa.chunked_array([ids]),
    "index": pd.Index,
    "keys": lambda ids: dict.fromkeys(ids).keys(),
    "iterator": iter,
    "pairs": lambda ids: [(document, -float(rank)) for rank, document in enumerate(ids)],
    "lists of two": lambda ids: [[document, np.float32(-rank)] for rank, document in enumerate(ids)],
    "numbers by document": lambda ids: pd.Series(range(len(ids), 0, -1), index=ids),
}


@pytest.mark.parametrize("form", ORDERED)
def test_documents_of_a_topic_come_in_any_list(form: str) -> None:
    run = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, run, "AP RR").mean()[0] == pytest.approx(EXPECTED)
    again = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, {"mine": again, "nothing": {}}, "AP RR").mean().tolist() == [
        pytest.approx(EXPECTED),
        [0, 0],
    ]


@pytest.mark.parametrize("form", ["array", "pandas", "polars", "arrow", "iterator", "keys"])
def test_judgments_come_in_any_list(form: str) -> None:
    relevant = {query: ORDERED[form](list(map(str, ids))) for query, ids in RELEVANT.items()}
    assert evaluate(relevant, FOUND, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_pairs_of_judgments_have_grades() -> None:
    assert as_qrels({"q1": [("a", 2), ("b", 0)], 7: [(3, 1.5)]}).to_dict() == {"q1": {"a": 2, "b": 0}, "7": {"3": 1.5}}
    assert as_qrels({"q1": pd.Series({"a": 2, "b": 0})}).to_dict() == {"q1": {"a": 2, "b": 0}}
    assert as_qrels({"q1": np.array([3, 4])}).to_dict() == {"q1": {"3": 1, "4": 1}}


@pytest.mark.parametrize(
    ("record", "value"),
    [
        ({"relevant": ["a", "b"], "grades": [2, 0]}, "grade"),
        ({"relevant_ids": ["a", "b"], "relevance": [1, 0]}, "grade"),
        ({"retrieved": ["a", "b"], "retrieved_scores": [0.1, 0.9]}, "score"),
        ({"results": ["a", "b"], "ranks": [2, 1]}, "rank"),
    ],
)
def test_numbers_in_a_list_of_their_own_are_refused_where_they_deny_what_is_read(
    record: dict[str, Any], value: str, tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"query": "q", **record}))
    read = read_qrels if value == "grade" else read_run
    name, other = record
    said = f'{name!r} has its {value}s in a list of their own, {other!r}; write {{"id": "d1", "{value}": 2}}'
    assert said in said_of(lambda: read(tmp_path / "x.jsonl"))


@pytest.mark.parametrize(
    "record",
    [
        {"retrieved": ["a", "b"], "scores": [0.9, 0.1]},
        {"retrieved": ["a", "b"], "distances": [0.1, 0.9]},
        {"retrieved": ["a", "b"], "ranks": [1, 2]},
        {"retrieved": ["a", "b"], "scores": [0.1]},
        {"relevant": ["a", "b"], "grades": [1, 1]},
        {"relevant": ["a", "b"], "scores": [0.9, 0.1]},
        {"relevant": ["a", "b"], "retrieved": ["c", "d"], "labels": [0, 1]},
    ],
)
def test_numbers_in_a_list_of_their_own_may_stand_where_they_change_nothing(
    record: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"query": "q", **record}))
    if "relevant" in record:
        assert read_qrels(tmp_path / "x.jsonl").to_dict() == {"q": {"a": 1, "b": 1}}
    else:
        assert [*read_run(tmp_path / "x.jsonl").to_dict()["q"]] == ["a", "b"]


def write_hits(path: Path, name: str) -> Path:
    hits = [{"id": "x", name: 0.2}, {"id": "a", name: 0.9}, {"id": "y", name: 0.5}]
    path.write_text(json.dumps([{"query_id": "q1", "retrieved": hits}]))
    return path


def test_scores_out_of_order_count_where_the_user_names_them(tmp_path: Path) -> None:
    run = write_hits(tmp_path / "run.json", "score")
    said = said_of(lambda: read_run(run))
    assert "scores rise down the list; if its scores count: --columns score=score; if its order counts" in said
    assert read_run(run, columns="score=score").to_dict() == {"q1": {"x": 0.2, "a": 0.9, "y": 0.5}}


def test_distances_that_are_named_as_scores_stay_refused(tmp_path: Path) -> None:
    run = write_hits(tmp_path / "run.json", "distance")
    assert "scores rise down the list" in said_of(lambda: read_run(run, columns="score=distance"))


def test_an_id_within_an_object_of_a_hit_is_named(tmp_path: Path) -> None:
    hits = [{"text": "t", "metadata": {"source": "a.pdf"}}, {"text": "u", "metadata": {"source": "b.pdf"}}]
    (tmp_path / "run.json").write_text(json.dumps([{"query": "q1", "documents": hits}]))
    said = said_of(lambda: read_run(tmp_path / "run.json"))
    named = said.partition("or name it: --columns ")[2]
    assert [*read_run(tmp_path / "run.json", columns=named).to_dict()["q1"]] == ["a.pdf", "b.pdf"]


def test_a_matrix_of_hits_is_no_run() -> None:
    """As RecBole has it: by rank, is the document relevant?"""
    ids = np.array([["a", "x"], ["y", "b"]])
    truth, users = {"u1": ["a"], "u2": ["b"]}, ["u1", "u2"]
    hits = np.array([[document in truth[user] for document in ranked] for user, ranked in zip(users, ids, strict=True)])
    said = said_of(lambda: evaluate(truth, dict(zip(users, hits, strict=True)), "RR"))
    assert said.startswith("run: rows of True and False say which ranks hold hits, not which documents; give {topic: ")
    (typed,) = re.findall(r"as (dict\(.+?\)) makes", said)
    run = eval(typed, {"users": users, "ids": ids})
    assert evaluate(truth, run, "RR").mean().item() == np.mean([1 / (1 + row.argmax()) for row in hits])


@pytest.mark.parametrize("kind", ["torch", "numpy"])
def test_tensors_as_ids_are_told_what_makes_numbers_of_them(kind: str) -> None:
    truth = [["a"], ["b"]]
    if kind == "torch":
        ids = pytest.importorskip("torch").tensor([1, 2])
        said = said_of(lambda: evaluate(dict(zip(ids, truth, strict=True)), {1: ["a"]}, "RR"))
    else:
        ids = np.array([1, 2])
        said = said_of(lambda: read_id(np.array(1), "query", "qrels"))
    assert said.startswith("qrels: query '")
    (typed,) = re.findall(r"; of a tensor or an array give (\S+)$", said)
    run = {1: ["a"], 2: ["x", "b"]}
    judged = dict(zip(eval(typed, {"ids": ids}), truth, strict=True))
    assert evaluate(judged, run, "RR").mean().item() == (1 + 1 / 2) / 2
