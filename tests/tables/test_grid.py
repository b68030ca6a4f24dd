from __future__ import annotations

from gradeval.tables.grid import Column, Estimate, Grid


def test_cells_are_written_as_their_column_says() -> None:
    assert Column("x", spec="+.2f").write(0.125) == "+0.12"
    assert Column("x", spec=".1%").write(0.5) == "50.0%"
    assert Column("x", spec=".2f").write(Estimate(0.5, "▲", (0.25, 0.75))) == "0.50▲ [0.25, 0.75]"
    assert Column("x", spec=".2f").write(Estimate(0.5, spread=0.25)) == "0.50 ±0.25"
    assert Column("x", spec=".1f").write((1, 2)) == "[1.0, 2.0]"
    assert Column("x", spec=".1f").write(None) == ""


def test_a_shortened_grid_keeps_its_marks_and_rules() -> None:
    columns = [Column("n", spec="d"), Column("x", "text")]
    grid = Grid(columns, [[n, "x"] for n in range(10)], best=frozenset({(0, 0), (5, 0), (9, 0)}), ruled=9)
    short = grid.shortened(4)
    assert [row[0] for row in short.texts()] == ["0", "1", "... 6 more", "8", "9"]
    assert short.best == {(0, 0), (4, 0)}
    assert short.ruled == 4
    assert grid.shortened(10) is grid
