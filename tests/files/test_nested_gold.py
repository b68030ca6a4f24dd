"""Traces with retrieved documents, their scores and lists of relevant ones: what the error proposes reads these lists,
and never the scores of a retriever as grades."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import evaluate, qrels_from_frame, read_qrels, run_from_frame
from gradeval.files.nested_gold import find_gold_lists, is_of_retriever, parts_of

GOLD = {"how to reset?": ["c1", "c9"], "what is vat?": ["c2"], "who pays?": ["c5", "c3"]}
RANKED = {"how to reset?": ["c1", "c4", "c9"], "what is vat?": ["c7", "c2"], "who pays?": ["c8", "c6", "c5"]}
SCORES = (0.9, 0.7, 0.5)
AP = ((1 / 1 + 2 / 3) / 2 + 1 / 2 + (1 / 3) / 2) / 3
"""By hand: c1 at rank 1 and c9 at 3; c2 at 2; c5 at 3, without c3."""


def hits(question: str, wrap: Callable[[str, float], dict[str, Any]]) -> list[dict[str, Any]]:
    return [wrap(one, score) for one, score in zip(RANKED[question], SCORES, strict=False)]


TRACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "LangSmith": lambda one: {
        "inputs": {"question": one},
        "outputs": {"documents": hits(one, lambda name, score: {"id": name, "metadata": {"score": score}})},
        "reference_outputs": {"chunk_ids": GOLD[one]},
    },
    "Langfuse": lambda one: {
        "input": {"question": one},
        "output": {"contexts": hits(one, lambda name, score: {"chunk_id": name, "score": score})},
        "expectedOutput": {"doc_ids": GOLD[one]},
    },
    "other lists of expected things": lambda one: {
        "question": one,
        "retrieval": {"hits": hits(one, lambda name, score: {"id": name, "score": score})},
        "expected": {"answers": ["Press it."], "topics": ["x", "y"], "irrelevant_ids": ["c4"], "chunks": GOLD[one]},
    },
    "relevant objects": lambda one: {
        "question": one,
        "retrieval": {"hits": hits(one, lambda name, score: {"chunk": {"id": name}, "relevance_score": score})},
        "expected": {"sources": [{"chunk": {"id": name}} for name in GOLD[one]]},
    },
    "scores called relevance": lambda one: {
        "question": one,
        "trace": {"found": hits(one, lambda name, score: {"doc_id": name, "relevance": score})},
        "meta": {"reference_chunk_ids": GOLD[one]},
    },
}


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def typed_for(said: str, path: Path) -> str:
    [named] = re.findall(r"(columns:\S+):FILE, (?:or in Python|for all files)", said)
    return f"{named}:{path}"


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_the_list_of_relevant_documents_is_proposed_and_gives_right_numbers(trace: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "traces.jsonl", [trace(one) for one in GOLD])
    said = said_of(lambda: read_qrels(path))
    assert "the relevant documents" in said or "the topics and relevant documents" in said
    assert "--columns" not in said  # as it would name the documents of the run, too
    qrels = typed_for(said, path)
    assert read_qrels(qrels).to_dict() == {one: dict.fromkeys(ids, 1) for one, ids in GOLD.items()}
    run: Path | str = path
    if said := _said_or_nothing(qrels, path):
        run = typed_for(said, path)
    assert evaluate(qrels, run, "AP").mean().tolist() == [[pytest.approx(AP)]]


def _said_or_nothing(qrels: str, path: Path) -> str:
    try:
        evaluate(qrels, path, "AP")
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("form", ["frame", "parquet"])
def test_frames_of_traces_are_told_the_list_of_relevant_documents(form: str, tmp_path: Path) -> None:
    frame, file = pd.DataFrame([TRACES["relevant objects"](one) for one in GOLD]), tmp_path / "x.parquet"
    if form == "parquet":
        frame.to_parquet(file)
        qrels = read_qrels(typed_for(said_of(lambda: read_qrels(file)), file))
        run: Any = typed_for(said_of(lambda: evaluate(qrels, file, "AP")), file)
    else:
        [typed] = re.findall(r"(qrels_from_frame\(frame, .*\))$", said_of(lambda: qrels_from_frame(frame)))
        qrels = eval(typed)
        [typed] = re.findall(r"(run_from_frame\(frame, .*\))$", said_of(lambda: run_from_frame(frame)))
        run = eval(typed)
    assert evaluate(qrels, run, "AP").mean().tolist() == [[pytest.approx(AP)]]


def test_traces_with_scores_alone_are_told_so_and_the_scores_count_where_the_user_says_it(tmp_path: Path) -> None:
    records = [TRACES["LangSmith"](one) for one in GOLD]
    path = write(tmp_path / "t.jsonl", [{name: one[name] for name in ("inputs", "outputs")} for one in records])
    said = said_of(lambda: read_qrels(path))
    assert "give the judgments in another file" in said
    assert "'outputs.documents.metadata.score' seems to hold the scores of a retriever" in said
    qrels = read_qrels(typed_for(said, path))
    assert qrels.of("how to reset?") == {"c1": 0.9, "c4": 0.7, "c9": 0.5}


def test_feedback_on_each_retrieved_document_is_its_grade(tmp_path: Path) -> None:
    def graded(one: str) -> dict[str, Any]:
        wrap = lambda name, score: {  # noqa: E731
            "id": name,
            "metadata": {"score": score},
            "feedback": {"score": int(name in GOLD[one])},
        }
        return {"inputs": {"question": one}, "outputs": {"documents": hits(one, wrap)}}

    path = write(tmp_path / "t.jsonl", [graded(one) for one in GOLD])
    qrels = typed_for(said_of(lambda: read_qrels(path)), path)
    assert qrels == f"columns:grade=outputs.documents.feedback.score:{path}"
    assert read_qrels(qrels).of("how to reset?") == {"c1": 1, "c4": 0, "c9": 1}


@pytest.mark.parametrize(
    ("name", "values", "of_retriever"),
    [
        ("judge.verdict.score", [[2]], False),
        ("hits.llm.score", [[2, 0]], False),
        ("llm.hits.score", [[2, 0]], True),
        ("hit.score", [[2]], True),
        ("result.score", [[2], [0]], False),
        ("found.score", [[2, 0]], True),
        ("found.grade", [[2, 0]], False),
        ("found.relevance", [[0.9, 0.2], [0.7, 0.1]], True),
        ("found.relevance", [[0.2, 0.9], [0.7, 0.1]], False),
        ("found.relevance", [[2, 1], [1, 0]], False),
    ],
)
def test_the_innermost_word_tells_who_gave_a_number(name: str, values: list[list[Any]], of_retriever: bool) -> None:
    parts = parts_of([])
    parts.values[name] = values
    assert is_of_retriever(name, parts) is of_retriever


def test_relevant_objects_with_grades_are_no_list_of_relevant_documents() -> None:
    graded = [{"expected": {"docs": [{"id": "a", "grade": 0}]}}]
    assert find_gold_lists(parts_of(graded)) == []
    assert find_gold_lists(parts_of([{"expected": {"docs": [{"id": "a"}]}}])) == ["expected.docs.id"]
    assert find_gold_lists(parts_of([{"expected": {"ids": ["a", "a"]}}])) == []
    assert find_gold_lists(parts_of([{"expected": {"words": ["a", "b"]}, "found": ["b"]}])) == ["expected.words"]


def test_the_only_list_of_ids_of_a_data_set_is_proposed_as_relevant_and_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "dataset.jsonl"
    record = {"inputs": {"question": "which tent?"}, "outputs": {"chunk_ids": ["a", "b"]}}
    path.write_text(json.dumps(record) + "\n")
    [advised] = re.findall(r"(columns:doc=\S+):FILE", said_of(lambda: read_qrels(path)))
    assert read_qrels(f"{advised}:{path}").to_dict() == {"which tent?": {"a": 1, "b": 1}}
    path.write_text(json.dumps({"inputs": record["inputs"], "outputs": {"retrieved_ids": ["a", "b"]}}) + "\n")
    assert "retrieved_ids:FILE" not in said_of(lambda: read_qrels(path))
