"""The skill of judges against their kappa with humans, a point a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, GREY, altair, chart_data, space_out, titled

if TYPE_CHECKING:
    from gradeval.studies.judges.comparison import JudgeComparison
    from gradeval.tables.grid import Estimate

WIDTH, HEIGHT = 300, 260
ROW = 3  # pictures in a row
LABEL = 13  # pixels between the names of judges


@chart
def judges_chart(comparison: JudgeComparison) -> Any:
    """By measure, the skill of each judge (0: knows nothing, 1: the humans' order) with its interval, against kappa."""
    if not comparison.consequences:
        few = ": give one more" if comparison.runs else ": give RUNS, too"
        raise InputError(f"a picture shows skill against kappa, and skill needs runs, two at least{few}")
    skills = [one.orders.skill_estimate for results in comparison.consequences.values() for one in results]
    low = min([0.0, *(_ends(skill)[0] for skill in skills if skill is not None)])
    kappas = [labels.kappa.value for labels in comparison.labels.values() if labels.kappa is not None]
    upward, across = altair.Scale(domain=[low, 1.0]), altair.Scale(domain=[min([0.0, *kappas]), 1.0])
    nothing = altair.Chart(chart_data([{"at": 0.0}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(y="at:Q")
    charts = []
    for place, measure in enumerate(comparison.measures):
        points = chart_data(_points_of_judges(comparison, place, LABEL * (1 - low) / HEIGHT))
        base = altair.Chart(points, width=WIDTH, height=HEIGHT, title=str(measure)).encode(
            x=altair.X("kappa:Q", title="kappa with the humans' labels (quadratic)", scale=across)
        )
        skill = altair.Y("skill:Q", title="skill", scale=upward)
        name = {"x": altair.X("end:Q", scale=across), "y": altair.Y("height:Q", scale=upward)}
        charts.append(
            nothing
            + base.mark_rule(color=GREY, opacity=0.5).encode(y=skill, x2="end:Q", y2="height:Q")
            + base.mark_point(filled=True, opacity=1, size=50, color=COLOURS[0]).encode(y=skill)
            + base.mark_text(align="left", dx=4, fontSize=10).encode(text="judge:N", **name)
            + base.mark_rule(color=COLOURS[0]).encode(y=altair.Y("low:Q", title="skill", scale=upward), y2="high:Q")
        )
    about = "skill, with its interval over topics; 0 (dashed): shuffled grades; 1: the order of the humans"
    return titled(altair.concat(*charts, columns=ROW), "Judges: order of the runs against labels", about)


def _ends(figure: Estimate) -> tuple[float, float]:
    """The interval of a figure; where it has none, the figure itself."""
    return figure.bounds or (figure.value, figure.value)


def _points_of_judges(comparison: JudgeComparison, place: int, apart: float) -> list[dict[str, Any]]:
    """The kappa and skill of each judge that has both, and the height of its name at the right end of the picture."""
    points: list[dict[str, Any]] = []
    for judge, labels in comparison.labels.items():
        skill = comparison.consequences[judge][place].orders.skill_estimate
        if labels.kappa is not None and skill is not None:
            low, high = _ends(skill)
            point = {"judge": judge, "kappa": labels.kappa.value, "skill": skill.value, "low": low, "high": high}
            points.append({**point, "end": 1.0})
    heights = space_out([point["skill"] for point in points], apart, 1.0) if points else []
    return [{**point, "height": height} for point, height in zip(points, heights, strict=True)]
