"""Judgments whose grades are counts, as of plays: which measures take them as gains, and how to make classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.formula.definition import Measure
from gradeval.formula.levels import MOST_TYPED
from gradeval.scores.grade_notes import name_measures
from gradeval.scores.level_dependence import share_of_half
from gradeval.warning_categories import GradesWarning, Note, NoteWeight

SKEWED = 3
"""The highest count is at least so many times the median; ratings with a hundred steps stay below."""
HIGHEST_DOUBLED = 30
"""The highest grade for which each grade may gain twice as much as the one below."""
LITTLE = 0.01
"""Below this share of the highest gain, half of the highest grade hardly counts."""
MOST_RECODED = 9999
"""The highest count for which a message writes out --recode."""


def about_counts(measures: Sequence[Measure], qrels: Qrels) -> Iterator[Note]:
    """That grades are counts, which are gains as they are; or that only the highest of many grades may count."""
    grades = qrels.grades[qrels.grades > 0]
    there = np.unique(grades)
    if qrels.declared or len(there) <= MOST_TYPED:
        return
    top, whole = float(there[-1]), bool((there == np.floor(there)).all())
    counts = whole and top >= SKEWED * float(np.median(grades))
    classes = f"; make classes by number of digits: {_tell_digits(qrels, int(top))}" if counts else ""
    half = float(there[there <= top / 2][-1]) if there[0] <= top / 2 else float(there[0])
    shares = {one: share_of_half(one, half, top, qrels.levels) for one in measures if one.threshold is None}
    gaining = [one for one, share in shares.items() if share is not None]
    doubled = [one for one, share in shares.items() if share is not None and share < LITTLE]
    if doubled and top > HIGHEST_DOUBLED:
        yield Note(
            f"{name_measures(doubled)} {'gives' if len(doubled) == 1 else 'give'} grade {half:g} less than "
            f"{LITTLE:.0%} of what grade {top:g} gains, so only the highest grades count"
            f"{classes or '; recode them to a few'}",
            GradesWarning,
            own_weight=NoteWeight.COVERAGE,
        )
    elif counts and gaining:
        some = ", ".join(f"{grade:g}" for grade in there[:3])
        yield Note(
            f"the judgments hold grades {some} and {len(there) - 3} more, up to {top:g}, which look like counts; "
            f"{name_measures(gaining)} {'takes' if len(gaining) == 1 else 'take'} them as they are{classes}",
            own_weight=NoteWeight.MEANING,
        )


def _tell_digits(qrels: Qrels, top: int) -> str:
    """How to make grade 1 of 1 to 9, 2 of 10 to 99 and so on, where judgments are read or made."""
    if top > MOST_RECODED:
        return f"1 for 1 to 9, 2 for 10 to 99, up to {len(str(top))}"
    python = qrels.spell_change("recode", f"{{n: len(str(n)) for n in range(1, {top + 1})}}")
    if qrels.made:
        return python
    digits = sorted({len(f"{grade:.0f}") for grade in np.unique(qrels.grades) if grade > 0})
    typed = " ".join(f"--recode={{{10 ** (n - 1)}..{min(10**n - 1, top)}}}={n}" for n in digits)
    return f"{typed} ({python})"
