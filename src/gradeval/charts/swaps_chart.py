"""Performance against the number of swaps, one picture a measure, one line a scale."""

from __future__ import annotations

from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import altair, coloured_by, end_labels, line_chart, panel_title, space_out, titled
from gradeval.papers.swaps import Swaps

WIDTH, HEIGHT = 250, 200
LABEL = 12
ROW = 3  # pictures in a row


@chart
def swaps_chart(study: Swaps) -> Any:
    """How each measure falls as a perfect ranking is shuffled; equal lines: the number of grades does not matter."""
    names = [f"{number} grades" for number in study.levels]
    last = study.values.shape[1] - 1
    low = float(study.values.min())
    floor = max(0.0, min(0.9, round(low - 0.05, 1)))
    up = altair.Scale(domain=[floor, 1], nice=False)
    charts = []
    for place, measure in enumerate(study.measures):
        data = [
            {"swaps": swap, "scale": name, "value": float(study.values[level, swap, place])}
            for level, name in enumerate(names)
            for swap in range(last + 1)
        ]
        heights = space_out(study.values[:, last, place].tolist(), LABEL * (1 - floor) / HEIGHT, 1.0)
        across = altair.X("swaps:Q", title="swaps", scale=altair.Scale(domain=[0, last], nice=False))
        look = {"width": WIDTH, "height": HEIGHT, "title": panel_title(measure)}
        y, at, colour = (
            altair.Y("value:Q", title="mean value", scale=up),
            altair.Y("at:Q", scale=up),
            coloured_by("scale", names),
        )
        labels = end_labels("scale", dict(zip(names, heights, strict=True)), WIDTH, at, colour)
        charts.append(line_chart(data, "scale", names, across, y, **look) + labels)
    lines = [altair.hconcat(*charts[begin : begin + ROW]) for begin in range(0, len(charts), ROW)]
    about = f"{study.shape} grades, {study.items} items, {study.repetitions} repetitions"
    return titled(altair.vconcat(*lines), "Performance against swaps in a perfect ranking", about)
