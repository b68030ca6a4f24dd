"""Separated columns whose cells hold JSON: exports of LangSmith, objects that pandas wrote, verdicts of models."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import read_qrels, read_run

RANKED = {"q1": ["a", "b", "c"], "q2": ["d", "a"]}
GRADES = {"q1": {"a": 2, "b": 0}, "q2": {"d": 1, "a": 1}}
ASKED = 'Which one, "x",\nor y?'


def write(path: Path, records: list[dict[str, Any]], dump: Any = json.dumps) -> Path:
    """Each object as text in its cell."""
    with path.open("w", newline="") as file:
        written = csv.DictWriter(file, records[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        written.writeheader()
        cells = ({name: one if isinstance(one, str) else dump(one) for name, one in row.items()} for row in records)
        written.writerows(cells)
    return path


def passages(topic: str) -> list[dict[str, Any]]:
    return [{"page_content": ASKED, "metadata": {"chunk_id": one, "page": None}} for one in RANKED[topic]]


def ranked(run: Any) -> dict[str, list[str]]:
    return {topic: sorted(run.of(topic), key=run.of(topic).__getitem__, reverse=True) for topic in run.topics}


def advice_of(said: str) -> str:
    found = re.search(r"columns:(\S+):FILE", said)
    assert found is not None, said
    return found[1]


@pytest.mark.parametrize("dump", [json.dumps, str])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_exports_of_langsmith_are_read(ending: str, dump: Any, tmp_path: Path) -> None:
    records = [
        {
            "id": f"run {topic}",
            "inputs": {"question": ASKED, "question_id": topic},
            "outputs": {"documents": passages(topic)},
            "reference_outputs": {"answer": "x"},
            "error": "",
        }
        for topic in RANKED
    ]
    run = read_run(write(tmp_path / f"run.{ending}", records, dump))
    assert ranked(run) == RANKED
    assert run.read_as == f"{ending} with JSON in its cells"


def test_where_the_ids_stand_deeper_the_error_names_them(tmp_path: Path) -> None:
    records = [{"inputs.question_id": topic, "outputs.documents": passages(topic), "note": "n"} for topic in RANKED]
    path = write(tmp_path / "run.csv", records)
    assert ranked(read_run(path, columns=advice_of(said_of(lambda: read_run(path))))) == RANKED


@pytest.mark.parametrize("dump", [json.dumps, str, lambda value: f"```json\n{json.dumps(value)}\n```"])
@pytest.mark.parametrize("called", ["grade", "response"])
def test_verdicts_of_models_in_cells_are_named_and_read(called: str, dump: Any, tmp_path: Path) -> None:
    records = [
        {"question_id": topic, "chunk_id": one, called: {"grade": grade, "reason": ASKED}}
        for topic, of in GRADES.items()
        for one, grade in of.items()
    ]
    path = write(tmp_path / "llm.csv", records, dump)
    said = said_of(lambda: read_qrels(path))
    assert advice_of(said) == f"grade={called}.grade"
    qrels = read_qrels(path, columns=advice_of(said))
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES


@pytest.mark.parametrize("dump", [json.dumps, str])
@pytest.mark.parametrize("more", [{}, {"latency": "3"}])
def test_lists_of_hits_in_cells_are_a_run(more: dict[str, str], dump: Any, tmp_path: Path) -> None:
    records = [
        {"question_id": topic, "chunks": [{"chunk_id": one, "score": 9 - at} for at, one in enumerate(ids)], **more}
        for topic, ids in RANKED.items()
    ]
    run = read_run(write(tmp_path / "run.csv", records, dump))
    assert ranked(run) == RANKED
    assert run.of("q1") == {"a": 9, "b": 8, "c": 7}


def test_the_advice_on_exports_with_dotted_headers_reads_judgments_and_run(tmp_path: Path) -> None:
    records = [
        {
            "inputs.question": f"{ASKED} {topic}",
            "outputs.documents": [{"id": one, "page_content": "x"} for one in RANKED[topic]],
            "reference_outputs.chunk_ids": RANKED[topic][:1],
        }
        for topic in RANKED
    ]
    path = write(tmp_path / "trace.csv", records)
    qrels = read_qrels(path, columns=advice_of(said_of(lambda: read_qrels(path))))
    assert [*qrels.to_dict().values()] == [{"a": 1}, {"d": 1}]
    assert [*ranked(read_run(path, columns=advice_of(said_of(lambda: read_run(path))))).values()] == [*RANKED.values()]


def test_json_that_nobody_needs_leaves_columns_as_they_are(tmp_path: Path) -> None:
    records = [
        {"question_id": topic, "chunk_id": one, "grade": str(grade), "metadata": {"score": 7, "chunk_id": "x"}}
        for topic, of in GRADES.items()
        for one, grade in of.items()
    ]
    qrels = read_qrels(write(tmp_path / "h.csv", records))
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES
    assert qrels.read_as == "csv with a header (question_id, chunk_id, grade)"


def test_a_fault_names_the_line_where_the_row_begins(tmp_path: Path) -> None:
    records = [{"question_id": "q1", "chunks": [{"chunk_id": "a", "score": 1, "text": ASKED}]}] * 2
    said = said_of(lambda: read_run(write(tmp_path / "run.csv", records)))
    assert "run.csv:3: query 'q1' was already given" in said
