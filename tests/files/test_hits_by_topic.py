"""{topic: [{"id": ..., "score": ...}, ...]} in JSON is read as lists by topic are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradeval import InputError, read_qrels, read_run, read_runs

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


@pytest.mark.parametrize("indent", [None, 1])
def test_hits_of_several_runs_are_read_as_each_run_alone(indent: int | None, tmp_path: Path) -> None:
    lists = {"bm25": hits("chunk_id", "score"), "dense": {"ann": [{"chunk_id": "b2", "score": 7}], "bob": []}}
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(lists, indent=indent))
    read = {run.name: run.to_dict() for run in read_runs(path).runs}
    assert read == {"bm25": SCORES, "dense": {"ann": {"b2": 7.0}, "bob": {}}}
    named = {name: {topic: [rename(hit) for hit in of] for topic, of in table.items()} for name, table in lists.items()}
    path.write_text(json.dumps(named, indent=indent))
    asked = read_runs(path, columns="doc=code,score=logit")
    assert {run.name: run.to_dict() for run in asked.runs} == read
    path.write_text(json.dumps({**lists, "ids": {"ann": ["b2", "b1"]}}, indent=indent))
    ranked = {run.name: run for run in read_runs(path).runs}
    assert ranked["bm25"].to_dict() == SCORES
    assert ranked["ids"].of("ann")["b2"] > ranked["ids"].of("ann")["b1"]


def rename(hit: dict[str, Any]) -> dict[str, Any]:
    return {"code": hit["chunk_id"], "logit": hit["score"]}


def test_a_fault_in_hits_of_a_run_is_told_with_its_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps({"bm25": {"ann": [{"id": "b1", "score": 1}, {"id": "b2", "score": 2}]}}))
    with pytest.raises(InputError, match=r"runs\.json: bm25: .*scores rise down the list"):
        read_runs(path)
