"""Queries by their texts on one side, by their ids on the other: what errors say to type reads both."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval import InputError, check, evaluate, read_qrels, read_runs
from gradeval.cli import main
from gradeval.warning_categories import CoverageWarning

TEXTS = {"q1": "red shoes", "q2": "usb cable, 2 m", "q3": "laptop"}
ENDINGS = ["csv", "jsonl", "json", "parquet"]


def write(place: Path, value: str, **columns: str) -> str:
    """A table of the queries with three documents each; ``columns``: which hold the ids, and which the texts."""
    rows = [
        {name: topic if holds == "ids" else text for name, holds in columns.items()}
        | {"doc_id": f"d{number}", value: number if value == "grade" else 0.5 - number / 7}
        for topic, text in TEXTS.items()
        for number in range(3)
    ]
    if place.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), place)
    elif place.suffix == ".csv":
        with place.open("w", newline="") as file:
            written = csv.DictWriter(file, rows[0])
            written.writeheader()
            written.writerows(rows)
    else:
        place.write_text("\n".join(map(json.dumps, rows)) if place.suffix == ".jsonl" else json.dumps(rows))
    return str(place)


def advice(text: str) -> list[str]:
    """What a message says to type: an option with its value, or places of files."""
    option = re.search(r"--columns \S+(?=, for one file)", text)
    return shlex.split(option[0]) if option else shlex.split(text.partition("alone: ")[2])


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_column_of_runs_with_the_texts_of_the_judgments_is_named(tmp_path: Path, ending: str) -> None:
    judgments = write(tmp_path / f"judged.{ending}", "grade", query="texts")
    runs = [write(tmp_path / f"{name}.{ending}", "sim", query_id="ids", query="texts") for name in "ab"]
    with pytest.raises(InputError, match=r"no run has a topic of .*: 'red shoes' there, 'q1' here; column") as refused:
        evaluate(judgments, runs, "AP")
    assert f"column 'query' of {', '.join(runs)} has the topics of {judgments}" in str(refused.value)
    assert advice(str(refused.value)) == ["--columns", "query=query"]
    printed = CliRunner().invoke(main, ["evaluate", judgments, *runs, "-m", "AP", *advice(str(refused.value))])
    assert printed.exit_code == 0, printed.output
    read = evaluate(read_qrels(judgments, columns="query=query"), read_runs(runs, columns="query=query"), "AP")
    assert read.topics == list(TEXTS.values())
    assert read.present.all()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_column_of_judgments_with_the_texts_of_the_runs_is_named(tmp_path: Path, ending: str) -> None:
    judgments = write(tmp_path / f"judged.{ending}", "grade", query_id="ids", query="texts")
    run = write(tmp_path / f"a.{ending}", "sim", query="texts")
    with pytest.raises(InputError, match=r"column 'query' of .* has the topics of a") as refused:
        evaluate(judgments, run, "AP")
    assert advice(str(refused.value)) == ["--columns", "query=query"]
    printed = CliRunner().invoke(main, ["evaluate", judgments, run, "-m", "AP", *advice(str(refused.value))])
    assert printed.exit_code == 0, printed.output


def test_files_are_named_where_another_one_has_a_column_of_that_name(tmp_path: Path) -> None:
    judgments = write(tmp_path / "judged.csv", "grade", query_id="texts", query="ids")  # the wrong way round
    runs = [write(tmp_path / f"run {name}.csv", "sim", query_id="ids", query="texts") for name in "ab"]
    with pytest.raises(InputError, match="for each file alone") as refused:
        evaluate(judgments, runs, "AP")
    typed = advice(str(refused.value))
    assert typed == [f"columns:query=query:{run}" for run in runs]
    assert evaluate(judgments, typed, "AP").present.all()


def test_a_column_of_numbers_that_are_topics_by_chance_is_not_named(tmp_path: Path) -> None:
    judgments = tmp_path / "judged.csv"
    judgments.write_text("query_id,doc_id,grade\n1,d1,1\n2,d1,0\n")
    run = tmp_path / "run.csv"
    run.write_text("query,doc_id,rank,score\nred shoes,d1,1,0.5\nred shoes,d2,2,0.25\n")
    with pytest.raises(InputError, match="are the ids alike"):
        evaluate(str(judgments), str(run), "AP")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("ending", ["", "csv", "jsonl"])
def test_a_column_that_counts_the_rows_of_each_topic_is_never_named(tmp_path: Path, ending: str, first: int) -> None:
    asked = "are the ids alike, or are the judgments of other topics, as of another year?"
    judgments = tmp_path / "judged.txt"
    judgments.write_text("".join(f"{topic} 0 d1 1\n" for topic in range(441, 451)))
    rows = [(topic, number + first) for topic in range(401, 404) for number in range(460)]
    run = tmp_path / f"run.{ending}"
    if ending == "":
        run.write_text("".join(f"{topic} Q0 d{place} {place} {1 / (1 + place)} t\n" for topic, place in rows))
    elif ending == "csv":
        lines = [f"{topic},d{place},{place},{1 / (1 + place)}\n" for topic, place in rows]
        run.write_text("".join(["topic,docno,place_in_list,score\n", *lines]))
    else:
        records = [
            {"topic": topic, "docno": f"d{place}", "nth": place, "score": 1 / (1 + place)} for topic, place in rows
        ]
        run.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(InputError) as refused:
        evaluate(judgments, run, "AP")
    assert str(refused.value).endswith(f"'441' there, '401' here; {asked}")
    assert check(judgments, run).faults == [
        f"{run}: no topic in common with the judgments: 441 there, 401 here; {asked}"
    ]


def test_columns_of_text_without_a_header_are_not_called_by_a_value(tmp_path: Path) -> None:
    judgments = tmp_path / "judged.txt"
    judgments.write_text("".join(f"{topic} 0 d1 1\n" for topic in range(1, 26)))
    run = tmp_path / "other.run"  # the second column of others holds the topics of the judgments
    run.write_text("".join(f"{topic} {topic - 25} d{topic} 1 0.5 t\n" for topic in range(26, 51)))
    with pytest.raises(InputError, match="'1' there, '26' here; are the ids alike, or are the judgments of other"):
        evaluate(judgments, run, "AP")


def test_one_run_of_several_and_check_say_it_too(tmp_path: Path) -> None:
    judgments = write(tmp_path / "judged.csv", "grade", query="texts")
    right = write(tmp_path / "right.csv", "sim", query="texts")
    other = write(tmp_path / "other.csv", "sim", query_id="ids", query="texts")
    with pytest.warns(CoverageWarning, match="other: no topic in common .*; name it: --columns query=query"):
        evaluate(judgments, [right, other], "AP")
    faults = check(judgments, other).faults
    assert "name it: --columns query=query" in faults[0]
