"""Lists of ids by query: cells of a csv, as on Kaggle, and mappings in JSON and in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import evaluate, read_qrels, read_run
from gradeval.files.accepted import as_qrels

RELEVANT = {"q1": ["a", "b"], "q2": ["3"]}
FOUND = {"q1": ["x", "a", "b"], "q2": ["3", "4"]}
EXPECTED = [((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1) / 2]  # AP, RR


def cells(lists: dict[str, list[str]], sign: str) -> str:
    return f"id{sign}labels\n" + "".join(f"{query}{sign}{' '.join(ids)}\n" for query, ids in lists.items())


@pytest.mark.parametrize(("sign", "ending"), [(",", "csv"), ("\t", "tsv"), (";", "csv")])
def test_cells_of_ids_are_judgments_and_ranks(tmp_path: Path, sign: str, ending: str) -> None:
    solution, submission = tmp_path / f"solution.{ending}", tmp_path / f"submission.{ending}"
    solution.write_text(cells(RELEVANT, sign))
    submission.write_text(cells(FOUND, sign))
    assert read_qrels(solution).to_dict() == {"q1": {"a": 1, "b": 1}, "q2": {"3": 1}}
    assert read_qrels(solution).read_as == "lists of ids between blanks (id, labels)"
    assert read_run(submission).name == f"submission.{ending}"
    assert evaluate(solution, submission, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_the_mean_of_kaggle_divides_by_what_can_be_found_down_to_the_cutoff(tmp_path: Path) -> None:
    (tmp_path / "solution.csv").write_text("id,labels\n1,a b c\n")
    (tmp_path / "submission.csv").write_text("id,prediction\n1,a x\n")
    scores = evaluate(tmp_path / "solution.csv", tmp_path / "submission.csv", "AP(norm='min')@2")
    assert scores.mean().item() == 1 / 2


def test_an_empty_cell_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id,labels\nq1,\nq2,3 4\n")
    scores = evaluate({"q1": {"a": 1}, "q2": {"3": 1}}, tmp_path / "submission.csv", "RR", missing="zero")
    assert scores.values.ravel().tolist() == [0, 1]


@pytest.mark.parametrize("whole", [True, False])
def test_mappings_of_lists_in_json(tmp_path: Path, whole: bool) -> None:
    for name, lists in (("qrels.json", RELEVANT), ("run.json", FOUND)):
        text = json.dumps(lists) if whole else "".join(json.dumps({query: lists[query]}) + "\n" for query in lists)
        (tmp_path / name).write_text(text)
    assert evaluate(tmp_path / "qrels.json", tmp_path / "run.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)
    (tmp_path / "pretty.json").write_text(json.dumps(FOUND, indent=2))
    assert evaluate(RELEVANT, tmp_path / "pretty.json", "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_data_sets_of_llamaindex_hold_judgments(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({"queries": {"q1": "who?"}, "corpus": {"a": "I"}, "relevant_docs": {"q1": ["a"]}}))
    assert read_qrels(path).to_dict() == {"q1": {"a": 1}}


def test_mappings_of_lists_in_memory() -> None:
    for qrels in (RELEVANT, {query: set(ids) for query, ids in RELEVANT.items()}):
        for runs in (FOUND, {"mine": FOUND}, [FOUND]):
            assert evaluate(qrels, runs, "AP RR").mean()[0] == pytest.approx(EXPECTED)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,labels\n1,a b a\n", "run.csv:2: document 'a' is listed twice"),
        ("id,labels\n1,a b\n1,c d\n", "run.csv:3: query '1' was already given"),
        ("id,labels\n1,a b\n2,c,d e\n3,a b\n", "run.csv:3: found 3 columns"),
        ("id,labels\n1,a b\n,c d\n", "run.csv:3: the query is empty"),
    ],
)
def test_mistakes_in_cells_are_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text)
    assert said in said_of(lambda: read_run(path, format="lists"))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"q1": ["a", "a"]}, "run: query 'q1': document 'a' is listed twice"),
        ({"q1": {"a", "b"}}, "has a set, which has no order"),
        ({"q1": [None]}, "run: query 'q1': item 1 is a NoneType; accepted are ids, or pairs (document, score)"),
        ({"q1": ["a", ("b", 1.0)]}, "item 2 is a tuple; accepted are ids, or pairs"),
        ({"q1": [("b", 1.0), "a"]}, "item 2 is a str; accepted are ids, or pairs"),
        ({"q1": [(1.0, "b")]}, "item 1 is a tuple"),
        ({"q1": [{"id": "a", "score": 1.0}]}, "item 1 is a dict; accepted are ids, or pairs"),
        ({"q1": [("a", 1.0), ("a", 2.0)]}, "document 'a' is listed twice; a run names a document once per topic"),
        ({"q1": [("a", float("nan"))]}, "score is NaN"),
        ({"q1": ["a"], "q2": {"b": 1.0}}, "query q2 has a dict, and others have lists; give all topics lists"),
        ({1: ["a"], "1": ["b"]}, "run: topic 1 is given twice, as 1 and as '1'"),
    ],
)
def test_mistakes_in_lists_are_said_in_one_line(run: Any, said: str) -> None:
    assert said in said_of(lambda: evaluate(RELEVANT, run, "AP"))  # type: ignore[arg-type]


ORDERED: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda ids: np.array(ids, object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda ids: pa.chunked_array([ids]),
    "index": pd.Index,
    "keys": lambda ids: dict.fromkeys(ids).keys(),
    "iterator": iter,
    "pairs": lambda ids: [(document, -float(rank)) for rank, document in enumerate(ids)],
    "lists of two": lambda ids: [[document, np.float32(-rank)] for rank, document in enumerate(ids)],
    "numbers by document": lambda ids: pd.Series(range(len(ids), 0, -1), index=ids),
}


@pytest.mark.parametrize("form", ORDERED)
def test_documents_of_a_topic_come_in_any_list(form: str) -> None:
    run = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, run, "AP RR").mean()[0] == pytest.approx(EXPECTED)
    again = {query: ORDERED[form](list(map(str, ids))) for query, ids in FOUND.items()}
    assert evaluate(RELEVANT, {"mine": again, "nothing": {}}, "AP RR").mean().tolist() == [
        pytest.approx(EXPECTED),
        [0, 0],
    ]


@pytest.mark.parametrize("form", ["array", "pandas", "polars", "arrow", "iterator", "keys"])
def test_judgments_come_in_any_list(form: str) -> None:
    relevant = {query: ORDERED[form](list(map(str, ids))) for query, ids in RELEVANT.items()}
    assert evaluate(relevant, FOUND, "AP RR").mean()[0] == pytest.approx(EXPECTED)


def test_pairs_of_judgments_have_grades() -> None:
    assert as_qrels({"q1": [("a", 2), ("b", 0)], 7: [(3, 1.5)]}).to_dict() == {"q1": {"a": 2, "b": 0}, "7": {"3": 1.5}}
    assert as_qrels({"q1": pd.Series({"a": 2, "b": 0})}).to_dict() == {"q1": {"a": 2, "b": 0}}
    assert as_qrels({"q1": np.array([3, 4])}).to_dict() == {"q1": {"3": 1, "4": 1}}
