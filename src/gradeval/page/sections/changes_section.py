"""What changed since an earlier evaluation?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradeval.messages import list_some, plural
from gradeval.page.section import Material, Section, Titled
from gradeval.scores.score_table import decimals
from gradeval.studies.changes import Changes
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table

HEADING = "What changed since the earlier evaluation?"


def changes(material: Material) -> Section | None:
    """Each run with itself in an earlier evaluation; None where none was given."""
    changed = material.changes
    if changed is None:
        return None
    return Section(
        "changes",
        HEADING,
        _answer_what_changed(changed),
        list(_explain_changes(changed)),
        tables=[Titled("Changes", _table_of_changes(changed))],
    )


def _answer_what_changed(changed: Changes) -> str:
    """How many runs are better or worse by the first measure, and which changed most."""
    measure, by = changed.measures[0], changed.difference[:, 0]
    told = changed.significant[:, 0]
    better, worse = int((told & (by > 0)).sum()), int((told & (by < 0)).sum())
    largest = int(abs(by).argmax())
    other = "by other judgments than before, " if changed.judged_alike is False else ""
    said = (
        f"{other}{better} of {plural(len(changed.runs), 'run')} {'is' if better == 1 else 'are'} significantly better, "
    )
    said += f"{worse} worse, by {measure}, over {plural(len(changed.topics), 'common topic')}"
    low, high = changed.interval[largest, 0]
    digits = decimals(measure, 4)
    if by[largest] == 0:
        return f"No run changed by {measure}, over {plural(len(changed.topics), 'common topic')}."
    bounds = "" if np.isnan(low) else f" [{low:+.{digits}f}, {high:+.{digits}f}]"
    return f"{said}; {changed.runs[largest]} changed most, by {by[largest]:+.{digits}f}{bounds}."


def _explain_changes(changed: Changes) -> Iterator[str]:
    if changed.judged_alike is False:
        yield "The judgments, or how they were read, differ from the earlier evaluation; this alone may change values."
    if changed.judged_alike is None:
        yield "The earlier evaluation does not say which judgments it used; they may differ from these."
    for names, what in ((changed.added, "new here"), (changed.gone, "no longer here")):
        if names:
            yield f"{plural(len(names), 'run')} {what}: {list_some(names)}."
    yield (
        "Test: two-sided t test paired by topic, with Holm's correction over the runs of each measure. Marks are at "
        f"alpha {changed.alpha:g}. Each interval has {1 - changed.alpha:g} confidence by itself. Means are over the "
        "topics that both evaluations have."
    )


def _table_of_changes(changed: Changes) -> Table:
    measure = changed.measures[0]
    spec, signed = f".{decimals(measure, 4)}f", f"+.{decimals(measure, 4)}f"
    columns = [Column("run", "name"), Column(f"{measure} before", spec=spec), Column(f"{measure} now", spec=spec)]
    columns += [Column(f"change of {each}", spec=signed) for each in changed.measures]
    columns += [Column("p", spec=".4f"), Column("p (holm)", spec=".4f")]
    rows: list[list[Cell]] = []
    for run in abs(changed.difference[:, 0]).argsort(kind="stable")[::-1].tolist():
        cells: list[Cell] = [changed.runs[run], float(changed.before[run, 0]), float(changed.now[run, 0])]
        for place in range(len(changed.measures)):
            by, told = float(changed.difference[run, place]), bool(changed.significant[run, place])
            low, high = changed.interval[run, place].tolist()
            cells.append(Estimate(by, ("▲" if by > 0 else "▼") if told else "", (low, high) if low < high else None))
        rows.append([*cells, float(changed.p[run, 0]), float(changed.corrected[run, 0])])
    records = Records.over(
        {"run": changed.runs, "measure": list(map(str, changed.measures))},
        statistic="change",
        value=changed.difference,
        lower=changed.interval[..., 0],
        upper=changed.interval[..., 1],
        before=changed.before,
        now=changed.now,
        p=changed.p,
        corrected=changed.corrected,
        alpha=changed.alpha,
        topics=len(changed.topics),
    )
    return Table([Grid(columns, rows)], records)
