"""Names in records count for a whole file: the same data give the same judgments in every form."""

from __future__ import annotations

import csv
import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from refusing import said_of

from gradeval import InputError, read_qrels, read_run
from gradeval.collection.qrels import Qrels
from gradeval.files.accepted import as_qrels
from gradeval.warning_categories import FilesWarning

ROWS = [(f"q{topic}", f"d{document}", topic + document) for topic in range(6) for document in range(4)]
FORMS = ["csv", "lines", "array", "parquet", "records", "pandas", "polars", "nested lines", "nested records"]


def records_with(first: str, second: str) -> list[dict[str, Any]]:
    """Records of which every third one has a grade ``first``, and all have one ``second``."""
    return [
        {"question_id": topic, "chunk_id": document, second: number % 3}
        | ({first: 3 + number % 2} if at % 3 == 1 else {})
        for at, (topic, document, number) in enumerate(ROWS)
    ]


def nested(records: list[dict[str, Any]], called: str) -> list[dict[str, Any]]:
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_topic.setdefault(record["question_id"], []).append({k: v for k, v in record.items() if k != "question_id"})
    return [{"question_id": topic, called: hits} for topic, hits in by_topic.items()]


def read(form: str, records: list[dict[str, Any]], folder: Path, columns: Any = None) -> Qrels:
    """The judgments of some records in a form."""
    names = [*dict.fromkeys(name for record in records for name in record)]
    table = {name: [record.get(name) for record in records] for name in names}
    if form.startswith("nested"):
        records = nested(records, "chunks")
    match form:
        case "csv":
            with (folder / "x.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, names)
                writer.writeheader()
                writer.writerows(records)
        case "lines" | "nested lines":
            (folder / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        case "array":
            (folder / "x.json").write_text(json.dumps(records))
        case "parquet":
            parquet.write_table(pa.table(table), folder / "x.parquet")
        case _:
            frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(form, lambda _: records)(table)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FilesWarning)
                return as_qrels(frame)
    return read_qrels(next(folder.iterdir()), columns=columns)


@pytest.mark.parametrize("order", ["as they come", "reversed", "shuffled"])
@pytest.mark.parametrize(("first", "second"), [("label", "llm_grade"), ("rating", "stars"), ("human_grade", "gold")])
@pytest.mark.parametrize("form", FORMS)
def test_judgments_are_those_of_the_most_usual_grade_only(
    form: str, first: str, second: str, order: str, tmp_path: Path
) -> None:
    records = records_with(first, second)
    expected: dict[str, dict[str, float]] = {}
    for record in records:
        if first in record:
            expected.setdefault(record["question_id"], {})[record["chunk_id"]] = record[first]
    if order == "reversed":
        records = records[::-1]
    elif order == "shuffled":
        random.Random(3).shuffle(records)
    assert read(form, records, tmp_path).to_dict() == expected


@pytest.mark.parametrize("blank", ["left out", None, ""])
@pytest.mark.parametrize("form", ["csv", "lines", "array", "nested lines"])
def test_a_named_grade_never_falls_back_to_another(form: str, blank: Any, tmp_path: Path) -> None:
    records = records_with("human", "llm_grade")
    expected = {(one["question_id"], one["chunk_id"]): one["human"] for one in records if "human" in one}
    if blank != "left out":
        records = [{"human": blank, **record} for record in records]
    qrels = read(form, records, tmp_path, {"grade": "human"})
    found = {(topic, document): grade for topic, of in qrels.to_dict().items() for document, grade in of.items()}
    assert found == expected
    assert f"{len(ROWS) - len(expected)} without a grade are unjudged" in qrels.read_as


@pytest.mark.parametrize("form", ["records", "pandas", "polars"])
def test_missing_grades_in_memory_are_counted_in_a_warning(form: str) -> None:
    rows = [{"query_id": "q", "doc_id": "a", "relevance": 1.0}, {"query_id": "q", "doc_id": "b", "relevance": None}]
    given = {"records": rows, "pandas": pd.DataFrame(rows), "polars": pl.DataFrame(rows)}[form]
    with pytest.warns(FilesWarning, match="1 without a grade is unjudged"):
        assert as_qrels(given).to_dict() == {"q": {"a": 1}}


@pytest.mark.parametrize("value", [None, "", float("nan"), pd.NA])
def test_what_is_missing_in_a_record_of_python_is_unjudged(value: Any) -> None:
    rows = [{"query_id": "q", "doc_id": name, "relevance": grade} for name, grade in (("a", 2), ("b", value))]
    with pytest.warns(FilesWarning):
        assert as_qrels(rows).to_dict() == {"q": {"a": 2}}


def test_null_in_a_mapping_is_unjudged(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"q": {"a": 1, "b": null}, "r": {"a": null}}')
    qrels = read_qrels(tmp_path / "x.json")
    assert qrels.to_dict() == {"q": {"a": 1}}
    assert qrels.read_as.endswith("; 2 without a grade are unjudged")


@pytest.mark.parametrize("form", FORMS)
def test_judgments_without_any_grade_are_an_error(form: str, tmp_path: Path) -> None:
    records = [{"question_id": "q", "chunk_id": name, "label": None} for name in "ab"]
    if form in ("pandas", "polars"):
        records[0]["label"] = records[1]["label"] = float("nan") if form == "pandas" else None
    with pytest.raises(InputError, match="grade"):
        read(form, records, tmp_path)


ID_CASES = [
    ("qrels", [{"qid": "1", "doc_id": "a", "rel": 1}, {"query": "1", "doc_id": "b", "rel": 1}], "has no 'qid'"),
    ("qrels", [{"query": "1", "doc": "a", "rel": 1}, {"query": "1", "doc": "b", "doc_id": "x", "rel": 1}], "'doc_id'"),
    ("run", [{"qid": "1", "doc_id": "a", "sim": 2}, {"qid": "1", "doc_id": "b", "sim": 1, "score": 9}], "'score'"),
    ("run", [{"qid": "1", "chunk_id": "a", "score": 2}, {"qid": "1", "docno": "b", "score": 1}], "'docno'"),
    ("run", [{"qid": "1", "hits": [{"id": "a"}, {"doc_id": "b"}]}], "a document has no 'doc_id'"),
    ("run", [{"qid": "1", "hits": [{"id": "a"}]}, {"query": "2", "hits": [{"id": "b"}]}], "has no 'qid'"),
    ("qrels", [{"qid": "1", "relevant": [{"id": "a"}]}, {"qid": "2", "relevant": [{"docid": "b"}]}], "no 'docid'"),
]


@pytest.mark.parametrize("form", ["lines", "array"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "records", "said"), ID_CASES)
def test_ids_and_scores_are_not_mixed(
    kind: str, records: list[Any], said: str, reverse: bool, form: str, tmp_path: Path
) -> None:
    records = records[::-1] if reverse else records
    path = tmp_path / "x.json"
    path.write_text(json.dumps(records) if form == "array" else "\n".join(map(json.dumps, records)) + "\n")
    reader: Callable[[Path], object] = read_qrels if kind == "qrels" else read_run
    assert said in said_of(lambda: reader(path))


@pytest.mark.parametrize("inner", ["chunk_id", "id", "doc_id", "passage_id"])
@pytest.mark.parametrize("called", ["chunks", "contexts", "documents", "passages", "hits", "results", "retrieved"])
@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_lists_of_objects_with_an_id_are_judgments_and_runs(kind: str, called: str, inner: str, tmp_path: Path) -> None:
    value = "llm_grade" if kind == "qrels" else "score"
    records = [{"question": "q", "answer": "x", called: [{inner: "a", value: 3}, {inner: "b", value: 1}]}]
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(records[0]))
    if kind == "qrels":
        assert read_qrels(path).to_dict() == {"q": {"a": 3, "b": 1}}
    else:
        assert read_run(path).of("q") == {"a": 3, "b": 1}


@pytest.mark.parametrize("called", ["chunks", "contexts", "documents", "hits"])
@pytest.mark.parametrize("content", [["a", "b"], [{"id": "a"}], [{"text": "a"}]])
def test_a_list_without_grades_is_named_and_never_proposed_as_a_column(
    called: str, content: list[Any], tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"question": "q", "note": "n", called: content}))
    said = said_of(lambda: read_qrels(tmp_path / "x.jsonl"))
    assert f"no document in {called!r} has a grade" in said
    assert "doc=" not in said


def test_texts_of_ragas_are_no_ids(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"question": "q", "contexts": ["A text."], "answer": "a"}))
    assert "documents" in said_of(lambda: read_run(tmp_path / "x.jsonl"))


@pytest.mark.parametrize("name", ["item_id", "itemId", "sku", "productId", "asin", "url"])
@pytest.mark.parametrize("called", ["results", "recommendations", "items"])
def test_hits_call_ids_as_tables_do(tmp_path: Path, name: str, called: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"userId": "u1", called: [{name: "a", "score": 2}, {name: "b", "score": 1}]}) + "\n")
    assert read_run(path).to_dict() == {"u1": {"a": 2.0, "b": 1.0}}


def test_the_text_of_a_hit_is_no_id(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"question": "q1", "hits": [{"chunk": "some words", "sku": "a", "score": 2}]}) + "\n")
    assert read_run(path).to_dict() == {"q1": {"a": 2.0}}


@pytest.mark.parametrize(("items", "texts"), [(["A long text", "another one"], True), (["d7", "d8"], False)])
def test_a_list_of_texts_that_may_be_the_relevant_ones_is_told_to_match_texts_alone(
    items: list[str], texts: bool, tmp_path: Path
) -> None:
    record = {"user_input": "q1", "docs": ["d1", "d2"], "reference_contexts": items}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(record)}\n")
    said = said_of(read_qrels, tmp_path / "a.jsonl")
    assert "or say which: columns:doc=reference_contexts:FILE" in said
    assert said.endswith("FILE, whose texts match only the same texts") == texts
