"""A query in several segments: the error says how to join the columns, and what it says reads the file."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from table_forms import FILES, TABLE_FORMS, give_table, write_table

from gradeval import InputError, Scores, evaluate, qrels_from_frame, read_qrels, run_from_frame
from gradeval.warning_categories import FilesWarning

ROWS = [
    (query, locale, document, grade)
    for place, query in enumerate(("laptop", "boots"))
    for number, locale in enumerate(("de", "fr"))
    for document, grade in (("x1", (place + number) % 3), ("x2", number), (f"{locale}-own", 1))
]
APART = [(query, locale, f"{locale}-{document}", grade) for query, locale, document, grade in ROWS]
"""The same where segments share no document."""
JOINED = {"laptop+de": {"x1": 1}, "laptop+fr": {"x1": 1}, "boots+de": {"x1": 1}, "boots+fr": {"x1": 1}}


def columns(locale: str = "product_locale", value: str = "grade", rows: Any = ROWS) -> dict[str, list[Any]]:
    names = ("query", locale, "doc_id", value)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def give(form: str, table: dict[str, list[Any]], place: Path) -> Any:
    """A file with the table, or an object."""
    return write_table(form, table, place) if form in FILES else give_table(form, table)


def score(given: Any, value: str, other: Any) -> Scores:
    """The scores of judgments, or of a run, with others."""
    return evaluate(given, other, "AP") if value == "grade" else evaluate(other, given, "AP")


@pytest.mark.parametrize("form", [form for form in TABLE_FORMS if form != "columns"])
@pytest.mark.parametrize("value", ["grade", "sim"])
def test_an_error_names_the_column_that_tells_queries_apart(form: str, value: str, tmp_path: Path) -> None:
    given = give(form, columns(value=value), tmp_path / f"x.{form}")
    with pytest.raises(InputError, match=r"already .*if 'product_locale' tells queries apart, join both columns") as no:
        score(given, value, JOINED)
    if form in FILES:
        [typed] = re.findall(r"columns:query=\S+:FILE", str(no.value))
        assert sorted(score(typed.replace("FILE", str(given)), value, JOINED).topics) == sorted(JOINED)
        return
    assert str(no.value).endswith("query_id='query+product_locale'")
    if form != "records":
        read: Any = qrels_from_frame if value == "grade" else run_from_frame
        assert sorted(score(read(given, query_id="query+product_locale"), value, JOINED).topics) == sorted(JOINED)


def test_a_column_without_a_usual_name_may_tell_raters_runs_or_queries_apart(tmp_path: Path) -> None:
    given = write_table("csv", columns("who"), tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"--repeated mean .*; if 'who' tells queries apart, .* query=query\+who"):
        read_qrels(given)
    run = write_table("csv", columns("who", "sim"), tmp_path / "run.csv")
    with pytest.raises(InputError, match=r"if 'who' names runs, .*; if 'who' tells queries apart"):
        evaluate(JOINED, run, "AP")


@pytest.mark.parametrize("form", ["csv", "lines", "parquet", "pandas"])
@pytest.mark.parametrize("value", ["grade", "sim"])
def test_segments_that_share_no_document_are_warned_of(form: str, value: str, tmp_path: Path) -> None:
    given = give(form, columns(value=value, rows=APART), tmp_path / f"x.{form}")
    with pytest.warns(FilesWarning, match="2 topics differ in 'product_locale' from row to row"):
        score(given, value, {"laptop": {"de-x1": 1}})


def test_who_names_the_column_of_the_queries_is_not_warned(tmp_path: Path) -> None:
    given = write_table("csv", columns(rows=APART), tmp_path / "x.csv")
    of_id = {"query_id": ["1", "1"], "market": ["de", "fr"], "doc_id": ["a", "b"], "grade": [1, 0]}
    ids = write_table("csv", of_id, tmp_path / "ids.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_qrels(given, columns={"query": "query"}).topics == ["laptop", "boots"]
        assert read_qrels(ids).topics == ["1"]
