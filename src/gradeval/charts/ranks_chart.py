"""Intervals of ranks: a line a run, a panel a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, GREY, chart_data
from gradeval.studies.ranks import RankSets

WIDTH = 240
LINE = 16  # pixels that a run takes, at most
TALL = 1400  # pixels that all runs take, at most


@chart
def ranks_chart(ranks: RankSets) -> Any:
    """Runs by their means, each with its rank and the interval of it; those that may be the best in colour."""
    import altair

    panels = [_panel(ranks, measure) for measure in range(len(ranks.measures))]
    subtitle = f"{1 - ranks.alpha:.4g} for all runs of a measure at once; in colour: may be the best"
    return altair.hconcat(*panels).properties(
        title=altair.Title("Between which ranks does each run lie?", subtitle=subtitle, anchor="start")
    )


def _panel(ranks: RankSets, measure: int) -> Any:
    import altair

    order = np.argsort(-ranks.mean[measure], kind="stable").tolist()
    data = [
        {
            "run": ranks.runs[run],
            "rank": int(ranks.rank[measure, run]),
            "low": int(ranks.lower[measure, run]),
            "high": int(ranks.upper[measure, run]),
            "best": bool(ranks.lower[measure, run] == 1),
        }
        for run in order
    ]
    line = min(LINE, max(4, TALL // len(order)))
    axis = altair.Axis(labelLimit=160, labelFontSize=min(10, line))
    colour = altair.Color("best:N", scale=altair.Scale(domain=[True, False], range=[COLOURS[0], GREY]), legend=None)
    base = altair.Chart(
        chart_data(data),
        title=altair.Title(str(ranks.measures[measure]), anchor="start", fontWeight="normal"),
        width=WIDTH,
        height=line * len(order),
    ).encode(y=altair.Y("run:N", sort=[ranks.runs[run] for run in order], title=None, axis=axis), color=colour)
    scale = altair.Scale(domain=[1, max(record["high"] for record in data)], nice=False)
    return altair.layer(
        base.mark_rule(strokeWidth=max(1, line // 6)).encode(
            x=altair.X("low:Q", title="rank", scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x="rank:Q"),
    )
