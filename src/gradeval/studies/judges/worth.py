"""What a human grade is worth after the judge, and the shares of users that its grades stand for.

A measure gives a document of grade b the value V(b) = sum_{k <= b} w_k, with w the shares g of users by threshold, or
the steps of the gains. A document of human grade a then has, by the judge's grades, the expected value

    W(a) = sum_b P(judge says b | humans say a) V(b) / V(highest),

and the judge's shares are the steps between these: g_a = (W(a) - W(a-1)) / (W(highest) - W(0)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.studies.grade_weights import FORMS


@dataclass(frozen=True, eq=False)
class Worth:
    """What the humans' grades are worth by a judge.

    Attributes
    ----------
    value : float64[human grade]: W; NaN for a grade without pairs.
    shares : float64[positive grade]: the judge's g; NaN where a grade has no pairs, or the highest is worth no more
        than the lowest.
    """

    value: Array
    shares: Array


def weigh_grades(measure: Measure, levels: Levels) -> Array | None:
    """float64[grade]: V of each grade, at most 1; None for a measure that weighs no grades, as one with a threshold."""
    form = FORMS.get(measure.name)
    weights = None if form is None else form.weights(measure, levels)
    if weights is None or not weights.sum():
        return None
    values: Array = np.cumsum([0.0, *weights]) / weights.sum()
    return values


def compute_worth(measure: Measure, confusion: Array, levels: Levels) -> Worth | None:
    """The worth of grades by confusion[human grade, judge grade]; None for a measure that weighs no grades."""
    values = weigh_grades(measure, levels)
    if values is None:
        return None
    number = confusion.sum(-1)
    worth = np.where(number > 0, ratio(confusion @ values, number), np.nan)
    rise = worth[-1] - worth[0]
    shares = np.diff(worth) / rise if rise > 0 else np.full(len(levels) - 1, np.nan)
    return Worth(worth, shares)
