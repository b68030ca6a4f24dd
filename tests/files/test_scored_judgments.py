"""Scores of runs where grades are expected, in mappings of Python and of JSON."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import GradesWarning, Qrels, evaluate, read_qrels

TOPICS = [f"t{number}" for number in range(5)]
Table = dict[str, dict[str, float]]


def _table(draw: Callable[[np.random.Generator], Any], *, falling: bool) -> Table:
    """20 documents a topic, with numbers that somebody drew, in their own order or falling."""
    source = np.random.default_rng(0)
    table = {}
    for topic in TOPICS:
        numbers = np.asarray(draw(source), float)
        numbers = np.sort(numbers)[::-1] if falling else numbers
        table[topic] = {f"d{at}": number for at, number in enumerate(numbers.tolist())}
    return table


def _scores(source: np.random.Generator) -> Any:
    return np.round(source.normal(size=20), 5)


GRADES: dict[str, Callable[[np.random.Generator], Any]] = {
    "grades": lambda source: source.integers(0, 4, 20),
    "ratings in halves": lambda source: source.integers(0, 21, 20) / 2,
    "quarters of a hundred": lambda source: source.integers(0, 401, 20) / 4,
    "percentages": lambda source: source.permutation(101)[:20],
    "means of three raters": lambda source: source.integers(0, 13, 20) / 3,
    "means of five raters of a hundred": lambda source: np.repeat(source.integers(0, 500, 10) / 5, 2),
}


@pytest.mark.parametrize("falling", [True, False])
@pytest.mark.parametrize("name", GRADES)
def test_grades_and_ratings_of_every_kind_pass(name: str, falling: bool) -> None:
    grades = _table(GRADES[name], falling=falling)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*as the scores of a run")
        evaluate(grades, _table(_scores, falling=True), "DCG")


@pytest.fixture(params=["mapping", "file"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Table], Any]:
    """A table as a user gives it."""

    def write(table: Table) -> str:
        place = tmp_path / f"{len([*tmp_path.iterdir()])}.json"
        place.write_text(json.dumps(table))
        return str(place)

    return (lambda table: table) if request.param == "mapping" else write


def test_two_runs_are_refused(given: Callable[[Table], Any]) -> None:
    run, other = (given(_table(_scores, falling=True)) for _ in range(2))
    said = said_of(lambda: evaluate(run, other, "nDCG@10"))
    assert "100 different numbers, mostly fractions, as the scores of a run" in said
    assert "give the judgments first" in said


def test_a_run_in_no_order_is_asked_about(given: Callable[[Table], Any]) -> None:
    run = given(_table(_scores, falling=False))
    with pytest.warns(GradesWarning, match="if it is a run, give the judgments first"):
        evaluate(run, given(_table(_scores, falling=True)), "nDCG@10")


def test_what_the_error_proposes_reads_them_as_grades(tmp_path: Path) -> None:
    table = _table(_scores, falling=True)
    assert said_of(lambda: evaluate(table, table, "DCG")).endswith("give Qrels.from_dict(QRELS)")
    run = {topic: {document: -number for document, number in rest.items()} for topic, rest in table.items()}
    assert evaluate(Qrels.from_dict(table), run, "DCG").topics
    (tmp_path / "q.json").write_text(json.dumps(table))
    assert said_of(lambda: read_qrels(tmp_path / "q.json")).endswith(
        "write records with query_id, doc_id and relevance"
    )
    records = [
        {"query_id": topic, "doc_id": document, "relevance": number}
        for topic, rest in table.items()
        for document, number in rest.items()
    ]
    (tmp_path / "q.json").write_text(json.dumps(records))
    assert read_qrels(tmp_path / "q.json").of("t0") == table["t0"]


@pytest.mark.parametrize("head", ["query-id\tcorpus-id\tscore\n", "query_id\tdoc_id\trelevance\n", ""])
def test_json_of_scores_before_a_table_that_may_be_either_is_swapped(head: str, tmp_path: Path) -> None:
    run, grades = _table(_scores, falling=True), _table(GRADES["grades"], falling=False)
    (tmp_path / "run.json").write_text(json.dumps(run))
    rows = [f"{topic}\t{document}\t{number:g}\n" for topic, rest in grades.items() for document, number in rest.items()]
    (tmp_path / "qrels.tsv").write_text(head + "".join(rows))
    said = said_of(lambda: evaluate(tmp_path / "run.json", tmp_path / "qrels.tsv", "nDCG@10"))
    assert "qrels.tsv looks like judgments: these look swapped; give the judgments first" in said
    assert evaluate(tmp_path / "qrels.tsv", tmp_path / "run.json", "nDCG@10").topics == TOPICS
