"""Differences with their intervals as SVG: a line each, under an axis with a line at 0; needs no script to be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gradeval.charts.rendering import COLOURS, GREY
from gradeval.messages import visible
from gradeval.tables.markup import escape
from gradeval.tables.text import shorten

LINE, MARGIN, WIDTH, HEAD = 19, 170, 660, 40  # pixels, where the page is wide enough
TICKS = 7
"""Marks on the axis, at most and nearly."""
LETTERS = 24
"""Letters of a name that the picture has room for; pointing at it shows all."""


class DifferenceLine(NamedTuple):
    """A name, a difference, its interval, and whether it stands out, by a full dot as well as by colour."""

    name: str
    value: float
    low: float
    high: float
    strong: bool


def differences_picture(lines: Sequence[DifferenceLine], title: str, axis: str) -> str:
    """SVG of differences (dots) and their intervals (lines); the axis stands above them."""
    low = min(0.0, *(line.low for line in lines))
    high = max(0.0, *(line.high for line in lines))
    step = _step(high - low)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last += first == last
    foot = HEAD + LINE * len(lines) + 4

    def across(value: float) -> str:
        return f"{MARGIN + (WIDTH - MARGIN - LINE) * (value / step - first) / (last - first):.1f}"

    digits = max(0, -math.floor(math.log10(step)))
    parts = [f'<text x="{(MARGIN + WIDTH) / 2}" y="12" text-anchor="middle">{escape(visible(axis))}</text>']
    for tick in range(first, last + 1):
        at, ink = across(tick * step), "#888" if tick == 0 else "#8883"
        parts.append(f'<path stroke="{ink}" stroke-width="{2 if tick == 0 else 1}" d="M{at} {HEAD - 6}V{foot}"/>')
        label = f"{tick * step:+.{digits}f}" if tick else "0"
        parts.append(f'<text x="{at}" y="{HEAD - 11}" text-anchor="middle">{label}</text>')
    for row, line in enumerate(lines):
        middle = HEAD + LINE * row + LINE // 2
        colour = COLOURS[0] if line.strong else GREY
        fill = colour if line.strong else "none"
        name = visible(line.name)
        short = escape(shorten(name, LETTERS))
        weight = ' font-weight="600"' if line.strong else ""
        told = f"{name}: {line.value:+.4f} [{line.low:+.4f}, {line.high:+.4f}]"
        parts.append(
            f"<g><title>{escape(told)}</title>"
            f'<text x="{MARGIN - 8}" y="{middle + 4}" text-anchor="end"{weight}>{short}</text>'
            f'<path stroke="{colour}" stroke-width="2" d="M{across(line.low)} {middle}H{across(line.high)}"/>'
            f'<circle fill="{fill}" stroke="{colour}" stroke-width="2" cx="{across(line.value)}" cy="{middle}" '
            'r="4"/></g>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {foot}" width="{WIDTH}" height="{foot}" role="img" '
        f'aria-label="{escape(visible(title))}" font-size="12">{"".join(parts)}</svg>'
    )


def _step(span: float) -> float:
    """A round distance of the marks on an axis of this length."""
    if not span > 0:
        return 0.01
    unit = 10.0 ** math.floor(math.log10(span / TICKS))
    return next(unit * times for times in (1, 2, 5, 10, 20) if span / (unit * times) <= TICKS)
