"""JSON of other tools: a table with its rows as lists, records deeper; what the error says makes records of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run, read_runs

RANKED = {"q1": ["a", "b"], "q2": ["b"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_table_with_its_rows_as_lists(tmp_path: Path) -> None:
    table = {
        "columns": ["question", "retrieved_ids", "relevant_ids"],
        "data": [[q, d, d[:1]] for q, d in RANKED.items()],
    }
    Path("table.json").write_text(json.dumps(table))
    [code] = re.findall(r"in pandas: (.*)$", said_of(lambda: read_run("table.json")))
    exec(code, {"pd": pd})
    assert read_qrels("records.jsonl").to_dict() == {"q1": {"a": 1}, "q2": {"b": 1}}
    assert {one: [*documents] for one, documents in read_run("records.jsonl").to_dict().items()} == RANKED


@pytest.mark.parametrize("query", ["user_input", "question_id"])
@pytest.mark.parametrize("doc", ["retrieved_context_ids", "retrieved_ids"])
@pytest.mark.parametrize("rows", [False, True])
def test_a_table_with_its_columns_by_their_names(rows: bool, doc: str, query: str) -> None:
    ranked = {"007": ["01", "2"], "08": ["2", "3"]}
    lists = {"reference_context_ids": [["01"], ["2"]], doc: [*ranked.values()]}
    frame = pd.DataFrame({query: [*ranked], "reference": ["x", "y"], **lists})
    Path("table.json").write_text(frame.to_json() if rows else json.dumps(frame.to_dict("list")))
    said = {said_of(lambda read=read: read("table.json").to_dict()) for read in (read_qrels, read_run)}
    [code] = re.findall(r"^table.json: is a table with its columns by their names; .* in pandas: (.*)$", *said)
    exec(code, {"pd": pd})
    assert read_qrels("records.jsonl").to_dict() == {"007": {"01": 1}, "08": {"2": 1}}
    assert {one: [*found] for one, found in read_run("records.jsonl").to_dict().items()} == ranked


@pytest.mark.parametrize("deep", [True, False])
def test_records_that_stand_deeper(deep: bool) -> None:
    records = [{"input": topic, "found": documents} for topic, documents in RANKED.items()]
    whole = (
        {"id": "e", "results": {"records": records, "prompts": [{"raw": "x"}]}}
        if deep
        else {"passed": 1, "cases": records}
    )
    Path("whole.json").write_text(json.dumps(whole))
    said = said_of(lambda: read_run("whole.json"))
    assert f"its 2 records stand in '{'results.records' if deep else 'cases'}'" in said
    exec(re.findall(r"in Python: (.*)$", said)[0], {})
    named = re.findall(r"--columns (\S+), for one file", said_of(lambda: read_run("records.jsonl")))[0]
    assert {one: [*found] for one, found in read_run("records.jsonl", columns=named).to_dict().items()} == RANKED


def test_relevant_and_retrieved_documents_of_one_file_are_told_apart() -> None:
    """As MLflow, DeepEval and Ragas keep both: relevant documents are no second run."""
    found = {
        "expected_retrieved_context": [{"doc_uri": "a"}],
        "retrieved_context": [{"doc_uri": "b"}, {"doc_uri": "a"}],
    }
    Path("x.jsonl").write_text(json.dumps({"request_id": "r1", "request": "how", **found}) + "\n")
    relevant, ranked = (
        re.findall(r"columns:(\S+):FILE", said_of(lambda read=read: read("x.jsonl")))[0]
        for read in (read_qrels, read_run)
    )
    assert (relevant, ranked) == ("query=request,doc=expected_retrieved_context", "query=request,doc=retrieved_context")
    assert read_qrels("x.jsonl", columns=relevant).to_dict() == {"how": {"a": 1}}
    assert [*read_run("x.jsonl", columns=ranked).to_dict()["how"]] == ["b", "a"]


@pytest.mark.parametrize("listed", [True, False])
def test_a_table_beside_values_that_describe_it_is_read(listed: bool) -> None:
    """As reports of evaluations keep it: {"model": ..., "runs": {run: {topic: documents}}}."""
    hits = {
        topic: ids if listed else [{"doc_id": one, "score": -at} for at, one in enumerate(ids)]
        for topic, ids in RANKED.items()
    }
    for runs, names in (({"a": hits, "b": hits}, ["a", "b"]), (hits, ["whole"])):
        Path("whole.json").write_text(json.dumps({"model": "m", "k": 5, "runs": runs}))
        read = read_runs("whole.json")
        assert [run.name for run in read] == names
        for run in read:
            ranked = {topic: sorted(found, key=lambda one: -found[one]) for topic, found in run.to_dict().items()}
            assert ranked == RANKED
            assert "; of its keys only 'runs' is read, not" in run.read_as


def test_gold_beside_values_that_describe_it_is_read() -> None:
    Path("gold.json").write_text(json.dumps({"version": 2, "gold": RANKED}))
    assert read_qrels("gold.json").to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"b": 1}}


SHAPES = {
    "ids": [*RANKED["q1"]],
    "hits": [{"chunk_id": one, "score": -at} for at, one in enumerate(RANKED["q1"])],
    "scores": {one: -at for at, one in enumerate(RANKED["q1"])},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
@pytest.mark.parametrize("beside", [{}, {"model": "m"}, {"model": "m", "k": 5}])
def test_runs_within_a_key_are_read(shape: str, names: list[str], beside: dict[str, object]) -> None:
    runs = {name: {"q1": SHAPES[shape]} for name in names}
    Path("whole.json").write_text(json.dumps({**beside, "runs": runs}))
    read = read_runs("whole.json")
    assert [run.name for run in read] == names
    for run in read:
        found = run.to_dict()["q1"]
        assert sorted(found, key=lambda one: -found[one]) == RANKED["q1"]
        assert ("; of its keys only 'runs' is read, not model" in run.read_as) == bool(beside)


@pytest.mark.parametrize("beside", [{}, {"model": "m"}])
@pytest.mark.parametrize("shape", ["ids", "scores"])
def test_the_advice_on_runs_within_a_key_works_in_python(shape: str, beside: dict[str, object]) -> None:
    whole = {**beside, "runs": {"a": {"q1": SHAPES[shape]}, "b": {"q1": SHAPES[shape]}}}
    said = said_of(lambda: evaluate({"q1": {"a": 1}}, whole, "AP"))
    [code] = re.findall(r"give (RUNS\['runs'\]) alone", said)
    assert evaluate({"q1": {"a": 1}}, eval(code, {"RUNS": whole}), "AP").mean().tolist() == [[1], [1]]


def test_a_file_beside_a_run_is_a_run() -> None:
    Path("a.json").write_text(json.dumps({"q1": {"a": 1.5}}))
    runs = {"a": "a.json", "b": {"q1": {"b": 1.5}}}
    assert evaluate({"q1": {"a": 1}}, runs, "AP").mean().tolist() == [[1], [0]]
    for name in ("items", "ids"):
        listings = {"b": {1: {name: ["a"]}}}
        assert evaluate({1: {"a": 1}}, listings, "AP").mean().tolist() == [[1]]
