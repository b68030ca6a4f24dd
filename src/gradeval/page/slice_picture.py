"""The means of some runs in a slice of the topics as SVG: one of several small pictures on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradeval.charts.rendering import COLOURS, GREY
from gradeval.messages import visible
from gradeval.tables.markup import escape
from gradeval.tables.text import shorten

LINE, MARGIN, WIDTH, FOOT = 19, 104, 300, 22
TICKS = 4
"""Marks on the axis, at most and nearly."""
MOST_LETTERS = 14
ROUNDING = 1e-9
MeanBounds = tuple[float, float] | None


def slice_picture(
    runs: Sequence[str], means: Sequence[float], bounds: Sequence[MeanBounds], ends: tuple[float, float], name: str
) -> str:
    """SVG of means (dots) and their intervals (lines, where there are some), the first run in colour.

    ``ends``: of the axis, which all slices share. ``name``: what the picture shows.
    """
    low, high = ends
    foot = LINE * len(runs)

    def across(value: float) -> str:
        return f"{MARGIN + (WIDTH - MARGIN - LINE) * (value - low) / (high - low):.1f}"

    parts = []
    for tick in choose_ticks(low, high):
        parts.append(f'<path stroke="#8883" d="M{across(tick)} 0V{foot}"/>')
        parts.append(f'<text x="{across(tick)}" y="{foot + 15}" text-anchor="middle">{tick:g}</text>')
    for row, (run, mean, interval) in enumerate(zip(runs, means, bounds, strict=True)):
        middle, colour = LINE * row + LINE // 2, GREY if row else COLOURS[0]
        said, shown = (escape(visible(text)) for text in (run, shorten(run, MOST_LETTERS)))
        line, told = "", ""
        if interval is not None:
            begin, end = interval
            line = f'<path stroke="{colour}" stroke-width="2" d="M{across(begin)} {middle}H{across(end)}"/>'
            told = f", {begin:.4f} to {end:.4f}"
        parts.append(
            f"<g><title>{said}: {mean:.4f}{told}</title>"
            f'<text x="{MARGIN - 8}" y="{middle + 4}" text-anchor="end">{shown}</text>{line}'
            f'<circle fill="{colour}" cx="{across(mean)}" cy="{middle}" r="4"/></g>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {foot + FOOT}" width="{WIDTH}" height="{foot + FOOT}" role="img" '
        f'aria-label="{escape(visible(name))}" font-size="12">{"".join(parts)}</svg>'
    )


def choose_ticks(low: float, high: float) -> list[float]:
    """Round values from ``low`` to ``high``."""
    power = math.floor(math.log10(high - low)) - 1
    steps = (unit * 10.0**more for more in range(power, power + 4) for unit in (1, 2, 5))
    step = next(step for step in steps if step * TICKS >= high - low)
    first, last = math.ceil(low / step - ROUNDING), math.floor(high / step + ROUNDING)
    return [round(step * place, 12) for place in range(first, last + 1)]
