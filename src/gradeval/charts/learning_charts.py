"""Learning curves: how well a ranker does on the training and validation queries, epoch by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gradeval.charts import chart
from gradeval.charts.rendering import altair, chart_data, coloured_by, end_labels, panel_title, space_out, titled
from gradeval.messages import plural

if TYPE_CHECKING:
    from gradeval.ltr import CrossValidation, LearningCurve, PositionBias

WIDTH, HEIGHT = 360, 240
LABEL = 12  # pixels between labels
IN_A_ROW = 3


@dataclass(frozen=True)
class Line:
    """One training.

    Attributes
    ----------
    panel : the picture that it belongs to.
    name : what is written next to it; lines of one name share a colour and a label.
    epochs, values : the curve.
    best : the epoch whose ranker was kept; a dot marks it. None: no mark.
    """

    panel: str
    name: str
    epochs: Sequence[int]
    values: Sequence[float]
    best: int | None = None


@chart
def learning_curve_chart(curve: LearningCurve) -> Any:
    """The learning curve of one training: on the training queries, and on validation queries if there are any."""
    method, _, trained_for = curve.objective.partition(":")
    trained_for = f"mean {'soft ' * (method == 'softrank')}{trained_for}"
    numbers = [epoch.number for epoch in curve.curve]
    title, subtitle = f"Training for {curve.objective}", f"{curve.ranker} ranker, seed {curve.seed}"
    trained = Line("", "training queries", numbers, [epoch.objective for epoch in curve.curve])
    if curve.measure is None:
        return lines_chart([trained], {"": trained_for}, _unit_of(curve.ranker), title, subtitle)
    validated_by = f"mean {curve.measure}"
    values = [float(epoch.valid or 0) for epoch in curve.curve]
    valid = Line("", "validation queries", numbers, values, curve.best)
    titles = {"": validated_by}
    if validated_by != trained_for:  # different measures stand side by side
        valid, trained = replace(valid, panel="validation"), replace(trained, panel="training", name=valid.name)
        titles = {"validation": validated_by, "training": trained_for}
    subtitle += "; the dot is what was kept"
    return lines_chart([valid, trained], titles, _unit_of(curve.ranker), title, subtitle)


@chart
def crossvalidation_chart(validation: CrossValidation) -> Any:
    """The learning curves of all trainings on their validation parts, a panel for each objective."""
    measures = {(training.objective, training.measure) for training in validation.trainings}
    several = len(measures) > len(validation.objectives)
    panels = [
        f"{training.objective}, by {training.measure}" if several else training.objective
        for training in validation.trainings
    ]
    titles = {panel: f"mean {training.measure}" for panel, training in zip(panels, validation.trainings, strict=True)}
    lines = [
        Line(
            panel,
            f"fold {training.fold}",
            [epoch.number for epoch in training.curve],
            [float(epoch.valid or 0) for epoch in training.curve],
            training.best,
        )
        for panel, training in zip(panels, validation.trainings, strict=True)
    ]
    subtitle = f"{validation.ranker} rankers, {plural(len(validation.seeds), 'seed')}; dots are what was kept"
    title = "Learning curves on the validation parts"
    return lines_chart(lines, titles, _unit_of(validation.ranker), title, subtitle)


@chart
def position_bias_chart(bias: PositionBias) -> Any:
    """How often each position is looked at, relative to the first, with its interval."""
    points = [
        {"rank": rank, "value": value, "low": low, "high": value if high is None else high}
        for rank, value, low, high in bias.rows()
    ]
    across = altair.X("rank:Q", title="position", axis=altair.Axis(tickMinStep=1, format="d"))
    up = altair.Scale(zero=True)
    size = {"width": WIDTH, "height": HEIGHT}
    layers = [
        altair.Chart(chart_data(points), **size)
        .mark_area(opacity=0.2)
        .encode(x=across, y=altair.Y("low:Q", title="looked at, relative to the first", scale=up), y2="high:Q"),
        altair.Chart(chart_data(points)).mark_line(point=True).encode(x=across, y=altair.Y("value:Q", scale=up)),
    ]
    return titled(altair.layer(*layers), "Position bias, estimated from clicks", "bands: intervals of 95%")


def _unit_of(ranker: str) -> str:
    """The unit of the horizontal axis."""
    return "trees" if ranker == "tree" else "epoch"


def lines_chart(lines: Sequence[Line], titles: dict[str, str], what: str, title: str, subtitle: str) -> Any:
    """A picture for each panel, in the order of ``titles`` (panel: title of its axis); ``what``: what x counts."""
    names = list(dict.fromkeys(line.name for line in lines))
    pictures = [_picture([line for line in lines if line.panel == panel], names, titles, what) for panel in titles]
    across = [
        altair.hconcat(*pictures[begin : begin + IN_A_ROW], spacing=30) for begin in range(0, len(pictures), IN_A_ROW)
    ]
    return titled(altair.vconcat(*across), title, subtitle)


def _picture(lines: Sequence[Line], names: Sequence[str], titles: dict[str, str], what: str) -> Any:
    panel = lines[0].panel
    values = [value for line in lines for value in line.values]
    low, high = min(values), max(values)
    room = 0.05 * (high - low or 1.0)
    up = altair.Scale(domain=[low - room, high + room], nice=False, zero=False)
    first, last = min(line.epochs[0] for line in lines), max(line.epochs[-1] for line in lines)
    ends = altair.Scale(domain=[first, last] if first < last else [first - 1, last + 1])
    across = altair.X("epoch:Q", title=what, scale=ends, axis=altair.Axis(tickMinStep=1, format="d"))
    colour = coloured_by("name", names)
    curve = [
        {"line": place, "name": line.name, "epoch": epoch, "value": value}
        for place, line in enumerate(lines)
        for epoch, value in zip(line.epochs, line.values, strict=True)
    ]
    dots = [
        {"name": line.name, "epoch": epoch, "value": value}
        for line in lines
        for epoch, value in zip(line.epochs, line.values, strict=True)
        if epoch == line.best or len(line.epochs) == 1  # of one epoch no line can be drawn
    ]
    axis = altair.Y("value:Q", title=titles[panel], scale=up)
    size = {"width": WIDTH, "height": HEIGHT, "title": panel_title(panel)}
    layers = [
        altair.Chart(chart_data(curve), **size)
        .mark_line(strokeWidth=1.3, opacity=0.8)
        .encode(x=across, y=axis, color=colour, detail="line:N"),
        altair.Chart(chart_data(dots))
        .mark_point(filled=True, size=45, opacity=1)
        .encode(x=across, y=axis, color=colour),
    ]
    if len(names) > 1:
        beside = altair.Y("at:Q", title=titles[panel], scale=up)
        layers.append(end_labels("name", _heights(lines, 1.1 * (high - low or 1.0)), WIDTH, beside, colour))
    return altair.layer(*layers)


def _heights(lines: Sequence[Line], span: float) -> dict[str, float]:
    """The height of the label of each name: near the ends of its lines."""
    ends: dict[str, list[float]] = {}
    for line in lines:
        ends.setdefault(line.name, []).append(line.values[-1])
    heights = space_out([sum(end) / len(end) for end in ends.values()], LABEL * span / HEIGHT)
    return dict(zip(ends, heights, strict=True))
