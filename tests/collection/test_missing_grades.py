"""A document without a grade is unjudged and counted, whatever stands for nothing and in whatever form."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel
from table_forms import TABLE_FORMS, TEXTS, give_table, read_table

from gradeval import InputError, Qrels, evaluate, read_qrels
from gradeval.collection.missing_grades import drop_missing, is_missing
from gradeval.files.accepted import as_qrels
from gradeval.warning_categories import FilesWarning

ROWS = [("q1", "a", 2), ("q1", "b", None), ("q2", "c", None), ("q1", "d", 0), ("q3", "e", 1)]
KNOWN = {"q1": {"a": 2, "d": 0}, "q3": {"e": 1}}
MISSING: dict[str, Any] = {
    "None": None,
    "NaN": math.nan,
    "NaN of NumPy": np.float64("nan"),
    "single precision": np.float32("nan"),
    "NA": pd.NA,
}
Shape = Callable[[list[tuple[str, str, Any]]], Any]


def by_topic(rows: list[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {}
    for topic, document, grade in rows:
        table.setdefault(topic, {})[document] = grade
    return table


SHAPES: dict[str, Shape] = {
    "dict": by_topic,
    "pairs": lambda rows: {topic: [*documents.items()] for topic, documents in by_topic(rows).items()},
    "series": lambda rows: {topic: pd.Series(documents, dtype=object) for topic, documents in by_topic(rows).items()},
    "rows": lambda rows: rows,
    "objects": lambda rows: [Qrel(*row) for row in rows],
    "records": lambda rows: [dict(zip(("query_id", "doc_id", "relevance"), row, strict=True)) for row in rows],
    "iterator": lambda rows: iter(rows),
}


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_of_python(shape: str, missing: str) -> None:
    given = [(topic, document, MISSING[missing] if grade is None else grade) for topic, document, grade in ROWS]
    with pytest.warns(FilesWarning, match="qrels: 2 without a grade are unjudged") as warned:
        qrels = as_qrels(SHAPES[shape](given))
    assert qrels.to_dict() == KNOWN
    assert len(warned) == 1


@pytest.mark.parametrize("name", ["relevance", "relevant", "gold"])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_tables(form: str, name: str, tmp_path: Path) -> None:
    table = dict(zip(("query_id", "doc_id", name), map(list, zip(*ROWS, strict=True)), strict=True))
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == KNOWN
    assert "2 without a grade are unjudged" in read.said


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "columns", "parquet", "feather", "records"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_nan_in_columns(form: str, kind: str, tmp_path: Path) -> None:
    grades = np.array([2, math.nan, math.nan, 0, 1], kind)
    table = {"query_id": [row[0] for row in ROWS], "relevance": grades, "doc_id": [row[1] for row in ROWS]}
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == KNOWN
    assert "2 without a grade are unjudged" in read.said


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("form", [*TEXTS, "lines", "array", "parquet", "pandas", "polars", "pyarrow", "records"])
def test_an_empty_text_among_words(form: str, blank: str, tmp_path: Path) -> None:
    table = {"query_id": ["q", "q", "q"], "doc_id": ["a", "b", "c"], "relevant": ["yes", blank, "no"]}
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == {"q": {"a": 1, "c": 0}}
    assert "1 without a grade is unjudged" in read.said


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(by_topic(ROWS)),
        json.dumps(SHAPES["pairs"](ROWS)),
        json.dumps({"relevant_docs": SHAPES["pairs"](ROWS)}),
        json.dumps(
            {
                "judgmentRatings": [
                    {"query": topic, "ratings": [{"docId": d, "rating": g} for d, g in documents.items()]}
                    for topic, documents in by_topic(ROWS).items()
                ]
            }
        ),
        "".join(
            json.dumps({"query": topic, "chunks": [{"id": d, "grade": g} for d, g in documents.items()]}) + "\n"
            for topic, documents in by_topic(ROWS).items()
        ),
    ],
    ids=["mapping", "pairs", "LlamaIndex", "OpenSearch", "hits"],
)
def test_null_in_shapes_of_json(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_qrels(tmp_path / "x.json")
    assert read.to_dict() == KNOWN
    assert "2 without a grade are unjudged" in read.read_as


@pytest.mark.parametrize("shape", [*SHAPES, "pandas", "polars", "pyarrow"])
def test_judgments_without_any_grade_are_refused(shape: str) -> None:
    rows = [(topic, document, None) for topic, document, _ in ROWS]
    table = dict(zip(("query_id", "doc_id", "relevance"), map(list, zip(*rows, strict=True)), strict=True))
    given = SHAPES[shape](rows) if shape in SHAPES else give_table(shape, table)
    with pytest.raises(InputError, match="holds no grade: 5 without a grade are unjudged; write some"):
        as_qrels(given)


@pytest.mark.parametrize("missing", MISSING)
def test_a_score_must_be_there(missing: str) -> None:
    for given in (
        {"q1": {"a": MISSING[missing]}},
        pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [MISSING[missing]]}),
    ):
        with pytest.raises(InputError, match=r"score|numbers"):
            evaluate({"q1": {"a": 1}}, given, "AP")


@pytest.mark.parametrize("grade", ["x", True, math.inf, [1]])
def test_what_is_no_grade_is_refused_also_next_to_missing_ones(grade: object) -> None:
    with pytest.raises(InputError, match=r"grade .*topic q1, document a"):
        Qrels.from_dict({"q1": {"b": None, "a": grade}})  # type: ignore[dict-item]  # on purpose


def test_what_is_missing_is_told_by_its_value() -> None:
    assert all(
        map(is_missing, [*MISSING.values(), "", " ", "#NV", pl.Series([math.nan])[0], pa.array([math.nan])[0].as_py()])
    )
    assert not any(map(is_missing, [0, 0.0, "0", False, math.inf, np.int64(0), "nan"]))
    assert drop_missing({"q": {}, "r": {"a": None}, "s": ["a"]}) == ({"q": {}, "s": ["a"]}, 1)
