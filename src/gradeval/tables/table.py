"""Tables to look at: drawn in a terminal, plain text in a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Literal

from gradeval.tables.format import binary_format
from gradeval.tables.grid import Grid, grid
from gradeval.tables.result import Result

GAP = 2  # blanks between columns


@binary_format(".txt", text=True)
def table(result: Result, file: IO[bytes]) -> None:
    """One row a run, the best value of every column marked."""
    show(grid(result), file)


def show(shown: Grid, file: IO[bytes]) -> None:
    """Write a table: drawn with rich where the file is a terminal, else as plain text."""
    if file.isatty():
        file.write(drawn(shown).encode())
    else:
        file.writelines(line.encode() for line in plain(shown))


def plain(shown: Grid) -> Iterator[str]:
    """The lines of a table as aligned text, as wide as it needs to be, a * behind the best of a column."""
    rows = [list(shown.head), *map(list, shown.rows)]
    for column in {column for _, column in shown.best}:
        for place, row in enumerate(rows):
            row[column] += "*" if (place - 1, column) in shown.best else " "
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    rule = "-" * (sum(widths) + GAP * (len(widths) - 1)) + "\n"
    for place, row in enumerate(rows):
        cells = zip(row, widths, [column < shown.names for column in range(len(row))], strict=True)
        line = (" " * GAP).join(_padded(cell, width, left=name) for cell, width, name in cells)
        yield line.rstrip() + "\n"
        if place == 0 or place == shown.ruled:
            yield rule


def drawn(shown: Grid) -> str:
    """A table for the terminal at hand, the best values in bold.

    Where it is too wide for the terminal, its columns are spread over several tables: none is left out.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    star = "*" if console.color_system is None else ""
    with console.capture() as captured:
        for number, columns in enumerate(_spread(shown, console.width)):
            picture = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for column in columns:
                name = column < shown.names
                justify: Literal["left", "right"] = "left" if name else "right"
                picture.add_column(Text(shown.head[column]), justify=justify, no_wrap=not name, overflow="fold")
            for place, row in enumerate(shown.rows):
                best = [(place, column) in shown.best for column in columns]
                cells = [
                    Text(row[column] + star, style="bold green") if mark else Text(row[column])
                    for column, mark in zip(columns, best, strict=True)
                ]
                picture.add_row(*cells, end_section=place + 1 == shown.ruled)
            console.print(*[""] * bool(number), picture, sep="\n")
    return captured.get()


def _spread(shown: Grid, width: int) -> list[list[int]]:
    """The columns of each table, so that every table fits the width if it can; names stand in all of them."""
    widths = [max(map(_width, column)) + GAP + 1 for column in zip(shown.head, *shown.rows, strict=True)]
    names = list(range(shown.names))
    tables = [list(names)]
    for column in range(shown.names, len(widths)):
        if len(tables[-1]) > len(names) and sum(widths[place] for place in [*tables[-1], column]) > width:
            tables.append(list(names))
        tables[-1].append(column)
    return tables


def _padded(cell: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - _width(cell))
    return cell + blanks if left else blanks + cell


def _width(text: str) -> int:
    """Columns of the screen that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
