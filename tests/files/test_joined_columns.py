"""Columns that are joined to one: which they are, and how their cells become one id."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from refusing import said_of

from gradeval.files.joined_columns import join_cells, parts_of


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("query+segment", [2, 0]),
        (" Query + SEGMENT ", [2, 0]),
        ("query", []),
        (None, []),
        ("query+other", []),
        ("query+query", []),
        ("a+b", []),  # a column of its own
    ],
)
def test_a_name_joins_columns_that_are_there(name: str | None, places: Sequence[int]) -> None:
    assert parts_of(name, ["segment", "a+b", "query", "a", "b"]) == places


@pytest.mark.parametrize(
    ("cells", "joined"), [(["laptop", "de"], "laptop+de"), (["c++", "de"], "c+++de"), (["laptop", ""], "")]
)
def test_cells_become_one_unless_one_is_empty(cells: list[str], joined: str) -> None:
    assert join_cells(cells, "query+segment", "log:2") == joined


def test_the_join_stands_in_the_first_cell_only() -> None:
    said = said_of(lambda: join_cells(["laptop", "d+e"], "query+segment", "log:2"))
    assert said.startswith("log:2: column 'segment' holds 'd+e', and + joins the columns; name this column first")
