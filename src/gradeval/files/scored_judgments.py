"""The scores of a run where grades are expected, in mappings, which have no names of columns that would tell."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.files.column_names import MOST_GRADES
from gradeval.files.likely_ranks import rows_rise_down
from gradeval.formula.arithmetic import part_of_row
from gradeval.warning_categories import GradesWarning, warn

STEPS = 4
"""Ratings come in halves or quarters; of other fractions there are many among scores."""
ALIKE = 0.05
"""The share of documents up to which the scores of a topic are alike; means of a few grades are alike more often."""


def question_scores(qrels: Qrels, remedy: str) -> Qrels:
    """The judgments, unless they fall down each topic as the scores of a run do: these are refused. Other numbers as
    different as scores are asked about; ``remedy``: what to give instead if they are grades."""
    number = _count_if_scores(qrels)
    if not number:
        return qrels
    what = f"{qrels.name}: holds {number:,} different numbers, mostly fractions, as the scores of a run"
    if rows_rise_down(part_of_row(qrels.pools.offsets), -qrels.grades):
        raise InputError(
            f"{what}, and they fall in each topic; give the judgments first; if these are grades, {remedy}"
        )
    warn(f"{what}; if it is a run, give the judgments first", GradesWarning)
    return qrels


def are_like_scores(different: Collection[float]) -> bool:
    """Are different numbers too many for grades, and mostly fractions that ratings do not have?"""
    fractions = sum(not (STEPS * number).is_integer() for number in different)
    return len(different) > MOST_GRADES and 2 * fractions > len(different)


def _count_if_scores(qrels: Qrels) -> int:
    """How many different numbers there are, where they are as different as scores; else 0."""
    if len(qrels.grades) <= MOST_GRADES:
        return 0
    different = np.unique(qrels.grades).tolist()
    if not are_like_scores(different):
        return 0
    topics = part_of_row(qrels.pools.offsets)
    order = np.lexsort((qrels.grades, topics))
    alike = (np.diff(qrels.grades[order]) == 0) & (np.diff(topics[order]) == 0)
    return 0 if alike.mean() > ALIKE else len(different)
