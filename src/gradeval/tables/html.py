"""Grids as HTML: tables for a notebook, and a whole page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradeval.arguments import visible
from gradeval.tables.grid import Grid


def escape(text: str) -> str:
    """A text as HTML shows it."""
    import html  # its table of entities would take part of the time of ``import gradeval``

    return html.escape(text)


STYLE = "body{font-family:sans-serif}table{border-collapse:collapse}th,td{padding:.1em .6em}caption{text-align:left}"


def html(grids: Sequence[Grid], notes: Sequence[str] = ()) -> Iterator[str]:
    """A table for each grid, and the notes below them."""
    for grid in grids:
        yield from _table(grid, len(grids) > 1)
    for note in notes:
        yield f"<p>{escape(visible(note))}</p>\n"


def facts(title: str, rows: Sequence[tuple[str, object]]) -> str:
    """A small table of what is known of something, for a notebook."""
    lines = [f"<caption>{escape(visible(title))}</caption>\n<tbody>\n"]
    for name, value in rows:
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        lines.append(f"<tr>{_cell(visible(name), 'row', True)}{_cell(visible(shown), '', False)}</tr>\n")
    return f"<table>\n{''.join(lines)}</tbody>\n</table>\n"


def page(grids: Sequence[Grid]) -> Iterator[str]:
    """A whole page, with every row."""
    title = escape(visible(grids[0].title)) if len(grids) == 1 and grids[0].title else "gradeval"
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    yield from html(grids)
    yield "</main>\n</body>\n</html>\n"


def _table(grid: Grid, titled: bool) -> Iterator[str]:
    yield "<table>\n"
    if titled and grid.title:
        yield f"<caption>{escape(visible(grid.title))}</caption>\n"
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
    """A cell; ``scope``: "col" for the title of a column, "row" for that of a row, else empty."""
    tag, scoped = ("th", f' scope="{scope}"') if scope else ("td", "")
    shown = f"<strong>{escape(text)}</strong>" if best else escape(text)
    return f'<{tag}{scoped} style="text-align:{"left" if left else "right"}">{shown}</{tag}>'
