"""Sections as a page in one file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from gradeval._core import InputError
from gradeval.charts import list_charts
from gradeval.charts.plotting import plot
from gradeval.charts.rendering import require_packages
from gradeval.charts.specification import as_vegalite, draw, vegalite_version
from gradeval.messages import visible
from gradeval.page.section import Picture, Section, Titled
from gradeval.page.shell import as_data, as_image, fill, pack
from gradeval.tables.grid import Cell, Column, Estimate, Grid, SideBySide
from gradeval.tables.table import Table, Tabular

SCRIPTS = "elements weights map sliders board topics rankings page".split()
"""The scripts of every page, in the order in which they are joined; after them those that only some pages need."""

NOTHING: Mapping[str, str] = MappingProxyType({})
MOST_ROWS = 600
"""Rows of a table that a page shows; the table says so where there are more."""
MOST_OPEN, LONG, ROOM = 3, 300, 200
"""Warnings that stand open, letters from which one is folded, and letters of all open ones where there are several."""


def as_html(title: str, sections: Sequence[Section], byline: Mapping[str, str] = NOTHING) -> str:
    """The whole page; the same report gives the same text. ``byline``: what stands under the title, by its name."""
    from markupsafe import Markup

    folder = files("gradeval.page")
    scripts = [folder.joinpath("scripts", f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    parts = {section.part or section.name: section.data for section in sections if section.data}
    said = json.loads(
        folder.joinpath("words.json").read_text(encoding="utf-8")
    )  # by the scripts; {names} are values, pairs for one and many
    charts = [dict(section.picture.chart) for section in sections if section.picture is not None]
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    if any(section.shows_texts for section in sections):
        scripts.append(folder.joinpath("scripts", "texts.js").read_text(encoding="utf-8"))
        style += folder.joinpath("texts.css").read_text(encoding="utf-8")
    if charts:
        scripts.append(folder.joinpath("scripts", "draw.js").read_text(encoding="utf-8"))
        style += folder.joinpath("charts.css").read_text(encoding="utf-8")
    script = "\n".join(['"use strict";', "(async () => {", *scripts, "})();"])
    views = [_view(section) for section in sections]
    for picture, chart in zip(filter(None, (view["picture"] for view in views)), charts, strict=True):
        picture["still"] = as_image(_renumbered(draw("svg", chart)))
        chart.pop("title", None)
        if picture["caption"]:
            chart["description"] = picture["caption"]
    vega = _chart_script(vegalite_version()) if charts else ""
    return fill(
        folder.joinpath("page.html").read_text(encoding="utf-8"),
        [script],
        [vega] if charts else [],
        title=visible(title),
        byline={name: visible(said) for name, said in byline.items()},
        style=Markup(style),
        sections=views,
        vega=pack(vega) if charts else "",
        data=as_data({"words": said, "charts": charts, **parts}),
    )


@cache
def _chart_script(vegalite: str) -> str:
    """Vega, Vega-Lite and vega-embed in one script that cannot end the element which holds it."""
    import vl_convert

    made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vegalite)
    return str(made).replace("</script", r"<\/script")


def chart_page(chart: Mapping[str, Any]) -> str:
    """A page with one chart, by its specification; the title of the chart is the page's."""
    title, lead = _title(chart)
    return as_html(title or "Chart", [Section("chart", "", "", [lead] if lead else [], Picture(chart, ""))])


def result_page(
    title: str, heading: str, table: Table, chart: Any, notes: Sequence[str], folded: Mapping[str, Table] | None = None
) -> str:
    """A page with the tables of a result and, where there is one, its chart (None: there is none).

    ``folded``: further tables by their titles, which a click opens. A title of a table or of the chart that the heading
    repeats is left out.
    """
    picture = None
    if chart is not None:
        drawing = as_vegalite(chart)
        said = [text for text in _title(drawing) if text and text != heading]
        picture = Picture(drawing, _as_sentences(said))
    grids = [replace(grid, title="") if grid.title == heading else grid for grid in table.grids]
    tables = [Titled("", replace(table, grids=grids))]
    tables += [Titled(name, one, folded=True) for name, one in (folded or {}).items()]
    return as_html(title, [Section("result", heading, "", notes, picture, tables)])


def _as_sentences(texts: Sequence[str]) -> str:
    """Texts one after another; a full stop ends each but the last, unless it asks."""
    ended = [text if text.endswith(("?", ".", "!")) else f"{text}." for text in texts[:-1]]
    return " ".join([*ended, *texts[-1:]])


def page_of(result: Tabular, table: Table) -> str:
    """The page that ``result.save("page.html")`` writes: its table, its notes and, where it has one, its chart."""
    require_packages("html", "altair", "jinja2", "vl_convert")
    words = " ".join(re.findall("[A-Z][a-z0-9]*", type(result).__name__)).capitalize()
    heading = table.grids[0].title if len(table.grids) == 1 and table.grids[0].title else words
    has_chart = any(kind.__name__ in list_charts() for kind in type(result).__mro__)
    try:
        chart = plot(result).altair if has_chart else None
        return result_page("gradeval", heading, table, chart, table.notes)
    except InputError as error:  # a chart that this result has not, or that cannot be drawn
        return result_page("gradeval", heading, table, None, [*table.notes, str(error)])


def _title(chart: Mapping[str, Any]) -> tuple[str, str]:
    """The title and the subtitle of a chart; empty where there is none."""
    title = chart.get("title", "")
    words = {"text": title} if isinstance(title, str) else title
    return _in_one_line(words.get("text")), _in_one_line(words.get("subtitle"))


def _in_one_line(text: str | list[str] | None) -> str:
    """A text of a chart, which may be given line by line."""
    return " ".join(text) if isinstance(text, list) else text or ""


def _view(section: Section) -> dict[str, Any]:
    """A section as the template shows it."""
    from markupsafe import Markup

    return {
        "name": section.name,
        "heading": section.heading,
        "answer": visible(section.answer),
        "label": section.name.capitalize(),
        "tiles": [(title, visible(value)) for title, value in section.tiles],
        "facts": [(title, visible(sentence)) for title, sentence in section.facts],
        "warnings": _fold_warnings(list(map(visible, section.warnings))),
        "details": [visible(sentence) for sentence in section.details],
        "measures": [(visible(name), visible(meaning)) for name, meaning in section.measures],
        "meaning": [visible(sentence) for sentence in section.meaning],
        "picture": None if section.picture is None else {"caption": visible(section.picture.caption)},
        "tables": [_titled(titled) for titled in section.tables],
        "numbers": [_titled(titled) for titled in section.numbers],
        "redo": [visible(command) for command in section.redo],
        "texts": [(title, visible(text, keep="\n")) for title, text in section.texts],
        "part": section.part,
        "multiples": [
            {"picture": Markup(one.svg), "caption": visible(one.caption), "beside": visible(one.beside)}
            for one in section.multiples
        ],
        "stills": [
            {"picture": Markup(still.svg), "caption": visible(still.caption), "tab": visible(still.tab)}
            for still in section.stills
        ],
    }


def _fold_warnings(warnings: Sequence[str]) -> dict[str, list[str]]:
    """The warnings that stand open on the page, and those that a click unfolds: long ones, and many."""
    shown: list[str] = []
    for text in warnings:
        fits = len(text) <= (LONG if not shown else ROOM - sum(map(len, shown)))
        shown += [text] if fits and len(shown) < MOST_OPEN else []
    return {"open": shown, "folded": [text for text in warnings if text not in shown]}


def _titled(titled: Titled) -> dict[str, Any]:
    """A table as the template shows it."""
    return {
        "title": visible(titled.title),
        "folded": titled.folded,
        "first": titled.first,
        "grids": [_grid(grid, titled.bars) for grid in titled.table.grids],
    }


def _renumbered(svg: str) -> str:
    """A drawing of Vega whose gradients and clips are counted from 0; Vega counts on from one drawing to the next."""
    names = re.findall(r'<(?:clipPath|linearGradient|radialGradient) id="(\w+)"', svg)
    for number, name in enumerate(dict.fromkeys(names)):
        svg = svg.replace(f' id="{name}"', f' id="part{number}"').replace(f'"url(#{name})"', f'"url(#part{number})"')
    return svg


def _grid(grid: Grid, bars: bool = False) -> dict[str, Any]:
    """A table with the texts of its cells, the numbers by which it is sorted, and the lengths of bars."""
    highest = [_highest(grid, place) if bars else 0.0 for place in range(len(grid.columns))]
    capped = f"{MOST_ROWS:,} of {len(grid.rows):,} lines; .json and .md hold all" if len(grid.rows) > MOST_ROWS else ""
    return {
        "title": ": ".join(filter(None, [visible(grid.title), capped])),
        "foot": visible(grid.foot),
        "head": [{"title": title, "name": place < grid.names} for place, title in enumerate(grid.head)],
        "rows": [
            [
                _cell(column, cell, (row, place) in grid.best, highest[place])
                for place, (column, cell) in enumerate(zip(grid.columns, cells, strict=True))
            ]
            for row, cells in enumerate(grid.rows[:MOST_ROWS])
        ],
    }


def _highest(grid: Grid, place: int) -> float:
    """The highest value of a column of estimates with intervals, none of them below 0; else 0."""
    cells = [cells[place] for cells in grid.rows]
    values = [cell.value for cell in cells if isinstance(cell, Estimate) and cell.bounds is not None]
    return max(values) if len(values) == len(cells) > 0 and min(values) >= 0 else 0.0


def _cell(column: Column, cell: Cell, best: bool, highest: float = 0.0) -> dict[str, Any]:
    """The text of a cell, what stands below it, the number by which it is sorted, and the length of its bar."""
    shown: dict[str, Any] = {
        "text": column.write(cell),
        "beside": "",
        "value": "",
        "best": best,
        "name": False,
        "bar": "",
    }
    match cell:
        case Estimate(value=value, mark=mark, bounds=bounds, spread=spread):
            beside = "" if spread is None else f"±{spread:{column.spec}}"
            beside = beside if bounds is None else column.write(bounds)
            text = f"{value:{column.spec}}{mark.strip()}"
            shown |= {"text": text, "beside": beside, "value": _sorted_by(value)}
            shown["bar"] = f"{100 * value / highest:.0f}" if highest > 0 else ""
        case str() | None:
            shown["name"] = column.kind == "name" and shown["text"] != ""
        case (low, _):
            shown["value"] = _sorted_by(low)
        case _ if not isinstance(cell, SideBySide):
            shown["value"] = _sorted_by(cell)
    return shown


def _sorted_by(value: float) -> str:
    """A number of a cell in the digits that order it: seven, of whole numbers all."""
    number = float(value)
    return repr(number) if number.is_integer() else f"{number:.7g}"
