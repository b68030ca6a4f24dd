"""The runs in the rows of tables, by the columns that name runs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from refusing import said_of

from gradeval import evaluate
from gradeval.collection.runs import Run
from gradeval.files.named_columns import GUESSED
from gradeval.files.runs_of_tables import split_runs


def lines(*rows: tuple[str, str, float, str | None]) -> pa.Table:
    return pa.table(dict(zip(("topic", "document", "score", "run"), map(list, zip(*rows, strict=True)), strict=True)))


def by_name(runs: list[Run]) -> dict[str, dict[str, Any]]:
    return {run.name: {topic: run.of(topic) for topic in run.topics} for run in runs}


def test_rows_of_a_run_may_stand_in_several_tables() -> None:
    first = lines(("q1", "a", 2.0, "oak"), ("q1", "b", 1.0, "elm"))
    second = lines(("q2", "a", 4.0, "elm"), ("q2", "b", 3.0, "oak"))
    runs = split_runs([("1", first), ("2", second)], GUESSED, "x", "x")
    assert by_name(runs) == {"oak": {"q1": {"a": 2}, "q2": {"b": 3}}, "elm": {"q1": {"b": 1}, "q2": {"a": 4}}}


def test_tables_do_not_share_a_document_of_a_topic() -> None:
    first, second = lines(("q1", "a", 2.0, "oak"), ("q1", "b", 1.0, "elm")), lines(("q1", "a", 4.0, "oak"))
    said = said_of(lambda: split_runs([("1", first), ("2", second)], GUESSED, "x", "x"))
    assert "x: document 'a' of topic 'q1' is in 1 and in 2" in said


def test_a_table_whose_column_names_nothing_is_one_run() -> None:
    table = lines(("q1", "a", 2.0, None), ("q1", "b", 1.0, None))
    assert by_name(split_runs([("1", table)], GUESSED, "x", "called")) == {"called": {"q1": {"a": 2, "b": 1}}}


def test_parts_of_a_frame_are_runs_by_the_value_that_they_share() -> None:
    table = lines(("q1", "a", 2.0, "oak"), ("q1", "b", 1.0, "elm"))
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    parts: list[Any] = [
        frame.partition_by("run", as_dict=True),
        dict(list(pd.DataFrame(table.to_pydict()).groupby(["run"]))),
    ]
    for runs in parts:
        assert {*runs} == {("oak",), ("elm",)}
        assert evaluate({"q1": {"a": 1}}, runs, "P@1").means() == {"oak": {"P@1": 1}, "elm": {"P@1": 0}}
