"""What a document is worth at each rank, drawn: SVG that is read in light and in dark, on GitHub and on the site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradeval import JudgedRankings, parse_measure
from gradeval.formula.definition import REQUIRED, Measure

RANKS = 20
LEVELS = (0, 1, 2, 3)
POOL = (30, 4, 3, 2)
CAPTIONS = {
    "alone": (
        "One document, by its rank",
        "The value of a ranking whose only relevant document stands at rank n, below non-relevant ones. The pool holds "
        "4, 3 and 2 documents of the grades 1, 2 and 3.",
    ),
    "settings": ("Its parameters, by rank", "The same for a document of grade 3, as a share of its value at rank 1."),
}
SETTINGS = {
    "DCG": ("DCG", "DCG(discount='jk')", "DCG(discount='linear')"),
    "nDCG": ("nDCG", "nDCG(discount='jk')", "nDCG(discount='linear')"),
    "RBP": ("RBP(p=0.5)", "RBP", "RBP(p=0.95)"),
}
"""Spellings of a measure whose discounts are worth a look side by side."""

WIDTH, HEIGHT = 672, 250
BEFORE = 12  # of the width, left of 0, for long numbers
LEFT, RIGHT, TOP, BOTTOM = 52, 462, 16, 206
STYLE = """<style>
.card{fill:#fff}.axis{stroke:#888;fill:none}.grid{stroke:#ddd}text{font:13px system-ui,sans-serif;fill:#222}
.a{--c:#005a9c}.b{--c:#b34700}.c{--c:#00704f}.line{fill:none;stroke:var(--c);stroke-width:1.6}.dot{fill:var(--c)}
text.a,text.b,text.c{fill:var(--c)}
@media (prefers-color-scheme:dark){.card{fill:#1a1c1e}.grid{stroke:#3a3d40}text{fill:#e6e6e6}
.a{--c:#6cb8f0}.b{--c:#f5a25d}.c{--c:#5fd0a6}}
</style>"""


def pictures_of(measure: Measure) -> dict[str, tuple[str, str]]:
    """The pictures of a measure by the names of their files, each with its heading; none where ranks do not matter."""
    found = {}
    lines = merged((f"grade {grade}", worth(measure, grade)) for grade in LEVELS[1:])
    if any(max(values) - min(values) > 1e-9 for values in lines.values()):
        heading = CAPTIONS["alone"][0]
        found[f"{measure.name}.svg"] = (heading, drawing(f"{measure.name}: {heading.lower()}", lines))
    if settings := SETTINGS.get(measure.name):
        heading = CAPTIONS["settings"][0]
        shares = {text: shared(worth(parse_measure(text), LEVELS[-1])) for text in settings}
        found[f"{measure.name}-settings.svg"] = (heading, drawing(f"{measure.name}: {heading.lower()}", shares))
    return found


def worth(measure: Measure, grade: int) -> list[float]:
    """The values of rankings with one document of this grade, at rank 1, 2, ..."""
    at = measure.definition.at
    if at is not None and measure.parameters[at] is REQUIRED:
        measure @= 0.1 if at == "recall" else 10
    rankings = [[0] * rank + [grade] + [0] * (RANKS - rank - 1) for rank in range(RANKS)]
    return [float(measure(JudgedRankings.of(ranking, pool=POOL, levels=LEVELS))[0]) for ranking in rankings]


def shared(values: Sequence[float]) -> list[float]:
    """Values as shares of the first."""
    return [value / values[0] for value in values]


def merged(lines: Iterable[tuple[str, list[float]]]) -> dict[str, list[float]]:
    """Lines that coincide as one, named after all of them."""
    found: list[tuple[str, list[float]]] = []
    for name, values in lines:
        same = [place for place, (_, others) in enumerate(found) if max(map(_apart, values, others)) < 1e-9]
        if same:
            found[same[0]] = (f"{found[same[0]][0]}, {name.removeprefix('grade ')}", values)
        else:
            found.append((name, values))
    return dict(found)


def _apart(one: float, other: float) -> float:
    return abs(one - other)


def drawing(title: str, lines: dict[str, list[float]]) -> str:
    """Lines over ranks as SVG; each has its own shape of mark and its name at the right end."""
    top = max(max(values) for values in lines.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-BEFORE} 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img"><title>{title}</title>{STYLE}'
        f'<rect class="card" x="{-BEFORE}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        *_axes(top),
    ]
    places = spread([_y(values[-1], top) for values in lines.values()])
    for (name, values), style, place in zip(lines.items(), "abc", places, strict=False):
        points = [(_x(rank), _y(value, top)) for rank, value in enumerate(values, 1)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="line {style}" points="{path}"/>')
        parts += [_dot(style, x, y) for x, y in points]
        parts.append(f'<text class="{style}" x="{RIGHT + 10}" y="{place + 4:.1f}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _axes(top: float) -> list[str]:
    """The two axes with their numbers, and lines at a half and at the top."""
    parts = []
    for share in (0, 0.5, 1):
        y = _y(share * top, top)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share * top:.3g}</text>')
    for rank in (1, 5, 10, 15, 20):
        parts.append(f'<text x="{_x(rank):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{rank}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 36}" text-anchor="middle">rank n</text>')
    parts.append(f'<path class="axis" d="M{LEFT},{TOP}V{BOTTOM}H{RIGHT}"/>')
    return parts


def _dot(style: str, x: float, y: float) -> str:
    if style == "a":
        return f'<circle class="dot a" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    if style == "b":
        return f'<rect class="dot b" x="{x - 2.7:.1f}" y="{y - 2.7:.1f}" width="5.4" height="5.4"/>'
    return f'<path class="dot c" d="M{x:.1f},{y - 4:.1f}l3.8,6.6h-7.6z"/>'


def spread(places: Sequence[float], least: float = 16) -> list[float]:
    """Places of names moved apart, so that none covers another, and none the axis."""
    order = sorted(range(len(places)), key=lambda number: (-places[number], -number))  # from below
    found = list(places)
    below = float(BOTTOM) + least
    for number in order:
        found[number] = min(places[number], below - least)
        below = found[number]
    return found


def _x(rank: int) -> float:
    return LEFT + (RIGHT - LEFT) * (rank - 0.5) / RANKS


def _y(value: float, top: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value / top if top else float(BOTTOM)
