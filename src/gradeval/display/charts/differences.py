"""Differences between runs, with what chance has to do with them."""

from __future__ import annotations

from typing import Any

from gradeval.display.charts.rendering import COLOURS, GREY, rows
from gradeval.studies.significance.comparison import Comparison, Verdict

WIDTH = 260
LINE = 18  # pixels a run takes
CELL = 20  # and a cell of the map of all pairs, where there is room
SQUARE = 900
VERDICTS: list[Verdict] = ["better", "not told apart", "worse"]


def difference_chart(found: Comparison) -> Any:
    """Against a baseline: one line a run, with its interval. All pairs: a map of runs, dots where they differ."""
    import altair

    draw = _pairs if found.baseline is None else _intervals
    charts = [draw(found, measure) for measure in range(len(found.measures))]
    against = "all pairs of runs" if found.baseline is None else f"baseline {found.baseline}"
    marks = "dots: told apart" if found.baseline is None else "▲ better, ▼ worse, ● not told apart"
    return (
        altair.hconcat(*charts)
        .resolve_scale(color="shared" if found.baseline else "independent")
        .properties(
            title=altair.Title(
                "Differences between runs",
                subtitle=f"{against}; test {found.test}, correction {found.correction}, alpha {found.alpha:g}; {marks}",
                anchor="start",
            )
        )
    )


def _intervals(found: Comparison, measure: int) -> Any:
    import altair

    data = [
        {
            "run": found.runs[first],
            "difference": float(found.difference[measure, pair]),
            "low": float(found.interval[measure, pair, 0]),
            "high": float(found.interval[measure, pair, 1]),
            "verdict": found.verdict(measure, pair),
        }
        for pair, (first, _) in enumerate(found.pairs.tolist())
    ]
    data.sort(key=lambda record: -record["difference"])
    runs = [record["run"] for record in data]
    colour = altair.Color(
        "verdict:N", scale=altair.Scale(domain=VERDICTS, range=[COLOURS[0], GREY, COLOURS[1]]), legend=None
    )
    shape = altair.Shape(
        "verdict:N",
        scale=altair.Scale(domain=VERDICTS, range=["triangle-up", "circle", "triangle-down"]),
        legend=None,
    )
    title = f"difference of mean {found.measures[measure]}"
    size = {"width": WIDTH, "height": LINE * len(runs)}
    base = altair.Chart(rows(data), **size).encode(y=altair.Y("run:N", sort=runs, title=None), color=colour)
    zero = altair.Chart(rows([{"at": 0}]), **size).mark_rule(color="#333333").encode(x="at:Q")
    return altair.layer(
        zero,
        base.mark_rule().encode(x=altair.X("low:Q", title=title, axis=altair.Axis(tickCount=5)), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=55).encode(x=altair.X("difference:Q", title=title), shape=shape),
    )


def _pairs(found: Comparison, measure: int) -> Any:
    import altair

    data = []
    for pair, (first, second) in enumerate(found.pairs.tolist()):
        value = float(found.difference[measure, pair])
        verdict = found.verdict(measure, pair)
        data.append({"row": found.runs[first], "column": found.runs[second], "value": value, "verdict": verdict})
        data.append({"row": found.runs[second], "column": found.runs[first], "value": -value, "verdict": verdict})
    largest = max(abs(record["value"]) for record in data) or 1.0
    cell = max(6, min(CELL, SQUARE // len(found.runs)))
    size = {"width": cell * len(found.runs), "height": cell * len(found.runs)}
    name = str(found.measures[measure])
    base = altair.Chart(
        rows(data), title=altair.Title(f"{name}, row less column", anchor="start", fontWeight="normal"), **size
    ).encode(
        x=altair.X("column:N", sort=found.runs, title=None, axis=altair.Axis(orient="top", labelAngle=-45, grid=False)),
        y=altair.Y("row:N", sort=found.runs, title=None, axis=altair.Axis(grid=False)),
    )
    shade = altair.Color(
        "value:Q",
        scale=altair.Scale(scheme="blueorange", domain=[-largest, largest], reverse=True),
        legend=altair.Legend(title="difference"),
    )
    dots = base.transform_filter(f"datum.verdict != '{VERDICTS[1]}'").mark_circle(size=cell, color="black", opacity=1)
    return base.mark_rect().encode(color=shade) + dots
