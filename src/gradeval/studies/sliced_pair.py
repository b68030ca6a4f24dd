"""On which slices of the topics does one of two runs lose? Said only where the test of interaction rejects, and of
slices whose own test rejects, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.messages import list_some
from gradeval.scores.scores import Scores
from gradeval.studies.decision import PairDecision, decides
from gradeval.studies.interaction import Interaction, find_interactions
from gradeval.studies.significance import differences_of, t_test
from gradeval.studies.unjudged_runs import find_unjudged_runs
from gradeval.tables.text import shorten
from gradeval.warning_categories import Note

ALPHA = 0.05
"""The level of the test for scores that nobody compares."""
LETTERS = 40
"""Letters of the name of a slice in a sentence."""
NAMED = 2
"""Slices without a difference that a sentence names."""
PAIR = np.array([[1, 0]])
"""The second run less the first."""
ShowsSlice: TypeAlias = Callable[[Interaction, str], bool]
"""Does the test of a slice, by its label and the measure of the interaction, show a difference?"""


def say_where_it_loses(
    interactions: Sequence[Interaction], run: str, measures: Sequence[Measure], alpha: float, shown: ShowsSlice
) -> Iterator[Note]:
    """In which slices the first run of the only pair loses and gains most; nothing where no test rejects.

    It is said by the first measure whose test rejects, and by the column whose test is the clearest. ``shown``: does
    the own test of a slice show a difference? Of other slices it is said that none is shown.
    """
    deciding = decides(measures)
    rejected = [one for one in interactions if one.measure in deciding and one.corrected[0] < alpha]
    if not rejected:
        return
    one = min(rejected, key=lambda one: (one.measure, one.p[0]))
    sure = [place for place, label in enumerate(one.labels) if shown(one, label)]
    if not sure:
        return
    differences = one.differences[:, 0]
    low, high = (int(sure[at]) for at in (np.argmin(differences[sure]), np.argmax(differences[sure])))
    lost, won = float(differences[low]), float(differences[high])
    if low == high or (len(sure) < len(one.labels) and lost * won > 0):
        first, does, other = low if lost < 0 else high, "loses on" if lost < 0 else "gains on", ""
    elif lost < 0 < won:
        first, does, other = low, "loses on", "gains on"
    elif lost < 0:
        first, does, other = low, "loses most on", "least on"
    else:
        first, does, other = low, "gains least on", "most on"
    where = shorten(f"{one.column} {one.labels[first]}", LETTERS)
    by = f"{PairDecision.write(float(differences[first]))} by {measures[one.measure]}"
    there = f", and {other} {shorten(one.labels[high], LETTERS)} ({PairDecision.write(won)})" if other else ""
    open_ones = [shorten(label, LETTERS) for place, label in enumerate(one.labels) if place not in sure]
    rest = f"; no difference is shown on {list_some(open_ones, NAMED)}" if open_ones else ""
    yield Note.answer(f"{run} {does} {where} ({by}){there}{rest}")


def about_sliced_pair(scores: Scores) -> list[Note]:
    """The same of two runs that are scored by slices, by the first measure of which more is better."""
    deciding = decides(scores.measures)
    if len(scores.runs) != 2 or scores.slices is None or not deciding or find_unjudged_runs(scores):
        return []
    first = scores.sel(measures=[scores.measures[deciding[0]]])
    if not np.array_equal(*first.counted):  # then topics have no pairs
        return []
    parts = [(one, first.sel(topics=one.topics)) for one in scores.slices.cut(scores.topics)]
    tested = find_interactions(parts, PAIR)

    def is_shown(one: Interaction, label: str) -> bool:
        [part] = [part for cut, part in parts if (cut.column, cut.label) == (one.column, label)]
        values = part.transformed()[:, part.counted[0, :, 0], 0].T
        return bool(t_test(differences_of(values, PAIR))[0] < ALPHA)

    return [*say_where_it_loses(tested, scores.runs[1], first.measures, ALPHA, is_shown)]
