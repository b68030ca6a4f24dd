"""From a chart to the bytes of a file, and what all charts share: colours that colour-blind people tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.charts.specification import as_vegalite, draw
from gradeval.extras import install_hint
from gradeval.upward import write_chart_page

SUFFIXES = (".png", ".svg", ".pdf", ".html")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31", "#7F7F7F")
"""Those of Okabe & Ito (2008) without their yellow, which is pale on white, and two more."""
GREY = "#999999"
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 1])
DRAWING = 72e9  # bytes of address space, which the engine of JavaScript sets aside and never fills
PIXELS = 2.0  # of a png, to each unit of the chart
STATISTICS = {
    "kendall": "Kendall's tau-b",
    "kendall-a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
    "tau-ap": "AP correlation",
    "tau-ap-b": "AP correlation (b)",
    "rbo-a": "Rank-biased overlap (a)",
    "rbo-b": "Rank-biased overlap (b)",
}


def require_charts(place: str) -> None:
    """Refuse a file whose ending names no format for pictures, and say which package is missing."""
    require_ending(place, f"--plot {place}")
    require_packages("--plot")


def require_ending(place: str, named: str) -> None:
    """Refuse a file whose ending names no format for pictures; ``named``: what the error begins with."""
    if not place.lower().endswith(SUFFIXES):
        raise InputError(f"{named}: does not end in one of {', '.join(SUFFIXES)}; name the file so")


def require_packages(what: str, *names: str) -> None:
    """Say which package is missing; ``what``: what needs it; ``names``: of the packages, those that draw by default."""
    drawn = names or ("altair", "vl_convert")
    for name in drawn:
        if find_spec(name) is None:
            hint = install_hint("report") if name == "jinja2" else install_hint("charts")
            raise InputError(f"{what} needs the package {name}: {hint}")
    with suppress(ImportError):  # there are no limits on Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if "vl_convert" in drawn and 0 <= limit < DRAWING:
            raise InputError(
                f"{what} needs {DRAWING / 1e6:,.0f} MB of address space, as it draws, and ulimit -v leaves "
                f"{limit / 1e6:,.0f} MB; raise that limit"
            )


def render(chart: Any, place: str) -> bytes:
    """The bytes of a chart in the format of the file's ending; pages need no network.

    What cannot be drawn is an ``Undrawable``, an InputError.
    """
    drawing = as_vegalite(
        chart.configure_view(stroke=None).configure_axis(grid=True, gridColor="#e8e8e8", labelLimit=400)
    )
    suffix = place[place.rindex(".") :].lower()
    if suffix == ".png":
        return bytes(draw("png", drawing, place, scale=PIXELS))
    if suffix == ".pdf":
        return bytes(draw("pdf", drawing, place))
    if suffix == ".svg":
        return str(draw("svg", drawing, place)).encode()
    return write_chart_page(drawing).encode()


class _Altair:
    """Altair, imported when the first chart is drawn: a program that draws none need not have it."""

    def __getattr__(self, name: str) -> Any:
        import altair as library

        return getattr(library, name)


altair: Any = _Altair()


def panel_title(text: str) -> Any:
    """The title of one of several pictures that stand together."""
    return altair.Title(text, anchor="start", fontWeight="normal")


def titled(chart: Any, title: str, subtitle: Any, **look: Any) -> Any:
    """A chart under its title."""
    return chart.properties(title=altair.Title(title, subtitle=subtitle, anchor="start", **look))


def stack_slices(whole: Any, parts: Sequence[tuple[str, Any]]) -> Any:
    """The chart of all topics with its title, and below it the same of each slice, under its name."""
    return altair.vconcat(whole, *(part.properties(title=panel_title(name)) for name, part in parts))


def lit(field: str, colour: str = COLOURS[0]) -> Any:
    """A colour where a field is true, else grey."""
    return altair.Color(f"{field}:N", scale=altair.Scale(domain=[True, False], range=[colour, GREY]), legend=None)


def coloured_by(field: str, names: Sequence[str]) -> Any:
    """A colour for each name in a field; what is which stands next to the lines (``end_labels``)."""
    return altair.Color(f"{field}:N", scale=colour_scale(names), legend=None)


def dashed_by(field: str, names: Sequence[str]) -> Any:
    """Dashes for each name in a field."""
    return altair.StrokeDash(f"{field}:N", scale=dash_scale(names), legend=None)


def line_chart(
    data: Sequence[Mapping[str, Any]], field: str, names: Sequence[str], x: Any, y: Any, mark: Any = None, **look: Any
) -> Any:
    """A line for each name of a field, in its own colour and dashes; ``mark`` says how lines are drawn, ``look`` how
    large the picture is, and its title."""
    lines = altair.Chart(chart_data(data), **look).mark_line(**(mark or {}))
    return lines.encode(x=x, y=y, color=coloured_by(field, names), strokeDash=dashed_by(field, names))


def rows_of(
    data: Sequence[Mapping[str, Any]], field: str, names: Sequence[str], title: str, width: int, line: int, **axis: Any
) -> Any:
    """A picture with a row for each name of a field, ``line`` pixels high, to which marks are to be added."""
    look = altair.Axis(labelFontSize=min(10, line), **axis)
    return altair.Chart(chart_data(data), title=panel_title(title), width=width, height=line * len(names)).encode(
        y=altair.Y(f"{field}:N", sort=list(names), title=None, axis=look)
    )


def row_height(rows: int, most: int = 16, least: int = 7, together: int = 1400) -> int:
    """The pixels that a row takes: so many at most, at least, and for all rows together."""
    return max(least, min(most, together // max(1, rows)))


def records(**fields: Any) -> list[dict[str, Any]]:
    """Records from the values of each field, sequences or arrays of one length."""
    columns = [field.tolist() if isinstance(field, np.ndarray) else field for field in fields.values()]
    return [dict(zip(fields, row, strict=True)) for row in zip(*columns, strict=True)]


def chart_data(records: Sequence[Mapping[str, Any]]) -> Any:
    """Records as data of a chart."""
    return altair.Data(values=[dict(record) for record in records])


def colour_scale(names: Sequence[str]) -> Any:
    """A scale that gives each name a colour; beyond nine names colours repeat."""
    return altair.Scale(domain=list(names), range=[COLOURS[place % len(COLOURS)] for place in range(len(names))])


def dash_scale(names: Sequence[str]) -> Any:
    """A scale that gives neighbouring names different dashes, so that colour is not all that tells lines apart."""
    return altair.Scale(domain=list(names), range=[DASHES[place % len(DASHES)] for place in range(len(names))])


def end_labels(
    field: str, heights: Mapping[str, float], right: float, up: Any, colour: Any, texts: Mapping[str, str] | None = None
) -> Any:
    """The names of lines next to the plot, near where the lines end, in their colours.

    ``heights``: the height of each name, a value of ``field``; ``right``: the right edge of the plot in pixels; ``up``
    and ``colour`` encode the columns ``at`` and ``field``; ``texts``: the texts to write instead of the names.
    """
    labels = [{field: name, "at": at, "text": (texts or {}).get(name, name)} for name, at in heights.items()]
    return (
        altair.Chart(chart_data(labels))
        .mark_text(align="left", dx=6, fontSize=11, clip=False)
        .encode(x=altair.value(right), y=up, text="text:N", color=colour)
    )


def space_out(heights: Sequence[float], least: float, high: float = float("inf")) -> list[float]:
    """Move the heights of labels as little as needed to be at least ``least`` apart and at most ``high``."""
    order = np.argsort(heights, kind="stable")
    targets = np.asarray(heights, float)[order] - least * np.arange(len(order))
    blocks: list[list[float]] = []  # neighbours that touch stand together at their mean
    for height in targets.tolist():
        blocks.append([height])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    flat = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    number = np.arange(len(order))
    placed = np.empty(len(order))
    placed[order] = np.minimum(flat + least * number, high - least * (len(order) - 1 - number))
    return [float(height) for height in placed]
