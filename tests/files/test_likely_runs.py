"""A column names runs where it tells all repeated documents apart, and where some are repeated."""

from __future__ import annotations

from itertools import product

import pytest

from gradeval.files.likely_runs import MOST_RUNS, find_telling

ROWS = [("q1", "d1"), ("q1", "d2"), ("q1", "d1")]


@pytest.mark.parametrize("cells", [*product(["a", "b", "", None], repeat=3)])
def test_a_column_tells_documents_apart_that_are_repeated(cells: tuple[str | None, ...]) -> None:
    rows = [(*row, cell) for row, cell in zip(ROWS, cells, strict=True)]
    telling = all(cells) and cells[0] != cells[2]
    assert find_telling(rows, 0, 1, [2]) == (2 if telling else None)
    assert find_telling(rows[:2], 0, 1, [2]) is None  # no document is repeated


def test_the_first_column_that_tells_is_taken() -> None:
    rows = [("q1", "d1", "x", "a", "c"), ("q1", "d1", "x", "b", "d")]
    assert find_telling(rows, 0, 1, [2, 3, 4]) == 3
    assert find_telling([row[:3] for row in rows], 0, 1, [2, 3]) is None  # rows of another width


def test_a_column_of_more_values_than_runs_names_none() -> None:
    rows = [("q1", "d1", str(number)) for number in range(MOST_RUNS + 1)]
    assert find_telling(rows[:-1], 0, 1, [2]) == 2
    assert find_telling(rows, 0, 1, [2]) is None
