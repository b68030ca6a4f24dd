"""Pictures of a collection: what check finds, and what describe counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradeval._core import InputError
from gradeval.charts import chart
from gradeval.charts.rendering import COLOURS, GREY, altair, chart_data, panel_title, row_height, rows_of, titled
from gradeval.studies.describe import Description, RunsDescription, describe

if TYPE_CHECKING:
    from gradeval.checking.checked_files import Check, FileCheck
    from gradeval.collection.qrels import Qrels

WIDTH = 150
VERDICTS = ["right", "wrong"]


@chart
def check_chart(check: Check) -> Any:
    """A row a run, a panel a number; wrong files have a triangle, and those that cannot be read no mark at all."""
    judgments = check.judgments is not None
    files = check.files[1:] if judgments else check.files
    if not any(file.readable for file in files):
        raise InputError("no run can be read, so there is nothing to draw; 'faults' says why")
    panels = {
        "topics missing": [float(len(file.missing)) for file in files],
        "rank against score": [float(file.contradictions) for file in files],
        "tied lines": [file.tied for file in files],
    }
    if judgments:
        panels["unjudged lines"] = [file.unjudged or 0.0 for file in files]
        panels[f"judged@{check.cutoff}"] = [file.judged_at or 0.0 for file in files]
    drawn = [_panel(title, values, files, first=not place) for place, (title, values) in enumerate(panels.items())]
    wrong = sum(bool(file.faults) for file in files)
    subtitle = f"{len(files)} files, {wrong} of them wrong (▼)"
    about = [*filter(None, [check.description]), subtitle]
    return titled(altair.hconcat(*drawn, spacing=12), "Files of runs", about)


def _panel(title: str, values: Sequence[float], files: Sequence[FileCheck], *, first: bool) -> Any:
    data = [
        {"file": file.place, "value": value, "verdict": VERDICTS[bool(file.faults)]}
        for file, value in zip(files, values, strict=True)
        if file.readable
    ]
    line = row_height(len(files))
    names = [file.place for file in files]
    axis = altair.Axis(
        labels=first, ticks=first, labelFontSize=min(10, line), labelLimit=260, labelOverlap=False, grid=True
    )
    shares = title not in ("topics missing", "rank against score")
    across = altair.Axis(format="%", tickCount=3) if shares else altair.Axis(format="d", tickMinStep=1, tickCount=3)
    scale = altair.Scale(domain=[0, 1]) if shares else altair.Scale(domain=[0, max(1.0, *values, 1.0)])
    return (
        altair.Chart(chart_data(data), title=panel_title(title), width=WIDTH, height=line * len(files))
        .mark_point(filled=True, opacity=1, size=3 * line)
        .encode(
            x=altair.X("value:Q", title=None, axis=across, scale=scale),
            y=altair.Y("file:N", sort=names, scale=altair.Scale(domain=names), title=None, axis=axis),
            color=altair.Color(
                "verdict:N", scale=altair.Scale(domain=VERDICTS, range=[COLOURS[0], COLOURS[1]]), legend=None
            ),
            shape=altair.Shape(
                "verdict:N", scale=altair.Scale(domain=VERDICTS, range=["circle", "triangle-down"]), legend=None
            ),
        )
    )


HEIGHT = 260
WIDE = 900  # pixels that all topics take, where bars of the least size fit
BAR, LEAST = 18, 2  # pixels that a topic takes, at most and at least
NAMED = 60  # topics whose names are written
ACROSS = 260


@chart
def describe_chart(description: Description) -> Any:
    """Bars of judged documents, a colour a grade, the topics with most relevant ones first; below them the runs."""
    charts = [_topics(description)]
    if description.of_runs is not None:
        charts.append(_runs(description.of_runs))
    drawn = altair.vconcat(*charts).resolve_scale(color="independent", shape="independent")
    return titled(drawn, "The collection", description.description)


@chart
def qrels_chart(qrels: Qrels) -> Any:
    """The same of judgments alone."""
    return describe_chart(describe(qrels))


def _topics(description: Description) -> Any:
    order = np.argsort(-description.relevant, kind="stable").tolist()
    topics = [description.topics[place] for place in order]
    grades = [f"grade {level:g}" for level in description.levels]
    data = [
        {"topic": description.topics[topic], "grade": grade, "documents": int(description.pool[topic, place])}
        for topic in order
        for place, grade in enumerate(grades)
    ]
    range_ = [GREY, *(COLOURS[place % len(COLOURS)] for place in range(len(grades) - 1))]
    bar = max(LEAST, min(BAR, WIDE // len(topics)))
    named = len(topics) <= NAMED
    axis = altair.Axis(labels=named, ticks=named, labelAngle=-90, labelFontSize=min(10, bar), labelOverlap=False)
    records = chart_data([{**record, "place": grades.index(str(record["grade"]))} for record in data])
    return (
        altair.Chart(records, title=panel_title("judged documents by topic"), width=bar * len(topics), height=HEIGHT)
        .mark_bar()
        .encode(
            x=altair.X("topic:N", sort=topics, title=f"{len(topics)} topics, by relevant documents", axis=axis),
            y=altair.Y("documents:Q", title="documents"),
            color=altair.Color("grade:N", scale=altair.Scale(domain=grades, range=range_), sort=grades, title=None),
            order=altair.Order("place:Q", sort="descending"),
        )
    )


def _runs(runs: RunsDescription) -> Any:
    titles = list(runs.judged_share)
    first = np.asarray(runs.judged_share[titles[0]])
    order = np.argsort(-first, kind="stable").tolist()
    data = [
        {"run": runs.runs[run], "of": title, "judged": float(runs.judged_share[title][run])}
        for run in order
        for title in titles
    ]
    line, names = row_height(len(order)), [runs.runs[run] for run in order]
    share = altair.X("judged:Q", title="share judged", axis=altair.Axis(format="%"), scale=altair.Scale(domain=[0, 1]))
    range_ = [COLOURS[place] for place in range(len(titles))]
    look = {"labelLimit": 200, "labelOverlap": False, "grid": False}
    return (
        rows_of(data, "run", names, "how much of the runs is judged", ACROSS, line, **look)
        .mark_point(filled=True, opacity=1, size=3 * line)
        .encode(
            x=share,
            color=altair.Color("of:N", scale=altair.Scale(domain=titles, range=range_), sort=titles, title=None),
            shape=altair.Shape("of:N", scale=altair.Scale(domain=titles), sort=titles, title=None),
        )
    )
