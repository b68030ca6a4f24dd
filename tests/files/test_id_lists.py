"""Records with lists of ids: ragas and Tevatron."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run

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
        ({"user_input": "q", "reference_context_ids": ["a", "a"]}, "records.json:2: document 'a' is listed twice"),
        ({"user_input": "Who?", "reference_context_ids": ["a"]}, "query 'Who?' was already given"),
        ({"reference_context_ids": ["a"]}, "query 'None' is not an id"),
        ({"user_input": "q", "positive_passages": [{"text": "t"}]}, "document 'None' is not an id"),
        ({"user_input": "q", "positive_passages": ["a"], "negative_passages": "b"}, "is no list of ids"),
    ],
)
def test_mistakes_are_said_in_one_line(tmp_path: Path, record: Any, said: str) -> None:
    path = write(tmp_path, [SAMPLES[0], record])
    assert said in said_of(lambda: read_qrels(path))
