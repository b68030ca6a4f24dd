"""Runs with their ranks under the pool, and under the pool without the documents that only they brought."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, altair, lit, records, row_height, rows_of, titled
from gradeval.studies.leave_out import LeftOut

WIDTH = 240


@chart
def leave_out_chart(left: LeftOut) -> Any:
    """A panel a measure: from the rank of each run to the one that it would have, in colour where it loses ranks."""
    panels = [_panel(left, measure) for measure in range(len(left.measures))]
    where = "" if left.pool_depth is None else f" among their first {left.pool_depth}"
    return titled(
        altair.hconcat(*panels),
        "Who would lose ranks?",
        f"each run without the judged documents that only it has{where}: open its rank, filled the one without them, "
        "in colour where it falls",
    )


def _panel(left: LeftOut, measure: int) -> Any:
    order = np.argsort(left.rank[measure], kind="stable").tolist()
    rank, without = left.rank[measure, order], left.rank_without[measure, order]
    names, look = [left.runs[run] for run in order], {"labelLimit": 160, "labelOverlap": False, "grid": False}
    data = records(run=names, rank=rank, without=without, falls=without > rank)
    line = row_height(len(order))
    scale = altair.Scale(domain=[1, int(max(rank.max(), without.max()))], nice=False)
    base = rows_of(data, "run", names, str(left.measures[measure]), WIDTH, line, **look)
    base = base.encode(color=lit("falls", COLOURS[1]))
    return altair.layer(
        base.mark_rule().encode(x=altair.X("rank:Q", title="rank", scale=scale), x2="without:Q"),
        base.mark_point(filled=False, size=3 * line).encode(x=altair.X("rank:Q", scale=scale)),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x=altair.X("without:Q", scale=scale)),
    )
