"""What a reader should know of the grades: are all relevant, what do thresholds mean, are gains in order, a slip?"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np

from gradeval.collection.qrels import Grading, Qrels
from gradeval.collection.runs import Run
from gradeval.files.source import are_alike
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import MOST_TYPED, Levels
from gradeval.messages import Given, join_names, plural
from gradeval.scores.coverage import Coverage
from gradeval.warning_categories import GradesWarning, Note, NoteWeight

FEWEST_LEVELS = 4
"""Levels, 0 among them, from which judgments without a grade 0 are taken for a scale that begins above 0, as stars from
1 to 5. Lists of relevant documents alone have one grade (MS MARCO), or two (1 and 2 in BEIR's NFCorpus)."""
NEARLY_ALL = 0.9
"""The share of relevant judgments from which a measure hardly tells them apart, where some grades above 0 are none."""
LIKED = 2 / 3
"""The share of the highest grade from which a lowest one begins no scale: liked items alone were kept, as 4 and 5 of
stars from 1 to 5."""
HALF = 0.5
"""The step of scales as of half stars, from which they begin."""
TOO_GOOD = 20
"""Documents of a run from which it is no chance that they are the judged ones, and all are relevant."""
LONE_GAP, LONE_SHARE = 3, 0.01
"""Grades in a row that no document has, and the share of the judgments above them that may be a slip."""


def about_all_relevant(
    measures: Sequence[Measure],
    pools: JudgedRankings,
    regrading: Sequence[Given],
    shifts_all: bool,
    tell: Callable[[Literal["shift", "recode"], str, str], str],
) -> Iterator[Note]:
    """That every judged document is relevant by binary measures, or nearly every one, and gains by graded ones, and how
    to say otherwise.

    ``shifts_all``: False for judgments that are read with others, which a shift would change, too; ``tell``: see
    ``Qrels.tell_change``.
    """
    levels = pools.levels
    if len(levels) < FEWEST_LEVELS:
        return
    pool = pools.pool.reshape(-1, len(levels))
    counts = pool.sum(0)
    there = [levels[place] for place in np.flatnonzero(counts) if place]
    if not there[1:]:
        return
    nearly = _find_nearly_blind(measures, levels, counts)
    if nearly:
        yield _about_nearly_all(nearly, levels, pool, regrading)
    if counts[0] or there[0] >= LIKED * there[-1]:
        return
    if any(one.parameter == "recode" and there[0] in one.value.values() for one in regrading):
        return  # who makes the lowest grade knows the scale
    blind = [one for one in measures if one.threshold is not None and one.threshold <= there[0]]
    gaining = [one for one in measures if one.threshold is None and _gains(one, there[0], levels)]
    meant = not blind and any((one.threshold or 0) > there[0] for one in _chosen(measures))
    if meant or not (blind or gaining):  # who says for all binary measures which grades are relevant knows the scale
        return
    lowest = f"{there[0]:g}"
    from gradeval.scores.likely_thresholds import find_threshold  # here, as few judgments lack a grade 0

    likely = find_threshold(pool, levels, there[0])
    shift = (
        sum(one.value for one in regrading) - there[0] if {one.parameter for one in regrading} <= {"shift"} else None
    )
    if shifts_all and shift:
        higher = {one: one.configured({"rel": likely.grade}) for one in nearly}
        remedy = f"{tell('shift', f'{shift:g}', f'{shift:g}')}{_shifted_too(measures, there[0], higher)}"
    else:
        remedy = tell("recode", f"{lowest}=0", f"{{{lowest}: 0}}")
    halves = any(level % 1 == HALF for level in there)
    if halves and regrading and there[0] == HALF:
        return  # by a scale that begins at a half, as the user says
    after, gain_by = after_regrading(regrading, _name_change), name_measures(gaining) if gaining else ""
    if blind:
        every = f"every judgment is relevant by {name_measures(blind)}"
        said = f"{every}{f', and gains by {gain_by}' if gaining else ''}: no grade is under {lowest}{after}"
        remedy = f"write {blind[0].configured({'rel': likely.grade})}{likely.said}, or {remedy}"
    else:
        said = f"no grade is 0{after}: by {gain_by} even grade {lowest} gains"
        remedy = f"take {remedy}"
    remedy += f" if {lowest} means not relevant"
    if halves and not regrading and shifts_all and there[0] > HALF:
        remedy += f", or {tell('shift', f'{-HALF:g}', f'{-HALF:g}')} if the scale begins at {HALF:g}"
    yield Note(f"{said}; {remedy}", GradesWarning, own_weight=NoteWeight.COVERAGE)


def _find_nearly_blind(measures: Sequence[Measure], levels: Levels, counts: Array) -> list[Measure]:
    """The measures by whose own thresholds nearly all judgments are relevant, and some grades above 0 are not: grade
    0.5 of half stars alone. A threshold that somebody chose, or just above a grade 0, is meant."""
    chosen, top = _chosen(measures), levels[np.flatnonzero(counts)[-1]]
    nearly_blind = []
    for one in measures:
        if one.threshold is None or one in chosen or one.threshold >= top:
            continue
        relevant = np.array(levels) >= one.threshold
        if counts[1:][~relevant[1:]].any() and counts[relevant].sum() >= NEARLY_ALL * counts.sum():
            nearly_blind.append(one)
    return nearly_blind


def _about_nearly_all(nearly: Sequence[Measure], levels: Levels, pool: Array, regrading: Sequence[Given]) -> Note:
    """That nearly all judgments are relevant by some measures, and the measures that count grades from the middle."""
    threshold, counts = nearly[0].threshold or 0, pool.sum(0)
    share = counts[np.array(levels) >= threshold].sum() / counts.sum()
    from gradeval.scores.likely_thresholds import find_threshold  # here, as few judgments are nearly all relevant

    likely = find_threshold(pool, levels, threshold)
    higher = [one.configured({"rel": likely.grade}) for one in nearly]
    return Note(
        f"{share:.1%} of judgments are relevant by {name_measures(nearly)}: all from grade {threshold:g}"
        f"{after_regrading(regrading, _name_change)}; write {name_measures(higher)}{likely.said}"
        f"{',' * bool(likely.said)} if low grades mean not relevant",
        GradesWarning,
        own_weight=NoteWeight.COVERAGE,
    )


def about_fractions(measures: Sequence[Measure], pools: JudgedRankings) -> Iterator[Note]:
    """That few of the grades above 0 reach a threshold that nobody chose, as where 0 to 10 were divided by 10."""
    if not any(0 < level < 1 for level in pools.levels):  # as nearly always: 1 is relevant
        return
    levels = np.array(pools.levels)
    counts = pools.pool.reshape(-1, len(levels)).sum(0)
    for threshold in dict.fromkeys(one.threshold for one in measures if one.threshold is not None):
        strict = [one for one in measures if one.threshold == threshold and one not in _chosen(measures)]
        low, reached = counts[(levels > 0) & (levels < threshold)].sum(), counts[levels >= threshold].sum()
        if not strict or reached >= low:
            continue
        there = levels[(counts > 0) & (levels > 0)]
        middle = there[there >= (there[0] + there[-1]) / 2][0]
        relevant = [f"{level:g}" for level in there[there >= threshold]]
        which = f"only grade {join_names(relevant, 2)}" if reached else "no grade"
        yield Note(
            f"{which} counts as relevant by {name_measures(strict)}, of grades {there[0]:g} to "
            f"{there[-1]:g}; write {name_measures([one.configured({'rel': float(middle)}) for one in strict])} if "
            "lower ones are relevant, too",
            GradesWarning,
            own_weight=NoteWeight.COVERAGE,
        )


def _gains(measure: Measure, level: float, levels: Levels) -> bool:
    """Does a topic whose only judged document has this grade hold something for the measure?"""
    base = measure.base(JudgedRankings.empty(np.array([[one == level for one in levels]], int), levels))
    return base is not None and bool((base > 0).any())


def about_gain_order(measures: Sequence[Measure], pools: JudgedRankings) -> Iterator[Note]:
    """Gains by which a grade that is not named, and so keeps its own, gains more than a higher one that is named."""
    chosen = [(one, dict(gains)) for one in measures if (gains := one.parameters.get("gains"))]
    if not chosen:
        return
    levels = pools.levels
    there = [levels[place] for place in np.flatnonzero(pools.pool.reshape(-1, len(levels)).any(0)) if place]
    for one, gains in chosen:
        above = [
            (low, high) for high in gains for low in there if low < high and low not in gains and low > gains[high]
        ]
        if above:
            low, high = max(above)
            every = {**dict.fromkeys(there, 0), **gains}
            remedy = one.configured({"gains": {grade: every[grade] for grade in sorted(every)}})
            said = (
                f"by {one} grade {low:g} is not named and gains {low:g}, more than {gains[high]:g} for grade {high:g}"
            )
            yield Note(
                f"{said}; write {remedy} if it shall gain nothing", GradesWarning, own_weight=NoteWeight.COVERAGE
            )


def about_unused_levels(measures: Sequence[Measure], qrels: Qrels) -> Iterator[Note]:
    """That grades between those of the judgments occur nowhere, as with 0 and 4 alone, where measures depend on it."""
    levels = qrels.levels
    if qrels.declared or levels[-1] != len(levels) - 1:
        return
    counts: list[int] = qrels.grading().pools.pool.sum(0)[1:].tolist()
    there = (0.0, *(level for level, count in zip(levels[1:], counts, strict=True) if count))
    if len(there) in (1, len(levels)) or any(about_lone_grades(qrels)):
        return
    from gradeval.scores.level_dependence import depends_on_gaps  # here, as few judgments have gaps

    if len(there) > MOST_TYPED:  # the note on counts says it
        return

    depend = [one for one in measures if depends_on_gaps(one, there, levels)]
    if not depend:
        return
    moved = {grade: place for place, grade in enumerate(there) if grade != place}
    typed = ",".join(f"{grade:g}={place}" for grade, place in moved.items())
    python = ", ".join(f"{grade:g}: {place}" for grade, place in moved.items())
    unused = join_names([f"{level:g}" for level in levels if level not in there], 6)
    held = join_names([f"{grade:g}" for grade in np.unique(qrels.grades).tolist()], 6)
    grades = "grade" if len({*qrels.grades.tolist()}) == 1 else "grades"
    count = "counts" if len(depend) == 1 else "count"
    said = f"{name_measures(depend)} {count} as on a scale with {unused}"
    yield Note(
        f"the judgments{after_regrading(qrels.regrading, _name_change)} hold {grades} {held} only, and {said}; "
        f"if there are no others, {qrels.tell_change('recode', typed, f'{{{python}}}')} closes the gap",
        own_weight=NoteWeight.MEANING,
    )


def about_thresholds(measures: Sequence[Measure], regrading: Sequence[Given]) -> Iterator[Note]:
    """What thresholds that somebody chose mean in the file, whose grades are shifted, and what would mean these."""
    if not any(one.parameter == "shift" for one in regrading):
        return
    by_rel: dict[float, list[Measure]] = {}
    for one in _chosen(measures):
        by_rel.setdefault(one.threshold or 0, []).append(one)
    for rel, alike in by_rel.items():
        before = "not as in the file"
        if all(one.parameter == "shift" for one in regrading):
            shift = sum(one.value for one in regrading)
            before = f"so from {rel - shift:g} in the file"
            if rel + shift > 0:
                before += f"; for {rel:g} in the file write {name_measures(_with_shift(alike, shift))}"
        count = "counts" if len(alike) == 1 else "count"
        text = f"{name_measures(alike)} {count} grades from {rel:g}{after_regrading(regrading, _name_change)}, {before}"
        yield Note(text, own_weight=NoteWeight.MEANING)


def _shifted_too(measures: Sequence[Measure], lowest: float, higher: Mapping[Measure, Measure]) -> str:
    """What to write where the lowest grade becomes 0, for the measures with a chosen threshold and for the ones that
    need a higher one: a part of a sentence."""
    meant = {one: one for one in _chosen(measures) if (one.threshold or 0) > lowest} | dict(higher)
    shifted = _with_shift([*meant.values()], -lowest)
    return f", with {name_measures(shifted)} for {name_measures([*meant])}," if meant else ""


def _chosen(measures: Sequence[Measure]) -> list[Measure]:
    """The measures with a threshold that somebody chose."""
    return [one for one in measures if "rel" in dict(one.changed) and one.threshold is not None]


def _with_shift(measures: Sequence[Measure], shift: float) -> list[Measure]:
    """Measures that mean the same grades of the file after a shift."""
    return [one.configured({"rel": (one.threshold or 0) + shift}) for one in measures]


def name_measures(measures: Sequence[Measure]) -> str:
    """Measures as in a sentence; of many the last ones are counted."""
    return join_names([*map(str, measures)], 6)


def after_regrading(changes: Sequence[Given], spell: Callable[[Given], str]) -> str:
    """After which changes the grades are meant: `` after --shift -1 and --recode 4=3``; empty where nothing changed."""
    return f" after {join_names([*map(spell, changes)])}" if changes else ""


def _name_change(change: Given) -> str:
    """A change for readers of whom it is not known whether they type commands or Python: ``shift -1``."""
    return f"{change.parameter} {change.text}"


def about_negative_grades(grading: Grading) -> str:
    """How many grades are negative, and what they count as; empty: none is."""
    if not grading.below:
        return ""
    number, verb = plural(grading.below, "negative grade"), "counts" if grading.below == 1 else "count"
    return f"{number} {verb} as {'unjudged' if grading.negative == 'unjudged' else '0: judged, but not relevant'}"


def about_negatives_that_count(measures: Sequence[Measure], levels: Levels, below: int) -> Iterator[Note]:
    """Measures that tell documents judged not relevant from unjudged ones, of which negative grades may be either."""
    if not below:
        return
    from gradeval.collection.thinned import tells_apart  # here, as few judgments are negative

    telling = [one for one in measures if tells_apart(one, levels, 0.0, "U")]
    if telling:
        take = "takes" if len(telling) == 1 else "take"
        said = f"{name_measures(telling)} {take} {plural(below, 'negative grade')} as judged, not relevant"
        remedy = "if they mean unjudged, as in samples of TREC, add --negative unjudged (negative='unjudged')"
        yield Note(f"{said}; {remedy}", GradesWarning, own_weight=NoteWeight.COVERAGE, asks="negative")


def about_lone_grades(qrels: Qrels) -> Iterator[str]:
    """A few judgments far above all others, as 30 for 3, so that the levels between them count, which no document has;
    a few between whole grades, as 2.5."""
    levels = qrels.levels
    if len(levels) <= LONE_GAP + 1 and not qrels.grading().below and all(level.is_integer() for level in levels):
        return
    split = np.unique(odd := qrels.grades[qrels.grades != np.trunc(qrels.grades)]).tolist()
    if 0 < len(odd) <= LONE_SHARE * np.count_nonzero(qrels.grades > 0) and qrels.kept != "mean":
        named, stand = ", ".join(f"{grade:g}" for grade in split[:3]), "stands" if len(odd) == 1 else "stand"
        yield f"{plural(len(odd), 'grade')} ({named}) {stand} among whole grades, and each value is a level: a slip?"
    if len(levels) <= LONE_GAP + 1 or levels[-1] != len(levels) - 1:  # declared, or without such a gap
        return
    counts = np.bincount(qrels.grades[qrels.grades > 0].astype(int))
    below, top = np.flatnonzero(counts)[-2:].tolist() if np.count_nonzero(counts) > 1 else (0, 0)
    if top - below > LONE_GAP and counts[top] <= LONE_SHARE * counts.sum():
        used = [0, *np.flatnonzero(counts).tolist()]
        remedy = f" Else declare levels {','.join(map(str, used))}" if len(used) <= MOST_TYPED else ""
        yield (
            f"grade {top} stands in {plural(int(counts[top]), 'judgment')}, and no grade from {below + 1} to {top - 1} "
            f"in any: a slip?{remedy}"
        )


def about_same_documents(topics: Sequence[str], coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[str]:
    """That a run holds the judged documents and no others, all of one grade, so that no order is better than another:
    judgments and run are then probably read from one column. Of two files they must be many."""
    if len(coverage.retrieved) != len(runs) or not len(qrels) or not 0 < qrels.grades.min() == qrels.grades.max():
        return
    judged = np.diff(qrels.pools.offsets)[[qrels.place_of_topic[topic] for topic in topics]]
    same = ((coverage.retrieved == judged) & (coverage.judged == judged)).all(-1)
    for place in np.flatnonzero(same).tolist():
        run, number = runs[place], int(judged.sum())
        of_one_file = are_alike(os.path.samefile, qrels.name, run.place)
        copied = not of_one_file and are_alike(partial(filecmp.cmp, shallow=False), qrels.name, run.place)
        if not of_one_file and not copied and number < TOO_GOOD:
            continue
        said = f"{run.name}: holds the judged documents and no others, all of grade {qrels.grades[0]:g}"
        known = f"{said}, so that every order is perfect; "
        if of_one_file:
            file = os.path.basename(run.place)
            both = f"columns:doc=RELEVANT:{file} columns:doc=RETRIEVED:{file}"
            yield f"{known}are judgments and run read from one column of {file}? Name the column of each: {both}"
        elif copied:
            yield f"{known}judgments and run are files of the same content; is one of them the wrong file?"
        else:
            yield f"{known}are the judgments made from the run?"
