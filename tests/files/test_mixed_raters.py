"""Judgments of which a column says that a human and a model gave them: a warning, at every door."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from table_forms import FILES, TABLE_FORMS, give_table, write_table

from gradeval import evaluate
from gradeval.warning_categories import FilesWarning

RUN = {"q1": {"a": 2.0, "b": 1.0}}


def judgments(column: str, raters: list[str]) -> dict[str, list[Any]]:
    documents = ["a", "b", "c", "d"]
    return {"query_id": ["q1"] * 4, "doc_id": documents, "grade": [1, 0, 2, 0], column: (raters * 4)[:4]}


def give(form: str, table: dict[str, list[Any]], place: Path) -> Any:
    return write_table(form, table, place) if form in FILES else give_table(form, table)


@pytest.mark.parametrize("form", [form for form in TABLE_FORMS if form != "columns"])
def test_a_human_and_a_model_in_one_table_are_warned_of(form: str, tmp_path: Path) -> None:
    given = give(form, judgments("source", ["human", "llm"]), tmp_path / f"x.{form}")
    said = r"by column 'source' a human \(human\) and a model \(llm\) graded.* df.groupby\('source'\)"
    with pytest.warns(FilesWarning, match=said):
        evaluate(given, RUN, "AP")


@pytest.mark.parametrize(
    ("column", "raters"),
    [
        ("annotator", ["ann", "gpt-4o"]),
        ("judged_by", ["bob", "openai/gpt-4o-mini"]),
        ("label_source", ["expert", "Claude 3"]),
        ("model", ["human", "meta-llama/llama3-70b"]),
    ],
)
def test_names_of_models_are_known(column: str, raters: list[str], tmp_path: Path) -> None:
    given = write_table("csv", judgments(column, raters), tmp_path / "x.csv")
    with pytest.warns(FilesWarning, match=f"by column '{column}' a human"):
        evaluate(given, RUN, "AP")


@pytest.mark.parametrize(
    ("column", "raters"),
    [
        ("annotator", ["ann", "bob", "claudia", "aida"]),
        ("source", ["wikipedia", "ai"]),
        ("model", ["gpt-4o", "claude"]),
        ("note", ["human", "llm"]),
    ],
)
def test_raters_of_one_kind_are_not(column: str, raters: list[str], tmp_path: Path) -> None:
    given = write_table("csv", judgments(column, raters), tmp_path / "x.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(given, RUN, "AP")


def test_a_field_that_holds_an_object_names_no_rater() -> None:
    records = [{"query_id": "q1", "doc_id": "a", "grade": 1, "judge": {"model": "gpt-4o"}, "source": ["x"]}]
    assert evaluate(records, RUN, "AP").mean().tolist() == [[1.0]]
