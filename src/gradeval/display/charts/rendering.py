"""From a chart to the bytes of a file, and what all charts share: colours that colour-blind people tell apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.checks import visible

SUFFIXES = (".png", ".svg", ".pdf", ".html")
INSTALL = "pip install 'gradeval[report]'"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31", "#7F7F7F")
"""Those of Okabe & Ito (2008) without their yellow, which is pale on white, and two more."""
GREY = "#999999"
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 1])
PIXELS = 2.0  # of a png, to each unit of the chart
STATISTICS = {
    "kendall": "Kendall's tau-b",
    "kendall-a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
    "tau-ap": "AP correlation",
    "tau-ap-b": "AP correlation (b)",
}


def require_charts(place: str) -> None:
    """Can a picture be written there? An InputError says what is missing: the format, or the packages."""
    if not place.lower().endswith(SUFFIXES):
        raise InputError(f"--plot {place}: does not end in one of {', '.join(SUFFIXES)}; name the file so")
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise InputError(f"--plot needs the package {error.name}: {INSTALL}") from None


def rendered(chart: Any, place: str) -> bytes:
    """The bytes of a chart in the format that the file's name speaks of; pages need no network."""
    import altair
    import vl_convert

    styled = chart.configure_view(stroke=None).configure_axis(grid=True, gridColor="#e8e8e8", labelLimit=400)
    with altair.data_transformers.enable("default", max_rows=None):
        drawing = _printable(styled.to_dict())
    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    suffix = place[place.rindex(".") :].lower()
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(drawing, vl_version=version, scale=PIXELS))
    if suffix == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(drawing, vl_version=version))
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(drawing, vl_version=version)).encode()
    return _page(drawing, version).encode()


def _printable(part: Any) -> Any:
    """A part of a chart as JSON and XML can say it: names without control characters, null for what is no number."""
    match part:
        case str():
            return visible(part)
        case dict():
            return {key: _printable(value) for key, value in part.items()}
        case list():
            return [_printable(value) for value in part]
        case float() if not math.isfinite(part):
            return None
        case _:
            return part


def _page(drawing: dict[str, Any], version: str) -> str:
    """A page with one chart, whose title is that of the page."""
    from gradeval.display.page.shell import Section, page

    title = drawing.get("title", "")
    words = {"text": title} if isinstance(title, str) else title
    heading = words.get("text") or "Charts"
    lead = words.get("subtitle") or ""
    chart = {name: value for name, value in drawing.items() if name != "title"}
    return page(heading, lead, [Section({"description": heading, **chart})], version)


def rows(records: Sequence[Mapping[str, Any]]) -> Any:
    """Records as data of a chart."""
    import altair

    return altair.Data(values=[dict(record) for record in records])


def colouring(names: Sequence[str]) -> Any:
    """A scale that gives each name a colour of its own, as far as they go."""
    import altair

    return altair.Scale(domain=list(names), range=[COLOURS[place % len(COLOURS)] for place in range(len(names))])


def dashing(names: Sequence[str]) -> Any:
    """A scale that gives neighbours among the names different lines: colour is not all that tells them apart."""
    import altair

    return altair.Scale(domain=list(names), range=[DASHES[place % len(DASHES)] for place in range(len(names))])


def end_labels(
    field: str,
    heights: Mapping[str, float],
    right: float,
    up: Any,
    colour: Any,
    texts: Mapping[str, str] | None = None,
) -> Any:
    """The names of lines beside the plot, near where the lines end, in their colours.

    ``heights``: where each name stands, which is a value of ``field``; ``right``: the right edge, in pixels; ``up``:
    and ``colour`` encode ``at`` and the field; ``texts``: what is written instead of the name.
    """
    import altair

    records = [{field: name, "at": at, "text": (texts or {}).get(name, name)} for name, at in heights.items()]
    return (
        altair.Chart(rows(records))
        .mark_text(align="left", dx=6, fontSize=11, clip=False)
        .encode(x=altair.value(right), y=up, text="text:N", color=colour)
    )


def spaced(heights: Sequence[float], least: float, high: float = float("inf")) -> list[float]:
    """The heights of labels, moved apart to at least this distance, as little as that takes, none above ``high``."""
    order = np.argsort(heights, kind="stable")
    wanted = np.asarray(heights, float)[order] - least * np.arange(len(order))
    blocks: list[list[float]] = []  # neighbours that touch stand together at their mean
    for height in wanted.tolist():
        blocks.append([height])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    flat = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    number = np.arange(len(order))
    placed = np.empty(len(order))
    placed[order] = np.minimum(flat + least * number, high - least * (len(order) - 1 - number))
    return [float(height) for height in placed]
