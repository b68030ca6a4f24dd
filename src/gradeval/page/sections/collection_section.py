"""Can the judgments be trusted? The collection, and what it would say of a run that did not make its pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.levels import show_levels
from gradeval.messages import as_sentence, plural
from gradeval.page.page_texts import PageTexts
from gradeval.page.section import Material, Section, Titled
from gradeval.scores.coverage import TOP, Coverage
from gradeval.scores.grade_notes import about_negative_grades
from gradeval.studies.leave_out import about_groups, about_pool
from gradeval.studies.report_results import Overview
from gradeval.tables.grid import Column
from gradeval.tables.records import Value
from gradeval.tables.table import Table

HEADING = "Can the judgments be trusted?"
NAMED = 5
"""Runs with faults that the sentence names."""


def collection(material: Material) -> Section | str:
    """Grades by topic, coverage of the runs, and leave-one-run-out; or why they are missing."""
    overview = material.overview
    judged = overview.judged
    if judged is None:
        return f"{HEADING} That needs judgments and runs."
    pool = judged.pool
    relevant = overview.relevant
    assert relevant is not None
    number, empty = int(pool.sum()), int((relevant == 0).sum())
    counted = (
        f"{number:,} judgment{'' if number == 1 else 's'} of {plural(len(judged.topics), 'topic')}, grades "
        f"{show_levels(judged.levels)}{material.after_regrading}. {relevant.mean():.1f} relevant documents (grade "
        f"{overview.relevant_from:g} or more) a topic; {plural(empty, 'topic') if empty else 'no topic'} without one."
    )
    said = _tell_share(f"of the first {TOP} documents", "judged", overview.scores.runs, overview.judged_top or [])
    if below := about_negative_grades(judged.grading):
        counted += f" {as_sentence(below)}"
    # check takes the files as they are, without --shift
    details, redo = [counted], [material.redo("check", reads=("--exclude", "--repeated", "--columns"))]
    tables = [
        Titled("Judged documents by grade", _table_of_grades(judged)),
        Titled("Judged documents by topic", _topics(judged, material.texts), folded=True),
    ]
    coverage = overview.scores.coverage
    if coverage is not None:
        details.append(_faults(overview.scores.runs, coverage))
        tables.append(Titled("What the judgments cover of each run", _coverage(overview, coverage), folded=True))
        known = zip(coverage.unjudged_share.tolist(), (coverage.retrieved.sum(-1) > 0).tolist(), strict=True)
        shares = [share if some else None for share, some in known]
        details.append(f"{_tell_share('of the documents', 'unjudged', overview.scores.runs, shares)}.")
    if overview.left_out is not None:
        left = overview.left_out
        details.insert(0, f"{left.answer(left.measures[0])}.")
        details += [as_sentence(note) for note in (*about_groups(left), *about_pool(left))]
        grouped = [] if left.groups is None else ["--groups", "GROUPS"]
        redo.append(material.redo("leave-out", "-m", " ".join(map(str, left.measures)), *grouped))
        details.append(
            "The pool is the judged documents, which some runs had brought. A new system may find other documents, "
            "which count as not relevant. To see the cost, each run is scored without the judgments of documents that "
            f"no other {'group' if grouped else 'run'} has. It is a fair trial only if these runs made the pool."
        )
        alone = "only its group" if grouped else "it alone"
        tables.append(Titled(f"Each run without the judgments that {alone} brought", left.table(), folded=True))
    elif "leave-out" in overview.absent:
        details.append(f"Not computed: ranks of runs that are not pooled (leave-out): {overview.absent['leave-out']}.")
    return Section("collection", HEADING, f"{said}.", details, tables=tables, redo=redo)


def _tell_share(what: str, how: str, runs: Sequence[str], shares: Sequence[float | None]) -> str:
    """The share of documents of the runs that have some, and the run with the most unjudged ones."""
    known = {run: share for run, share in zip(runs, shares, strict=True) if share is not None}
    if not known:
        return "No run has documents"
    mean = f"{sum(known.values()) / len(known):.1%} {what}"
    if len(known) == 1:
        return f"{mean} of {next(iter(known))} are {how}"
    if len({f"{share:.1%}" for share in known.values()}) == 1:
        return f"{mean} of each run are {how}"
    word, worst = ("fewest", min(known, key=lambda run: known[run]))
    if how == "unjudged":
        word, worst = ("most", max(known, key=lambda run: known[run]))
    return f"{mean} of a run are {how} on average, {word} of {worst} ({known[worst]:.1%})"


def _faults(runs: Sequence[str], coverage: Coverage) -> str:
    """The runs whose ranks contradict their scores, in a sentence."""
    topics = (coverage.contradicting > 0).sum(-1).tolist()
    wrong = [f"{run} (topics: {number})" for run, number in zip(runs, topics, strict=True) if number]
    if not wrong:
        return "The ranks that the runs give contradict none of their scores."
    named = ", ".join(wrong[:NAMED]) + (f" and {len(wrong) - NAMED} more" if len(wrong) > NAMED else "")
    return f"In {len(wrong)} of {len(runs)} runs ranks contradict scores, and the scores decide: {named}."


def _coverage(overview: Overview, coverage: Coverage) -> Table:
    """A row a run: how many of its documents are judged, how much of the pool it brought, ties, and faults."""
    assert overview.judged is not None
    pooled = int(overview.judged.pool.sum())
    columns = [
        Column("run", "name"),
        Column("documents", spec=",d"),
        Column("judged", spec=",d"),
        Column("unjudged", spec=".1%"),
        Column("share of the pool", spec=".1%"),
        Column("tied", spec=".1%"),
        Column("topics missing", spec="d"),
        Column("topics with contradicting ranks", spec="d"),
    ]
    counts = zip(
        coverage.retrieved.sum(-1).tolist(),
        coverage.judged.sum(-1).tolist(),
        coverage.unjudged_share.tolist(),
        (coverage.judged.sum(-1) / max(1, pooled)).tolist(),
        coverage.tied_share.tolist(),
        coverage.missing.tolist(),
        (coverage.contradicting > 0).sum(-1).tolist(),
        strict=True,
    )
    rows: list[list[Value]] = [[run, *row] for run, row in zip(overview.scores.runs, counts, strict=True)]
    fields = "run documents judged unjudged_share share_of_judged tied_share missing contradicting".split()
    return Table.of(columns, rows, fields)


def _topics(judged: JudgedRuns, texts: PageTexts) -> Table:
    """A row a topic: its judged documents of each grade."""
    asked = ["query"] * bool(texts.queries)
    columns = [*(Column(name, "name") for name in ("topic", *asked))]
    columns += [Column(f"grade {level:g}", spec="d") for level in judged.levels]
    rows: list[list[Value]] = [
        [topic, *texts.cells(topic), *counts] for topic, counts in zip(judged.topics, judged.pool.tolist(), strict=True)
    ]
    return Table.of(columns, rows, ["topic", *asked, *(f"grade_{level:g}" for level in judged.levels)])


def _table_of_grades(judged: JudgedRuns) -> Table:
    """Documents by grade: in all, and of a topic at least, on average, at most."""
    columns = [Column("grade", "name"), Column("documents", spec=",d"), Column("topics with one", spec=",d")]
    columns += [Column("fewest", spec=",d"), Column("mean", spec=".1f"), Column("most", spec=",d")]
    rows: list[list[Value]] = []
    for place, level in enumerate(judged.levels):
        count = judged.pool[:, place]
        least, mean, most = int(count.min()), float(np.mean(count)), int(count.max())
        rows.append([f"{level:g}", int(count.sum()), int((count > 0).sum()), least, mean, most])
    return Table.of(columns, rows, "grade documents topics least mean most".split())
