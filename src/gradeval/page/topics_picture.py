"""The map of runs and topics as a still picture, for print and for those who run no scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.messages import visible
from gradeval.tables.markup import escape
from gradeval.tables.text import shorten

SHADES = 12
LIGHT, DARK = np.array([240, 246, 250]), np.array([8, 66, 142])
"""The colours of the lowest and of the highest value, as in scripts/topics.js."""
LINE, MARGIN, WIDTH = 9, 150, 800
NAMED = 110
"""Topics that have room for their names."""


def topics_map(values: Array, runs: Sequence[str], topics: Sequence[str], queries: Sequence[str] = ()) -> str:
    """SVG of values[run, topic], the highest means first; each shade stands for a twelfth of the highest value.

    ``queries``: what a topic asks, which stands at its name where one points at it; empty where it is not known.
    """
    down, across = (np.argsort(-values.mean(axis), kind="stable") for axis in (1, 0))
    highest = float(values.max())
    shares = values[down][:, across] / highest if highest > 0 else np.zeros(values.shape)
    shades = np.clip(np.ceil(shares * SHADES), 0, SHADES).astype(int)
    wide = (WIDTH - MARGIN) / len(topics)
    top = 46 if len(topics) <= NAMED else 4
    size = f"0 0 {WIDTH} {top + LINE * len(runs)}"
    names = [
        f'<text x="{MARGIN - 4}" y="{top + LINE * row + 7}" text-anchor="end">{_short(runs[run])}</text>'
        for row, run in enumerate(down)
    ]
    if len(topics) <= NAMED:
        asked = [f"<title>{escape(visible(query))}</title>" if query else "" for query in queries or [""] * len(topics)]
        places = [
            (MARGIN + wide * (column + 0.5) + 2.5, _short(topics[topic]) + asked[topic])
            for column, topic in enumerate(across)
        ]
        names += [f'<text transform="translate({x:.1f} {top - 3}) rotate(-90)">{name}</text>' for x, name in places]
    placed = f'transform="translate({MARGIN} {top}) scale({wide:.4f} {LINE})"'
    cells = f'<g shape-rendering="crispEdges" {placed}>{"".join(_cells(shades))}</g>'
    return f'<svg viewBox="{size}" role="img" aria-hidden="true" font-size="7">{cells}{"".join(names)}</svg>'


def _cells(shades: Array) -> Iterator[str]:
    """A path for each shade: one rectangle for neighbours in a row that have it."""
    for shade in range(SHADES + 1):
        edges = np.diff((shades == shade).astype(int), axis=1, prepend=0, append=0)
        starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
        path = "".join(
            f"M{x} {y}h{end - x}v1h{x - end}z" for (y, x), end in zip(starts.tolist(), ends[:, 1].tolist(), strict=True)
        )
        colour = np.round(LIGHT + (DARK - LIGHT) * shade / SHADES).astype(int)
        if path:
            yield f'<path fill="rgb({",".join(map(str, colour))})" d="{path}"/>'


def _short(name: str) -> str:
    """A name as the picture has room for it."""
    return escape(shorten(visible(name), 30))
