"""Tables with several runs or raters under each other, whose column of names nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from refusing import said_of
from table_forms import TABLE_FORMS, read_table

from gradeval import InputError, evaluate, qrels_from_frame, read_run
from gradeval.files.likely_runs import MOST_RUNS

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
TABLE = {
    "query": ["q1", "q1", "q2", "q1", "q1", "q2"],
    "text": ["one", "two", "one", "one", "two", "one"],
    "stage": ["first"] * 3 + ["second"] * 3,
    "doc": ["a", "b", "b", "a", "b", "b"],
    "score": [0.9, 0.5, 0.3, 0.1, 0.4, 0.3],
}


@pytest.mark.parametrize("form", ["parquet", "feather", "dictionary"])
def test_a_file_of_columns_names_the_column_and_how_to_say_so(form: str, tmp_path: Path) -> None:
    table = pa.table(TABLE)
    if form == "dictionary":
        table = table.set_column(2, "stage", table.column("stage").dictionary_encode())
    path = tmp_path / "runs.x"
    (feather.write_feather if form == "feather" else parquet.write_table)(table, path)
    said = said_of(lambda: read_run(path))
    assert (
        "runs.x: row 3: document 'a' of topic 'q1' was already given in row 0; if 'stage' names runs, say so: " in said
    )
    assert "--columns run=stage" in said
    misspelt = said_of(lambda: read_run(path, columns={"run": "stge"}))
    assert "in row 0; no column is called 'stge'; if 'stage' names runs, say so" in misspelt
    scores = evaluate(QRELS, f"columns:run=stage:{path}", "RR")
    assert dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True)) == {"first": 1.0, "second": 0.75}


@pytest.mark.parametrize("frame", [pd.DataFrame(TABLE), pa.table(TABLE)], ids=["pandas", "pyarrow"])
def test_a_frame_names_the_column_and_what_to_call_it(frame: Any) -> None:
    said = said_of(lambda: evaluate(QRELS, frame, "RR"))
    assert said == (
        "run: row 3: document 'a' of topic 'q1' was already given in row 0; if 'stage' names runs, call it run; if "
        "'stage' tells queries apart, join both columns: query_id='query+stage'"
    )
    assert evaluate(QRELS, frame, "RR", repeated="best").mean()[0, 0] == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"stage": ["first"] * 6},
        {"stage": ["first"] * 6, "Unnamed: 0": [*range(6)]},
        {"stage": ["first"] * 6, "__index_level_0__": [*range(6)]},
        {"stage": [None] * 3 + ["second"] * 3},
        {"stage": [0.5] * 3 + [0.25] * 3},
    ],
)
def test_a_column_that_tells_nothing_apart_is_not_named(changed: dict[str, list[Any]]) -> None:
    with pytest.raises(InputError, match="was already given in row 0; a run names a document once per topic"):
        evaluate(QRELS, pd.DataFrame(TABLE | changed), "RR")


def test_a_table_without_repeats_is_a_run_whatever_it_holds() -> None:
    rows = MOST_RUNS + 1
    table = {"query": ["q1"] * rows, "doc": [f"d{at}" for at in range(rows)], "k": range(rows), "score": range(rows)}
    scores = evaluate(QRELS, pa.table({name: list(column) for name, column in table.items()}), "NumRet")
    assert scores.sel(topics=["q1"]).mean().tolist() == [[rows]]


RATED = {"query": ["q1", "q1", "q2"], "doc": ["a", "a", "b"], "grade": [1, 2, 0], "rater": ["ann", "bob", "ann"]}


@pytest.mark.parametrize("form", [form for form in TABLE_FORMS if form != "columns"])
@pytest.mark.parametrize("column", ["rater", "timestamp"])
def test_the_column_of_raters_is_named_in_all_forms(form: str, column: str, tmp_path: Path) -> None:
    table = {column if name == "rater" else name: cells for name, cells in RATED.items()}
    said = said_of(lambda: read_table(form, table, tmp_path))
    assert said.endswith(
        "; in pandas: for name, rows in df.groupby('rater'): rows.to_csv(f'{name}.csv', index=False); "
        "for judges() in Python: raters = dict(list(df.groupby('rater')))"
    ) == (column == "rater")
    assert "grades 1 and 2" in said


def test_another_fault_than_several_raters_is_said_alone() -> None:
    frame = pd.DataFrame(RATED | {"grade": [1, 2, float("inf")]})
    assert "groupby" not in said_of(lambda: qrels_from_frame(frame))
    alike = pd.DataFrame(RATED | {"rater": ["ann", "ann", "bob"]})
    assert "groupby" not in said_of(lambda: qrels_from_frame(alike))
