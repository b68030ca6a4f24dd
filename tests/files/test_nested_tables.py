"""Frames and Parquet that hold within objects what is needed: what the error proposes reads them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of

from gradeval import Qrels, Run, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame

RANKED = {"q1": ["a", "b", "c"], "q2": ["d", "a"]}
RUNS = {
    "lists of ids": [{"inputs": {"question_id": one}, "outputs": {"retrieved_ids": RANKED[one]}} for one in RANKED],
    "lists of hits": [{"query_id": one, "hits": [{"chunk": {"id": name}} for name in RANKED[one]]} for one in RANKED],
}
JUDGED = [
    {"question_id": topic, "chunk_id": one, "judge": {"grade": at % 3, "why": "x"}}
    for topic, ids in RANKED.items()
    for at, one in enumerate(ids)
]


@pytest.mark.parametrize("form", ["frame", "parquet"])
@pytest.mark.parametrize("case", RUNS)
def test_proposed_parts_read_the_run(case: str, form: str, tmp_path: Path) -> None:
    frame, file = pd.DataFrame(RUNS[case]), tmp_path / "x.parquet"
    if form == "parquet":
        frame.to_parquet(file)
        [names] = re.findall(r"stand within objects .*: --columns (\S+), for one", said_of(lambda: read_run(file)))
        run = read_run(file, columns=names)
    else:
        [typed] = re.findall(r"name these parts: (run_from_frame\(.*\))$", said_of(lambda: run_from_frame(frame)))
        run = eval(typed)
    assert {one: sorted(run.of(one), key=run.of(one).__getitem__, reverse=True) for one in run.topics} == RANKED


@pytest.mark.parametrize("form", ["frame", "parquet"])
def test_proposed_parts_read_the_grades(form: str, tmp_path: Path) -> None:
    frame, file = pd.DataFrame(JUDGED), tmp_path / "x.parquet"
    if form == "parquet":
        frame.to_parquet(file)
        assert "the grades stand within objects" in said_of(lambda: read_qrels(file))
        qrels = read_qrels(file, columns="grade=judge.grade")
    else:
        said = said_of(lambda: qrels_from_frame(frame))
        assert said.endswith("name these parts: qrels_from_frame(frame, relevance='judge.grade')")
        qrels = qrels_from_frame(frame, relevance="judge.grade")
    assert qrels.to_dict() == {one: {name: at % 3 for at, name in enumerate(ids)} for one, ids in RANKED.items()}


def test_relevant_documents_are_proposed_as_no_run(tmp_path: Path) -> None:
    parts: list[dict[str, Any]] = [{"query_id": "q1", "positive_passages": [{"docid": "a"}], "negative": [{"id": "b"}]}]
    pd.DataFrame(parts).to_parquet(tmp_path / "x.parquet")
    assert "passages.docid" not in said_of(lambda: read_run(tmp_path / "x.parquet"))


def test_objects_as_ids_of_a_run_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": [{"x": 1}] * 2, "score": [2, 1]}).to_parquet(tmp_path / "x.parquet")
    assert "which are no ids" in said_of(lambda: read_run(tmp_path / "x.parquet"))


TRACES = [
    {
        "inputs": {"question": f"How do I reset {one}?"},
        "outputs": {"documents": [{"id": name, "page_content": "x"} for name in ids]},
        "reference_outputs": {"chunk_ids": [*sorted(ids)[:2]]},
    }
    for one, ids in RANKED.items()
]
JUDGED_TRACES = {one["inputs"]["question"]: dict.fromkeys(one["reference_outputs"]["chunk_ids"], 1) for one in TRACES}


def type_parts(said: str, records: list[dict[str, Any]]) -> Qrels | Run:
    """What the parts that a message names read."""
    [typed] = re.findall(r"name these parts: (\w+_from_frame\(.*\))$", said)
    names = {"qrels_from_frame": qrels_from_frame, "run_from_frame": run_from_frame, "pandas": pd}
    read = eval(typed, {**names, "records": records, "frame": pd.DataFrame(records)})
    assert isinstance(read, Qrels | Run)
    return read


def test_the_advice_on_records_of_traces_names_all_parts_of_a_frame_at_once() -> None:
    read = type_parts(said_of(lambda: evaluate(TRACES, TRACES, "R@5")), TRACES)
    assert read.to_dict() == JUDGED_TRACES


@pytest.mark.parametrize("named", [{}, {"query_id": "inputs.question"}, {"doc_id": "reference_outputs.chunk_ids"}])
def test_the_advice_on_a_frame_keeps_the_parts_that_are_named(named: dict[str, str]) -> None:
    said = said_of(lambda: qrels_from_frame(pd.DataFrame(TRACES), **named))
    assert type_parts(said, TRACES).to_dict() == JUDGED_TRACES


@pytest.mark.parametrize("named", [{}, {"query_id": "inputs.question"}, {"doc_id": "outputs.documents.id"}])
def test_the_advice_on_a_frame_of_a_run_keeps_the_parts_that_are_named(named: dict[str, str]) -> None:
    run = type_parts(said_of(lambda: run_from_frame(pd.DataFrame(TRACES), **named)), TRACES)
    assert [[*found] for found in run.to_dict().values()] == [*RANKED.values()]


@pytest.mark.parametrize("more", [{}, {"id": "run-1", "run_type": "chain"}])
def test_records_of_traces_are_runs_under_names_and_in_lists(more: dict[str, str]) -> None:
    traces = [{**more, **one} for one in TRACES]
    other = [{**one, "outputs": {"documents": [{"id": "z"}, *one["outputs"]["documents"]]}} for one in traces]
    for runs in ({"a": traces, "b": other}, [traces, other]):
        rates = evaluate(JUDGED_TRACES, runs, "R@2").mean().ravel().tolist()
        assert rates == [1.0, 0.5]  # a document before all others leaves room for one of two
