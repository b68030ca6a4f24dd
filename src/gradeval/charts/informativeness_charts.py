"""Pictures of what the value of a measure tells of a ranking: by measure, and ranking by ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import (
    COLOURS,
    GREY,
    altair,
    chart_data,
    colour_scale,
    coloured_by,
    dash_scale,
    dashed_by,
    end_labels,
    panel_title,
    space_out,
    titled,
)

if TYPE_CHECKING:
    from gradeval.papers.infer_curves import InferredCurves, InferredList
    from gradeval.studies.informativeness.inform import Informativeness

INFORM_WIDTH, INFORM_HEIGHT = 300, 300
LABEL = 13
TOOLTIP = ["measure:N", "rms:Q"]
ERROR = "RMS error of precision"
SEVERAL = "each point is one g; points at the same g1 differ in the other shares (on a page, point at one to see its g)"


@chart
def inform_chart(informativeness: Informativeness) -> Any:
    """One picture for each threshold: a curve for measures with a g, a horizontal line for the others.

    Measures without a grid of g stand one below the other, with their intervals.
    """
    records = _records_of_means(informativeness)
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


def _records_of_means(informativeness: Informativeness) -> list[dict[str, Any]]:
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
    size = {"width": INFORM_WIDTH, "height": INFORM_HEIGHT, "title": panel_title(title)}
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
    heights = space_out(
        [record["rms"] for record in ends], LABEL * top / INFORM_HEIGHT, top * (1 - LABEL / 2 / INFORM_HEIGHT)
    )
    labels = end_labels(
        "name", dict(zip(names, heights, strict=True)), INFORM_WIDTH, altair.Y("at:Q", scale=scale), colour
    )
    return altair.layer(*layers, labels)


def _dots(records: list[dict[str, Any]], title: str, top: float) -> Any:
    names = [record["measure"] for record in records]
    down = altair.Y("measure:N", sort=names, title=None)
    along = {"scale": altair.Scale(domain=[0, 1.02 * top]), "axis": altair.Axis(tickCount=5)}
    across = altair.X("rms:Q", title=ERROR, **along)
    size = {"width": INFORM_WIDTH, "height": 26 * len(names), "title": panel_title(title)}
    base = altair.Chart(chart_data(records), **size).encode(y=down)
    return base.mark_rule(color=COLOURS[0]).encode(
        x=altair.X("low:Q", title=ERROR, **along), x2="high:Q"
    ) + base.mark_point(filled=True, opacity=1, size=50, color=COLOURS[0]).encode(x=across)


INFERRED_WIDTH, INFERRED_HEIGHT = 260, 220
RANKINGS = 12
"""Rankings that one picture shows at most."""
ACTUAL = "#333333"


@chart
def inferred_curves_chart(curves: InferredCurves) -> Any:
    """A row of pictures for each ranking: a curve a threshold, and at the right the grades by rank.

    Grey points are the ranking as it is; each line is what the value of one measure lets one infer.
    """
    if len(curves.rankings) > RANKINGS:
        raise InputError(
            f"{len(curves.rankings)} rankings are more than the {RANKINGS} of a picture; choose topics and runs, or "
            "save the numbers"
        )
    names = [str(measure) for measure in curves.measures]
    rows = []
    for ranking in curves.rankings:
        pictures = [_against_recall(ranking, place, grade, names) for place, grade in enumerate(curves.thresholds)]
        title = altair.Title(f"{ranking[0].run}, topic {ranking[0].topic}", anchor="start", fontSize=12)
        rows.append(altair.hconcat(*pictures, _draw_grades(ranking, names)).properties(title=title))
    about = "points: the ranking as it is; lines: inferred by maximum entropy"
    return titled(altair.vconcat(*rows), "What the value of a measure lets one infer of a ranking", about, offset=12)


def _against_recall(ranking: Sequence[InferredList], place: int, grade: float, names: list[str]) -> Any:
    """Inferred precision against recall for one threshold, over the actual points."""
    points = [{"recall": recall, "precision": precision} for _, recall, precision in ranking[0].actual[place].tolist()]
    lines = [
        {"measure": str(of.measure), "rank": rank, "recall": recall, "precision": precision}
        for of in ranking
        if of.converged
        for rank, (recall, precision) in enumerate(
            zip(of.recall[place].tolist(), of.precision[place].tolist(), strict=True)
        )
    ]
    across = altair.X("recall:Q", scale=altair.Scale(domain=[0, 1]), axis=altair.Axis(tickCount=5))
    up = altair.Y("precision:Q", scale=altair.Scale(domain=[0, 1]))
    size = {"width": INFERRED_WIDTH, "height": INFERRED_HEIGHT}
    title = panel_title(f"relevant from grade {grade:g}")
    actual = altair.Chart(chart_data(points), **size, title=title).encode(x=across, y=up)
    inferred = altair.Chart(chart_data(lines), **size).encode(x=across, y=up, order="rank:Q", **_style_lines(names))
    return (
        actual.mark_line(color=GREY, strokeWidth=1)
        + actual.mark_point(filled=True, color=ACTUAL, size=22, opacity=1)
        + inferred.mark_line(clip=True)
    )


def _draw_grades(ranking: Sequence[InferredList], names: list[str]) -> Any:
    """The grade to be expected at each rank, over the true grades."""
    points = [{"rank": rank, "grade": grade} for rank, grade in enumerate(ranking[0].grade.tolist(), 1) if grade > 0]
    lines = [
        {"measure": str(of.measure), "rank": rank, "grade": grade}
        for of in ranking
        if of.converged
        for rank, grade in enumerate(of.expected_grade.tolist(), 1)
    ]
    length = max(2, len(ranking[0].grade))
    across = altair.X(
        "rank:Q", scale=altair.Scale(type="log", domain=[1, length], nice=False), axis=altair.Axis(tickCount=4)
    )
    up = altair.Y("grade:Q")
    size = {"width": INFERRED_WIDTH, "height": INFERRED_HEIGHT}
    title = panel_title("grade by rank: true and expected")
    actual = altair.Chart(chart_data(points), **size, title=title).encode(x=across, y=up)
    inferred = altair.Chart(chart_data(lines), **size).encode(x=across, y=up, **_style_lines(names))
    return actual.mark_point(filled=True, color=ACTUAL, size=22, opacity=1) + inferred.mark_line()


def _style_lines(names: list[str]) -> dict[str, Any]:
    """One colour and one kind of dashes a measure, explained once."""
    legend = altair.Legend(title=None, orient="top", symbolStrokeWidth=2, labelLimit=400, columns=3)
    return {
        "color": altair.Color("measure:N", scale=colour_scale(names), legend=legend),
        "strokeDash": altair.StrokeDash("measure:N", scale=dash_scale(names), legend=legend),
    }
