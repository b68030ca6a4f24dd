"""Intervals of ranks: a line a run, a panel a measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import altair, lit, records, row_height, rows_of, titled
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
    names = [ranks.runs[run] for run in order]
    columns = {"rank": ranks.rank, "low": ranks.lower, "high": ranks.upper, "best": ranks.may_be_best}
    data = records(run=names, **{name: values[measure, order] for name, values in columns.items()})
    line = row_height(len(order), least=4)
    title = str(ranks.measures[measure])
    base = rows_of(data, "run", names, title, WIDTH, line, labelLimit=160).encode(color=lit("best"))
    scale = altair.Scale(domain=[1, max(record["high"] for record in data)], nice=False)
    return altair.layer(
        base.mark_rule(strokeWidth=max(1, line // 6)).encode(
            x=altair.X("low:Q", title="rank", scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x="rank:Q"),
    )
