"""The skill of judges against their kappa with humans, a point a judge."""

from __future__ import annotations

from typing import Any

from gradeval._core import InputError
from gradeval.display.charts.rendering import COLOURS, GREY, chart_data
from gradeval.studies.judges.comparison import JudgeComparison

WIDTH, HEIGHT = 300, 260
ROW = 3  # pictures in a row


def judges_chart(comparison: JudgeComparison) -> Any:
    """By measure, the skill of each judge (0: knows nothing, 1: the humans' order) against its quadratic kappa."""
    import altair

    if not comparison.measures:
        raise InputError("a picture shows skill against kappa, and skill needs runs: give RUNS, too")
    skills = [one.orders.skill for results in comparison.consequences.values() for one in results]
    upward = altair.Scale(domain=[min([0.0, *(skill for skill in skills if skill is not None)]), 1.0])
    kappas = [labels.kappa.value for labels in comparison.labels.values() if labels.kappa is not None]
    across = altair.Scale(domain=[min([0.0, *kappas]), 1.0])
    charts = []
    for place, measure in enumerate(comparison.measures):
        points = []
        for judge, labels in comparison.labels.items():
            skill = comparison.consequences[judge][place].orders.skill
            if labels.kappa is not None and skill is not None:
                points.append({"judge": judge, "kappa": labels.kappa.value, "skill": skill})
        base = altair.Chart(chart_data(points), width=WIDTH, height=HEIGHT, title=str(measure)).encode(
            x=altair.X("kappa:Q", title="kappa with the humans' labels (quadratic)", scale=across),
            y=altair.Y("skill:Q", title="skill", scale=upward),
        )
        nothing = altair.Chart(chart_data([{"at": 0.0}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(y="at:Q")
        charts.append(
            nothing
            + base.mark_point(filled=True, opacity=1, size=50, color=COLOURS[0])
            + base.mark_text(align="left", dx=6, fontSize=9).encode(text="judge:N")
        )
    about = "skill 0 (dashed): the order of the runs by human grades shuffled within topics; 1: that by the humans"
    return altair.concat(*charts, columns=ROW).properties(
        title=altair.Title("Judges: order of the runs against labels", subtitle=about, anchor="start")
    )
