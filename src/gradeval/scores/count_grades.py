"""Judgments whose grades are counts, as of plays: what gains by them, and how to make classes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.formula.definition import Measure
from gradeval.scores.grade_notes import name_measures
from gradeval.scores.level_dependence import share_of_half
from gradeval.scores.likely_thresholds import MOST_TYPED
from gradeval.warning_categories import GradesWarning, Note, NoteWeight

SKEWED = 3
"""How many times their median counts reach at least; ratings of a hundred steps do not."""
HIGHEST_DOUBLED = 30
"""The highest grade for which each grade may gain twice as much as the one below."""
LITTLE = 0.01
"""The share of the highest gain below which the gain of half the grade is nothing beside it."""
MOST_RECODED = 9999
"""The highest count whose recoding a shell writes out."""


def about_counts(measures: Sequence[Measure], qrels: Qrels) -> Iterator[Note]:
    """That grades are counts, which gain as much as they are; and that the highest of many grades alone may count."""
    grades = qrels.grades[qrels.grades > 0]
    there = np.unique(grades)
    if qrels.declared or len(there) <= MOST_TYPED:
        return
    top, whole = float(there[-1]), bool((there == np.floor(there)).all())
    counts = whole and top >= SKEWED * float(np.median(grades))
    remedy = f"; make classes by their digits: {_tell_digits(qrels, int(top))}" if counts else ""
    half = float(there[there <= top / 2][-1]) if there[0] <= top / 2 else float(there[0])
    shares = {one: share_of_half(one, half, top, qrels.levels) for one in measures if one.threshold is None}
    gaining = [one for one, share in shares.items() if share is not None]
    doubled = [one for one, share in shares.items() if share is not None and share < LITTLE]
    if doubled and top > HIGHEST_DOUBLED:
        yield Note(
            f"by {name_measures(doubled)} grade {half:g} gains less than {LITTLE:.0%} of what grade {top:g} gains, so "
            f"that the highest grades alone count{remedy or '; recode them to a few'}",
            GradesWarning,
            own_weight=NoteWeight.COVERAGE,
        )
    elif counts and gaining:
        some = ", ".join(f"{grade:g}" for grade in there[:3])
        yield Note(
            f"the judgments hold grades {some} and {len(there) - 3} more, up to {top:g}, as counts do; "
            f"{name_measures(gaining)} {'takes' if len(gaining) == 1 else 'take'} them as they are{remedy}",
            own_weight=NoteWeight.MEANING,
        )


def _tell_digits(qrels: Qrels, top: int) -> str:
    """How to make 1 of 1 to 9, 2 of 10 to 99 and so on, where judgments are read or made."""
    if top > MOST_RECODED:
        return f"1 for 1 to 9, 2 for 10 to 99, to {len(str(top))}"
    python = qrels.spell_change("recode", f"{{n: len(str(n)) for n in range(1, {top + 1})}}")
    if qrels.made:
        return python
    digits = range(1, len(str(top)) + 1)
    typed = " ".join(f"--recode={{{10 ** (n - 1)}..{min(10**n - 1, top)}}}={n}" for n in digits)
    return f"{typed} ({python})"
