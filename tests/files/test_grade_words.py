"""Words as grades: true and false, yes and no, and the labels of Amazon's Shopping Queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from refusing import said_of
from table_forms import TABLE_FORMS, give_table, read_table, write_table

from gradeval import InputError, evaluate, qrels_from_frame, read_qrels, read_run
from gradeval.files.accepted import as_qrels


def test_labels_of_shopping_queries_are_grades(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    labels = {"B1": "E", "B2": "S", "B3": "C", "B4": "I"}
    lines = "".join(f"7,{product},{label},us\n" for product, label in labels.items())
    (tmp_path / "esci.csv").write_text(f"query_id,product_id,esci_label,product_locale\n{lines}")
    (tmp_path / "esci.jsonl").write_text(
        "".join(json.dumps({"query_id": 7, "product_id": p, "esci_label": e}) + "\n" for p, e in labels.items())
    )
    for name in ("esci.csv", "esci.jsonl"):
        qrels = read_qrels(tmp_path / name)
        assert qrels.to_dict() == {"7": {"B1": 3, "B2": 2, "B3": 1, "B4": 0}}
    columns = {"query_id": [7] * 4, "product_id": list(labels), "esci_label": list(labels.values())}
    assert qrels_from_frame(columns).to_dict() == qrels.to_dict()
    wrong = said_of(lambda: qrels_from_frame({**columns, "esci_label": [*"ESC", "Z"]}))
    assert wrong == "qrels: row 3: esci_label 'Z' is none of E, S, C, I"
    run = {"7": {"B2": 2.0, "B1": 1.0}}
    assert evaluate(qrels, run, "CG(gains={3:1,2:0.1,1:0.01})@1").mean()[0, 0] == pytest.approx(0.1)
    (tmp_path / "esci.csv").write_text("query_id,product_id,esci_label\n7,B1,Exact\n7,B2,Z\n")
    assert "grade 'Z' is not a finite number" in said_of(lambda: read_qrels(tmp_path / "esci.csv"))


WORDS: dict[str, tuple[list[Any], list[int]]] = {
    "truth": ([True, False, True, False], [1, 0, 1, 0]),
    "numbers": ([1, 0, 0, 1], [1, 0, 0, 1]),
    "digits": (["1", "0", "0", "1"], [1, 0, 0, 1]),
    "true": (["true", "False", "FALSE", "True"], [1, 0, 0, 1]),
    "yes": (["yes", "No", "NO", "Yes"], [1, 0, 0, 1]),
    "both": (["yes", "0", "false", "1"], [1, 0, 0, 1]),
}


@pytest.mark.parametrize("name", ["relevant", "is_relevant", "Is Relevant", "relevance", "llm_label"])
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_true_and_yes_are_grade_1_whatever_has_them(form: str, words: str, name: str, tmp_path: Path) -> None:
    given, (a, b, c, d) = WORDS[words]
    table = {"question": ["q1", "q1", "q2", "q2"], name: given, "chunk_id": ["a", "b", "c", "d"]}
    read = read_table(form, table, tmp_path)
    assert read.qrels.to_dict() == {"q1": {"a": a, "b": b}, "q2": {"c": c, "d": d}}
    assert "without a grade" not in read.said


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_a_graded_column_counts_before_one_of_yes_and_no(form: str, first: bool, tmp_path: Path) -> None:
    columns = {"relevant": ["yes", "no"], "relevance": [3, 0]}
    columns = columns if first else dict(reversed(columns.items()))
    read = read_table(form, {"query_id": ["q", "q"], "doc_id": ["a", "b"], **columns}, tmp_path)
    assert read.qrels.to_dict() == {"q": {"a": 3, "b": 0}}


@pytest.mark.parametrize("word", ["maybe", "2x", "y"])
@pytest.mark.parametrize("form", TABLE_FORMS)
def test_another_word_is_refused_and_quoted(form: str, word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"'{word}'"):
        read_table(form, {"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevant": ["yes", word]}, tmp_path)


@pytest.mark.parametrize("name", ["relevant", "gold"])
@pytest.mark.parametrize("records", [False, True])
def test_a_list_with_such_a_name_is_one_of_documents_and_a_record_with_a_document_has_a_grade(
    name: str, records: bool, tmp_path: Path
) -> None:
    """Without a grade, too, as null may be a list without anything."""
    lists = {"question_id": ["q1", "q2"], name: [["a", "b"], ["c"]]}
    grades = {"question_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], name: [1, None, 1]}
    for table, expected in (
        (lists, {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}),
        (grades, {"q1": {"a": 1}, "q2": {"c": 1}}),
    ):
        if records:
            assert as_qrels(give_table("pyarrow", table)).to_dict() == expected
        else:
            assert read_qrels(write_table("lines", table, tmp_path / "x.jsonl")).to_dict() == expected
        parquet.write_table(pa.table(table), tmp_path / "x.parquet")
        assert read_qrels(tmp_path / "x.parquet").to_dict() == expected


def test_hits_say_themselves_whether_they_are_relevant(tmp_path: Path) -> None:
    hits = [{"id": "a", "relevant": True}, {"id": "b", "relevant": False}, {"id": "c"}]
    (tmp_path / "x.jsonl").write_text(json.dumps({"question": "q", "chunks": hits}))
    read = read_qrels(tmp_path / "x.jsonl")
    assert read.to_dict() == {"q": {"a": 1, "b": 0}}
    assert "1 without a grade is unjudged" in read.read_as


@pytest.mark.parametrize("word", ["true", "yes"])
@pytest.mark.parametrize("form", ["csv", "lines"])
def test_no_score_is_a_word(form: str, word: str, tmp_path: Path) -> None:
    place = write_table(form, {"query_id": ["q"], "doc_id": ["a"], "score": [word]}, tmp_path / "x")
    with pytest.raises(InputError, match=f"score '{word}' is not a finite number"):
        read_run(place)
