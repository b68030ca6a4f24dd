"""Pictures of users: strategies against virtual users, and users read off their clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import (
    COLOURS,
    DASHES,
    altair,
    chart_data,
    coloured_by,
    panel_title,
    records,
    space_out,
    titled,
)

if TYPE_CHECKING:
    from gradeval.formula.arithmetic import Array
    from gradeval.papers.virtual_users import UserStudy
    from gradeval.studies.clicks import ClickedUsers

USERS_WIDTH, DOTS = 300, 170  # width in pixels: of MAP by threshold, and of each measure
LINE = 26  # height of a strategy in pixels
LEAST = 160  # least height of a row of pictures in pixels
LETTER, TICK = 6.0, 14  # pixels that a letter of a name and a tick take next to an axis
LABEL = 12
ROOM = 0.5  # of the width at most, for the names of the strategies before their lines
POINTS = 400  # of a line, at most
USERS_FEW = 20  # thresholds that have a dot each


@chart
def users_chart(study: UserStudy) -> Any:
    """Each user's view: mean AP by threshold at the left, the graded measures with their intervals next to it.

    A ring is the value of the same strategy for the virtual user one row above: where a measure does not depend on the
    number of grades, and both users think alike, every dot lies in its ring.
    """
    lines = [
        altair.hconcat(
            _thresholds(study, user),
            *(_dots(study, user, measure, first=place == 0) for place, measure in enumerate(study.shown)),
            title=altair.Title(_heading(study, user), anchor="start", fontWeight="bold", fontSize=12),
        )
        for user in range(len(study.users))
    ]
    topics = len(study.judgments[0].topics)
    return titled(
        altair.vconcat(*lines),
        "What users make of the same rankings",
        f"{len(study.strategies)} features as strategies, {topics} topics; bars: 95% intervals of the means, "
        f"{study.samples} samples of the topics, seed {study.seed}",
        offset=12,
    )


def _heading(study: UserStudy, user: int) -> str:
    rings = f"; rings: the user above, {study.users[user - 1].name}" if user > 1 else ""
    return f"user: {study.title(user)}{rings}"


def _height(study: UserStudy) -> int:
    return max(LEAST, LINE * len(study.strategies))


def _colour(study: UserStudy) -> Any:
    return coloured_by("strategy", study.strategies)


def _dash(study: UserStudy) -> Any:
    """Strategies of the same colour (there are more strategies than colours) have different dashes."""
    dashes = [DASHES[place // len(COLOURS) % len(DASHES)] for place in range(len(study.strategies))]
    return altair.StrokeDash("strategy:N", scale=altair.Scale(domain=study.strategies, range=dashes), legend=None)


def _thresholds(study: UserStudy, user: int) -> Any:
    """A curve for each strategy, with its name before it; strategies of equal values share one."""
    judgment = study.judgments[user]
    high = _height(study)
    chosen = _thresholds_to_draw(np.array(judgment.thresholds))
    lowest, highest = judgment.thresholds[0], judgment.thresholds[-1]
    names: dict[bytes, list[str]] = {}
    for strategy, values in zip(judgment.strategies, judgment.by_threshold, strict=True):
        names.setdefault(values.round(9).tobytes(), []).append(strategy)
    room = min(ROOM, (TICK + LETTER * max(len(", ".join(alike)) for alike in names.values())) / USERS_WIDTH)
    reach = ((highest - lowest) or 1.0) * 1.04
    across = altair.X(
        "threshold:Q",
        title="relevant from grade (threshold)",
        scale=altair.Scale(domain=[lowest - room / (1 - room) * reach, lowest + reach], nice=False),
        axis=altair.Axis(
            grid=False,
            ticks=False,
            format=",~r",
            labelExpr=f"datum.value < {lowest} ? '' : datum.label",
            **({"values": list(judgment.thresholds)} if len(judgment.thresholds) <= USERS_FEW else {}),
        ),
    )
    up = {"title": "mean AP", "scale": altair.Scale(domain=[0, 1], nice=False)}
    curves = {alike[0]: judgment.by_threshold[judgment.strategies.index(alike[0])] for alike in names.values()}
    data = [
        {"strategy": name, "threshold": judgment.thresholds[place], "value": float(values[place])}
        for name, values in curves.items()
        for place in chosen
    ]
    heights = space_out([float(values[0]) for values in curves.values()], LABEL / high, 1.0)
    labels = [
        {"strategy": alike[0], "threshold": lowest, "at": at, "text": ", ".join(alike)}
        for alike, at in zip(names.values(), heights, strict=True)
    ]
    title = altair.Title("AP, grade by grade", anchor="start", frame="group", fontWeight="normal")
    size = {"width": USERS_WIDTH, "height": high}
    base = altair.Chart(chart_data(data), **size).encode(x=across, y=altair.Y("value:Q", **up), color=_colour(study))
    layers = [base.mark_line(strokeWidth=1.6).encode(strokeDash=_dash(study))]
    if len(judgment.thresholds) <= USERS_FEW:
        layers.append(base.mark_point(filled=True, opacity=1, size=30))
    strategy_labels = (
        altair.Chart(chart_data(labels), **size)
        .mark_text(align="right", dx=-7, fontSize=11, limit=ROOM * USERS_WIDTH)
        .encode(x=across, y=altair.Y("at:Q", **up), text="text:N", color=_colour(study))
    )
    return altair.layer(*layers, strategy_labels, title=title)


def _thresholds_to_draw(thresholds: Array) -> list[int]:
    """Places of the thresholds that are drawn: all, or those nearest to points at equal distances."""
    if len(thresholds) <= POINTS:
        return list(range(len(thresholds)))
    points = np.linspace(thresholds[0], thresholds[-1], POINTS)
    places: list[int] = np.unique(np.searchsorted(thresholds, points)).tolist()
    return places


def _dots(study: UserStudy, user: int, measure: int, *, first: bool) -> Any:
    """The mean of a measure for each strategy, with its interval."""
    judgment = study.judgments[user]
    mean, bounds = judgment.mean()[:, measure], study.interval(user)[:, measure]
    names = [strategy + study.remark(user, strategy) for strategy in judgment.strategies]
    before = study.judgments[user - 1].mean()[:, measure] if user > 1 else mean
    data = [
        {"strategy": strategy, "row": name, "mean": at, "low": low, "high": high, "before": was}
        for strategy, name, at, (low, high), was in zip(
            judgment.strategies, names, mean.tolist(), bounds.tolist(), before.tolist(), strict=True
        )
    ]
    across = {
        "title": f"mean over {len(judgment.topics)} topics",
        "scale": altair.Scale(domain=[0, 1.04], nice=False),
        "axis": altair.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], labelOverlap=False, format=".1f"),
    }
    # As wide for each user, so that their pictures stand below each other.
    widest = max(len(name + study.remark(at, name)) for at in range(len(study.users)) for name in study.strategies)
    extent = TICK + LETTER * widest if first else 0
    base = altair.Chart(
        chart_data(data),
        width=DOTS,
        height=_height(study),
        title=altair.Title(study.shown[measure], anchor="start", frame="group", fontWeight="normal"),
    ).encode(
        y=altair.Y(
            "row:N",
            sort=names,
            title="strategy (feature)" if first else None,
            axis=altair.Axis(labels=first, ticks=first, minExtent=extent, maxExtent=extent),
        ),
        color=_colour(study),
    )
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=altair.X("low:Q", **across), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=32).encode(x=altair.X("mean:Q", **across)),
    ]
    if user > 1:
        layers.append(base.mark_point(filled=False, size=110, strokeWidth=1.3).encode(x=altair.X("before:Q", **across)))
    return altair.layer(*layers)


CLICKED_WIDTH, HEIGHT = 300, 240
CLICKED_FEW = 20  # ranks that have a dot each


@chart
def clicked_users_chart(users: ClickedUsers) -> Any:
    """The g of each grade with its interval at the left, and how often ranks are looked at, where that is known."""
    low, high = users.interval.T
    shares = records(grade=[f"{grade:g}" for grade in users.levels[1:]], share=users.g, low=low, high=high)
    examined = [] if users.examined is None else users.examined.tolist()
    looked = [{"rank": rank, "looked": value} for rank, value in zip(users.ranks.tolist(), examined, strict=False)]
    up = altair.Scale(domain=[0, 1], nice=False)
    size = {"width": CLICKED_WIDTH, "height": HEIGHT}
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
        .mark_line(color=COLOURS[1], point={"color": COLOURS[1]} if len(looked) <= CLICKED_FEW else False)
        .encode(
            x=altair.X("rank:Q", title="rank", axis=altair.Axis(format="d", tickMinStep=1)),
            y=altair.Y("looked:Q", title="probability", scale=altair.Scale(domainMin=0)),
        )
    )
    about = f"{users.sessions} sessions; bars: {1 - users.alpha:.4g} confidence for all grades together"
    charts = altair.hconcat(bars + intervals, *([by_rank] if looked else []))
    return titled(charts, "Users read off their clicks", about, offset=12)
