"""Rankings inferred from the values of measures: inferred against actual curves, and grades by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import GREY, altair, chart_data, colour_scale, dash_scale, panel_title, titled
from gradeval.papers.infer_curves import InferredCurves, InferredList

WIDTH, HEIGHT = 260, 220
RANKINGS = 12
"""Rankings that one picture shows at most."""
ACTUAL = "#333333"


@chart
def inferred_curves_chart(curves: InferredCurves) -> Any:
    """A row of pictures for each ranking: a curve a threshold, and at the right the grades by rank.

    Grey points are the ranking as it is; each line is what the value of one measure lets one infer of it.
    """
    if len(curves.rankings) > RANKINGS:
        raise InputError(
            f"{len(curves.rankings)} rankings are more than the {RANKINGS} of a picture; choose topics and runs, or "
            "save the numbers"
        )
    names = [str(measure) for measure in curves.measures]
    rows = []
    for ranking in curves.rankings:
        pictures = [_against_recall(ranking, place, grade, names) for place, grade in enumerate(curves.thresholds)]
        title = altair.Title(f"{ranking[0].run}, topic {ranking[0].topic}", anchor="start", fontSize=12)
        rows.append(altair.hconcat(*pictures, _grades(ranking, names)).properties(title=title))
    about = "points: the ranking as it is; lines: inferred by maximum entropy"
    return titled(altair.vconcat(*rows), "What the value of a measure lets one infer of a ranking", about, offset=12)


def _against_recall(ranking: Sequence[InferredList], place: int, grade: float, names: list[str]) -> Any:
    """Inferred precision against recall for one threshold, over the actual points."""
    points = [{"recall": recall, "precision": precision} for _, recall, precision in ranking[0].actual[place].tolist()]
    lines = [
        {"measure": str(of.measure), "rank": rank, "recall": recall, "precision": precision}
        for of in ranking
        if of.converged
        for rank, (recall, precision) in enumerate(
            zip(of.recall[place].tolist(), of.precision[place].tolist(), strict=True)
        )
    ]
    across = altair.X("recall:Q", scale=altair.Scale(domain=[0, 1]), axis=altair.Axis(tickCount=5))
    up = altair.Y("precision:Q", scale=altair.Scale(domain=[0, 1]))
    size = {"width": WIDTH, "height": HEIGHT}
    title = panel_title(f"relevant from grade {grade:g}")
    actual = altair.Chart(chart_data(points), **size, title=title).encode(x=across, y=up)
    inferred = altair.Chart(chart_data(lines), **size).encode(x=across, y=up, order="rank:Q", **_lines(names))
    return (
        actual.mark_line(color=GREY, strokeWidth=1)
        + actual.mark_point(filled=True, color=ACTUAL, size=22, opacity=1)
        + inferred.mark_line(clip=True)
    )


def _grades(ranking: Sequence[InferredList], names: list[str]) -> Any:
    """The grade to be expected at each rank, over the true grades."""
    points = [{"rank": rank, "grade": grade} for rank, grade in enumerate(ranking[0].grade.tolist(), 1) if grade > 0]
    lines = [
        {"measure": str(of.measure), "rank": rank, "grade": grade}
        for of in ranking
        if of.converged
        for rank, grade in enumerate(of.expected_grade.tolist(), 1)
    ]
    length = max(2, len(ranking[0].grade))
    across = altair.X(
        "rank:Q", scale=altair.Scale(type="log", domain=[1, length], nice=False), axis=altair.Axis(tickCount=4)
    )
    up = altair.Y("grade:Q")
    size = {"width": WIDTH, "height": HEIGHT}
    title = panel_title("grade by rank: true and expected")
    actual = altair.Chart(chart_data(points), **size, title=title).encode(x=across, y=up)
    inferred = altair.Chart(chart_data(lines), **size).encode(x=across, y=up, **_lines(names))
    return actual.mark_point(filled=True, color=ACTUAL, size=22, opacity=1) + inferred.mark_line()


def _lines(names: list[str]) -> dict[str, Any]:
    """One colour and one kind of dashes a measure, explained once."""
    legend = altair.Legend(title=None, orient="top", symbolStrokeWidth=2, labelLimit=400, columns=3)
    return {
        "color": altair.Color("measure:N", scale=colour_scale(names), legend=legend),
        "strokeDash": altair.StrokeDash("measure:N", scale=dash_scale(names), legend=legend),
    }
