"""Pictures of rank correlations: heat maps, and curves over the runs in the order of one measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gradeval.charts import chart
from gradeval.charts.rendering import (
    STATISTICS,
    altair,
    chart_data,
    coloured_by,
    end_labels,
    line_chart,
    panel_title,
    space_out,
    titled,
)
from gradeval.messages import plural

if TYPE_CHECKING:
    from gradeval.studies.correlate import Correlations, CorrelationStudies
    from gradeval.studies.correlate_collections import CollectionCorrelations
    from gradeval.studies.run_swaps import RunSwaps

CELL = 52  # width of a column in pixels
LINE = 24  # height of a row in pixels
DIFFERENT = 0.8  # orders that correlate less are commonly called noticeably different
STEP = 0.1
WIDTH, HEIGHT = 520, 300  # of a picture with curves
LABEL = 13  # pixels between the names of curves
Square: TypeAlias = tuple[str, str, str, float]


@chart
def correlations_chart(correlations: Correlations) -> Any:
    """A map for each table."""
    of_means = correlations.unit == "means"
    return _maps({"" if of_means else f"topics {correlations.selection}": [correlations]})


@chart
def correlation_studies_chart(studies: CorrelationStudies) -> Any:
    """For each table and each statistic a row of maps, one for each selection of topics."""
    names = dict.fromkeys(one.selection for one in studies.parts)
    of_means = all(one.unit == "means" for one in studies.parts)
    return _maps(
        {
            "" if of_means else f"topics {name}": [one for one in studies.parts if one.selection == name]
            for name in names
        }
    )


@chart
def collections_chart(correlations: CollectionCorrelations) -> Any:
    """For each table and each statistic a row of maps, one for each collection."""
    return _maps(correlations.correlations)


def _maps(parts: Mapping[str, Sequence[Correlations]]) -> Any:
    """``parts``: by the name of a selection of topics, or of a collection, the correlations by each statistic."""
    charts = []
    for number, layout in enumerate(next(iter(parts.values()))[0].layouts):
        for by_part in zip(*parts.values(), strict=True):  # one statistic
            cells, titles = [], []
            for part, here in zip(parts, by_part, strict=True):
                for row, (labels, measure) in enumerate(here.layouts[number].rows):
                    cells += [
                        (part, " ".join(filter(None, labels)), title, here.of(measure, column[row]))
                        for title, column in here.layouts[number].columns
                    ]
                titles.append(f"{part}: {_size(here)}" if part else _size(here))
            charts.append(correlation_chart(cells, by_part[0].statistic, titles, layout.title))
    return _stack(charts)


def correlation_chart(cells: Sequence[Square], statistic: str, titles: Sequence[str], table: str = "") -> Any:
    """One map for each selection of topics, side by side; cells: (selection, row, column, correlation).

    ``titles`` says what each selection is; ``table``: which of several tables this is.
    """
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
        heading = {} if len(labels) == 1 else {"title": panel_title(title)}
        base = altair.Chart(data, **heading, **size).encode(
            x=altair.X("column:N", sort=across, title=None, axis=altair.Axis(orient="top", labelAngle=-35, grid=False)),
            y=altair.Y(
                "row:N", sort=down, title=None, axis=altair.Axis(labels=place == 0, ticks=place == 0, grid=False)
            ),
        )
        maps.append(base.mark_rect().encode(color=shade) + base.mark_text(fontSize=11).encode(text="text:N", color=ink))
    whole = f"{table}: " * bool(table) + f"{name} between orders of the runs"
    subtitle = {"subtitle": titles[0]} if len(labels) == 1 else {}
    return altair.hconcat(*maps).properties(title=altair.Title(whole, anchor="start", **subtitle))


def _size(correlations: Correlations) -> str:
    if correlations.unit == "means":
        return correlations.size
    return f"{plural(len(correlations.runs), 'run')}, {plural(len(correlations.topics), 'topic')}"


def _stack(charts: Sequence[Any]) -> Any:
    """Charts below each other, each with colours of its own."""
    return charts[0] if len(charts) == 1 else altair.vconcat(*charts).resolve_scale(color="independent")


@chart
def run_curves(swaps: RunSwaps) -> Any:
    """The mean of each measure over the runs in the order of one: each rise is a swap of neighbours."""
    names = [str(measure) for measure in swaps.measures]
    last = len(swaps.runs)
    low, high = float(swaps.means.min()), float(swaps.means.max())
    reach = (high - low) or 1.0
    domain = [low - 0.03 * reach, high + 0.03 * reach]
    data = [
        {"measure": measure, "run": place + 1, "name": run, "value": float(swaps.means[row, place])}
        for row, measure in enumerate(names)
        for place, run in enumerate(swaps.runs)
    ]
    heights = space_out(swaps.means[:, -1].tolist(), LABEL * (domain[1] - domain[0]) / HEIGHT, domain[1])
    texts = {
        measure: measure if measure == str(swaps.reference) else f"{measure} ({rises})"
        for measure, rises in zip(names, swaps.rises.tolist(), strict=True)
    }
    up = altair.Scale(domain=domain, nice=False)
    colour = coloured_by("measure", names)
    across = altair.X(
        "run:Q",
        title=f"runs, in the order of {swaps.reference}",
        scale=altair.Scale(domain=[1, last], nice=False),
        axis=altair.Axis(grid=False, format="d", tickMinStep=1),
    )
    upward = altair.Y("value:Q", title=f"mean over {len(swaps.topics)} topics", scale=up)
    mark = {"point": {"size": 16}}
    curves = line_chart(data, "measure", names, across, upward, mark, width=WIDTH, height=HEIGHT).encode(
        tooltip=["name:N", "measure:N", "value:Q"]
    )
    labels = end_labels(
        "measure", dict(zip(names, heights, strict=True)), WIDTH, altair.Y("at:Q", scale=up), colour, texts
    )
    about = "a rise is a swap of neighbours; how many rises a curve has stands behind its name"
    return titled(curves + labels, f"Runs by {swaps.reference}, and by other measures", about)


def palest(least: float) -> float:
    """The correlation of the palest shade: 0.8, or less in steps of 0.1, so that most pictures have the same shades."""
    return min(DIFFERENT, round(math.floor(least / STEP + 1e-9) * STEP, 1))
