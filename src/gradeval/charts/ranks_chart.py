"""Intervals of ranks: a line a run, a panel a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, GREY, altair, row_height, rows_of, titled
from gradeval.studies.ranks import RankSets

WIDTH = 240


@chart
def ranks_chart(ranks: RankSets) -> Any:
    """Runs by their means, each with its rank and the interval of it; those that may be the best in colour."""
    panels = [_panel(ranks, measure) for measure in range(len(ranks.measures))]
    subtitle = f"lines: {1 - ranks.alpha:.4g} for all runs of a measure at once; in colour: may be the best"
    return titled(altair.hconcat(*panels), "Between which ranks does each run lie?", subtitle)


def _panel(ranks: RankSets, measure: int) -> Any:
    order = np.argsort(-ranks.mean[measure], kind="stable").tolist()
    data = [
        {
            "run": ranks.runs[run],
            "rank": int(ranks.rank[measure, run]),
            "low": int(ranks.lower[measure, run]),
            "high": int(ranks.upper[measure, run]),
            "best": bool(ranks.may_be_best[measure, run]),
        }
        for run in order
    ]
    line = row_height(len(order), least=4)
    colour = altair.Color("best:N", scale=altair.Scale(domain=[True, False], range=[COLOURS[0], GREY]), legend=None)
    names = [ranks.runs[run] for run in order]
    base = rows_of(data, "run", names, str(ranks.measures[measure]), WIDTH, line, labelLimit=160).encode(color=colour)
    scale = altair.Scale(domain=[1, max(record["high"] for record in data)], nice=False)
    return altair.layer(
        base.mark_rule(strokeWidth=max(1, line // 6)).encode(
            x=altair.X("low:Q", title="rank", scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x="rank:Q"),
    )
