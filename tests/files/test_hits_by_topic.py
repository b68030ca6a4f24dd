"""{topic: [{"id": ..., "score": ...}, ...]} in JSON is read as lists by topic are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradeval import InputError, read_qrels, read_run

SCORES = {"ann": {"b1": 2.5, "b2": 1.0}, "bob": {"b3": 3.0, "b1": 0.5}, "eve": {"b4": 1.0}}


def hits(document: str, number: str) -> dict[str, list[dict[str, Any]]]:
    return {topic: [{document: one, number: value} for one, value in of.items()] for topic, of in SCORES.items()}


@pytest.fixture(params=["one line", "several lines", "a line each"])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    def write_form(lists: dict[str, Any]) -> Path:
        lines = [{topic: listed} for topic, listed in lists.items()]
        forms = {"one line": json.dumps(lists), "several lines": json.dumps(lists, indent=1)}
        (tmp_path / "x.json").write_text(forms.get(request.param, "\n".join(map(json.dumps, lines))))
        return tmp_path / "x.json"

    return write_form


def test_hits_are_read_with_their_numbers(write: Callable[[dict[str, Any]], Path]) -> None:
    assert read_run(write(hits("isbn", "score"))).to_dict() == SCORES
    assert read_qrels(write(hits("isbn", "grade"))).to_dict() == SCORES
    assert read_run(write(hits("code", "logit")), columns="doc=code,score=logit").to_dict() == SCORES


def test_judged_documents_with_numbers_that_may_be_no_grades_are_asked_about(
    write: Callable[[dict[str, Any]], Path],
) -> None:
    with pytest.raises(InputError, match="grade"):
        read_qrels(write(hits("isbn", "score")))
    assert read_qrels(write(hits("isbn", "score")), columns="grade=score").to_dict() == SCORES


def test_documents_with_an_id_alone_are_relevant_or_ranked(write: Callable[[dict[str, Any]], Path]) -> None:
    path = write({topic: [{"id": one} for one in of] for topic, of in SCORES.items()})
    assert read_qrels(path).to_dict() == {topic: dict.fromkeys(of, 1) for topic, of in SCORES.items()}
    run = read_run(path)
    assert {topic: sorted(of, key=run.of(topic).__getitem__, reverse=True) for topic, of in SCORES.items()} == {
        topic: [*of] for topic, of in SCORES.items()
    }
