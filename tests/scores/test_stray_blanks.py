"""Blanks around ids: files, lists and frames are read without them, and mappings are asked about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from warned_scores import warned

from gradeval import IdsWarning, P, Qrels, Run, evaluate

JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1}}
RANKED = {"q1": {"d1": 2.0, "d3": 1.0}, "q2": {"d2": 1.0}}
ROWS = [("q1", "d1\t"), ("q1", " d1"), ("q2 ", " d2")]
RECORDS = [{"query_id": topic, "doc_id": document, "relevance": 1} for topic, document in ROWS]


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def write_csv(path: Path) -> None:
    path.write_text("query_id,doc_id,relevance\n" + "".join(f"{topic},{document},1\n" for topic, document in ROWS))


FILES: dict[str, Callable[[Path], object]] = {
    "rows.csv": write_csv,
    "rows.jsonl": lambda path: write_lines(path, RECORDS),
    "lists.jsonl": lambda path: write_lines(
        path, [{"question_id": "q1", "gold": ["d1", " d1"]}, {"question_id": "q2 ", "gold": ["d2 "]}]
    ),
    "objects.jsonl": lambda path: write_lines(
        path, [{"query_id": topic, "relevant": [{"id": document, "grade": 1}]} for topic, document in ROWS[1:]]
    ),
    "mapping.json": lambda path: path.write_text(json.dumps({"q1": {" d1": 1, "d1": 1}, " q2": {"d2": 1}})),
    "lists.json": lambda path: path.write_text(json.dumps({"q1": [" d1", "d1"], " q2": ["d2\n"]})),
    "rows.parquet": lambda path: parquet.write_table(pyarrow.Table.from_pylist(RECORDS), path),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_ids_of_files_have_no_blanks_around_them(tmp_path: Path, name: str) -> None:
    FILES[name](tmp_path / name)
    scores = evaluate(tmp_path / name, RANKED, P @ 1)
    assert scores.topics == ["q1", "q2"]
    assert scores.values.ravel().tolist() == [1, 1]


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_ids_of_frames_have_no_blanks_around_them(coded: bool) -> None:
    table = pyarrow.Table.from_pylist(RECORDS)
    if coded:
        table = table.set_column(1, "doc_id", table["doc_id"].dictionary_encode())
    assert evaluate(table, RANKED, P @ 1).values.ravel().tolist() == [1, 1]


def asked(judged: Any, ranked: Any) -> list[str]:
    return [text for category, text in warned(judged, ranked) if category is IdsWarning]


@pytest.mark.parametrize("made", [False, True])
def test_a_blank_between_judged_and_retrieved_is_asked_about(made: bool) -> None:
    ranked = {"q1": {"d1 ": 2.0, "d3": 1.0}, "q2": {"d2": 1.0}}
    texts = asked(Qrels.from_dict(JUDGED) if made else JUDGED, Run.from_dict(ranked) if made else ranked)
    assert texts == [
        "run: document 'd1 ' of the run is not in the judgments, 'd1' is: are they the same? (topic q1) If so, strip "
        "the ids, as in document.strip()"
    ]


def test_a_document_twice_but_for_blanks_is_asked_about() -> None:
    judged = {"q1": {"d1": 1, " d1": 1}, "q2": {"d2": 1}}
    twice = "topic q1 has 'd1' and ' d1': are they the same? If so, strip the ids, as in document.strip()"
    assert asked(judged, RANKED) == [f"qrels: {twice}"]
    ranked = {"q1": {"d1": 2.0, " d1": 1.0}, "q2": {"d2": 1.0}}
    assert asked(JUDGED, ranked) == [f"run: {twice}"]


def test_the_same_blanks_on_both_sides_and_blanks_within_are_not_asked_about() -> None:
    same = {"q1": {"d1 ": 1}, "q2": {"new york": 1}}
    assert asked(same, same) == []
