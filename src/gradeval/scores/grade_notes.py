"""What a reader should know of the grades: is every judged document relevant, what do thresholds mean, a slip?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.messages import Given, join_names, plural
from gradeval.warning_categories import GradesWarning, Note, NoteWeight

FEWEST_LEVELS = 4
"""Levels, 0 among them, from which judgments without a grade 0 are taken for a scale that begins above 0, as stars from
1 to 5. Lists of relevant documents alone have one grade (MS MARCO), or two (1 and 2 in BEIR's NFCorpus)."""
LONE_GAP, LONE_SHARE = 3, 0.01
"""Grades in a row that no document has, and the share of the judgments above them that may be a slip."""


def about_all_relevant(
    measures: Sequence[Measure], pools: JudgedRankings, regrading: Sequence[Given], shifts_all: bool
) -> Iterator[Note]:
    """That every judged document is relevant by binary measures and gains by graded ones, and how to say otherwise.

    ``shifts_all``: False for judgments that are read with others, which a shift would change, too.
    """
    levels = pools.levels
    if len(levels) < FEWEST_LEVELS or pools.pool[..., 0].any():
        return
    there = [levels[place] for place in np.flatnonzero(pools.pool.reshape(-1, len(levels)).any(0))]
    blind = [one for one in measures if there[1:] and one.threshold is not None and one.threshold <= there[0]]
    gaining = [one for one in measures if there[1:] and one.threshold is None and _gains(one, there[0], levels)]
    if not blind and not gaining:
        return
    lowest = f"{there[0]:g}"
    middle = next(level for level in levels if level >= (there[0] + there[-1]) / 2)
    shift = (
        sum(one.value for one in regrading) - there[0] if {one.parameter for one in regrading} <= {"shift"} else None
    )
    remedy = (
        f"--shift {shift:g} (shift={shift:g})"
        if shifts_all and shift
        else f"--recode {lowest}=0 (recode={{{lowest}: 0}})"
    )
    after, gain_by = after_regrading(regrading, _name_change), join_names([*map(str, gaining)], 6) if gaining else ""
    if blind:
        every = f"every judgment is relevant by {join_names([*map(str, blind)], 6)}"
        said = f"{every}{f', and gains by {gain_by}' if gaining else ''}: no grade is under {lowest}{after}"
        remedy = f"write {blind[0].configured({'rel': middle})}, or {remedy}"
    else:
        said = f"no grade is 0{after}: by {gain_by} even grade {lowest} gains"
        remedy = f"take {remedy}"
    yield Note(f"{said}; {remedy} if {lowest} means not relevant", GradesWarning, own_weight=NoteWeight.COVERAGE)


def _gains(measure: Measure, level: float, levels: Levels) -> bool:
    """Does a topic whose only judged document has this grade hold something for the measure?"""
    base = measure.base(JudgedRankings.empty(np.array([[one == level for one in levels]], int), levels))
    return base is not None and bool((base > 0).any())


def about_thresholds(measures: Sequence[Measure], regrading: Sequence[Given]) -> Iterator[Note]:
    """What a threshold that somebody chose means in the file, whose grades are shifted."""
    chosen = [one for one in measures if "rel" in dict(one.changed) and one.threshold is not None]
    if not chosen or not any(one.parameter == "shift" for one in regrading):
        return
    rel, before = chosen[0].threshold, "not as in the file"
    if rel is not None and all(one.parameter == "shift" for one in regrading):
        before = f"so from {rel - sum(one.value for one in regrading):g} in the file"
    text = f"{chosen[0]} counts grades from {rel:g}{after_regrading(regrading, _name_change)}, {before}"
    yield Note(text, own_weight=NoteWeight.MEANING)


def after_regrading(changes: Sequence[Given], spell: Callable[[Given], str]) -> str:
    """After which changes the grades are meant: `` after --shift -1 and --recode 4=3``; empty where nothing changed."""
    return f" after {join_names([*map(spell, changes)])}" if changes else ""


def _name_change(change: Given) -> str:
    """A change for readers of whom it is not known whether they type commands or Python: ``shift -1``."""
    return f"{change.parameter} {change.text}"


def about_lone_grades(qrels: Qrels) -> Iterator[str]:
    """A few judgments far above all others, as 30 for 3: the levels between them, which no document has, count."""
    levels = qrels.levels
    if len(levels) <= LONE_GAP + 1 or levels[-1] != len(levels) - 1:  # declared, or without such a gap
        return
    counts = np.bincount(qrels.grades[qrels.grades > 0].astype(int))
    below, top = np.flatnonzero(counts)[-2:].tolist() if np.count_nonzero(counts) > 1 else (0, 0)
    if top - below > LONE_GAP and counts[top] <= LONE_SHARE * counts.sum():
        used = ",".join(f"{grade:g}" for grade in (0, *np.flatnonzero(counts).tolist()))
        yield (
            f"grade {top} stands in {plural(int(counts[top]), 'judgment')}, and no grade from {below + 1} to {top - 1} "
            f"in any: a slip? Else declare levels {used}"
        )
