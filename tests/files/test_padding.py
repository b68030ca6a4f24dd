"""Rows with document -1 leave a run, and are counted; -1 in judgments stays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow
import pytest

from gradeval import FilesWarning, evaluate, qrels_from_frame, read_run, read_runs, run_from_frame

ROWS = {
    "user": [1, 1, 1, 2, 2, 2],
    "item": [10, 11, -1, 12, -1, -1],
    "score": [0.9, 0.8, float("-inf"), 0.7, -3e38, -3e38],
}
RUN = {"1": {"10": 0.9, "11": 0.8}, "2": {"12": 0.7}}
SAID = "3 rows with document -1, which stands for no item, are left out"
FRAMES: dict[str, Callable[[], Any]] = {
    "numbers": lambda: pd.DataFrame(ROWS),
    "text": lambda: pd.DataFrame(ROWS).astype({"item": str}),
    "categories": lambda: pd.DataFrame(ROWS).astype({"item": "category"}),
    "polars": lambda: pl.DataFrame(ROWS).cast({"item": pl.String}),
    "arrow": lambda: pyarrow.table(ROWS),
    "lists": lambda: (
        pl.DataFrame(ROWS).group_by("user", maintain_order=True).agg("item", "score").explode("item", "score")
    ),
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames(form: str) -> None:
    with pytest.warns(FilesWarning, match=f"run: {SAID}"):
        run = run_from_frame(FRAMES[form]())
    assert run.to_dict() == RUN


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files(tmp_path: Path, ending: str) -> None:
    file, frame = tmp_path / f"als.{ending}", pd.DataFrame(ROWS)
    if ending == "parquet":
        frame.to_parquet(file)
    else:
        frame.to_csv(file, index=False, sep="," if ending == "csv" else "\t")
    with pytest.warns(FilesWarning, match=SAID):
        assert read_run(file).to_dict() == RUN


def test_runs_of_a_column() -> None:
    frame = pd.concat([pd.DataFrame(ROWS).assign(model=model) for model in ("als", "pop")])
    with pytest.warns(FilesWarning, match="6 rows with document -1"):
        scores = evaluate({"1": {"10": 1}, "2": {"12": 1}}, frame, "RR")
    assert scores.mean().tolist() == [[1.0], [1.0]]


def test_faults_below_are_named_among_the_rows_that_are_left() -> None:
    frame = pd.DataFrame(ROWS | {"score": [1.0, None, 3.0, 2.0, 1.0, 1.0]})
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(ValueError, match="run, rows without document -1: row 1"),
    ):
        run_from_frame(frame)


def test_judgments_and_runs_of_nothing_else_keep_it(tmp_path: Path) -> None:
    grades = pd.DataFrame({"user": [1], "item": [-1], "rating": [3]})
    assert qrels_from_frame(grades).to_dict() == {"1": {"-1": 3}}
    assert run_from_frame(grades.rename(columns={"rating": "score"})).to_dict() == {"1": {"-1": 3.0}}
    file = tmp_path / "als.csv"
    file.write_text("user,item,score\n1,10,0.5\n")
    assert read_runs([file])[0].to_dict() == {"1": {"10": 0.5}}
