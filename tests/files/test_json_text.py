"""JSON and JSONL: what is read, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from refusing import said_of

from gradeval import InputError, evaluate, read_qrels, read_run, read_runs

TABLE = {"q1": {"d1": 2, "d2": 0}, "2": {"d1": 1}}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["qrels.json", "qrels.json.gz", "named-otherwise.txt"])
def test_a_mapping_is_read_whatever_the_name(tmp_path: Path, name: str, indent: int | None) -> None:
    text = json.dumps(TABLE, indent=indent).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    qrels = read_qrels(tmp_path / name)
    assert {topic: qrels.of(topic) for topic in qrels.topics} == TABLE
    assert qrels.read_as == "JSON {topic: {document: number}}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"q1": {"d1": NaN}}', "NaN is no number of JSON"),
        (b'{"q1": {"d1": 1e999}}', "grade is infinite"),
        (
            b'{"q1": {"d1": "high"}}',
            "topic 'q1', document 'd1': grade 'high' is not a finite number; write a number for",
        ),
        (b'{"q1": {"d1": "1,5"}}', "'1,5' is not a finite number"),
        (b'{"q1": {"d1": 1}', ":1: is not valid JSON"),
        (b"{}", "holds no topic"),
        (b"[]", "holds no record"),
        (b"[3]", "record 1: is an int"),
        (b'{"query_id": ["d1", "d2"]}', "'query_id' has a list; accepted are"),
        (b'{"q1": {"d1": 1}, "q2": 5}', "the value of topic q2"),
        (b'{"q1": {"d1": 1' + b"0" * 5000 + b"}}", "a number that cannot be read"),
        (b'{"qid": 1, "docid": 2, "rel": 1}\n{"qid": 1, "docid": 2, "rel": 3}', ":2: document '2' of topic '1' was"),
        (b'{"qid": 1, "docid": 2, "rel": 1}\n{"qid": 1, "docid": 3.5, "rel": 1}', ":2: document '3.5' is not an id"),
        (b'{"qid": 1, "docid": 2, "rel": 1}\n{"qid": 1, "docid": 3, "rel": "x"}', ":2: rel 'x' is not a finite"),
        (b'{"qid": 1, "docid": 2, "rel": 1}\n{"qid": 1, "rel": 1}', ":2: has no 'docid', as other records have"),
        (b'{"qid": 1, "docid": 2, "rel": 1}\n{"qid": 1,', ":2: is not valid JSON"),
        (b'{"q\x81": {"d1": 1}}', ":1: is not valid UTF-8"),
        (b"", "the file is empty"),
    ],
)
def test_what_cannot_be_right_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "qrels.json").write_bytes(content)
    refused = said_of(lambda: read_qrels(tmp_path / "qrels.json"))
    assert message in refused
    assert refused.startswith(str(tmp_path / "qrels.json"))


def test_a_format_is_forced_by_a_prefix_or_by_name(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(json.dumps(TABLE))
    assert read_qrels(f"json:{tmp_path}/q").topics == ["q1", "2"]
    with pytest.raises(InputError, match="a line of judgments has 4 columns"):
        read_qrels(tmp_path / "q", format="trec")
    with pytest.raises(InputError, match=r"format 'jsn' is not one of .*did you mean json"):
        read_qrels(tmp_path / "q", format="jsn")


def test_runs_come_by_name_with_whole_numbers_as_ids_from_folders_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "runs" / name).write_text(f"1 Q0 7 1 2.0 {name}\n")
    (tmp_path / "runs" / ".hidden").write_text("nothing")
    assert evaluate({1: {7: 1}}, tmp_path / "runs", "AP").runs == ["a", "b"]
    assert evaluate({1: {7: 1}}, f"{tmp_path}/runs/[b-z]", "AP").runs == ["b"]
    named = evaluate({"1": {"7": 1}}, {"e5": {1: {7: 3}}, "bm25": tmp_path / "runs" / "a"}, "AP")
    assert named.runs == ["e5", "bm25"]
    assert named.values.ravel().tolist() == [1, 1]
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="the folder holds no files"):
        evaluate({"1": {"7": 1}}, tmp_path / "none", "AP")


@pytest.mark.parametrize("text", ["1", "-0.5", " 2 ", "1e3"])
@pytest.mark.parametrize("form", ["mapping", "lines", "list"])
def test_numbers_may_be_text_as_language_models_write_them(text: str, form: str, tmp_path: Path) -> None:
    record = {"qid": 1, "docid": 2, "rel": text}
    content: object = {"mapping": {"1": {"2": text}}, "lines": record, "list": [record]}[form]
    (tmp_path / "x.json").write_text(json.dumps(content))
    assert read_qrels(tmp_path / "x.json").to_dict() == {"1": {"2": float(text)}}


@pytest.mark.parametrize("records", [False, True])
@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize(
    ("value", "fault"), [("2.x", "'2.x' is not a finite number"), ("1e999", "'1e999'"), ("x", "'x'")]
)
def test_what_is_no_number_is_named_as_json_writes_it(
    read: Any, records: bool, value: object, fault: str, tmp_path: Path
) -> None:
    values = [{"query_id": "q", "doc_id": "d", "grade": value, "score": value}] if records else {"q": {"d": value}}
    (tmp_path / "x.json").write_text(json.dumps(values))
    assert fault in said_of(lambda: read(tmp_path / "x.json"))


def test_a_mapping_of_runs_is_read_by_name_from_a_file_as_from_python(tmp_path: Path) -> None:
    runs = {"elm": {"q1": {"d1": 1.5, "d2": 0.5}, "2": {}}, "oak": {"q1": {"d2": 7, "d1": 6.5}, "2": {"d1": 1}}}
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    read = read_runs(tmp_path / "runs.json").runs
    assert {run.name: {topic: run.of(topic) for topic in run.topics} for run in read} == runs
    assert {run.read_as for run in read} == {"JSON {run: {topic: {document: score}}}"}
    assert evaluate(TABLE, tmp_path / "runs.json", "AP").means() == evaluate(TABLE, runs, "AP").means()


@pytest.mark.parametrize("hit", [{"score": 2, "rank": 1}, {"doc_id": 3}, {"d2": {"d3": {"d4": 1}}}])
def test_objects_of_documents_are_no_runs(tmp_path: Path, hit: object) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"q1": {"d1": hit}}))
    with pytest.raises(InputError, match="is a dict; accepted are int"):
        len(read_run(tmp_path / "run.json"))


@pytest.mark.parametrize("indent", [None, 1])
def test_lists_of_records_by_key_are_runs_in_files_and_in_python(indent: int | None, tmp_path: Path) -> None:
    ranked = {"A": {"q1": ["a", "b"], "q2": ["c"]}, "B": {"q1": ["b", "a"], "q2": ["c", "a"]}}
    records = {
        name: [{"question_id": topic, "retrieved": documents} for topic, documents in lists.items()]
        for name, lists in ranked.items()
    }
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(records, indent=indent))
    read = {run.name: {topic: list(run.of(topic)) for topic in ("q1", "q2")} for run in read_runs([file])}
    assert read == ranked
    values = evaluate({"q1": {"a": 1}}, records, "RR")
    assert dict(zip(values.runs, values.mean()[:, 0].tolist(), strict=True)) == {"A": 1, "B": 0.5}
