"""On which slices of the topics does one of two runs lose? Said only where the test of interaction rejects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.decision import PairDecision, decides
from gradeval.studies.interaction import Interaction, find_interactions
from gradeval.tables.text import shorten
from gradeval.warning_categories import Note

ALPHA = 0.05
"""The level of the test for scores that nobody compares."""
LETTERS = 40
"""Letters of the name of a slice in a sentence."""


def say_where_it_loses(
    interactions: Sequence[Interaction], run: str, measures: Sequence[Measure], alpha: float
) -> Iterator[Note]:
    """In which slices the first run of the only pair loses and gains most; nothing where no test rejects.

    It is said by the first measure whose test rejects, and by the column whose test is the clearest.
    """
    deciding = decides(measures)
    rejected = [one for one in interactions if one.measure in deciding and one.corrected[0] < alpha]
    if not rejected:
        return
    one = min(rejected, key=lambda one: (one.measure, one.p[0]))
    differences = one.differences[:, 0]
    low, high = int(np.argmin(differences)), int(np.argmax(differences))
    lost, won = float(differences[low]), float(differences[high])
    if lost < 0 < won:
        does, other = "loses", "and gains on"
    elif lost < 0:
        does, other = "loses most", "and least on"
    else:
        does, other = "gains least", "and most on"
    where = shorten(f"{one.column} {one.labels[low]}", LETTERS)
    there = shorten(one.labels[high], LETTERS)
    by = f"{PairDecision.write(lost)} by {measures[one.measure]}"
    yield Note.answer(f"{run} {does} on {where} ({by}), {other} {there} ({PairDecision.write(won)})")


def about_sliced_pair(scores: Scores) -> list[Note]:
    """The same of two runs that are scored by slices, by the first measure of which more is better."""
    deciding = decides(scores.measures)
    if len(scores.runs) != 2 or scores.slices is None or not deciding:
        return []
    first = scores.sel(measures=[scores.measures[deciding[0]]])
    if not np.array_equal(*first.counted):  # then topics have no pairs
        return []
    parts = [(one, first.sel(topics=one.topics)) for one in scores.slices.cut(scores.topics)]
    tested = find_interactions(parts, np.array([[1, 0]]))
    return [*say_where_it_loses(tested, scores.runs[1], first.measures, ALPHA)]
