"""Names with a value and its interval as SVG: a line, a dot and a line of the interval each, under an axis.

It needs no script, and is as wide as there is room: places across are shares of the plot, all other lengths are in em,
and the names stand in the padding. So letters are as large on a phone as on a desktop. ``page.css`` has its colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from gradeval.messages import visible
from gradeval.tables.markup import escape
from gradeval.tables.text import shorten, width_of

LINE, HEAD, AXIS = 1.5, 1.8, 1.3
"""The height of a line, of the labels of the axis, and of the name of the axis, in em."""
LETTERS = 22
"""Letters of a name that stand before a line."""
NARROW, WIDE = frozenset("fijlrtI.,:;|-()[]' "), frozenset("mw@%")
FEW, MANY = 5, 8
"""Labels of the axis of a small picture, and of one that is as wide as the page, at most."""
ON_A_PHONE = 4
"""Labels that have room on a phone; of more, every second one is left out there."""
ROUNDING = 1e-9
DotBounds = tuple[float, float] | None


class Dot(NamedTuple):
    """A line of the picture.

    ``value``: None where there is none; ``told`` then stands in its place. ``strong``: it stands out, by a full dot and
    bold letters as well as by colour. ``told``: the value and its interval in words.
    """

    name: str
    value: float | None
    bounds: DotBounds
    strong: bool
    told: str


def dots_picture(
    dots: Sequence[Dot],
    ticks: Sequence[float],
    ends: tuple[float, float],
    title: str,
    *,
    axis: str = "",
    form: Literal["", "+", "%"] = "",
) -> str:
    """SVG of values (dots) and their intervals (lines), one below the other.

    ``ticks``: values that the axis labels; ``ends``: of the axis; ``axis``: its name; ``form``: of the labels, "+" for
    differences, which have a strong line at 0, "%" for shares.
    """
    low, high = ends

    def across(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    head = HEAD + AXIS * bool(axis)
    names = [_shortened(visible(dot.name)) for dot in dots]
    margin = 1 + max(map(_length, names))
    parts = [f'<text class="axis" x="-{margin:.1f}em" y="1em">{escape(visible(axis))}</text>'] if axis else []
    fixed = ticks.index(0) if 0 in ticks else 0
    for place, (tick, label) in enumerate(zip(ticks, _labels(ticks, form), strict=True)):
        at, strong = across(tick), ' class="zero"' if form == "+" and tick == 0 else ""
        parts.append(f'<line{strong} x1="{at}" x2="{at}" y1="{head:.1f}em" y2="100%"/>')
        left_out = ' class="fine"' if len(ticks) > ON_A_PHONE and (place - fixed) % 2 else ""
        parts.append(f'<text{left_out} x="{at}" y="{head - 0.5:.1f}em">{label}</text>')
    scale = f'<g aria-hidden="true">{"".join(parts)}</g>'
    lines = [
        _line(dot, name, head + LINE * (row + 0.5), across)
        for row, (dot, name) in enumerate(zip(dots, names, strict=True))
    ]
    return (
        f'<svg class="dots" role="group" aria-label="{escape(visible(title))}" '
        f'style="height:{head + LINE * len(dots):.1f}em;padding-left:{margin:.1f}em">{scale}{"".join(lines)}</svg>'
    )


def _line(dot: Dot, name: str, middle: float, across: Callable[[float], str]) -> str:
    """A name, the line of its interval and its dot, which are one picture to those who hear it."""
    y, letters = f"{middle:.2f}em", f"{middle + 0.35:.2f}em"
    told = escape(visible(f"{dot.name}: {dot.told}"))
    parts = [f'<title>{told}</title><text x="-.7em" y="{letters}">{escape(name)}</text>']
    if dot.bounds is not None:
        begin, end = map(across, dot.bounds)
        parts.append(f'<line x1="{begin}" x2="{end}" y1="{y}" y2="{y}"/>')
    if dot.value is None:
        parts.append(f'<text class="none" x="0" y="{letters}">{escape(dot.told)}</text>')
    else:
        parts.append(f'<circle cx="{across(dot.value)}" cy="{y}" r=".33em"/>')
    strong = ' class="strong"' if dot.strong else ""
    return f'<g role="img"{strong}>{"".join(parts)}</g>'


def _labels(ticks: Sequence[float], form: str) -> list[str]:
    """The values of an axis with as many digits as the longest of them needs."""
    digits = max(len(f"{tick:.12f}".rstrip("0").partition(".")[2]) for tick in ticks)
    if form == "%":
        return [f"{tick:.{max(0, digits - 2)}%}" for tick in ticks]
    sign = form + ","
    return [f"{tick:{sign}.{digits}f}" if tick or not form else "0" for tick in ticks]


def _shortened(name: str) -> str:
    """A name, cut where it has no room; letters that are twice as wide count twice."""
    return shorten(name, LETTERS * len(name) // max(1, width_of(name)))


def _length(name: str) -> float:
    """The em that bold letters take in most fonts, or a little more."""
    return sum(
        0.46 if letter in NARROW else 0.86 if letter in WIDE or letter.isupper() else 0.35 * (1 + width_of(letter))
        for letter in name
    )


def choose_ticks(low: float, high: float, most: int = FEW) -> list[float]:
    """Two or more round values from ``low`` to ``high``, of one distance; ``most`` of them at most."""
    power = math.floor(math.log10((high - low) / most)) - 1
    steps = (unit * 10.0**more for more in range(power, power + 4) for unit in (1, 2, 5))
    multiples = ((step, math.ceil(low / step - ROUNDING), math.floor(high / step + ROUNDING)) for step in steps)
    step, first, last = next((step, first, last) for step, first, last in multiples if last - first < most)
    return [float(f"{step * place:.12g}") for place in range(first, last + 1)]


def with_room(values: Sequence[float], least: float = 0.5) -> tuple[float, float]:
    """The ends of an axis on which all of these values have room; ``least``: on each side, where all are equal."""
    low, high = min(values), max(values)
    room = 0.04 * (high - low) or least
    return low - room, high + room
