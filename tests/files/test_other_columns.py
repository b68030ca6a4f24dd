"""A column of folds is found by its name, and where topics have rows of several folds."""

from __future__ import annotations

from typing import Any

import pytest

from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.other_columns import join_with_folds

TWO_FOLDS = [("u1", "a", 3, 0), ("u1", "b", 1, 1), ("u2", "c", 2, 1)]


def find(name: str, rows: list[tuple[Any, ...]], columns: Columns = GUESSED) -> str:
    return join_with_folds(["userId", "item", "rating", name], (0, 1, 2), columns, lambda: rows)


@pytest.mark.parametrize("name", ["fold", "Fold", "fold_id", "fold-id", "cv", "cv_fold", "split", "split.id"])
def test_folds_of_a_topic_are_found(name: str) -> None:
    assert find(name, TWO_FOLDS) == f"userId+{name}"


@pytest.mark.parametrize("name", ["day", "folder", "cvss", "timestamp"])
def test_other_columns_are_none(name: str) -> None:
    assert find(name, TWO_FOLDS) == ""


def test_folds_of_whole_topics_leave_nothing_to_join() -> None:
    assert find("fold", [("u1", "a", 3, 0), ("u1", "b", 1, 0), ("u2", "c", 2, 1)]) == ""


@pytest.mark.parametrize(("number", "found"), [(100, "userId+fold"), (101, "")])
def test_too_many_values_are_no_folds(number: int, found: str) -> None:
    assert find("fold", [("u1", f"d{fold}", 1, fold) for fold in range(number)]) == found


@pytest.mark.parametrize("empty", ["", None])
def test_rows_without_a_fold_are_of_none(empty: str | None) -> None:
    assert find("fold", [("u1", "a", 3, 0), ("u1", "b", 1, empty)]) == ""


def test_who_names_the_topics_is_not_asked() -> None:
    assert find("fold", TWO_FOLDS, Columns(query="userId")) == ""


def test_a_column_that_names_runs_is_used() -> None:
    assert join_with_folds(["user", "item", "score", "split"], (0, 1, 2, 3), GUESSED, lambda: TWO_FOLDS) == ""
