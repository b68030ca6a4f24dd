"""Precision against recall, and expected precision against rank: a row of pictures a measure, a line a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import altair, coloured_by, end_labels, line_chart, panel_title, space_out, titled
from gradeval.measures.precision import TENTHS
from gradeval.studies.curve import Curves

WIDTH, HEIGHT = 300, 260
LABEL = 12


@chart
def curves_chart(curves: Curves) -> Any:
    """Of one topic its points, of several the mean of the interpolated precision; expected precision at the right."""
    rows = [
        altair.hconcat(_against_recall(curves, place), _by_rank(curves, place)) for place in range(len(curves.measures))
    ]
    number = len(curves.topics)
    shown = f"topic {curves.topics[0]}" if number == 1 else f"mean over {number} topics, interpolated"
    return titled(altair.vconcat(*rows), "Precision and recall", shown, offset=12)


def _against_recall(curves: Curves, place: int) -> Any:
    """The points of the only topic, joined by lines, or the mean precision at eleven levels of recall."""
    measure = curves.measures[place]
    single = len(curves.topics) == 1
    areas = curves.areas.mean()[:, place].tolist()
    if single:
        lines = [curves.points_of(run, curves.topics[0], measure)[:, 1:].tolist() for run in curves.runs]
    else:
        lines = [list(zip(TENTHS, line, strict=True)) for line in curves.mean_at_recall()[:, place].tolist()]
    graded = "graded " if measure.name == "GAP" else ""
    across = altair.X(
        "x:Q", title=f"{graded}recall", scale=altair.Scale(domain=[0, 1], nice=False), axis=altair.Axis(tickCount=5)
    )
    best_first = sorted(range(len(areas)), key=areas.__getitem__, reverse=True)
    beside = {place: 1 - line * LABEL / HEIGHT for line, place in enumerate(best_first)}
    labels = {run: (beside[place], f"{run} {areas[place]:.4f}") for place, run in enumerate(curves.runs)}
    title = f"{graded}precision and recall: area = {measure}"
    return _picture(curves.runs, lines, across, f"{graded}precision", title, labels, points=single)


def _by_rank(curves: Curves, place: int) -> Any:
    """Mean expected precision in the first n documents, n on a logarithmic scale."""
    lines = [list(enumerate(line, 1)) for line in curves.mean_by_rank()[:, place].tolist()]
    across = altair.X(
        "x:Q",
        title="rank",
        scale=altair.Scale(type="log", domain=[1, max(2, curves.by_rank.shape[-1])], nice=False),
        axis=altair.Axis(tickCount=4),
    )
    heights = space_out([line[-1][1] for line in lines], LABEL / HEIGHT, 1.0)
    labels = {run: (height, run) for run, height in zip(curves.runs, heights, strict=True)}
    return _picture(curves.runs, lines, across, "expected precision", "expected precision by rank", labels)


def _picture(
    runs: Sequence[str],
    lines: Sequence[Sequence[Sequence[float]]],
    across: Any,
    upward: str,
    title: str,
    labels: dict[str, tuple[float, str]],
    *,
    points: bool = False,
) -> Any:
    """A line for each run; ``labels``: the height of its label beside the picture, and its text."""
    data = [
        {"run": run, "x": x, "y": y, "order": place}
        for run, line in zip(runs, lines, strict=True)
        for place, (x, y) in enumerate(line)
    ]
    up = {"title": upward, "scale": altair.Scale(domain=[0, 1], nice=False)}
    look = {"width": WIDTH, "height": HEIGHT, "title": panel_title(title)}
    mark = {"point": {"size": 24} if points else False}
    drawn = line_chart(data, "run", runs, across, altair.Y("y:Q", **up), mark, **look).encode(order="order:Q")
    heights = {run: height for run, (height, _) in labels.items()}
    texts = {run: text for run, (_, text) in labels.items()}
    return drawn + end_labels("run", heights, WIDTH, altair.Y("at:Q", **up), coloured_by("run", runs), texts)
