"""What changed since an earlier evaluation?"""

from __future__ import annotations

from collections.abc import Iterator

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
    found = material.changes
    if found is None:
        return None
    return Section(
        "changes",
        HEADING,
        _answer_what_changed(found),
        list(_explain_changes(found)),
        tables=[Titled("Changes", _table_of_changes(found))],
    )


def _answer_what_changed(found: Changes) -> str:
    """How many runs are better or worse by the first measure, and which changed most."""
    measure, by = found.measures[0], found.difference[:, 0]
    told = found.significant[:, 0]
    better, worse = int((told & (by > 0)).sum()), int((told & (by < 0)).sum())
    largest = int(abs(by).argmax())
    other = "by other judgments than before, " if found.judged_alike is False else ""
    said = (
        f"{other}{better} of {plural(len(found.runs), 'run')} {'is' if better == 1 else 'are'} significantly better, "
    )
    said += f"{worse} worse, by {measure}, over {plural(len(found.topics), 'common topic')}"
    low, high = found.interval[largest, 0]
    digits = decimals(measure, 4)
    if by[largest] == 0:
        return f"No run changed by {measure}, over {plural(len(found.topics), 'common topic')}."
    return (
        f"{said}; {found.runs[largest]} changed most, by {by[largest]:+.{digits}f} [{low:+.{digits}f}, "
        f"{high:+.{digits}f}]."
    )


def _explain_changes(found: Changes) -> Iterator[str]:
    if found.judged_alike is False:
        yield "The judgments, or how they were read, differ from the earlier evaluation; this alone may change values."
    if found.judged_alike is None:
        yield "The earlier evaluation does not say which judgments it used; they may differ from these."
    for names, what in ((found.added, "new here"), (found.gone, "no longer here")):
        if names:
            yield f"{plural(len(names), 'run')} {what}: {list_some(names)}."
    yield (
        "Test: two-sided t test paired by topic, with Holm's correction over the runs of each measure. Marks are at "
        f"alpha {found.alpha:g}. Each interval has {1 - found.alpha:g} confidence by itself. Means are over the topics "
        "that both evaluations have."
    )


def _table_of_changes(found: Changes) -> Table:
    measure = found.measures[0]
    spec, signed = f".{decimals(measure, 4)}f", f"+.{decimals(measure, 4)}f"
    columns = [Column("run", "name"), Column(f"{measure} before", spec=spec), Column(f"{measure} now", spec=spec)]
    columns += [Column(f"change of {each}", spec=signed) for each in found.measures]
    columns += [Column("p", spec=".4f"), Column("p (holm)", spec=".4f")]
    rows: list[list[Cell]] = []
    for run in abs(found.difference[:, 0]).argsort(kind="stable")[::-1].tolist():
        cells: list[Cell] = [found.runs[run], float(found.before[run, 0]), float(found.now[run, 0])]
        for place in range(len(found.measures)):
            by, told = float(found.difference[run, place]), bool(found.significant[run, place])
            low, high = found.interval[run, place].tolist()
            cells.append(Estimate(by, ("▲" if by > 0 else "▼") if told else "", (low, high) if low < high else None))
        rows.append([*cells, float(found.p[run, 0]), float(found.corrected[run, 0])])
    records = Records.over(
        {"run": found.runs, "measure": list(map(str, found.measures))},
        statistic="change",
        value=found.difference,
        lower=found.interval[..., 0],
        upper=found.interval[..., 1],
        before=found.before,
        now=found.now,
        p=found.p,
        corrected=found.corrected,
        alpha=found.alpha,
        topics=len(found.topics),
    )
    return Table([Grid(columns, rows)], records)
