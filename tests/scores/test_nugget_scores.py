"""Nuggets, vital or okay: as judgments, and as the scores of the answers that say them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import read_qrels, read_scores

NUGGETS = [
    {"text": "It is a language", "importance": "vital", "assignment": "support"},
    {"text": "It is from 1991", "importance": "vital", "assignment": "not_support"},
    {"text": "It is used on the web", "importance": "okay", "assignment": "partial_support"},
]
EXPECTED = {"strict_vital_score": 1 / 2, "strict_all_score": 1 / 3, "vital_score": 1 / 2, "all_score": (1 + 0.5) / 3}


def write(folder: Path, records: list[Any], name: str = "answers.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_assignments_are_scores(tmp_path: Path) -> None:
    records = [{"qid": topic, "run_id": run, "nuggets": NUGGETS} for run in ("a", "b") for topic in ("1", "2")]
    scores = read_scores(write(tmp_path, records))
    assert (scores.runs, scores.topics) == (["a", "b"], ["1", "2"])
    assert [str(measure) for measure in scores.measures] == list(EXPECTED)
    assert scores.mean()[0] == pytest.approx(list(EXPECTED.values()))


def test_scores_of_the_tool_are_read_but_for_their_means(tmp_path: Path) -> None:
    records = [{"qid": topic, **EXPECTED} for topic in ("1", "2", "all")]
    scores = read_scores(write(tmp_path, records, "elm.jsonl"))
    assert (scores.runs, scores.topics) == (["elm"], ["1", "2"])
    assert scores.mean()[0] == pytest.approx(list(EXPECTED.values()))


def test_an_answer_without_vital_nuggets_has_0_of_them(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, [{"qid": "1", "nuggets": [NUGGETS[2]]}]))
    assert scores.mean()[0].tolist() == [0, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"qid": "1", "nuggets": [{**NUGGETS[0], "assignment": "yes"}]}, "a nugget is 'vital' and 'yes'"),
        ({"qid": "1", "strict_vital_score": 1}, "has no strict_all_score"),
        ({"qid": "1", "nuggets": "none"}, "nuggets are no list"),
    ],
)
def test_mistakes_are_said_in_one_line(tmp_path: Path, record: Any, said: str) -> None:
    path = write(tmp_path, [record])
    assert said in said_of(lambda: read_scores(path))


def test_a_nugget_of_no_importance_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, [{"qid": "1", "nuggets": [{"text": "x", "importance": "high"}]}])
    assert "importance 'high' of a nugget is neither vital nor okay" in said_of(lambda: read_qrels(path))
