"""Correlation with the full pool against how much of the pool is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import (
    STATISTICS,
    altair,
    chart_data,
    coloured_by,
    dashed_by,
    end_labels,
    space_out,
    titled,
)
from gradeval.studies.robustness import Robustness, RobustnessStudies

WIDTH, HEIGHT = 520, 340
LABEL = 13  # pixels between labels
BESIDE = 3.5  # pixels between the bars of two measures, at most
TOGETHER = 0.5  # share of the distance between two steps that the bars of one step may take


@chart
def robustness_charts(whole: RobustnessStudies) -> Any:
    """A panel for each study: the selections of topics side by side, ways of thinning one below the other."""
    studies, several = whole.parts, whole.several_selections
    floor = min(map(_floor, studies)) if several else None
    charts: dict[str, list[Any]] = {}
    for study in studies:
        title = f"Topics {study.selection}" if several else "Robustness to incomplete judgments"
        charts.setdefault(str(study.sampling), []).append(robustness_chart(study, title, floor))
    rows = [row[0] if len(row) == 1 else altair.hconcat(*row) for row in charts.values()]
    chart = rows[0] if len(rows) == 1 else altair.vconcat(*rows)
    return chart.properties(title="Robustness to incomplete judgments") if several else chart


@chart
def robustness_chart(
    study: Robustness, title: str = "Robustness to incomplete judgments", floor: float | None = None
) -> Any:
    """One line a measure, with the standard deviation over samples; the full pool at the left.

    ``floor``: where the axis of correlations begins; default: a little below the lowest.

    Where there are bars, those of different measures are shifted a little, so that none hides another.
    """
    names = [str(measure) for measure in study.measures]
    mean = study.mean()
    steps = study.sampling.steps
    beside = _beside(steps, len(names))
    floor = _floor(study) if floor is None else floor
    smallest = min(range(len(steps)), key=steps.__getitem__)
    heights = space_out(mean[smallest].tolist(), LABEL * (1 - floor) / HEIGHT, 1.0)
    unit = {"depth": "depth of the pool (ranks)", "rate": "judgments kept (% of the pool)"}[study.sampling.unit]
    room = beside * (len(names) + 1) / 2
    across = altair.X(
        "at:Q",
        title=unit,
        scale=altair.Scale(domain=[max(steps) + room, min(steps) - room], nice=False),
        axis=altair.Axis(values=list(steps), grid=False),
    )
    upward = {"title": f"{STATISTICS[study.statistic]} with the full pool"}
    upward["scale"] = altair.Scale(domain=[floor, 1.0], nice=False)
    colour = coloured_by("measure", names)
    dash = dashed_by("measure", names)
    lines = altair.Chart(chart_data(_points(study, beside)), width=WIDTH, height=HEIGHT).encode(x=across, color=colour)
    drawn = altair.layer(
        lines.mark_rule(opacity=0.6, strokeWidth=1.5).encode(y=altair.Y("low:Q", **upward), y2="high:Q"),
        lines.mark_line(point={"size": 28}).encode(y=altair.Y("mean:Q", **upward), strokeDash=dash),
        end_labels("measure", dict(zip(names, heights, strict=True)), WIDTH, altair.Y("at:Q", **upward), colour),
    )
    return titled(drawn, title, f"{len(study.runs)} runs, {len(study.topics)} topics; {_sampling(study)}")


def _floor(study: Robustness) -> float:
    """A round number below the lowest bar, at most 0.9."""
    return min(0.9, math.floor(float((study.mean() - study.spread()).min()) * 20) / 20)


def _beside(steps: Sequence[float], measures: int) -> float:
    """How far apart the bars of one step stand, on the scale of the steps: a gap to the next step is left."""
    ordered = sorted(steps)
    nearest = min((high - low for low, high in pairwise(ordered)), default=1.0)
    return min(BESIDE * (ordered[-1] - ordered[0] or 1.0) / WIDTH, TOGETHER * nearest / measures)


def _points(study: Robustness, beside: float) -> list[dict[str, Any]]:
    """The mean of each measure at each step, and the ends of its bar."""
    mean, spread = study.mean(), study.spread()
    middle = (len(study.measures) - 1) / 2
    return [
        {
            "step": step,
            "at": step - (beside * (column - middle) if spread[place].any() else 0),
            "measure": str(measure),
            "mean": float(mean[place, column]),
            "low": max(-1.0, float(mean[place, column] - spread[place, column])),
            "high": min(1.0, float(mean[place, column] + spread[place, column])),
        }
        for place, step in enumerate(study.sampling.steps)
        for column, measure in enumerate(study.measures)
    ]


def _sampling(study: Robustness) -> str:
    samples = study.values.shape[1]
    how = str(study.sampling)
    return f"{how}; {samples} samples (bars: one standard deviation; side by side at one step)" if samples > 1 else how
