"""Files of runs: how many topics they lack, how much of them is tied and judged, and which are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, altair, chart_data, panel_title, row_height, titled
from gradeval.checking import Check, FileCheck

WIDTH = 150
VERDICTS = ["right", "wrong"]


@chart
def check_chart(check: Check) -> Any:
    """A row a run, a panel a number; wrong files have a triangle, and those that cannot be read no mark at all."""
    judgments = check.judgments is not None
    files = check.files[1:] if judgments else check.files
    if not any(file.readable for file in files):
        raise InputError("no run can be read, so there is nothing to draw; 'faults' says why")
    panels = {
        "topics missing": [float(len(file.missing)) for file in files],
        "rank against score": [float(file.contradictions) for file in files],
        "tied lines": [file.tied for file in files],
    }
    if judgments:
        panels["unjudged lines"] = [file.unjudged or 0.0 for file in files]
        panels[f"judged@{check.cutoff}"] = [file.judged_at or 0.0 for file in files]
    drawn = [_panel(title, values, files, first=not place) for place, (title, values) in enumerate(panels.items())]
    wrong = sum(bool(file.faults) for file in files)
    subtitle = f"{len(files)} files, {wrong} of them wrong (▼)"
    about = [*filter(None, [check.description]), subtitle]
    return titled(altair.hconcat(*drawn, spacing=12), "Files of runs", about)


def _panel(title: str, values: Sequence[float], files: Sequence[FileCheck], *, first: bool) -> Any:
    data = [
        {"file": file.place, "value": value, "verdict": VERDICTS[bool(file.faults)]}
        for file, value in zip(files, values, strict=True)
        if file.readable
    ]
    line = row_height(len(files))
    names = [file.place for file in files]
    axis = altair.Axis(
        labels=first, ticks=first, labelFontSize=min(10, line), labelLimit=260, labelOverlap=False, grid=True
    )
    shares = title not in ("topics missing", "rank against score")
    across = altair.Axis(format="%", tickCount=3) if shares else altair.Axis(format="d", tickMinStep=1, tickCount=3)
    scale = altair.Scale(domain=[0, 1]) if shares else altair.Scale(domain=[0, max(1.0, *values, 1.0)])
    return (
        altair.Chart(chart_data(data), title=panel_title(title), width=WIDTH, height=line * len(files))
        .mark_point(filled=True, opacity=1, size=3 * line)
        .encode(
            x=altair.X("value:Q", title=None, axis=across, scale=scale),
            y=altair.Y("file:N", sort=names, scale=altair.Scale(domain=names), title=None, axis=axis),
            color=altair.Color(
                "verdict:N", scale=altair.Scale(domain=VERDICTS, range=[COLOURS[0], COLOURS[1]]), legend=None
            ),
            shape=altair.Shape(
                "verdict:N", scale=altair.Scale(domain=VERDICTS, range=["circle", "triangle-down"]), legend=None
            ),
        )
    )
