"""Pairs of measures with the intervals of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import altair, chart_data, lit, records, row_height, rows_of, titled
from gradeval.formula.spelling import name_briefly
from gradeval.studies.equivalence import Equivalence
from gradeval.studies.measure_differences import Differences


@chart
def differences_chart(differences: Differences) -> Any:
    """A panel a column of the table; in colour the pairs whose interval leaves out 0."""
    grades = differences.thresholds or ()
    titles = [f"from grade {grade:g}" for grade in grades] or [""]
    panels = [_panel(differences, column, title) for column, title in enumerate(titles)]
    subtitle = f"{differences.description}; in colour: the interval leaves out 0"
    return titled(altair.hconcat(*panels), "Differences between measures", subtitle)


def _panel(differences: Differences, column: int, title: str) -> Any:
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
        f"lines: margins of {equivalence.margin:g}; in colour: shown to be equivalent at {equivalence.alpha:g}, "
        f"correction {equivalence.correction}; intervals of {1 - 2 * equivalence.alpha:.4g}{left_out}"
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


WIDTH = 260


def interval_panel(
    intervals: Sequence[Mapping[str, Any]], title: str, across: str, shown: str, margins: Sequence[float] = (0.0,)
) -> Any:
    """Differences with their intervals, the largest on top, in colour where they are what is looked for.

    Parameters
    ----------
    intervals : pair, difference, low, high, and whether it is what is looked for, under ``shown``.
    title, across : of the panel and of its axis.
    margins : where vertical lines are drawn.
    """
    data = sorted(intervals, key=lambda record: -record["difference"])
    pairs = [record["pair"] for record in data]
    line = row_height(len(pairs), most=18, together=1500)
    lines = altair.Chart(chart_data([{"at": margin} for margin in margins]), width=WIDTH, height=line * len(pairs))
    base = rows_of(data, "pair", pairs, title, WIDTH, line, labelOverlap=False, grid=False).encode(color=lit(shown))
    return altair.layer(
        lines.mark_rule(color="#333333").encode(x="at:Q"),
        base.mark_rule().encode(x=altair.X("low:Q", title=across, axis=altair.Axis(tickCount=5)), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=45).encode(x=altair.X("difference:Q", title=across)),
    )
