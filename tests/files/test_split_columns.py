"""Rows to train from are no judgments, where a topic has rows to test with, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import said_of
from table_forms import TABLE_FORMS, read_table

from gradeval import evaluate, qrels_from_frame, read_qrels

LOG = {"user": ["1", "1", "1", "2", "2"], "item": ["10", "11", "12", "10", "13"], "rating": [4, 2, 5, 3, 1]}
IN_TEST = [False, True, False, True, False]
SPLITS: dict[str, tuple[str, list[Any], str]] = {
    "words": ("split", ["test" if one else "train" for one in IN_TEST], "'test'"),
    "other words": ("Data Split", ["Validation" if one else "Training" for one in IN_TEST], "'Validation'"),
    "three": ("subset", ["train", "val", "train", "test", "train"], "'test'"),
    "flags": ("is_test", IN_TEST, "1"),
    "numbers": ("is_train", [int(not one) for one in IN_TEST], "0"),
}


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("form", TABLE_FORMS)
@pytest.mark.parametrize("graded", [True, False])
def test_a_log_with_rows_to_train_from_is_refused(form: str, name: str, graded: bool, tmp_path: Path) -> None:
    column, cells, kept = SPLITS[name]
    table = {one: values for one, values in LOG.items() if graded or one != "rating"} | {column: cells}
    said = said_of(lambda: read_table(form, table, tmp_path))
    if not graded and name in ("flags", "numbers"):
        return  # a column that says no is refused as such
    assert f"by column {column!r} topic '1' has rows to train from, which would count as relevant" in said
    assert f"df[df[{column!r}] == {kept}]" in said


def test_the_line_that_is_told_keeps_the_rows_to_test_with(tmp_path: Path) -> None:
    for column, cells, kept in SPLITS.values():
        frame = pd.DataFrame(LOG | {column: cells})
        chosen = frame[frame[column] == eval(kept)]
        expected = IN_TEST if "test" not in cells or "val" not in cells else [False] * 3 + [True, False]
        assert chosen.item.tolist() == frame.item[expected].tolist()
        chosen.to_csv(tmp_path / "test.csv", index=False)
        assert evaluate(tmp_path / "test.csv", {"1": ["11"], "2": ["10"]}, "AP").mean().tolist() == [[1]]


@pytest.mark.parametrize(
    "cells",
    [
        ["train", "train", "train", "test", "test"],
        ["test"] * 5,
        ["train"] * 5,
        ["a", "b", "a", "b", "a"],
        ["train", "test", "train", "test", "other"],
        ["train", "test", "train", "test", ""],
        ["1", "2", "1", "2", "1"],
    ],
)
def test_other_columns_and_splits_of_whole_topics_pass(cells: list[str], tmp_path: Path) -> None:
    frame = pd.DataFrame(LOG | {"split": cells})
    frame.to_csv(tmp_path / "x.csv", index=False)
    assert read_qrels(tmp_path / "x.csv").of("1") == qrels_from_frame(frame).of("1") == {"10": 4, "11": 2, "12": 5}
