"""A report as a page, as JSON and as Markdown: the same sections."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from gradeval.checks import visible
from gradeval.display.charts.rendering import as_vegalite, vegalite_version
from gradeval.display.page.bundling import bundle
from gradeval.display.page.shell import as_data, fill, resource
from gradeval.display.report import words
from gradeval.display.report.section import Picture, Section
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide
from gradeval.tables.long import jsonl
from gradeval.tables.markup import escape_markdown, markdown
from gradeval.tables.table import Table
from gradeval.version import __version__

SCRIPTS = "elements weights map users board topics rankings page".split()
"""The scripts of the page, in the order in which they are joined."""


def as_html(title: str, sections: Sequence[Section]) -> str:
    """The whole page; the same report gives the same text."""
    from markupsafe import Markup

    folder = files("gradeval.display.report")
    scripts = [folder.joinpath("scripts", f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    parts = {section.part: section.data for section in sections if section.part}
    script = "\n".join(['"use strict";', "(() => {", *scripts, "})();", resource("draw.js")])
    template = folder.joinpath("report.html").read_text(encoding="utf-8")
    return fill(
        template,
        [bundle(vegalite_version()), script],
        title=visible(title),
        style=Markup(folder.joinpath("report.css").read_text(encoding="utf-8")),
        sections=[_view(section) for section in sections],
        words=words.PAGE,
        data=Markup(as_data({"words": words.SCRIPTS, **parts})),
    )


def as_json(title: str, sections: Sequence[Section]) -> str:
    """The sentences and the exact values of all sections."""
    parts = [
        {
            "section": section.name,
            "question": section.heading,
            "answer": section.answer,
            "details": list(section.details),
            "redo": list(section.redo),
            "texts": dict(section.texts),
            "tables": {titled.title: _records(titled.table) for titled in section.tables},
        }
        for section in sections
    ]
    return json.dumps({"gradeval": __version__, "title": title, "sections": parts}, ensure_ascii=False, indent=1) + "\n"


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    """Headings, sentences and tables, for a pull request or a wiki."""
    lines = [f"# {_plain(title)}\n"]
    for section in sections:
        lines += [f"## {_plain(section.heading)}\n", f"**{_plain(section.answer)}**\n"]
        lines += [f"{_plain(sentence)}\n" for sentence in section.details]
        for titled in section.tables:
            lines += [f"### {_plain(titled.title)}\n", "".join(markdown(titled.table.grids))]
        blocks = [*((("Redo"), command) for command in section.redo), *section.texts]
        for heading, text in blocks:
            lines += [f"{_plain(heading)}:\n", _fenced(text)]
    return "\n".join(lines)


def _records(table: Table) -> list[dict[str, Any]]:
    return [json.loads(line) for piece in jsonl(table.records) for line in piece.splitlines()]


def _plain(text: str) -> str:
    """A text in a line of Markdown, in which nothing is markup."""
    return escape_markdown(visible(text))


def _fenced(text: str) -> str:
    """A block of text as it is; the fence is longer than any in it."""
    shown = visible(text, keep="\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _ticks(shown)), default=0))
    return f"{fence}\n{shown}\n{fence}\n"


def _ticks(text: str) -> Iterator[str]:
    import re

    return iter(re.findall("`+", text))


def _view(section: Section) -> dict[str, Any]:
    """A section as the template shows it."""
    from markupsafe import Markup

    return {
        "name": section.name,
        "heading": section.heading,
        "answer": visible(section.answer),
        "details": [visible(sentence) for sentence in section.details],
        "pictures": [_picture(picture) for picture in section.pictures],
        "tables": [
            {
                "title": visible(titled.title),
                "folded": titled.folded,
                "grids": [_grid(grid) for grid in titled.table.grids],
            }
            for titled in section.tables
        ],
        "redo": [visible(command) for command in section.redo],
        "texts": [(title, visible(text, keep="\n")) for title, text in section.texts],
        "part": section.part,
        "stills": [{"picture": Markup(still.svg), "caption": visible(still.caption)} for still in section.stills],
    }


def _picture(picture: Picture) -> dict[str, Any]:
    """The chart as data, and as a still picture for print and for those who run no scripts."""
    from base64 import b64encode

    import vl_convert
    from markupsafe import Markup

    chart = as_vegalite(picture.chart)
    still = vl_convert.vegalite_to_svg(chart, vl_version=vegalite_version())
    caption = visible(picture.caption)
    chart.pop("title", None)
    return {
        "caption": caption,
        "chart": Markup(as_data({"description": caption, **chart})),
        "still": "data:image/svg+xml;base64," + b64encode(str(still).encode()).decode(),
        "grids": [] if picture.table is None else [_grid(grid) for grid in picture.table.grids],
    }


def _grid(grid: Grid) -> dict[str, Any]:
    """A table with the texts of its cells, and the numbers by which it is sorted."""
    return {
        "title": visible(grid.title),
        "head": [{"title": title, "name": place < grid.names} for place, title in enumerate(grid.head)],
        "rows": [
            [
                _cell(column, cell, (row, place) in grid.best)
                for place, (column, cell) in enumerate(zip(grid.columns, cells, strict=True))
            ]
            for row, cells in enumerate(grid.rows)
        ],
    }


def _cell(column: Column, cell: Cell, best: bool) -> dict[str, Any]:
    match cell:
        case Estimate(value=value, mark=mark, bounds=bounds, spread=spread):
            text = f"{value:{column.spec}}{mark.strip()}"
            beside = (
                column.write(bounds) if bounds is not None else f"±{spread:{column.spec}}" if spread is not None else ""
            )
            return {"text": text, "beside": beside, "value": repr(float(value)), "best": best, "name": False}
        case (low, _):
            return {"text": column.write(cell), "beside": "", "value": repr(float(low)), "best": best, "name": False}
        case str() | None:
            name = column.kind == "name"
            return {"text": column.write(cell), "beside": "", "value": "", "best": best, "name": name}
        case SideBySide():
            return {"text": column.write(cell), "beside": "", "value": "", "best": best, "name": False}
        case _:
            return {"text": column.write(cell), "beside": "", "value": repr(float(cell)), "best": best, "name": False}
