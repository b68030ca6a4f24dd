"""Parts of records that no name at their top tells: an error proposes their dotted names, and these read the file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gradeval import InputError, read_qrels, read_run

RANKED = {"q1": ["a", "b", "c"], "q2": ["d", "a"]}
GRADES = {"q1": {"a": 2, "b": 0}, "q2": {"d": 1, "a": 1}}
SCORED = [(topic, one, 9 - at) for topic, ids in RANKED.items() for at, one in enumerate(ids)]
JUDGED = [(topic, one, grade) for topic, documents in GRADES.items() for one, grade in documents.items()]


def hits(topic: str, wrap: Any) -> list[Any]:
    return [wrap(one) | {"score": 9 - at} for at, one in enumerate(RANKED[topic])]


def fenced(value: object) -> str:
    return f"Sure, here it is:\n```json\n{json.dumps(value, indent=1)}\n```\nDo you want more?"


RUNS = {
    "the topic in metadata": [
        {"id": f"r{topic}", "metadata": {"question_id": topic}, "hits": hits(topic, lambda one: {"chunk_id": one})}
        for topic in RANKED
    ],
    "ids in a payload": [
        {"question_id": topic, "hits": hits(topic, lambda one: {"payload": {"meta": {"chunk_id": one}}})}
        for topic in RANKED
    ],
    "lists within objects": [
        {"span": {"question_id": topic, "found": {"hits": hits(topic, lambda one: {"payload": {"chunk_id": one}})}}}
        for topic in RANKED
    ],
    "ids within objects": [{"question_id": topic, "out": {"retrieved_ids": ids}} for topic, ids in RANKED.items()],
    "keys with dots": [
        {"attributes": {"question_id": topic, "found": hits(topic, lambda one: {"document.id": one})}}
        for topic in RANKED
    ],
    "id within query": [
        {"query": {"id": topic, "text": "how"}, "results": hits(topic, lambda one: {"chunk": {"id": one}})}
        for topic in RANKED
    ],
    "one document a record": [
        {"run": {"meta": {"question_id": topic}}, "hit": {"meta": {"chunk_id": one}}, "score": score}
        for topic, one, score in SCORED
    ],
    "one document a record, all deep": [
        {"run": {"question_id": topic}, "hit": {"chunk_id": one, "similarity": score}} for topic, one, score in SCORED
    ],
}
JUDGMENTS = {
    "a grade within a result": lambda grade: {"result": {"grade": grade, "reason": "x"}},
    "text that is JSON": lambda grade: {"response": json.dumps({"result": {"grade": grade, "reason": "x"}})},
    "Markdown": lambda grade: {"response": fenced({"grade": grade, "reason": "it {is}"})},
    "JSON between sentences": lambda grade: {"response": f'I say {{"grade": {grade}}}. More?'},
    "as Python writes it": lambda grade: {"response": str({"grade": grade, "reason": "it's"})},
    "value and reason": lambda grade: {"grade": {"value": grade, "reason": "x"}},
    "the only choice": lambda grade: {"choices": [{"message": {"content": json.dumps({"grade": grade})}}]},
    "another name": lambda grade: {"judge": {"verdict": {"score": grade}}},
}


def write(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def advice_of(said: str) -> str:
    python = r", or in Python read_\w+\(FILE, columns="
    for one in (r"--columns (\S+), for one file columns:\1:FILE", r"columns:(\S+):FILE, for all files --columns \1"):
        if advice := re.search(f"name these parts: {one}{python}", said):
            return advice[1]
    raise AssertionError(said)


@pytest.mark.parametrize("records", RUNS.values(), ids=RUNS)
def test_parts_of_a_run_are_named_and_read_by_these_names(records: list[Any], tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", records)
    with pytest.raises(InputError) as error:
        read_run(path)
    run = read_run(path, columns=advice_of(str(error.value)))
    assert {topic: list(run.of(topic)) for topic in run.topics} == RANKED


@pytest.mark.parametrize("verdict", JUDGMENTS.values(), ids=JUDGMENTS)
@pytest.mark.parametrize("deep", [False, True])
def test_the_grades_of_a_model_are_named_in_one_message(verdict: Any, deep: bool, tmp_path: Path) -> None:
    records = [
        ({"of": {"question_id": topic, "chunk_id": one}} if deep else {"question_id": topic, "chunk_id": one})
        | verdict(grade)
        for topic, one, grade in JUDGED
    ]
    path = write(tmp_path / "llm.jsonl", records)
    with pytest.raises(InputError) as error:
        read_qrels(path)
    qrels = read_qrels(path, columns=advice_of(str(error.value)))
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES


@pytest.mark.parametrize("as_text", [False, True])
def test_a_list_of_verdicts_is_named_with_its_documents_and_grades(as_text: bool, tmp_path: Path) -> None:
    lists = {topic: [{"chunk_id": one, "grade": g} for one, g in of.items()] for topic, of in GRADES.items()}
    records = [{"question_id": topic, "out": fenced(of) if as_text else of} for topic, of in lists.items()]
    path = write(tmp_path / "llm.jsonl", records)
    with pytest.raises(InputError) as error:
        read_qrels(path)
    qrels = read_qrels(path, columns=advice_of(str(error.value)))
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES


@pytest.mark.parametrize("text", ["doc", "document", "passage", "chunk"])
def test_an_id_is_named_before_the_text_or_source_beside_it(text: str, tmp_path: Path) -> None:
    found = [
        {"question_id": topic, "found": {"hits": hits(topic, lambda one: {"piece": {text: "book.pdf", "id": one}})}}
        for topic in RANKED
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found))
    with pytest.raises(InputError, match=r"--columns doc=found\.hits\.piece\.id, "):
        read_run(path)
    run = read_run(path, columns={"doc": "found.hits.piece.id"})
    assert {topic: [*run.to_dict()[topic]] for topic in RANKED} == RANKED


def test_parts_are_proposed_where_columns_of_another_file_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "llm.jsonl", [{"question_id": "q1", "chunk_id": "a", "judge": {"grade": 2}}])
    with pytest.raises(InputError, match=r"--columns grade=judge\.grade"):
        read_qrels(path, columns="query=meta.id,doc=hit.id")


def test_a_document_without_its_grade_is_not_proposed(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", [{"question_id": "q1", "found": [{"chunk_id": "a"}, {"chunk_id": "b"}]}])
    with pytest.raises(InputError) as error:
        read_qrels(path)
    assert "found.chunk_id" not in str(error.value)


def test_a_fault_in_a_later_record_is_told_as_it_is(tmp_path: Path) -> None:
    hit = {"question_id": "q1", "chunk_id": "a", "score": 2, "metadata": {"score": 7, "chunk_id": "x"}}
    path = write(tmp_path / "run.jsonl", [hit, {**hit, "chunk_id": "b", "score": "high"}])
    with pytest.raises(InputError, match=r"run.jsonl:2: score .high. is not a finite number"):
        read_run(path)
