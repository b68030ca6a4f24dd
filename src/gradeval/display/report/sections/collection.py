"""Can the judgments be trusted? The collection, and what it would say of a run that did not make its pool."""

from __future__ import annotations

import numpy as np

from gradeval.display.page.section import Section, Titled
from gradeval.display.report.material import Material
from gradeval.formula.levels import show_levels
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table


def collection(material: Material) -> Section | None:
    """Grades by topic, coverage of the runs, and leave-one-run-out; None where there are no judgments."""
    overview = material.overview
    judged = overview.judged
    if judged is None:
        return None
    pool = judged.pool
    relevant = pool[:, 1:].sum(-1)
    said = (
        f"{int(pool.sum()):,} judgments of {len(judged.topics):,} topics, grades {show_levels(judged.levels)}: "
        f"{relevant.mean():.1f} relevant documents a topic, {int((relevant == 0).sum())} topics without any."
    )
    details, tables, redo = [], [Titled("Judged documents by grade", _grades(material))], [material.redo("check")]
    coverage = overview.scores.coverage
    if coverage is not None:
        unjudged = coverage.unjudged_share
        most = int(unjudged.argmax())
        details.append(
            f"{unjudged.mean():.1%} of the documents of a run are unjudged on average, most of "
            f"{overview.scores.runs[most]} ({unjudged[most]:.1%})."
        )
    if overview.left_out is not None:
        left = overview.left_out
        lost = left.rank_without[0] - left.rank[0]
        worst = int(lost.argmax())
        effect = (
            f"{left.runs[worst]} would lose most, {int(lost[worst])} ranks"
            if lost[worst] > 0
            else "none would lose a rank"
        )
        details.append(
            f"Had a run not taken part in the pool, its own finds would be unjudged: {int((lost > 0).sum())} of "
            f"{len(left.runs)} runs would lose ranks by {overview.measure}; {effect}. This holds if these runs made "
            "the pool."
        )
        tables.append(Titled("Each run without the documents that only it brought", left.table(), folded=True))
    elif "leave-out" in overview.absent:
        details.append(f"Left out: leave-out ({overview.absent['leave-out']}).")
    return Section("collection", "Can the judgments be trusted?", said, details, tables=tables, redo=redo)


def _grades(material: Material) -> Table:
    """Documents by grade: in all, and of a topic at least, on average, at most."""
    judged = material.overview.judged
    assert judged is not None
    columns = [Column("grade", "name"), Column("documents", spec="d"), Column("topics with any", spec="d")]
    columns += [Column("least", spec="d"), Column("mean", spec=".1f"), Column("most", spec="d")]
    rows: list[list[Cell]] = []
    for place, level in enumerate(judged.levels):
        count = judged.pool[:, place]
        least, mean, most = int(count.min()), float(np.mean(count)), int(count.max())
        rows.append([f"{level:g}", int(count.sum()), int((count > 0).sum()), least, mean, most])
    records: list[list[Value]] = [list(row) for row in rows]  # type: ignore[arg-type]
    return Table([Grid(columns, rows)], Records.of("grade documents topics least mean most".split(), records))
