"""Correlation with the full pool against how much of the pool is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradeval.meta.robustness import Robustness
from gradeval.report.charts.correlation import NAMES
from gradeval.report.charts.rendering import colouring, dashing, rows, spaced

WIDTH, HEIGHT = 520, 340
LABEL = 13  # pixels between labels
BESIDE = 3.5  # and between measures


def robustness_charts(studies: Sequence[Robustness]) -> Any:
    """The pictures of several studies below each other."""
    import altair

    charts = [robustness_chart(found) for found in studies]
    return charts[0] if len(charts) == 1 else altair.vconcat(*charts)


def robustness_chart(found: Robustness) -> Any:
    """One line a measure, with the standard deviation over samples; the full pool at the left.

    Where there are bars, measures stand a little beside each other, so that none hides that of another.
    """
    import altair

    names = [str(measure) for measure in found.measures]
    mean, spread = found.mean(), found.spread()
    steps = found.sampling.steps
    beside = BESIDE * (max(steps) - min(steps) or 1) / WIDTH  # in steps
    data = [
        {
            "step": step,
            "at": step - (beside * (column - (len(names) - 1) / 2) if spread[place].any() else 0),
            "measure": name,
            "mean": float(mean[place, column]),
            "low": max(-1.0, float(mean[place, column] - spread[place, column])),
            "high": min(1.0, float(mean[place, column] + spread[place, column])),
        }
        for place, step in enumerate(steps)
        for column, name in enumerate(names)
    ]
    floor = min(0.9, math.floor(float((mean - spread).min()) * 20) / 20)
    smallest = min(range(len(steps)), key=steps.__getitem__)
    heights = spaced(mean[smallest].tolist(), LABEL * (1 - floor) / HEIGHT, 1.0)
    ends = [{"measure": name, "height": height} for name, height in zip(names, heights, strict=True)]
    title = {"depth": "depth of the pool (ranks)", "rate": "judgments kept (% of the pool)"}[found.sampling.unit]
    room = beside * (len(names) + 1) / 2
    across = altair.X(
        "at:Q",
        title=title,
        scale=altair.Scale(domain=[max(steps) + room, min(steps) - room], nice=False),
        axis=altair.Axis(values=list(steps), grid=False),
    )
    up = altair.Scale(domain=[floor, 1.0], nice=False)
    colour = altair.Color("measure:N", scale=colouring(names), legend=None)
    said = f"{NAMES[found.statistic]} with the full pool"
    lines = altair.Chart(rows(data), width=WIDTH, height=HEIGHT).encode(x=across, color=colour)
    return altair.layer(
        lines.mark_rule(opacity=0.6, strokeWidth=1.5).encode(y=altair.Y("low:Q", title=said, scale=up), y2="high:Q"),
        lines.mark_line(point={"size": 28}).encode(
            y=altair.Y("mean:Q", title=said, scale=up),
            strokeDash=altair.StrokeDash("measure:N", scale=dashing(names), legend=None),
        ),
        altair.Chart(rows(ends))
        .mark_text(align="left", dx=6, fontSize=11, clip=False)
        .encode(x=altair.value(WIDTH), y=altair.Y("height:Q", scale=up), text="measure:N", color=colour),
    ).properties(
        title=altair.Title(
            "Robustness to incomplete judgments",
            subtitle=f"{len(found.runs)} runs, {len(found.topics)} topics; {_sampling(found)}",
            anchor="start",
        )
    )


def _sampling(found: Robustness) -> str:
    samples = found.values.shape[1]
    how = str(found.sampling)
    return f"{how}; {samples} samples (bars: one standard deviation)" if samples > 1 else how
