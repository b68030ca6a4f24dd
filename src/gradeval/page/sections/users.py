"""For which users is which run the best? The weights of the grades, live."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gradeval.formula.arithmetic import rounded
from gradeval.messages import join_names
from gradeval.page.live import choose_runs, live_data
from gradeval.page.section import Material, Section, Titled
from gradeval.studies.grade_weights import GradeWeights
from gradeval.studies.leading_runs import POINTS, Stretch, stretches, triangle
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table

HEADING = "For which users is which run the best?"


def users(material: Material) -> Section | str:
    """Sliders for the weights of the grades, and a map of the leaders; or why there are none."""
    overview = material.overview
    forms = overview.forms
    if overview.judged is None or len(overview.scores.runs) < 2 or not forms:
        return f"{HEADING} That needs judgments with two grades above 0 and two runs."
    gap = next((form for form in forms if form.measure.name == "GAP"), forms[0])
    kept = choose_runs(forms, overview.order)
    shown = [form if len(kept) == len(form.runs) else form.only(kept) for form in forms]
    said, tables = _leaders(gap)
    details = [
        *([_strictest(gap, material.after_regrading)] if len(gap.grades) > 1 and not _are_equal(gap) else []),
        "Move the sliders. A share says how many users want documents of this grade or better. "
        "A gain says what a document of the grade is worth. The page computes every value exactly as the command "
        "does.",
        *([f"Grades are shown{material.after_regrading}."] if material.after_regrading else []),
    ]
    if len(kept) < len(overview.scores.runs):
        details.append(
            f"Shown here are the best {len(kept)} of {len(overview.scores.runs)} runs by {overview.measure}."
        )
    return Section(
        "users",
        HEADING,
        said,
        details,
        tables=tables,
        redo=[material.redo("evaluate", "-m", str(gap.measure))],
        part="users",
        data=live_data(shown),
    )


def _leaders(form: GradeWeights) -> tuple[str, list[Titled]]:
    """Who leads for which weights, in a sentence and as a table."""
    name, grades = form.measure.name, len(form.grades)
    if _are_equal(form):
        return f"All runs have the same {name} for every mix of users.", []
    leader = form.runs[int(form.mean(form.weights).argmax())]
    if grades == 2:
        parts = stretches(form)
        leaders = list(dict.fromkeys(part.run for part in parts))
        said = (
            _always(leader, form, POINTS)
            if len(leaders) == 1
            else f"{len(leaders)} runs lead by {name} for some mix of users; {leader} leads for the default shares."
        )
        return said, [Titled(f"Who leads by {name}", _strip_table(form, parts), len(leaders) == 1)]
    if grades == 3:
        _, runs = triangle(form)
        number = Counter(runs)
        if len(number) == 1:
            return _always(leader, form, len(runs)), []
        said = (
            f"{len(number)} runs lead by {name} for some mix of users; {leader}, which leads for the default shares, "
            f"leads for {_in_percent(number[leader] / len(runs))} of all mixes tried."
        )
        return said, [Titled(f"Who leads by {name}", _triangle_table(number, len(runs)))]
    return f"{leader} leads by {name} for the default shares of users.", []


def _are_equal(form: GradeWeights) -> bool:
    """Have all runs the same value on each topic by any weights?"""
    return bool((form.over == form.over[0]).all())


def _in_percent(share: float) -> str:
    """A share below 1, which is not rounded to all."""
    return f"{share:.0%}" if share < 0.995 else "more than 99%"


def _always(leader: str, form: GradeWeights, settings: int) -> str:
    """That one run leads at all settings that were looked up, in a sentence."""
    return f"{leader} leads by {form.measure.name} for every mix of users we tried ({settings:,})."


def _strictest(form: GradeWeights, after: str) -> str:
    """Who leads where all users want the highest grade only, in a sentence."""
    means = form.mean(np.eye(len(form.grades))[-1])
    best = [form.runs[run] for run in np.flatnonzero(rounded(means) == rounded(means).max()).tolist()]
    return (
        f"If all users want only documents of the highest grade, {form.grades[-1]:g}{after}, {join_names(best, 3)} "
        f"{'leads' if len(best) == 1 else 'lead'} by {form.measure.name} with {means.max():.4f}. Leads are over these "
        "topics alone; they were not tested."
    )


def _strip_table(form: GradeWeights, parts: list[Stretch]) -> Table:
    columns = [
        Column("run", "name"),
        Column(f"lowest share of grade {form.grades[0]:g}", spec=".4f"),
        Column("highest share", spec=".4f"),
    ]
    rows: list[list[Cell]] = [[part.run, part.low, part.high] for part in parts]
    records = Records.of(["run", "low", "high"], [[part.run, part.low, part.high] for part in parts])
    return Table([Grid(columns, rows)], records)


def _triangle_table(number: Counter[str], points: int) -> Table:
    shares = [(run, count / points) for run, count in number.most_common()]
    columns = [Column("run", "name"), Column("share of mixes", spec=".1%")]
    rows: list[list[Cell]] = [[run, share] for run, share in shares]
    return Table([Grid(columns, rows)], Records.of(["run", "share"], shares))
