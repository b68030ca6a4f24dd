"""Users read off clicks: the share of them by threshold, and how often each rank is looked at."""

from __future__ import annotations

from typing import Any

from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, altair, chart_data, panel_title, records, titled
from gradeval.studies.clicks import ClickedUsers

WIDTH, HEIGHT = 300, 240
FEW = 20  # ranks that have a dot each


@chart
def clicked_users_chart(users: ClickedUsers) -> Any:
    """The g of each grade with its interval at the left, and how often ranks are looked at, where that is known."""
    low, high = users.interval.T
    shares = records(grade=[f"{grade:g}" for grade in users.levels[1:]], share=users.g, low=low, high=high)
    examined = [] if users.examined is None else users.examined.tolist()
    looked = [{"rank": rank, "looked": value} for rank, value in zip(users.ranks.tolist(), examined, strict=False)]
    up = altair.Scale(domain=[0, 1], nice=False)
    size = {"width": WIDTH, "height": HEIGHT}
    across = altair.X(
        "grade:N", sort=None, title="grade from which documents are relevant", axis=altair.Axis(labelAngle=0)
    )
    by_grade = altair.Chart(
        chart_data(shares), **size, title=panel_title(f"share of {'users' if looked else 'clicks'} (g)")
    ).encode(x=across)
    bars = by_grade.mark_bar(color=COLOURS[0], opacity=0.5, size=36).encode(y=altair.Y("share:Q", scale=up, title="g"))
    intervals = by_grade.mark_rule(color=COLOURS[0]).encode(y=altair.Y("low:Q", scale=up, title="g"), y2="high:Q")
    by_rank = (
        altair.Chart(chart_data(looked), **size, title=panel_title("ranks looked at"))
        .mark_line(color=COLOURS[1], point={"color": COLOURS[1]} if len(looked) <= FEW else False)
        .encode(
            x=altair.X("rank:Q", title="rank", axis=altair.Axis(format="d", tickMinStep=1)),
            y=altair.Y("looked:Q", title="probability", scale=altair.Scale(domainMin=0)),
        )
    )
    about = f"{users.sessions} sessions; bars: {1 - users.alpha:.4g} confidence for all grades together"
    charts = altair.hconcat(bars + intervals, *([by_rank] if looked else []))
    return titled(charts, "Users read off their clicks", about, offset=12)
