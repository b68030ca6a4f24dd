"""Means of runs with their intervals, one picture a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, altair, chart_data, records, row_height, titled
from gradeval.scores.scores import Scores

WIDTH = 260
ROW = 3  # pictures in a row


@chart
def means_chart(scores: Scores, *, alpha: float = 0.05) -> Any:
    """The mean of every run, the best on top, with its interval by ``Scores.ci`` where there is one."""
    means = scores.mean()
    alone = np.stack([means, means], axis=-1)
    bounds = scores.ci(alpha=alpha) if len(scores.topics) > 1 else alone
    intervals = np.where(np.isnan(bounds), alone, bounds)
    order = np.argsort(-means[:, 0], kind="stable").tolist()
    runs = [scores.runs[place] for place in order]
    line = row_height(len(runs), most=18)
    charts = []
    for column, measure in enumerate(scores.measures):
        low, high = intervals[order, column].T
        data = records(run=runs, mean=means[order, column], low=low, high=high)
        axis = altair.Axis(labels=column % ROW == 0, ticks=column % ROW == 0, grid=False, labelFontSize=min(10, line))
        base = altair.Chart(chart_data(data), width=WIDTH, height=line * len(runs)).encode(
            y=altair.Y("run:N", sort=runs, title=None, axis=axis)
        )
        title = f"mean {measure}" if measure.definition.aggregate != "sum" else str(measure)
        across = altair.Scale(zero=False)
        charts.append(
            base.mark_rule(color=COLOURS[0]).encode(
                x=altair.X("low:Q", title=title, scale=across, axis=altair.Axis(tickCount=5)), x2="high:Q"
            )
            + base.mark_point(filled=True, opacity=1, size=45, color=COLOURS[0]).encode(
                x=altair.X("mean:Q", title=title, scale=across)
            )
        )
    about = "; ".join(
        [f"{len(scores.topics)} topics", *(scores.about_ci(alpha=alpha) if len(scores.topics) > 1 else [])]
    )
    return titled(altair.concat(*charts, columns=ROW), f"Runs by {scores.measures[0]}", about)
