from __future__ import annotations

import numpy as np
import pytest

from gradeval.tables.grid import Column, Estimate, Grid, estimates_of, write_p


def test_cells_are_written_as_their_column_says() -> None:
    assert Column("x", spec="+.2f").write(0.125) == "+0.12"
    assert Column("x", spec=".1%").write(0.5) == "50.0%"
    assert Column("x", spec=".2f").write(Estimate(0.5, "▲", (0.25, 0.75))) == "0.50▲ [0.25, 0.75]"
    assert Column("x", spec=".2f").write(Estimate(0.5, spread=0.25)) == "0.50 ±0.25"
    assert Column("x", spec=".1f").write((1, 2)) == "[1.0, 2.0]"
    assert Column("x", spec=".1f").write(None) == ""


@pytest.mark.parametrize(
    ("p", "digits", "least", "written"),
    [
        (0.0312, 3, 0.0, "0.031"),
        (0.001, 3, 0.0, "0.001"),
        (0.0009, 3, 0.0, "<0.001"),
        (0.0, 4, 0.02, "<0.0200"),  # of 50 samples
        (1.0, 2, 0.0, "1.00"),
        (0.2, 0, 0.0, "0"),
    ],
)
def test_a_p_value_that_decimals_or_samples_cannot_show_is_written_as_its_bound(
    p: float, digits: int, least: float, written: str
) -> None:
    assert write_p(p, digits, least) == written


def test_a_shortened_grid_keeps_its_marks_and_rules() -> None:
    columns = [Column("n", spec="d"), Column("x", "text")]
    grid = Grid(columns, [[n, "x"] for n in range(10)], best=frozenset({(0, 0), (5, 0), (9, 0)}), ruled=9)
    short = grid.shortened(4)
    assert [row[0] for row in short.texts()] == ["0", "1", "... 6 more", "8", "9"]
    assert short.best == {(0, 0), (4, 0)}
    assert short.ruled == 4
    assert grid.shortened(10) is grid


def test_a_grid_of_columns_has_a_row_for_each_cell_of_them() -> None:
    values, bounds = np.array([0.5, 0.25]), np.array([[0.4, 0.6], [0.125, 0.5]])
    grid = Grid.of_columns(
        (Column("run", "name"), iter(["elm", "oak"])),
        (Column("mean", spec=".2f"), estimates_of(values, bounds)),
        (Column("rank", spec="d"), np.array([1, 2])),
        title="means",
    )
    assert grid.texts() == [["elm", "0.50 [0.40, 0.60]", "1"], ["oak", "0.25 [0.12, 0.50]", "2"]]
    assert (grid.head, grid.title, grid.names) == (["run", "mean", "rank"], "means", 1)
    with pytest.raises(ValueError, match="shorter"):
        Grid.of_columns((Column("run", "name"), ["elm"]), (Column("mean"), np.zeros(0)))
