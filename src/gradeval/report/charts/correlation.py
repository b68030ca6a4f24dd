"""Heat maps of rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from gradeval.report.charts.rendering import rows

CELL = 52  # pixels a column is wide
LINE = 24  # and a row high
NAMES = {
    "kendall": "Kendall's tau-b",
    "kendall-a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
    "tau-ap": "AP correlation",
    "tau-ap-b": "AP correlation (b)",
}
Cell: TypeAlias = tuple[str, str, str, float]


def correlation_chart(cells: Sequence[Cell], statistic: str, titles: Sequence[str]) -> Any:
    """One map for each selection of topics, side by side; cells: (selection, row, column, correlation).

    ``titles`` says what each selection is.
    """
    import altair

    low = min(value for *_, value in cells)
    labels = list(dict.fromkeys(cell[0] for cell in cells))
    maps = []
    for place, (label, title) in enumerate(zip(labels, titles, strict=True)):
        here = [cell for cell in cells if cell[0] == label]
        across, down = (list(dict.fromkeys(cell[axis] for cell in here)) for axis in (2, 1))
        data = rows(
            [{"row": row, "column": column, "value": value, "text": f"{value:.2f}"} for _, row, column, value in here]
        )
        size = {"width": CELL * len(across), "height": LINE * len(down)}
        base = altair.Chart(data, title=altair.Title(title, anchor="start"), **size).encode(
            x=altair.X("column:N", sort=across, title=None, axis=altair.Axis(orient="top", labelAngle=-35, grid=False)),
            y=altair.Y(
                "row:N", sort=down, title=None, axis=altair.Axis(labels=place == 0, ticks=place == 0, grid=False)
            ),
        )
        dark = low + 0.55 * (1 - low)  # from there on white is the ink that reads better
        shade = altair.Color(
            "value:Q",
            scale=altair.Scale(scheme="blues", domain=[low, 1]),
            legend=altair.Legend(title=NAMES.get(statistic, statistic)) if place == len(labels) - 1 else None,
        )
        ink = altair.condition(f"datum.value > {dark}", altair.value("white"), altair.value("black"))
        maps.append(base.mark_rect().encode(color=shade) + base.mark_text(fontSize=11).encode(text="text:N", color=ink))
    return altair.hconcat(*maps)
