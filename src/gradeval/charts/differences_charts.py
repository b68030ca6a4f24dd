"""Pictures of differences: between runs and between measures, with their intervals, equivalence, preferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradeval.charts import chart
from gradeval.charts.rendering import (
    COLOURS,
    GREY,
    altair,
    chart_data,
    lit,
    panel_title,
    records,
    row_height,
    rows_of,
    titled,
)
from gradeval.formula.spelling import name_briefly
from gradeval.studies.significance import correction_clause

if TYPE_CHECKING:
    from gradeval.studies.compared_runs import Comparison
    from gradeval.studies.decision import Verdict
    from gradeval.studies.equivalence import Equivalence
    from gradeval.studies.gate_decision import GateDecision
    from gradeval.studies.measure_differences import MeasureDifferences
    from gradeval.studies.preferences import Preferences

COMPARE_WIDTH = 260
LINE = 18  # pixels that a run takes
CELL = 20  # pixels that a cell of the map of all pairs takes, at most
SQUARE = 900  # pixels that the map takes, if cells of the least size fit
LEAST = 10  # pixels of a cell next to which the name of a run can be read
SIDE_BY_SIDE = 40  # runs whose maps stand side by side
VERDICTS: list[Verdict] = ["better", "not told apart", "worse"]


@chart
def difference_chart(comparison: Comparison) -> Any:
    """Against a baseline: one line a run, with its interval. All pairs: a map of runs, dots where they differ."""
    draw = _pairs if comparison.baseline is None else _intervals
    charts = [draw(comparison, measure) for measure in range(len(comparison.measures))]
    against = "all pairs of runs" if not comparison.baselines else f"baseline {' and '.join(comparison.baselines)}"
    marks = "dots: told apart" if comparison.baseline is None else "▲ better, ▼ worse, ● not told apart"
    how = f"test {comparison.test}{comparison.correction_clause}"
    if comparison.correction == "best":
        marks, how = "● may be the best, ▼ cannot be", "comparisons with the best"
    beside = comparison.baseline is not None or len(comparison.runs) <= SIDE_BY_SIDE
    put = altair.hconcat if beside else altair.vconcat
    return titled(
        put(*charts).resolve_scale(color="shared" if comparison.baseline else "independent"),
        "Differences between runs",
        f"{against}; {how}; alpha {comparison.alpha:g}; {marks}",
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
    size = {"width": COMPARE_WIDTH, "height": LINE * len(runs)}
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


@chart
def differences_chart(differences: MeasureDifferences) -> Any:
    """A panel a column of the table; in colour the pairs whose interval leaves out 0."""
    grades = differences.thresholds or ()
    titles = [f"from grade {grade:g}" for grade in grades] or [""]
    panels = [_panel(differences, column, title) for column, title in enumerate(titles)]
    subtitle = f"{differences.description}; in colour: the interval leaves out 0"
    return titled(altair.hconcat(*panels), "Differences between measures", subtitle)


def _panel(differences: MeasureDifferences, column: int, title: str) -> Any:
    names = name_briefly(differences.measures)
    pairs = [f"{names[first]} - {names[second]}" for first, second in differences.pairs.tolist()]
    low, high = differences.interval[:, column].T
    by = differences.difference[:, column]
    data = records(pair=pairs, difference=by, low=low, high=high, sure=(low > 0) | (high < 0))
    return interval_panel(data, title, f"difference of {differences.statistic}", "sure")


MOST = 60
"""Pairs of a panel: the closest ones."""


@chart
def equivalence_chart(equivalence: Equivalence) -> Any:
    """A panel a measure; in colour the pairs that are shown to be equivalent."""
    panels = [_equivalence_panel(equivalence, measure) for measure in range(len(equivalence.measures))]
    number = len(equivalence.pairs)
    left_out = f"; the {MOST} closest of {number} pairs" if number > MOST else ""
    subtitle = (
        f"lines: margins of {equivalence.margin:g}; in colour: shown to be equivalent at {equivalence.alpha:g}"
        f"{correction_clause(equivalence.correction, number)}; "
        f"intervals of {1 - 2 * equivalence.alpha:.4g}{left_out}"
    )
    return titled(altair.hconcat(*panels), "Which runs are equally good?", subtitle)


def _equivalence_panel(equivalence: Equivalence, measure: int) -> Any:
    closest = abs(equivalence.difference[measure]).argsort(kind="stable")[:MOST].tolist()
    alone = len(equivalence.baselines) == 1
    runs = equivalence.runs
    pairs = [
        runs[first] if alone else f"{runs[first]} - {runs[second]}"
        for first, second in equivalence.pairs[closest].tolist()
    ]
    low, high = equivalence.interval[measure, closest].T
    by, equivalent = equivalence.difference[measure, closest], equivalence.equivalent[measure, closest]
    data = records(pair=pairs, difference=by, low=low, high=high, equivalent=equivalent)
    minus = f" from {equivalence.baselines[0]}" if alone else ""
    across = f"difference of mean {equivalence.measures[measure]}{minus}"
    margins = (-equivalence.margin, 0.0, equivalence.margin)
    return interval_panel(data, str(equivalence.measures[measure]), across, "equivalent", margins)


@chart
def gate_chart(decision: GateDecision) -> Any:
    """A line a measure, from the lower to the upper bound of its difference; in colour those that do not pass."""
    names = list(map(str, decision.measures))
    margins = [] if decision.margins is None else sorted({-float(margin) for margin in decision.margins})
    data = records(
        pair=names,
        difference=decision.difference,
        low=decision.bound,
        high=decision.upper,
        failed=[verdict != "passed" for verdict in decision.verdicts.values()],
    )
    across = "difference: after less before"
    panel = interval_panel(data, "", across, "failed", (*margins, 0.0), in_order=True)
    subtitle = f"{decision.verdict}; lines end at one-sided bounds of {1 - decision.alpha:.4g}"
    return titled(panel, "May it be merged?", subtitle)


MEASURES_WIDTH = 260


def interval_panel(
    intervals: Sequence[Mapping[str, Any]],
    title: str,
    across: str,
    shown: str,
    margins: Sequence[float] = (0.0,),
    *,
    in_order: bool = False,
) -> Any:
    """Differences with their intervals, the largest on top, in colour where they are what is looked for.

    Parameters
    ----------
    intervals : pair, difference, low, high, and whether it is what is looked for, under ``shown``.
    title, across : of the panel and of its axis.
    margins : where vertical lines are drawn.
    in_order : do they stand as they are given, as in a table?
    """
    data = list(intervals) if in_order else sorted(intervals, key=lambda record: -record["difference"])
    pairs = [record["pair"] for record in data]
    line = row_height(len(pairs), most=18, together=1500)
    lines = altair.Chart(
        chart_data([{"at": margin} for margin in margins]), width=MEASURES_WIDTH, height=line * len(pairs)
    )
    base = rows_of(data, "pair", pairs, title, MEASURES_WIDTH, line, labelOverlap=False, grid=False).encode(
        color=lit(shown)
    )
    return altair.layer(
        lines.mark_rule(color="#333333").encode(x="at:Q"),
        base.mark_rule().encode(x=altair.X("low:Q", title=across, axis=altair.Axis(tickCount=5)), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=45).encode(x=altair.X("difference:Q", title=across)),
    )


@chart
def preferences_chart(preferences: Preferences) -> Any:
    """A bar for the rule and for each measure: the share of the pairs of runs that are told apart."""
    apart = preferences.significant.mean(-1)
    data = records(by=preferences.ways, share=apart, rule=[place == 0 for place in range(len(preferences.ways))])
    bars = rows_of(data, "by", preferences.ways, "", MEASURES_WIDTH, LINE).encode(color=lit("rule"))
    share, pairs = altair.Scale(domain=[0, 1]), len(preferences.pairs)
    return titled(
        bars.mark_bar().encode(
            x=altair.X("share:Q", title="pairs told apart", scale=share, axis=altair.Axis(format=".0%", tickCount=5))
        ),
        "Which pairs of runs are told apart?",
        f"{pairs} pairs, alpha {preferences.alpha:g}{correction_clause(preferences.correction, pairs)}; in colour: "
        "by preferences",
    )
