"""The intervals of the ranks as SVG: a line a run, which needs no script to be seen."""

from __future__ import annotations

from collections.abc import Sequence

from gradeval.charts.rendering import COLOURS, GREY
from gradeval.messages import visible
from gradeval.studies.ranks import RankSets
from gradeval.tables.markup import escape
from gradeval.tables.text import shorten

LINE, MARGIN, WIDTH, FOOT = 19, 150, 560, 42  # pixels, where the page is wide enough
TICKS = 7
"""Marks on the axis of the ranks, at most and nearly."""


def ranks_picture(ranks: RankSets, order: Sequence[int]) -> str:
    """SVG of these runs by the first measure: rank and interval, with a full dot those that may be the best."""
    order = list(order)
    lower, upper = ranks.lower[0], ranks.upper[0]
    highest = max(2, int(upper[order].max()))
    foot = LINE * len(order)

    def across(rank: int) -> str:
        return f"{MARGIN + (WIDTH - MARGIN - LINE) * (rank - 1) / (highest - 1):.1f}"

    parts = []
    for rank in _ticks(highest):
        parts.append(f'<path stroke="#8883" d="M{across(rank)} 0V{foot}"/>')
        parts.append(f'<text x="{across(rank)}" y="{foot + 15}" text-anchor="middle">{rank}</text>')
    parts.append(f'<text x="{(MARGIN + WIDTH) / 2}" y="{foot + 34}" text-anchor="middle">rank</text>')
    for row, run in enumerate(order):
        low, high, middle = int(lower[run]), int(upper[run]), LINE * row + LINE // 2
        colour = COLOURS[0] if ranks.may_be_best[0, run] else GREY
        fill = colour if ranks.may_be_best[0, run] else "none"
        name = escape(visible(ranks.runs[run]))
        short = escape(visible(shorten(ranks.runs[run], 22)))
        parts.append(
            f"<g><title>{name}: rank {ranks.rank[0, run]}, {low} to {high}</title>"
            f'<text x="{MARGIN - 8}" y="{middle + 4}" text-anchor="end">{short}</text>'
            f'<path stroke="{colour}" stroke-width="2" d="M{across(low)} {middle}H{across(high)}"/>'
            f'<circle fill="{fill}" stroke="{colour}" stroke-width="2" '
            f'cx="{across(int(ranks.rank[0, run]))}" cy="{middle}" r="4"/></g>'
        )
    title = f"Ranks by {escape(visible(str(ranks.measures[0])))}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {foot + FOOT}" width="{WIDTH}" height="{foot + FOOT}" role="img" '
        f'aria-label="{title}" font-size="12">{"".join(parts)}</svg>'
    )


def _ticks(highest: int) -> list[int]:
    """Rank 1 and round ranks after it."""
    steps = (unit * 10**power for power in range(9) for unit in (1, 2, 5))
    step = next(step for step in steps if step * TICKS >= highest)
    return [1, *range(max(2, step), highest + 1, step)]
