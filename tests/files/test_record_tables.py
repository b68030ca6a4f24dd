"""Records in JSON and in Python: a document each, or all documents of a query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run


@pytest.mark.parametrize("layout", ["lines", "list", "one line"])
def test_records_are_read_by_the_names_of_their_fields(tmp_path: Path, layout: str) -> None:
    records = [
        {"query-id": "q1", "corpus-id": 7, "score": 2.5, "more": None},
        {"score": 1, "query-id": "q2", "corpus-id": "d"},
    ]
    records = records[:1] if layout == "one line" else records
    text = json.dumps(records) if layout == "list" else "\n".join(map(json.dumps, records))
    (tmp_path / "run.jsonl").write_text(text)
    run = read_run(tmp_path / "run.jsonl")
    assert run.of("q1") == {"7": 2.5}
    assert run.topics == (["q1"] if layout == "one line" else ["q1", "q2"])
    assert run.read_as == "JSONL (query-id, corpus-id, score)"


@pytest.mark.parametrize("form", ["lines", "records", "objects"])
def test_a_number_and_its_text_are_not_two_spellings_of_one_topic(form: str, tmp_path: Path) -> None:
    """In a mapping they are refused, too."""
    records = [{"query_id": topic, "doc_id": document, "relevance": 1} for topic, document in ((1, "a"), ("1", "b"))]
    (tmp_path / "qrels.jsonl").write_text("\n".join(map(json.dumps, records)))
    objects = [SimpleNamespace(**record) for record in records]
    given = {"lines": tmp_path / "qrels.jsonl", "records": records, "objects": objects}[form]
    run = {"1": {"a": 1.0}}
    assert ": topic 1 is given as 1 and as '1'; write it in one way" in said_of(lambda: evaluate(given, run, "AP"))


@pytest.mark.parametrize("kind", [read_qrels, read_run])
@pytest.mark.parametrize(
    ("record", "nested"),
    [
        ('{"question_id": "q1", "notes": {"d1": 2, "d2": 0}}', "'notes' holds an object (d1, d2)"),
        (
            '{"question_id": "q1", "chunk_id": "c1", "judgment": {"grade": 0, "reason": "z"}}',
            "'judgment' holds an object",
        ),
        ('{"q1": {"d1": 2}}', "'q1' holds an object (d1)"),
    ],
)
def test_lines_of_json_with_objects_are_told_by_their_shape(
    kind: Callable[[Path], object], record: str, nested: str, tmp_path: Path
) -> None:
    (tmp_path / "lines.jsonl").write_text(f"{record}\n{record}\n")
    said = said_of(lambda: kind(tmp_path / "lines.jsonl"))
    assert "lines.jsonl:1: " in said
    assert nested in said or "judgment" in record
    assert "not valid JSON" not in said
