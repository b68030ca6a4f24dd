from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from refusing import said_of

from gradeval import read_qrels, read_run

NUGGETS = [
    {"text": "It is a language", "importance": "vital", "assignment": "support"},
    {"text": "It is from 1991", "importance": "vital", "assignment": "not_support"},
    {"text": "It is used on the web", "importance": "okay", "assignment": "partial_support"},
]


def write(folder: Path, records: list[Any], name: str = "answers.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_importance_is_the_grade(tmp_path: Path) -> None:
    path = write(tmp_path, [{"query": "What?", "qid": "q1", "nuggets": NUGGETS}])
    qrels = read_qrels(path)
    assert qrels.to_dict() == {"q1": {"It is a language": 2, "It is from 1991": 2, "It is used on the web": 1}}
    assert qrels.read_as == "JSON records with nuggets"
    assert "which are judgments" in said_of(lambda: read_run(path).topics)
