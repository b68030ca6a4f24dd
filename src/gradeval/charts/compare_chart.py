"""Differences between runs, and which of them are significant."""

from __future__ import annotations

from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, GREY, altair, chart_data, panel_title, records, titled
from gradeval.studies.compare import Comparison, Verdict

WIDTH = 260
LINE = 18  # pixels that a run takes
CELL = 20  # pixels that a cell of the map of all pairs takes, at most
SQUARE = 900  # pixels that the map takes, if cells of the least size fit
LEAST = 10  # pixels of a cell beside which the name of a run can be read
SIDE_BY_SIDE = 40  # runs of which the maps stand beside each other
VERDICTS: list[Verdict] = ["better", "not told apart", "worse"]


@chart
def difference_chart(comparison: Comparison) -> Any:
    """Against a baseline: one line a run, with its interval. All pairs: a map of runs, dots where they differ."""
    draw = _pairs if comparison.baseline is None else _intervals
    charts = [draw(comparison, measure) for measure in range(len(comparison.measures))]
    against = "all pairs of runs" if not comparison.baselines else f"baseline {' and '.join(comparison.baselines)}"
    marks = "dots: told apart" if comparison.baseline is None else "▲ better, ▼ worse, ● not told apart"
    how = f"test {comparison.test}, correction {comparison.correction}"
    if comparison.correction == "best":
        marks, how = "● may be the best, ▼ cannot be", "comparisons with the best"
    beside = comparison.baseline is not None or len(comparison.runs) <= SIDE_BY_SIDE
    put = altair.hconcat if beside else altair.vconcat
    return titled(
        put(*charts).resolve_scale(color="shared" if comparison.baseline else "independent"),
        "Differences between runs",
        f"{against}; {how}, alpha {comparison.alpha:g}; {marks}",
    )


def _intervals(comparison: Comparison, measure: int) -> Any:
    names = [comparison.runs[first] for first, _ in comparison.pairs.tolist()]
    low, high = comparison.interval[measure].T
    verdicts = [comparison.verdict(measure, pair) for pair in range(len(names))]
    data = records(run=names, difference=comparison.difference[measure], low=low, high=high, verdict=verdicts)
    data.sort(key=lambda record: -record["difference"])
    runs = [record["run"] for record in data]
    colour = altair.Color(
        "verdict:N", scale=altair.Scale(domain=VERDICTS, range=[COLOURS[0], GREY, COLOURS[1]]), legend=None
    )
    shape = altair.Shape(
        "verdict:N", scale=altair.Scale(domain=VERDICTS, range=["triangle-up", "circle", "triangle-down"]), legend=None
    )
    title = f"difference of mean {comparison.measures[measure]}"
    size = {"width": WIDTH, "height": LINE * len(runs)}
    base = altair.Chart(chart_data(data), **size).encode(y=altair.Y("run:N", sort=runs, title=None), color=colour)
    zero = altair.Chart(chart_data([{"at": 0}]), **size).mark_rule(color="#333333").encode(x="at:Q")
    return altair.layer(
        zero,
        base.mark_rule().encode(x=altair.X("low:Q", title=title, axis=altair.Axis(tickCount=5)), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=55).encode(x=altair.X("difference:Q", title=title), shape=shape),
    )


def _pairs(comparison: Comparison, measure: int) -> Any:
    data, names = [], comparison.runs
    for pair, (first, second) in enumerate(comparison.pairs.tolist()):
        value = float(comparison.difference[measure, pair])
        verdict = comparison.verdict(measure, pair)
        data.append({"row": names[first], "column": names[second], "value": value, "verdict": verdict})
        data.append({"row": names[second], "column": names[first], "value": -value, "verdict": verdict})
    largest = max(abs(record["value"]) for record in data) or 1.0
    # In the order of the means, runs that are told apart lie away from the diagonal.
    runs = [names[place] for place in (-comparison.means[:, measure]).argsort(kind="stable").tolist()]
    cell = max(LEAST, min(CELL, SQUARE // len(runs)))
    angle = -90 if cell < CELL else -45
    labels: dict[str, Any] = {"labelOverlap": False, "labelFontSize": min(10, cell), "labelLimit": 220, "grid": False}
    size = {"width": cell * len(runs), "height": cell * len(runs)}
    name = str(comparison.measures[measure])
    base = altair.Chart(chart_data(data), title=panel_title(f"{name}, row less column"), **size).encode(
        x=altair.X("column:N", sort=runs, title=None, axis=altair.Axis(orient="top", labelAngle=angle, **labels)),
        y=altair.Y("row:N", sort=runs, title=None, axis=altair.Axis(**labels)),
    )
    shade = altair.Color(
        "value:Q",
        scale=altair.Scale(scheme="blueorange", domain=[-largest, largest], reverse=True),
        legend=altair.Legend(title="difference"),
    )
    dots = base.transform_filter(f"datum.verdict != '{VERDICTS[1]}'").mark_circle(size=cell, color="black", opacity=1)
    return base.mark_rect().encode(color=shade) + dots
