"""Error of inferred precision-recall curves, against the share of users who accept the lowest grade."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import (
    COLOURS,
    altair,
    chart_data,
    colour_scale,
    coloured_by,
    dashed_by,
    end_labels,
    panel_title,
    space_out,
    titled,
)
from gradeval.studies.informativeness.inform import Informativeness

WIDTH, HEIGHT = 300, 300
LABEL = 13
TOOLTIP = ["measure:N", "rms:Q"]
ERROR = "RMS error of precision"
SEVERAL = "a point for each g: those of one g1 share out the rest differently (on a page the pointer shows how)"


@chart
def inform_chart(informativeness: Informativeness) -> Any:
    """One picture for each threshold: a curve for measures with a g, a horizontal line for the others.

    Measures without a grid of g stand one below the other, with their intervals.
    """
    records = _records(informativeness)
    with_g = sorted({record["name"] for record in records if record["g1"] is not None})
    on_grid = any(sum(r["name"] == name for r in records) > len(informativeness.thresholds) for name in with_g)
    several = len({(r["name"], r["g1"]) for r in records}) < len(informativeness.measures)
    top = max(record["rms" if several else "high"] for record in records)
    charts = []
    for grade in informativeness.thresholds:
        here = [record for record in records if record["threshold"] == grade]
        title = f"relevant from grade {grade:g}"
        charts.append(_against_g(here, title, top) if on_grid else _dots(here, title, top))
    shape = "bands" if on_grid else "bars"
    intervals = f"{shape}: 95% intervals over topics" if informativeness.interval is not None else "no intervals"
    shown = SEVERAL if several and on_grid else intervals
    return titled(
        altair.hconcat(*charts).resolve_scale(y="shared"),
        "Informativeness: error of the precision-recall curve inferred from the value",
        f"{int(informativeness.counted.sum())} rankings; {shown}",
    )


def _records(informativeness: Informativeness) -> list[dict[str, Any]]:
    means, interval = informativeness.mean(), informativeness.interval
    bounds = np.stack([means, means], axis=-1) if interval is None else interval
    records = []
    for place, measure in enumerate(informativeness.measures):
        g = measure.parameters.get("g")
        share = (list(g.values()) if isinstance(g, dict) else list(g))[0] if g else None
        for column, grade in enumerate(informativeness.thresholds):
            low, high = bounds[place, column].tolist()
            records.append(
                {
                    "measure": str(measure),
                    "name": measure.name if share is not None else str(measure),
                    "g1": share,
                    "threshold": grade,
                    "rms": float(means[place, column]),
                    "low": low,
                    "high": high,
                }
            )
    return records


def _against_g(records: list[dict[str, Any]], title: str, top: float) -> Any:
    names = sorted({record["name"] for record in records}, key=lambda name: (name not in ("GAP", "xGAP", "eGAP"), name))
    lines = [record for record in records if record["g1"] is not None]
    lines.sort(key=lambda record: record["g1"])
    levels = [record for record in records if record["g1"] is None]
    several = len({(record["name"], record["g1"]) for record in lines}) < len(lines)
    across = altair.X(
        "g1:Q",
        title="g1, share of users whom the lowest grade satisfies",
        scale=altair.Scale(domain=[0, 1], nice=False),
    )
    scale = altair.Scale(domain=[0, top])
    up = altair.Y("rms:Q", title=ERROR, scale=scale)
    colour = coloured_by("name", names)
    dash = dashed_by("name", names)
    size = {"width": WIDTH, "height": HEIGHT, "title": panel_title(title)}
    plain = altair.Chart(chart_data(lines), **size).encode(x=across)
    base = plain.encode(color=colour)
    layers = (
        [base.mark_point(size=24).encode(y=up, shape=altair.Shape("name:N", legend=None), tooltip=TOOLTIP)]
        if several
        else [
            plain.mark_area(opacity=0.12).encode(
                y=altair.Y("low:Q", scale=scale, title=ERROR),
                y2="high:Q",
                fill=altair.Fill("name:N", scale=colour_scale(names), legend=None),
            ),
            base.mark_line(point={"size": 20}).encode(y=up, strokeDash=dash),
        ]
    )
    if levels:
        layers.append(altair.Chart(chart_data(levels)).mark_rule().encode(y=up, color=colour, strokeDash=dash))
    ends = [max((r for r in records if r["name"] == name), key=lambda r: r["g1"] or 0.0) for name in names]
    heights = space_out([record["rms"] for record in ends], LABEL * top / HEIGHT, top * (1 - LABEL / 2 / HEIGHT))
    labels = end_labels("name", dict(zip(names, heights, strict=True)), WIDTH, altair.Y("at:Q", scale=scale), colour)
    return altair.layer(*layers, labels)


def _dots(records: list[dict[str, Any]], title: str, top: float) -> Any:
    names = [record["measure"] for record in records]
    down = altair.Y("measure:N", sort=names, title=None)
    along = {"scale": altair.Scale(domain=[0, 1.02 * top]), "axis": altair.Axis(tickCount=5)}
    across = altair.X("rms:Q", title=ERROR, **along)
    size = {"width": WIDTH, "height": 26 * len(names), "title": panel_title(title)}
    base = altair.Chart(chart_data(records), **size).encode(y=down)
    return base.mark_rule(color=COLOURS[0]).encode(
        x=altair.X("low:Q", title=ERROR, **along), x2="high:Q"
    ) + base.mark_point(filled=True, opacity=1, size=50, color=COLOURS[0]).encode(x=across)
