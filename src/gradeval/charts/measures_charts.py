"""Pictures of measures: discriminative power, topics needed, robustness to thinned pools, and swaps of documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import (
    STATISTICS,
    altair,
    chart_data,
    coloured_by,
    dashed_by,
    end_labels,
    line_chart,
    panel_title,
    space_out,
    titled,
)
from gradeval.studies.paired_power import topics_for
from gradeval.studies.topic_set_size import TopicSetSize

if TYPE_CHECKING:
    from gradeval.papers.swaps import Swaps
    from gradeval.studies.discriminate import Discrimination
    from gradeval.studies.robustness import Robustness, RobustnessStudies

ASL_WIDTH, ASL_HEIGHT = 560, 360
CEILING = 0.15  # of the levels shown
PixelBox: TypeAlias = tuple[int, int, int, int]
UPPER: PixelBox = (330, 60, 530, 185)  # left, top, right, bottom of the small picture, in pixels
LOWER: PixelBox = (56, 200, 216, 312)
MARGIN = (44, 10, 10, 34)  # of the frame around it, for the axes
ASL_LABEL = 13
STEPS = {"interpolate": "step-after", "clip": True}  # how curves are drawn


@chart
def asl_chart(discrimination: Discrimination) -> Any:
    """The closer a curve is to the origin, the more pairs the measure tells apart; the best runs in a small picture."""
    best = discrimination.best
    names = [str(measure) for measure in discrimination.measures]
    size = {"width": ASL_WIDTH, "height": ASL_HEIGHT}
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
        .encode(x=altair.value(ASL_WIDTH if frame == UPPER else beyond), y=up, text="text:N")
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


def _room(discrimination: Discrimination, reach: int) -> tuple[PixelBox, int]:
    """The frame in which the small picture hides no curve, and the number of pairs to show for that.

    The upper frame, if every curve has fallen below it where it begins; else the lower one, at the left.
    """
    lowest = CEILING * (1 - (UPPER[3] + MARGIN[3]) / ASL_HEIGHT)
    fallen = int((discrimination.asl >= lowest).sum(-1).max())
    needed = int(fallen * ASL_WIDTH / (UPPER[0] - MARGIN[0])) + 1
    return (UPPER, max(reach, needed)) if needed <= len(discrimination.pairs) else (LOWER, len(discrimination.pairs))


def _labels(discrimination: Discrimination, names: list[str], up: Any, colour: Any) -> Any:
    """Names next to the plot, the least discriminative on top, in the order of the curves.

    The curves end near 0, where labels at their height would hide each other.
    """
    order = sorted(range(len(names)), key=lambda place: float(discrimination.power[place]))
    step = ASL_LABEL * CEILING / ASL_HEIGHT
    top = (CEILING + step * len(order)) / 2
    heights = {names[place]: top - step * line for line, place in enumerate(order)}
    texts = {name: f"{name}: {power:.1%}" for name, power in zip(names, discrimination.power.tolist(), strict=True)}
    return end_labels("measure", heights, ASL_WIDTH, up, colour, texts)


def _inset(best: Discrimination, names: list[str], frame: PixelBox) -> Any:
    """The curves of the best runs in a frame of their own, with axes."""
    left, top, right, bottom = frame
    west, north, east, south = MARGIN
    size = {"width": ASL_WIDTH, "height": ASL_HEIGHT}
    curves, reach = _curves(best)
    small = {"titleFontSize": 9, "labelFontSize": 9, "grid": False, "tickCount": 4, "zindex": 1}
    across = altair.X(
        "pair:Q",
        title=f"pairs of the {len(best.runs)} best runs",
        scale=altair.Scale(domain=[0, reach], range=[left, right], nice=False),
        axis=altair.Axis(offset=bottom - ASL_HEIGHT, orient="bottom", **small),
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


TOPICS_WIDTH, TOPICS_HEIGHT = 380, 300
POINTS = 40  # of a line
TOPICS_LABEL = 13  # pixels between labels
BEYOND = 2
"""How far lines go beyond the differences that were asked for, as a factor."""


@chart
def topic_set_size_chart(needed: TopicSetSize) -> Any:
    """A line a measure, and a point for each difference that was asked for."""
    names = [str(measure) for measure in needed.measures]
    lines = [
        record for name, v in zip(names, needed.variance.tolist(), strict=True) for record in _line(name, v, needed)
    ]
    points = [
        {"measure": name, "difference": difference, "topics": int(topics)}
        for name, row in zip(names, needed.needed, strict=True)
        for difference, topics in zip(needed.differences, row, strict=True)
    ]
    most = max(3, *(record["topics"] for record in [*lines, *points]))
    up = altair.Scale(type="log", domain=[2, most], nice=False)
    colour = coloured_by("measure", names)
    size = {"width": TOPICS_WIDTH, "height": TOPICS_HEIGHT}
    across = altair.X("difference:Q", title="difference of means", scale=altair.Scale(type="log", nice=False))
    base = altair.Chart(chart_data(lines), **size).mark_line()
    dash = dashed_by("measure", names)
    drawn = base.encode(x=across, y=altair.Y("topics:Q", title="topics", scale=up), color=colour, strokeDash=dash)
    dots = (
        altair.Chart(chart_data(points), **size)
        .mark_point(filled=True, opacity=1, size=45)
        .encode(x=across, y=altair.Y("topics:Q", scale=up), color=colour)
    )
    last = {record["measure"]: float(np.log(record["topics"])) for record in [*points, *lines]}
    ends = [last[name] for name in names]
    heights = np.exp(space_out(ends, TOPICS_LABEL * np.log(most / 2) / TOPICS_HEIGHT, float(np.log(most)))).tolist()
    labels = end_labels(
        "measure", dict(zip(names, heights, strict=True)), TOPICS_WIDTH, altair.Y("at:Q", scale=up), colour
    )
    return titled(
        altair.layer(drawn, dots, labels),
        "How many topics does it take to find a difference?",
        f"paired t test at {needed.alpha:g}, power {1 - needed.beta:g}; variance from {len(needed.runs)} runs, "
        f"{len(needed.topics)} topics",
    )


def _line(name: str, variance: float, needed: TopicSetSize) -> Iterator[dict[str, Any]]:
    """The topics against the difference; not where more than can be counted would be needed."""
    ends = min(needed.differences) / BEYOND, max(needed.differences) * BEYOND
    for difference in np.geomspace(*ends, POINTS).tolist():
        effect = difference / np.sqrt(2 * variance) if variance > 0 else np.inf
        with suppress(InputError):
            topics = topics_for(effect, needed.alpha, needed.beta)
            yield {"measure": name, "difference": difference, "topics": topics}


ROBUSTNESS_WIDTH, ROBUSTNESS_HEIGHT = 520, 340
ROBUSTNESS_LABEL = 13  # pixels between labels
BESIDE = 3.5  # pixels between the bars of two measures, at most
TOGETHER = 0.5  # share of the distance between two steps that the bars of one step may take


@chart
def robustness_charts(whole: RobustnessStudies) -> Any:
    """A panel for each study: the selections of topics side by side, ways of thinning one below the other."""
    studies, several = whole.parts, whole.several_selections
    floor = min(map(_floor, studies)) if several else None
    charts: dict[str, list[Any]] = {}
    for study in studies:
        title = f"Topics {study.selection}" if several else "Robustness to incomplete judgments"
        charts.setdefault(str(study.sampling), []).append(robustness_chart(study, title, floor))
    rows = [row[0] if len(row) == 1 else altair.hconcat(*row) for row in charts.values()]
    chart = rows[0] if len(rows) == 1 else altair.vconcat(*rows)
    return chart.properties(title="Robustness to incomplete judgments") if several else chart


@chart
def robustness_chart(
    study: Robustness, title: str = "Robustness to incomplete judgments", floor: float | None = None
) -> Any:
    """One line a measure, with the standard deviation over samples; the full pool at the left.

    ``floor``: where the axis of correlations begins; default: a little below the lowest.

    Bars of different measures are shifted a little, so that none hides another.
    """
    names = [str(measure) for measure in study.measures]
    mean = study.mean()
    steps = study.sampling.steps
    beside = _beside(steps, len(names))
    floor = _floor(study) if floor is None else floor
    smallest = min(range(len(steps)), key=steps.__getitem__)
    heights = space_out(mean[smallest].tolist(), ROBUSTNESS_LABEL * (1 - floor) / ROBUSTNESS_HEIGHT, 1.0)
    unit = {"depth": "depth of the pool (ranks)", "rate": "judgments kept (% of the pool)"}[study.sampling.unit]
    room = beside * (len(names) + 1) / 2
    across = altair.X(
        "at:Q",
        title=unit,
        scale=altair.Scale(domain=[max(steps) + room, min(steps) - room], nice=False),
        axis=altair.Axis(values=list(steps), grid=False),
    )
    upward = {"title": f"{STATISTICS[study.statistic]} with the full pool"}
    upward["scale"] = altair.Scale(domain=[floor, 1.0], nice=False)
    colour = coloured_by("measure", names)
    dash = dashed_by("measure", names)
    lines = altair.Chart(
        chart_data(_points_by_step(study, beside)), width=ROBUSTNESS_WIDTH, height=ROBUSTNESS_HEIGHT
    ).encode(x=across, color=colour)
    drawn = altair.layer(
        lines.mark_rule(opacity=0.6, strokeWidth=1.5).encode(y=altair.Y("low:Q", **upward), y2="high:Q"),
        lines.mark_line(point={"size": 28}).encode(y=altair.Y("mean:Q", **upward), strokeDash=dash),
        end_labels(
            "measure", dict(zip(names, heights, strict=True)), ROBUSTNESS_WIDTH, altair.Y("at:Q", **upward), colour
        ),
    )
    return titled(drawn, title, f"{len(study.runs)} runs, {len(study.topics)} topics; {_sampling(study)}")


def _floor(study: Robustness) -> float:
    """A round number below the lowest bar, at most 0.9."""
    return min(0.9, math.floor(float((study.mean() - study.spread()).min()) * 20) / 20)


def _beside(steps: Sequence[float], measures: int) -> float:
    """How far apart the bars of one step stand, on the scale of the steps: a gap to the next step is left."""
    ordered = sorted(steps)
    nearest = min((high - low for low, high in pairwise(ordered)), default=1.0)
    return min(BESIDE * (ordered[-1] - ordered[0] or 1.0) / ROBUSTNESS_WIDTH, TOGETHER * nearest / measures)


def _points_by_step(study: Robustness, beside: float) -> list[dict[str, Any]]:
    """The mean of each measure at each step, and the ends of its bar."""
    mean, spread = study.mean(), study.spread()
    middle = (len(study.measures) - 1) / 2
    return [
        {
            "step": step,
            "at": step - (beside * (column - middle) if spread[place].any() else 0),
            "measure": str(measure),
            "mean": float(mean[place, column]),
            "low": max(-1.0, float(mean[place, column] - spread[place, column])),
            "high": min(1.0, float(mean[place, column] + spread[place, column])),
        }
        for place, step in enumerate(study.sampling.steps)
        for column, measure in enumerate(study.measures)
    ]


def _sampling(study: Robustness) -> str:
    samples = study.values.shape[1]
    how = str(study.sampling)
    return f"{how}; {samples} samples (bars: one standard deviation; side by side at one step)" if samples > 1 else how


SWAPS_WIDTH, SWAPS_HEIGHT = 250, 200
SWAPS_LABEL = 12
ROW = 3  # pictures in a row


@chart
def swaps_chart(study: Swaps) -> Any:
    """How each measure falls as a perfect ranking is shuffled; equal lines: the number of grades does not matter."""
    names = [f"{number} grades" for number in study.levels]
    last = study.values.shape[1] - 1
    low = float(study.values.min())
    floor = max(0.0, min(0.9, round(low - 0.05, 1)))
    up = altair.Scale(domain=[floor, 1], nice=False)
    charts = []
    for place, measure in enumerate(study.measures):
        data = [
            {"swaps": swap, "scale": name, "value": float(study.values[level, swap, place])}
            for level, name in enumerate(names)
            for swap in range(last + 1)
        ]
        heights = space_out(study.values[:, last, place].tolist(), SWAPS_LABEL * (1 - floor) / SWAPS_HEIGHT, 1.0)
        across = altair.X("swaps:Q", title="swaps", scale=altair.Scale(domain=[0, last], nice=False))
        look = {"width": SWAPS_WIDTH, "height": SWAPS_HEIGHT, "title": panel_title(measure)}
        y, at, colour = (
            altair.Y("value:Q", title="mean value", scale=up),
            altair.Y("at:Q", scale=up),
            coloured_by("scale", names),
        )
        labels = end_labels("scale", dict(zip(names, heights, strict=True)), SWAPS_WIDTH, at, colour)
        charts.append(line_chart(data, "scale", names, across, y, **look) + labels)
    lines = [altair.hconcat(*charts[begin : begin + ROW]) for begin in range(0, len(charts), ROW)]
    about = f"{study.shape} grades, {study.items} items, {study.repetitions} repetitions"
    return titled(altair.vconcat(*lines), "Performance against swaps in a perfect ranking", about)
