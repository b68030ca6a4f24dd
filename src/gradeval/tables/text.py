"""Grids as text: styled in a terminal, plain in a file or a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Literal

from gradeval.messages import visible
from gradeval.tables.grid import Grid

GAP = 2  # blanks between columns
STAR = "* best of its column"
"""Stands below a table with stars."""


def show(grids: Sequence[Grid], file: IO[bytes]) -> None:
    """Write grids: styled with rich where the file is a terminal, else as plain text."""
    file.writelines(piece.encode() for piece in text(grids, styled if file.isatty() else plain))


def text(grids: Sequence[Grid], lines: Callable[[Grid], Iterator[str]] | None = None) -> Iterator[str]:
    """Grids one below the other, under their titles where there are several; ``lines``: by default ``plain``."""
    for place, grid in enumerate(grids):
        if len(grids) > 1:
            yield f"{chr(10) * bool(place)}{visible(grid.title)}\n"
        yield from (lines or plain)(grid)


def plain(grid: Grid) -> Iterator[str]:
    """The lines of a grid as aligned text, as wide as needed, with a * behind the best of a column; its foot."""
    rows = [grid.head, *grid.texts()]
    for column in {column for _, column in grid.best}:
        for place, row in enumerate(rows):
            row[column] += "*" if (place - 1, column) in grid.best else " "
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    rule = "-" * (sum(widths) + GAP * (len(widths) - 1)) + "\n"
    for place, row in enumerate(rows):
        cells = zip(row, widths, [column < grid.names for column in range(len(row))], strict=True)
        line = (" " * GAP).join(_padded(cell, width, left=name) for cell, width, name in cells)
        yield line.rstrip() + "\n"
        if place == 0 or place == grid.ruled:
            yield rule
    if below := _foot(grid, star=True):
        yield f"{below}\n"


def _foot(grid: Grid, *, star: bool) -> str:
    """The line below a grid; ``star``: are the best values marked by a star?"""
    return "; ".join(filter(None, [STAR if star and grid.best else "", visible(grid.foot)]))


def styled(grid: Grid) -> Iterator[str]:
    """A grid for the terminal at hand, the best values in bold.

    A grid wider than the terminal becomes several tables, so that every column is shown.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    star = "*" if console.color_system is None else ""
    head, rows = grid.head, grid.texts()
    with console.capture() as captured:
        for number, columns in enumerate(_spread(head, rows, grid.names, console.width)):
            picture = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for column in columns:
                name = column < grid.names
                justify: Literal["left", "right"] = "left" if name else "right"
                picture.add_column(Text(head[column]), justify=justify, no_wrap=not name, overflow="fold")
            for place, row in enumerate(rows):
                best = [(place, column) in grid.best for column in columns]
                cells = [
                    Text(row[column] + star, style="bold green") if mark else Text(row[column])
                    for column, mark in zip(columns, best, strict=True)
                ]
                picture.add_row(*cells, end_section=place + 1 == grid.ruled)
            console.print(*[""] * bool(number), picture, sep="\n")
        if below := _foot(grid, star=bool(star)):
            console.print(Text(below))
    yield captured.get()


def shorten(text: str, letters: int) -> str:
    """The beginning of a text, with a sign where it is cut."""
    return text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"


def _spread(head: Sequence[str], rows: Sequence[Sequence[str]], names: int, width: int) -> list[list[int]]:
    """The columns of each table: as many as fit the width, and the columns of names in all of them."""
    widths = [max(map(width_of, column)) + GAP + 1 for column in zip(head, *rows, strict=True)]
    always = list(range(names))
    tables = [list(always)]
    for column in range(names, len(widths)):
        if len(tables[-1]) > names and sum(widths[place] for place in [*tables[-1], column]) > width:
            tables.append(list(always))
        tables[-1].append(column)
    return tables


def _padded(cell: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - width_of(cell))
    return cell + blanks if left else blanks + cell


def width_of(text: str) -> int:
    """Columns of the screen that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
