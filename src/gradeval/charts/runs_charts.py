"""Pictures of runs: means, also at equal steps, ranks, curves of precision, ranks without what they alone brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval.charts import chart
from gradeval.charts.rendering import (
    COLOURS,
    altair,
    chart_data,
    coloured_by,
    end_labels,
    line_chart,
    lit,
    panel_title,
    records,
    row_height,
    rows_of,
    space_out,
    stack_slices,
    titled,
)
from gradeval.measures.precision import TENTHS

if TYPE_CHECKING:
    from gradeval.scores.scores import Scores
    from gradeval.studies.curve import Curves
    from gradeval.studies.interval_scale import IntervalScales
    from gradeval.studies.leave_out import LeftOut
    from gradeval.studies.ranks import RankSets

MEANS_WIDTH = 260
ROW = 3  # pictures in a row


@chart
def means_chart(scores: Scores, *, alpha: float = 0.05) -> Any:
    """The mean of every run, the best on top, with its interval by ``Scores.ci`` where there is one.

    Slices stand below.
    """
    if scores.slices is not None:
        parts = [(f"{one} ({len(one.topics)} {scores.unit})", part) for one, part in scores.by_slice()]
        whole = means_chart(replace(scores, slices=None), alpha=alpha)
        return stack_slices(whole, [(name, means_chart(part, alpha=alpha)) for name, part in parts])
    means = scores.mean()
    alone = np.stack([means, means], axis=-1)
    bounds = scores.ci(alpha=alpha) if len(scores.topics) > 1 else alone
    intervals = np.where(np.isnan(bounds), alone, bounds)
    order = np.argsort(-means[:, 0], kind="stable").tolist()
    runs = [scores.runs[place] for place in order]
    line = row_height(len(runs), most=18)
    charts = []
    for column, measure in enumerate(scores.measures):
        low, high = intervals[order, column].T
        data = records(run=runs, mean=means[order, column], low=low, high=high)
        axis = altair.Axis(labels=column % ROW == 0, ticks=column % ROW == 0, grid=False, labelFontSize=min(10, line))
        base = altair.Chart(chart_data(data), width=MEANS_WIDTH, height=line * len(runs)).encode(
            y=altair.Y("run:N", sort=runs, title=None, axis=axis)
        )
        title = f"mean {measure}" if measure.definition.aggregate != "sum" else str(measure)
        across = altair.Scale(zero=False)
        charts.append(
            base.mark_rule(color=COLOURS[0]).encode(
                x=altair.X("low:Q", title=title, scale=across, axis=altair.Axis(tickCount=5)), x2="high:Q"
            )
            + base.mark_point(filled=True, opacity=1, size=45, color=COLOURS[0]).encode(
                x=altair.X("mean:Q", title=title, scale=across)
            )
        )
    about = "; ".join(
        [f"{len(scores.topics)} topics", *(scores.about_ci(alpha=alpha) if len(scores.topics) > 1 else [])]
    )
    return titled(altair.concat(*charts, columns=ROW), f"Runs by {scores.measures[0]}", about)


RANKS_WIDTH = 240


@chart
def ranks_chart(ranks: RankSets) -> Any:
    """Runs by their means, each with its rank and interval; those that may be the best in colour."""
    panels = [_ranks_panel(ranks, measure) for measure in range(len(ranks.measures))]
    subtitle = f"lines: {1 - ranks.alpha:.4g} for all runs of a measure at once; in colour: may be the best"
    return titled(altair.hconcat(*panels), "Between which ranks does each run lie?", subtitle)


def _ranks_panel(ranks: RankSets, measure: int) -> Any:
    order = np.argsort(-ranks.mean[measure], kind="stable").tolist()
    names = [ranks.runs[run] for run in order]
    columns = {"rank": ranks.rank, "low": ranks.lower, "high": ranks.upper, "best": ranks.may_be_best}
    data = records(run=names, **{name: values[measure, order] for name, values in columns.items()})
    line = row_height(len(order), least=4)
    title = str(ranks.measures[measure])
    base = rows_of(data, "run", names, title, RANKS_WIDTH, line, labelLimit=160).encode(color=lit("best"))
    scale = altair.Scale(domain=[1, max(record["high"] for record in data)], nice=False)
    return altair.layer(
        base.mark_rule(strokeWidth=max(1, line // 6)).encode(
            x=altair.X("low:Q", title="rank", scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x="rank:Q"),
    )


LEAVE_OUT_WIDTH = 240


@chart
def leave_out_chart(left: LeftOut) -> Any:
    """A panel a measure: from the rank of each run to those that it would have, in colour where it loses ranks."""
    panels = [_leave_out_panel(left, measure) for measure in range(len(left.measures))]
    alone = "it" if left.groups is None else "its group"
    said = f"each run without the judgments of documents that {alone} alone has"
    among = third = ""
    if left.pool_depth is not None:
        among = f" among its first {left.pool_depth}"
    if left.shallow_depths is not None:
        third = f", triangle: by pools of depth {' or '.join(map(str, sorted({*left.shallow_depths})))}"
    marks = f"open dot: rank with them, full dot: without{third}; coloured where the rank falls"
    return titled(altair.hconcat(*panels), "Who would lose ranks?", [f"{said}{among}", marks])


def _leave_out_panel(left: LeftOut, measure: int) -> Any:
    order = np.argsort(left.rank[measure], kind="stable").tolist()
    rank, without = left.rank[measure, order], left.rank_without[measure, order]
    shallow = without if left.rank_shallow is None else left.rank_shallow[measure, order]
    most = np.maximum(without, shallow)
    names, look = [left.runs[run] for run in order], {"labelLimit": 160, "labelOverlap": False, "grid": False}
    data = records(run=names, rank=rank, without=without, shallow=shallow, most=most, falls=most > rank)
    line = row_height(len(order))
    scale = altair.Scale(domain=[1, int(max(rank.max(), most.max()))], nice=False)
    base = rows_of(data, "run", names, str(left.measures[measure]), LEAVE_OUT_WIDTH, line, **look)
    base = base.encode(color=lit("falls", COLOURS[1]))
    layers = [
        base.mark_rule().encode(x=altair.X("rank:Q", title="rank", scale=scale), x2="most:Q"),
        base.mark_point(filled=False, size=3 * line).encode(x=altair.X("rank:Q", scale=scale)),
        base.mark_point(filled=True, opacity=1, size=3 * line).encode(x=altair.X("without:Q", scale=scale)),
    ]
    if left.rank_shallow is not None:
        mark = base.mark_point(filled=True, opacity=1, size=4 * line, shape="triangle-right")
        layers.append(mark.encode(x=altair.X("shallow:Q", scale=scale)))
    return altair.layer(*layers)


CURVES_WIDTH, HEIGHT = 300, 260
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
    """A line for each run; ``labels``: the height of its label next to the picture, and its text."""
    data = [
        {"run": run, "x": x, "y": y, "order": place}
        for run, line in zip(runs, lines, strict=True)
        for place, (x, y) in enumerate(line)
    ]
    up = {"title": upward, "scale": altair.Scale(domain=[0, 1], nice=False)}
    look = {"width": CURVES_WIDTH, "height": HEIGHT, "title": panel_title(title)}
    mark = {"point": {"size": 24} if points else False}
    drawn = line_chart(data, "run", runs, across, altair.Y("y:Q", **up), mark, **look).encode(order="order:Q")
    heights = {run: height for run, (height, _) in labels.items()}
    texts = {run: text for run, (_, text) in labels.items()}
    return drawn + end_labels("run", heights, CURVES_WIDTH, altair.Y("at:Q", **up), coloured_by("run", runs), texts)


STEPS_SIZE = 200


@chart
def interval_scales_chart(scales: IntervalScales) -> Any:
    """A panel a measure, a point a run: its mean across, and its mean of equal steps up."""
    charts = []
    for place, measure in enumerate(scales.measures):
        data = records(run=scales.runs, mean=scales.means[place], steps=scales.steps[place])
        title = panel_title(f"tau {scales.tau[place]:.3f}")
        base = altair.Chart(chart_data(data), title=title, width=STEPS_SIZE, height=STEPS_SIZE)
        charts.append(
            base.mark_circle(size=30, opacity=0.8, color=COLOURS[0]).encode(
                x=altair.X("mean:Q", title=f"mean {measure}", scale=altair.Scale(zero=False)),
                y=altair.Y("steps:Q", title="mean of equal steps", scale=altair.Scale(zero=False)),
                tooltip="run:N",
            )
        )
    about = f"{len(scales.runs)} runs, {len(scales.topics)} {scales.unit}; on a rising line no two runs change places"
    return titled(altair.concat(*charts, columns=ROW), "Runs by values and by equal steps", about)
