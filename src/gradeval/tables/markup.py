"""Grids for documents: Markdown, LaTeX and HTML, the best value of every column in bold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from gradeval.messages import visible
from gradeval.tables.grid import Cell, Estimate, Grid, as_label

MINUS = re.compile(r"(?<![\w.])-(?=\d)")
"""What stands before a negative number; LaTeX writes a hyphen for it."""
ROOM = "\ufdd0"
"""Stands for the mark that a number has not, where others of its column have one: Unicode keeps it for such a use."""

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    ROOM: r"\phantom{$\blacktriangle$}",
} | {letter: "\\" + letter for letter in "&%$#_{}"}


def markdown(grids: Sequence[Grid]) -> Iterator[str]:
    """Tables of GitHub's Markdown, each with its caption below."""
    yield from _stack(grids, _markdown_table, "**{}**\n\n")


def latex(grids: Sequence[Grid]) -> Iterator[str]:
    """Tabulars with the rules of booktabs; several, and those with captions, as floats with captions and labels.

    What is longer than a page is a longtable; what is wider than a column of text is made smaller.
    """
    labelled = _label(grids)
    tabulars = [_tabular(grid) for grid in labelled]
    needed = {package for tabular in tabulars for package in tabular.packages}
    if tabulars:
        yield f"% needs \\usepackage{{{','.join(package for package in PACKAGES if package in needed)}}}\n"
    if len(labelled) > 1:
        yield f"% {len(labelled)} tables, each under a comment with its name; delete those that you do not need\n"
    made = iter(tabulars)
    yield from _stack(labelled, lambda _: next(made).write(), "% {}\n")


def _label(grids: Sequence[Grid]) -> list[Grid]:
    """The grids with their captions and labels as LaTeX has them; no label stands twice."""
    labelled: list[Grid] = []
    for grid in grids:
        default = grid.title if len(grids) > 1 else ""
        caption = default if grid.caption is None else grid.caption
        label = as_label(grid.title) if grid.label is None and caption else grid.label or ""
        label = re.sub("[^-:.a-zA-Z0-9]+", "-", label).strip("-")
        known = [other.label for other in labelled]
        numbered = (f"{label}-{number}" for number in count(2))
        if label and label in known:
            label = next(other for other in numbered if other not in known)
        labelled.append(replace(grid, caption=caption, label=label))
    return labelled


def _stack(grids: Sequence[Grid], lines: Callable[[Grid], Iterator[str]], heading: str) -> Iterator[str]:
    """The lines of each grid, under its title where there are several."""
    for place, grid in enumerate(grids):
        if len(grids) > 1:
            yield "\n" * bool(place) + heading.format(visible(grid.title))
        yield from lines(grid)


def _markdown_table(grid: Grid) -> Iterator[str]:
    cells = _cells(grid, escape_markdown, "**{}**")
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    left = [column < grid.names for column in range(len(widths))]
    rule = ["-" * width if name else "-" * (width - 1) + ":" for name, width in zip(left, widths, strict=True)]
    for row in [cells[0], rule, *cells[1:]]:
        columns = zip(row, widths, left, strict=True)
        padded = (cell.ljust(width) if name else cell.rjust(width) for cell, width, name in columns)
        yield "| " + " | ".join(padded) + " |\n"
    if grid.caption:
        yield f"\n{escape_markdown(visible(grid.caption))}\n"


LONG = 40
"""Rows of which a page has room; a longer table goes over several."""
NARROW, WIDE = 28, 75
"""Letters of a row of which a line has room in LaTeX's usual classes, where the text has two columns and one. LaTeX
makes a table smaller where it is too wide indeed; for a longtable, which it cannot measure, the second number decides.
"""
BETWEEN = 2
"""Letters that the space between two columns takes."""
SHRUNK = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
"""Makes what follows as wide as the text where it is wider."""


PACKAGES = ("booktabs", "amssymb", "longtable", "graphicx")
"""What tables may need, in the order in which it is named."""


class _Tabular(NamedTuple):
    """The parts of a table of LaTeX: the command of its caption and its label, its columns, head and lines; what it
    needs, and whether it is wider than a line has room."""

    named: str
    columns: str
    head: str
    lines: str
    packages: tuple[str, ...]
    wide: bool

    def write(self) -> Iterator[str]:
        """The lines, over several pages if need be."""
        return (_over_pages if "longtable" in self.packages else _on_a_page)(self, self.wide)


def _tabular(grid: Grid) -> _Tabular:
    head, *rows = _cells(_with_room_for_marks(grid), _for_latex, r"\textbf{{{}}}")
    signed = [column.kind == "number" for column in grid.columns]
    rows = [[MINUS.sub("$-$", one) if sign else one for sign, one in zip(signed, row, strict=True)] for row in rows]
    symbols = any(sign in text for sign in "▲▼" for text in (grid.caption or "", *map("".join, grid.texts())))
    caption = f"\\caption{{{_for_latex(visible(grid.caption))}}}\n" if grid.caption else ""
    label = f"\\label{{{grid.label}}}\n" if grid.label else ""
    lines = (f"{' & '.join(row)} \\\\\n" + "\\midrule\n" * (place == grid.ruled) for place, row in enumerate(rows, 1))
    width = sum(max(map(len, column)) + BETWEEN for column in zip(grid.head, *grid.texts(), strict=True))
    long = len(rows) > LONG
    wide = width > (WIDE if long else NARROW)
    packages = ("booktabs", *["amssymb"] * symbols, *["longtable"] * long, *["graphicx"] * (wide and not long))
    return _Tabular(
        caption + label,
        "l" * grid.names + "r" * (len(head) - grid.names),
        f"\\toprule\n{' & '.join(head)} \\\\\n\\midrule\n",
        "".join(lines),
        packages,
        wide,
    )


def _on_a_page(parts: _Tabular, wide: bool) -> Iterator[str]:
    """A tabular, which floats where it has a caption or a label; ``wide``: it is made as wide as the text at most."""
    begin, end = ("\\begin{table}\n\\centering\n", "\\end{table}\n") if parts.named else ("\\noindent\n" * wide, "")
    yield f"{begin}{parts.named}{SHRUNK * wide}\\begin{{tabular}}{{{parts.columns}}}\n{parts.head}{parts.lines}"
    yield f"\\bottomrule\n\\end{{tabular}}{'}' * wide}\n{end}"


def _over_pages(parts: _Tabular, wide: bool) -> Iterator[str]:
    """A table that begins anew on each page; ``wide``: in small letters, as it cannot be scaled."""
    small, end = ("{\\scriptsize\\setlength{\\tabcolsep}{3pt}\n", "}\n") if wide else ("", "")
    yield "% longtable stands in text of one column: write \\onecolumn before it in a text of two\n"
    yield "% if it is still too wide, ask for fewer measures, or use landscape of pdflscape\n" * wide
    yield f"{small}\\begin{{longtable}}{{{parts.columns}}}\n"
    if parts.named:
        named = parts.named.rstrip("\n")
        yield f"{named}\\\\\n{parts.head}\\endfirsthead\n"
    yield f"{parts.head}\\endhead\n\\bottomrule\n\\endfoot\n{parts.lines}\\end{{longtable}}\n{end}"


def _with_room_for_marks(grid: Grid) -> Grid:
    """The grid with as much room behind every number of a column as behind those with a mark, so that digits align."""
    rows = [list(row) for row in grid.rows]
    for column in range(len(grid.columns)):
        if any(_has_triangle(row[column]) for row in rows):
            for row in rows:
                row[column] = _with_room(row[column])
    return replace(grid, rows=rows)


def _has_triangle(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.mark in ("▲", "▼")


def _with_room(cell: Cell) -> Cell:
    if isinstance(cell, int | float):
        return Estimate(cell, ROOM)
    return replace(cell, mark=ROOM) if isinstance(cell, Estimate) and not cell.mark.strip() else cell


def _cells(grid: Grid, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """Title row and rows, escaped, the best values in bold."""
    cells = [[escaped(cell) for cell in row] for row in [grid.head, *grid.texts()]]
    for place, column in grid.best:
        cells[place + 1][column] = bold.format(cells[place + 1][column].rstrip())  # Markdown takes no ** behind a blank
    return cells


def escape_markdown(text: str) -> str:
    """A text in which nothing is markup."""
    return re.sub(r"([\\`*_|<>~]|\](?=\())", r"\\\1", text)


def _for_latex(text: str) -> str:
    written = "".join(LATEX.get(letter, letter) for letter in text)
    if written.isascii():
        return written
    from gradeval.tables.latex_letters import as_latex  # few texts need it

    return as_latex(written)


def escape(text: str) -> str:
    """A text as HTML shows it."""
    import html  # its table of entities would take part of the time of ``import gradeval``

    return html.escape(text)


def html(grids: Sequence[Grid], notes: Sequence[str] = ()) -> Iterator[str]:
    """A table for each grid, and the notes below them."""
    for grid in grids:
        yield from _write_table(grid, len(grids) > 1)
    for note in notes:
        yield f"<p>{escape(visible(note))}</p>\n"


def facts(title: str, rows: Sequence[tuple[str, object]]) -> str:
    """A small table of what is known of something, for a notebook."""
    lines = [f"<caption>{escape(visible(title))}</caption>\n<tbody>\n"]
    for name, value in rows:
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        lines.append(f"<tr>{_cell(visible(name), 'row', True)}{_cell(visible(shown), '', False)}</tr>\n")
    return f"<table>\n{''.join(lines)}</tbody>\n</table>\n"


def _write_table(grid: Grid, titled: bool) -> Iterator[str]:
    yield "<table>\n"
    if caption := grid.caption or (grid.title if titled else ""):
        yield f"<caption>{escape(visible(caption))}</caption>\n"
    head = [_cell(text, "col", column < grid.names) for column, text in enumerate(grid.head)]
    yield f"<thead>\n<tr>{''.join(head)}</tr>\n</thead>\n<tbody>\n"
    for place, row in enumerate(grid.texts()):
        cells = [
            _cell(text, "row" if column < grid.names else "", column < grid.names, (place, column) in grid.best)
            for column, text in enumerate(row)
        ]
        yield f"<tr>{''.join(cells)}</tr>\n"
        if place + 1 == grid.ruled:
            yield "</tbody>\n<tbody>\n"
    yield "</tbody>\n</table>\n"


def _cell(text: str, scope: str, left: bool, best: bool = False) -> str:
    """A cell; ``scope``: "col" for the title of a column, "row" for a row's, else empty."""
    tag, scoped = ("th", f' scope="{scope}"') if scope else ("td", "")
    shown = f"<strong>{escape(text)}</strong>" if best else escape(text)
    return f'<{tag}{scoped} style="text-align:{"left" if left else "right"}">{shown}</{tag}>'
