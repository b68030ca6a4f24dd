"""ASL curves: achieved significance levels of all pairs of runs, in descending order."""

from __future__ import annotations

from typing import Any, TypeAlias

from gradeval.charts import chart
from gradeval.charts.rendering import altair, chart_data, coloured_by, end_labels, line_chart
from gradeval.studies.discriminate import Discrimination

WIDTH, HEIGHT = 560, 360
CEILING = 0.15  # of the levels shown
Frame: TypeAlias = tuple[int, int, int, int]
UPPER: Frame = (330, 60, 530, 185)  # left, top, right, bottom of the small picture, in pixels
LOWER: Frame = (56, 200, 216, 312)
MARGIN = (44, 10, 10, 34)  # of the frame around it, for the axes
LABEL = 13
STEPS = {"interpolate": "step-after", "clip": True}  # how curves are drawn


@chart
def asl_chart(discrimination: Discrimination) -> Any:
    """The closer a curve is to the origin, the more pairs the measure tells apart; the best runs in a small picture."""
    best = discrimination.best
    names = [str(measure) for measure in discrimination.measures]
    size = {"width": WIDTH, "height": HEIGHT}
    colour = coloured_by("measure", names)
    total = len(discrimination.pairs)
    curves, reach = _curves(discrimination)
    frame, wide = _room(discrimination, reach)
    reach = wide if best is not None else reach
    across = altair.X(
        "pair:Q",
        title="pairs of runs, by descending level",
        scale=altair.Scale(domain=[0, reach], nice=False),
        axis=altair.Axis(tickCount=8),
    )
    upward = {"title": "achieved significance level (ASL)", "scale": altair.Scale(domain=[0, CEILING], nice=False)}
    up = altair.Y("asl:Q", **upward)
    lines = line_chart(curves, "measure", names, across, up, STEPS, **size)
    beyond = frame[2] + MARGIN[2] + 4 if best is not None else 4  # of the small picture
    alpha = [{"asl": discrimination.alpha, "text": f"alpha = {discrimination.alpha:g}"}]
    rule = altair.Chart(chart_data(alpha), **size).mark_rule(color="#555555", strokeDash=[2, 2]).encode(y=up)
    alpha_label = (
        altair.Chart(chart_data(alpha), **size)
        .mark_text(align="right" if frame == UPPER else "left", dy=-6, color="#555555")
        .encode(x=altair.value(WIDTH if frame == UPPER else beyond), y=up, text="text:N")
    )
    main = altair.layer(lines, rule, alpha_label, _labels(discrimination, names, altair.Y("at:Q", **upward), colour))
    heading = altair.Title(
        "Discriminative power",
        subtitle=f"{len(discrimination.runs)} runs, {total} pairs, {len(discrimination.topics)} topics; "
        f"{discrimination.method}, {discrimination.samples} samples; behind each measure: pairs below alpha",
        anchor="start",
    )
    if best is None:
        return main.properties(title=heading)
    return (
        altair.layer(main, _inset(best, names, frame))
        .resolve_scale(x="independent", y="independent")
        .properties(title=heading)
    )


def _curves(discrimination: Discrimination) -> tuple[list[dict[str, Any]], int]:
    """The points where each curve steps down, and the number of the last pair with a level above 0.

    Of the points above the picture only the last one is drawn: the curve comes in from there.
    """
    curves = []
    reach = 1
    for name, measure in zip(map(str, discrimination.measures), discrimination.measures, strict=True):
        levels = discrimination.curve(measure).tolist()
        reach = max(reach, sum(level > 0 for level in levels) + 1)
        for place, level in enumerate(levels):
            above = place + 1 < len(levels) and levels[place + 1] > CEILING
            if not above and (place == 0 or level != levels[place - 1] or levels[place - 1] > CEILING):
                curves.append({"measure": name, "pair": place, "asl": level})
        curves.append({"measure": name, "pair": len(levels), "asl": levels[-1]})
    return curves, min(reach, len(discrimination.pairs))


def _room(discrimination: Discrimination, reach: int) -> tuple[Frame, int]:
    """The frame in which the small picture hides no curve, and the number of pairs to show for that.

    The upper frame, if every curve has fallen below it where it begins; else the lower one, at the left.
    """
    lowest = CEILING * (1 - (UPPER[3] + MARGIN[3]) / HEIGHT)
    fallen = int((discrimination.asl >= lowest).sum(-1).max())
    needed = int(fallen * WIDTH / (UPPER[0] - MARGIN[0])) + 1
    return (UPPER, max(reach, needed)) if needed <= len(discrimination.pairs) else (LOWER, len(discrimination.pairs))


def _labels(discrimination: Discrimination, names: list[str], up: Any, colour: Any) -> Any:
    """Names beside the plot, the least discriminative on top, in the order of the curves.

    The curves end near 0, where labels at their height would hide each other.
    """
    order = sorted(range(len(names)), key=lambda place: float(discrimination.power[place]))
    step = LABEL * CEILING / HEIGHT
    top = (CEILING + step * len(order)) / 2
    heights = {names[place]: top - step * line for line, place in enumerate(order)}
    texts = {name: f"{name}: {power:.1%}" for name, power in zip(names, discrimination.power.tolist(), strict=True)}
    return end_labels("measure", heights, WIDTH, up, colour, texts)


def _inset(best: Discrimination, names: list[str], frame: Frame) -> Any:
    """The curves of the best runs in a frame of their own, with axes."""
    left, top, right, bottom = frame
    west, north, east, south = MARGIN
    size = {"width": WIDTH, "height": HEIGHT}
    curves, reach = _curves(best)
    small = {"titleFontSize": 9, "labelFontSize": 9, "grid": False, "tickCount": 4, "zindex": 1}
    across = altair.X(
        "pair:Q",
        title=f"pairs of the {len(best.runs)} best runs",
        scale=altair.Scale(domain=[0, reach], range=[left, right], nice=False),
        axis=altair.Axis(offset=bottom - HEIGHT, orient="bottom", **small),
    )
    up = altair.Y(
        "asl:Q",
        title="ASL",
        scale=altair.Scale(domain=[0, CEILING], range=[bottom, top], nice=False),
        axis=altair.Axis(offset=-left, orient="left", **small),
    )
    shown = [record for record in curves if record["asl"] <= CEILING] or curves
    # A curve that starts above the frame enters it at its upper edge.
    first = {name: min((r["pair"] for r in shown if r["measure"] == name), default=0) for name in names}
    edges = [{"measure": name, "pair": pair, "asl": CEILING} for name, pair in first.items()]
    lines = line_chart([*edges, *shown], "measure", names, across, up, {**STEPS, "strokeWidth": 1.3}, **size)
    paper = (
        altair.Chart(chart_data([{}]), **size)
        .mark_rect(fill="white", stroke="#bbbbbb")
        .encode(
            x=altair.value(left - west),
            x2=altair.value(right + east),
            y=altair.value(top - north),
            y2=altair.value(bottom + south),
        )
    )
    return altair.layer(paper, lines)
