"""A line for each pair: a difference with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradeval.display.charts.rendering import COLOURS, GREY, chart_data

WIDTH = 260
LINE = 18  # pixels that a pair takes, at most
LEAST = 7  # where there are many pairs
HEIGHT = 1500  # pixels that all pairs take, if lines of the least size fit


def interval_panel(
    records: Sequence[Mapping[str, Any]], title: str, across: str, shown: str, margins: Sequence[float] = (0.0,)
) -> Any:
    """Differences with their intervals, the largest on top, in colour where they are what is looked for.

    Parameters
    ----------
    records : pair, difference, low, high, and whether it is what is looked for, under ``shown``.
    title, across : of the panel and of its axis.
    margins : where vertical lines are drawn.
    """
    import altair

    data = sorted(records, key=lambda record: -record["difference"])
    pairs = [record["pair"] for record in data]
    line = max(LEAST, min(LINE, HEIGHT // max(1, len(pairs))))
    size = {"width": WIDTH, "height": line * len(pairs)}
    axis = altair.Axis(labelFontSize=min(10, line), labelOverlap=False, grid=False)
    colour = altair.Color(f"{shown}:N", scale=altair.Scale(domain=[True, False], range=[COLOURS[0], GREY]), legend=None)
    lines = altair.Chart(chart_data([{"at": margin} for margin in margins]), **size)
    base = altair.Chart(
        chart_data(data), title=altair.Title(title, anchor="start", fontWeight="normal"), **size
    ).encode(y=altair.Y("pair:N", sort=pairs, title=None, axis=axis), color=colour)
    return altair.layer(
        lines.mark_rule(color="#333333").encode(x="at:Q"),
        base.mark_rule().encode(x=altair.X("low:Q", title=across, axis=altair.Axis(tickCount=5)), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=45).encode(x=altair.X("difference:Q", title=across)),
    )
