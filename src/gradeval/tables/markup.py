"""Tables for documents: Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gradeval.tables.format import text_format
from gradeval.tables.grid import Grid, grid
from gradeval.tables.result import Result

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "▲": r"$\blacktriangle$",  # amssymb
    "▼": r"$\blacktriangledown$",
} | {letter: "\\" + letter for letter in "&%$#_{}"}


@text_format(".md")
def markdown(result: Result) -> Iterator[str]:
    """A table of GitHub's Markdown, the best value of every column in bold."""
    yield from as_markdown(grid(result))


def as_markdown(shown: Grid) -> Iterator[str]:
    """The lines of a table in GitHub's Markdown."""
    cells = _cells(shown, _for_markdown, "**{}**")
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    left = [column < shown.names for column in range(len(widths))]
    rule = ["-" * width if name else "-" * (width - 1) + ":" for name, width in zip(left, widths, strict=True)]
    for row in [cells[0], rule, *cells[1:]]:
        columns = zip(row, widths, left, strict=True)
        padded = (cell.ljust(width) if name else cell.rjust(width) for cell, width, name in columns)
        yield "| " + " | ".join(padded) + " |\n"


@text_format(".tex")
def latex(result: Result) -> Iterator[str]:
    """A tabular with the rules of booktabs, the best value of every column in bold."""
    yield from as_latex(grid(result))


def as_latex(shown: Grid) -> Iterator[str]:
    """The lines of a LaTeX tabular."""
    head, *rows = _cells(shown, _for_latex, r"\textbf{{{}}}")
    symbols = any("\\black" in cell for row in rows for cell in row)
    yield "% needs \\usepackage{booktabs" + ",amssymb" * symbols + "}\n"
    yield f"\\begin{{tabular}}{{{'l' * shown.names}{'r' * (len(head) - shown.names)}}}\n\\toprule\n"
    yield f"{' & '.join(head)} \\\\\n\\midrule\n"
    for place, row in enumerate(rows, 1):
        yield f"{' & '.join(row)} \\\\\n" + "\\midrule\n" * (place == shown.ruled)
    yield "\\bottomrule\n\\end{tabular}\n"


def _cells(shown: Grid, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """Title row and rows, escaped, the best values in bold."""
    cells = [[escaped(cell) for cell in row] for row in [shown.head, *shown.rows]]
    for place, column in shown.best:
        cells[place + 1][column] = bold.format(cells[place + 1][column])
    return cells


def _for_markdown(text: str) -> str:
    return re.sub(r"([\\`*_|<>~])", r"\\\1", text)


def _for_latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)
