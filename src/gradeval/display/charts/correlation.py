"""Heat maps of rank correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from gradeval.display.charts.rendering import STATISTICS, chart_data
from gradeval.studies.agreement.measure_correlation import Correlations

CELL = 52  # width of a column in pixels
LINE = 24  # height of a row in pixels
DIFFERENT = 0.8  # orders that correlate less are commonly called noticeably different
STEP = 0.1
Cell: TypeAlias = tuple[str, str, str, float]


def correlations_chart(correlations: Correlations) -> Any:
    """The map of the correlations between all measures of one selection of topics."""
    names = list(map(str, correlations.measures))
    cells = [
        ("", row, column, float(correlations.values[first, second]))
        for first, row in enumerate(names)
        for second, column in enumerate(names)
    ]
    title = f"{len(correlations.runs)} runs, {len(correlations.topics)} topics"
    return correlation_chart(cells, correlations.statistic, [title])


def correlation_chart(cells: Sequence[Cell], statistic: str, titles: Sequence[str]) -> Any:
    """One map for each selection of topics, side by side; cells: (selection, row, column, correlation).

    ``titles`` says what each selection is.
    """
    import altair

    low = palest(min(value for *_, value in cells))
    labels = list(dict.fromkeys(cell[0] for cell in cells))
    maps = []
    name = STATISTICS.get(statistic, statistic)
    dark = low + 0.55 * (1 - low)  # above it white text reads better than black
    shade = altair.Color(
        "value:Q",
        scale=altair.Scale(scheme="blues", domain=[low, 1]),
        legend=altair.Legend(title=None, values=[low + STEP * step for step in range(round((1 - low) / STEP) + 1)]),
    )
    ink = altair.condition(f"datum.value > {dark}", altair.value("white"), altair.value("black"))
    for place, (label, title) in enumerate(zip(labels, titles, strict=True)):
        here = [cell for cell in cells if cell[0] == label]
        across, down = (list(dict.fromkeys(cell[axis] for cell in here)) for axis in (2, 1))
        data = chart_data(
            [{"row": row, "column": column, "value": value, "text": f"{value:.2f}"} for _, row, column, value in here]
        )
        size = {"width": CELL * len(across), "height": LINE * len(down)}
        heading = {} if len(labels) == 1 else {"title": altair.Title(title, anchor="start", fontWeight="normal")}
        base = altair.Chart(data, **heading, **size).encode(
            x=altair.X("column:N", sort=across, title=None, axis=altair.Axis(orient="top", labelAngle=-35, grid=False)),
            y=altair.Y(
                "row:N", sort=down, title=None, axis=altair.Axis(labels=place == 0, ticks=place == 0, grid=False)
            ),
        )
        maps.append(base.mark_rect().encode(color=shade) + base.mark_text(fontSize=11).encode(text="text:N", color=ink))
    whole = f"{name} between orders of the runs"
    subtitle = {"subtitle": titles[0]} if len(labels) == 1 else {}
    return altair.hconcat(*maps).properties(title=altair.Title(whole, anchor="start", **subtitle))


def palest(least: float) -> float:
    """The correlation of the palest shade: 0.8, or less in steps of 0.1, so that most pictures have the same shades."""
    return min(DIFFERENT, round(math.floor(least / STEP + 1e-9) * STEP, 1))
