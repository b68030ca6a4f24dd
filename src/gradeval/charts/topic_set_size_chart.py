"""The topics that a test needs, against the difference it is to find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import altair, chart_data, coloured_by, dashed_by, end_labels, space_out, titled
from gradeval.studies.topic_set_size import TopicSetSize, topics_for

WIDTH, HEIGHT = 380, 300
POINTS = 40  # of a line
LABEL = 13  # pixels between labels
BEYOND = 2
"""How far lines go beyond the differences that were asked for, as a factor."""


@chart
def topic_set_size_chart(needed: TopicSetSize) -> Any:
    """A line a measure, and a point for each difference that was asked for."""
    names = [str(measure) for measure in needed.measures]
    lines = [
        record for name, v in zip(names, needed.variance.tolist(), strict=True) for record in _line(name, v, needed)
    ]
    points = [
        {"measure": name, "difference": difference, "topics": int(topics)}
        for name, row in zip(names, needed.needed, strict=True)
        for difference, topics in zip(needed.differences, row, strict=True)
    ]
    most = max(3, *(record["topics"] for record in [*lines, *points]))
    up = altair.Scale(type="log", domain=[2, most], nice=False)
    colour = coloured_by("measure", names)
    size = {"width": WIDTH, "height": HEIGHT}
    across = altair.X("difference:Q", title="difference of means", scale=altair.Scale(type="log", nice=False))
    base = altair.Chart(chart_data(lines), **size).mark_line()
    dash = dashed_by("measure", names)
    drawn = base.encode(x=across, y=altair.Y("topics:Q", title="topics", scale=up), color=colour, strokeDash=dash)
    dots = (
        altair.Chart(chart_data(points), **size)
        .mark_point(filled=True, opacity=1, size=45)
        .encode(x=across, y=altair.Y("topics:Q", scale=up), color=colour)
    )
    last = {record["measure"]: float(np.log(record["topics"])) for record in [*points, *lines]}
    ends = [last[name] for name in names]
    heights = np.exp(space_out(ends, LABEL * np.log(most / 2) / HEIGHT, float(np.log(most)))).tolist()
    labels = end_labels("measure", dict(zip(names, heights, strict=True)), WIDTH, altair.Y("at:Q", scale=up), colour)
    return titled(
        altair.layer(drawn, dots, labels),
        "How many topics does it take to find a difference?",
        f"paired t test at {needed.alpha:g}, power {1 - needed.beta:g}; variance from {len(needed.runs)} runs, "
        f"{len(needed.topics)} topics",
    )


def _line(name: str, variance: float, needed: TopicSetSize) -> Iterator[dict[str, Any]]:
    """The topics against the difference; not where more than can be counted would be needed."""
    ends = min(needed.differences) / BEYOND, max(needed.differences) * BEYOND
    for difference in np.geomspace(*ends, POINTS).tolist():
        effect = difference / np.sqrt(2 * variance) if variance > 0 else np.inf
        with suppress(InputError):
            topics = topics_for(effect, needed.alpha, needed.beta)
            yield {"measure": name, "difference": difference, "topics": topics}
