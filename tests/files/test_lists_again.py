"""Files with all retrievers and, in each record, the relevant documents: these are the same for a query, and count
once."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import evaluate, read_qrels
from gradeval.cli import main

GOLD = {"q1": ["a", "b"], "q2": ["c"]}
FOUND = {"bge": {"q1": ["a", "x", "b"], "q2": ["y", "c"]}, "e5": {"q1": ["x", "a"], "q2": ["c"]}}
RECALL = {"bge": (1 / 2 + 0) / 2, "e5": (0 + 1) / 2}
FORMS = ["jsonl", "json", "parquet", "csv", "records", "pandas"]


def records(run: str, gold: dict[str, list[str]] = GOLD) -> list[dict[str, Any]]:
    """A record for each run and query, whose run stands in the column ``run``."""
    return [
        {run: name, "user_input": topic, "retrieved_context_ids": found, "reference_context_ids": gold[topic]}
        for name, of_run in FOUND.items()
        for topic, found in of_run.items()
    ]


def write(form: str, rows: list[dict[str, Any]], folder: Path) -> Any:
    frame = pd.DataFrame(rows)
    place = folder / f"both.{form}"
    if form == "parquet":
        frame.to_parquet(place)
    elif form == "csv":
        frame.to_csv(place, index=False)
    elif form == "json":
        place.write_text(json.dumps(rows))
    elif form == "jsonl":
        place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        return rows if form == "records" else frame
    return str(place)


def differ(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, but for one list of the second run."""
    return [*rows[:3], rows[3] | {"reference_context_ids": ["d"]}]


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", FORMS)
def test_the_same_lists_count_once_and_another_one_is_refused(form: str, tmp_path: Path) -> None:
    both = write(form, records("retriever"), tmp_path)
    scores = evaluate(both, both, "R@1")
    assert dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True)) == RECALL
    alone = evaluate({topic: dict.fromkeys(gold, 1) for topic, gold in GOLD.items()}, both, "R@1")
    assert alone.mean().tolist() == scores.mean().tolist()
    other = write(form, differ(records("retriever")), tmp_path)
    said = said_of(lambda: evaluate(other, other, "R@1"))
    assert "query 'q2' was already given with another list (document 'c' is only in one list); write one list a" in said


def test_a_note_counts_the_judgments_that_come_again(tmp_path: Path) -> None:
    qrels = read_qrels(write("jsonl", records("retriever"), tmp_path))
    assert (qrels.repeated, qrels.of("q1"), qrels.of("q2")) == (3, {"a": 1, "b": 1}, {"c": 1})


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
@pytest.mark.parametrize("form", ["jsonl", "json", "parquet", "csv"])
def test_a_column_of_another_name_is_advised_and_works_as_typed(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path(write(form, records("session_name"), tmp_path)).name
    first = CliRunner().invoke(main, ["evaluate", file, file, "-m", "R@1"])
    assert first.exit_code == 2
    advice = first.output.partition("if 'session_name' names runs, say so: ")[2].replace("FILE", file)
    of_all, of_file = advice.partition(", or in Python")[0].split(", for one file ")
    for words in (["evaluate", file, of_file], ["evaluate", file, file, *shlex.split(of_all)]):
        done = CliRunner().invoke(main, [*words, "-m", "R@1"])
        assert done.exit_code == 0, done.output
        rows = [line.split() for line in done.stdout.splitlines()]
        assert {row[0]: float(row[1].strip("*")) for row in rows if row and row[0] in RECALL} == RECALL
        assert f"{file}: 3 judgments came again with the same grade, and count once" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_lists_of_each_run_are_split_by_the_line_that_is_told(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write(form, differ(records("session_name")), tmp_path)
    said = said_of(lambda: read_qrels(file))
    assert f"both.{form}:{4 + (form == 'csv')}: query 'q2' was already given" in said
    assert "if each 'session_name' has its own judgments, write a file for each, in pandas: " in said
    df = pd.read_json(file, lines=True) if form == "jsonl" else pd.read_csv(file)
    exec(said.partition("in pandas: ")[2], {"df": df})  # as a user types it
    assert read_qrels(f"bge.{form}").of("q2") == {"c": 1}
    assert read_qrels(f"e5.{form}").of("q2") == {"d": 1}


@pytest.mark.parametrize("shape", ["records", "lists by query"])
def test_parts_of_a_folder_have_the_same_lists_or_are_refused(shape: str, tmp_path: Path) -> None:
    for part, gold in (("bge", ["a", "b"]), ("e5", ["b", "a"])):
        record = {"q1": gold} if shape != "records" else {"user_input": "q1", "reference_context_ids": gold}
        (tmp_path / f"{part}.json").write_text(json.dumps(record))
    assert read_qrels(tmp_path, folder="one").of("q1") == {"a": 1, "b": 1}
    (tmp_path / "e5.json").write_text((tmp_path / "e5.json").read_text().replace("b", "c"))
    assert "query 'q1' was already given with another list (document 'b' is only in" in said_of(
        lambda: read_qrels(tmp_path, folder="one")
    )


def test_grades_that_differ_are_named(tmp_path: Path) -> None:
    lines = [{"query_id": "q1", "relevant": [{"id": "a", "grade": grade}]} for grade in (2, 1)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = said_of(lambda: read_qrels(tmp_path / "gold.jsonl"))
    assert "gold.jsonl:2: query 'q1' was already given with another list (document 'a' has grades 2 and 1); " in said
