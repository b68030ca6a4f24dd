"""Parts of objects in frames and Parquet, by dotted names: as in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import Qrels, Run, qrels_from_frame, read_qrels, read_run, run_from_frame

RANKED = {"q1": ["a", "b", "c"], "q2": ["d", "a"]}
GRADES = {"q1": {"a": 2, "b": 0}, "q2": {"d": 1, "a": 1}}
FORMS = ["frame", "text", "parquet"]
QRELS_NAMES = {"query": "query_id", "doc": "doc_id", "grade": "relevance"}


def read(form: str, records: list[dict[str, Any]], kind: str, columns: dict[str, str], folder: Path) -> Any:
    frame = pd.DataFrame(records)
    if form == "text":
        frame = frame.map(lambda cell: json.dumps(cell) if isinstance(cell, dict | list) else cell)
    if form == "parquet":
        frame.to_parquet(folder / "table.parquet")
        return (read_qrels if kind == "qrels" else read_run)(folder / "table.parquet", columns=columns)
    named: Any = {QRELS_NAMES.get(role, role): name for role, name in columns.items()}
    return (qrels_from_frame if kind == "qrels" else run_from_frame)(frame, **named)


def ranked(run: Run) -> dict[str, list[str]]:
    return {topic: sorted(run.of(topic), key=run.of(topic).__getitem__, reverse=True) for topic in run.topics}


@pytest.mark.parametrize("form", FORMS)
def test_grades_and_ids_within_objects_are_columns(form: str, tmp_path: Path) -> None:
    records = [
        {"extra": {"metadata": {"question_id": topic}}, "hit": {"chunk_id": one}, "judge": {"grade": grade, "why": "x"}}
        for topic, of in GRADES.items()
        for one, grade in of.items()
    ]
    columns = {"query": "extra.metadata.question_id", "doc": "hit.chunk_id", "grade": "judge.grade"}
    qrels: Qrels = read(form, records, "qrels", columns, tmp_path)
    assert {topic: qrels.of(topic) for topic in qrels.topics} == GRADES
    assert "'judge.gade'" in said_of(lambda: read(form, records, "qrels", columns | {"grade": "judge.gade"}, tmp_path))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scored", [False, True])
def test_lists_of_hits_are_followed(form: str, scored: bool, tmp_path: Path) -> None:
    records = [
        {
            "meta": {"question_id": topic},
            "out": {"hits": [{"payload": {"chunk_id": one}, "sim": 9.5 - at} for at, one in enumerate(ids)]},
        }
        for topic, ids in RANKED.items()
    ]
    columns = {"query": "meta.question_id", "doc": "out.hits.payload.chunk_id"}
    columns |= {"score": "out.hits.sim"} if scored else {}
    run = read(form, records, "run", columns, tmp_path)
    assert ranked(run) == RANKED
    assert run.of("q2") == ({"d": 9.5, "a": 8.5} if scored else {"d": -1, "a": -2})
