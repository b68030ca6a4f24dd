"""The mean of a measure over topics that lie on several workers, equal to that over all topics in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradeval.formula.aggregation import combine
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores


class Total(NamedTuple):
    """The sum over some topics, and how many they are.

    A sum rounds. So ``parts`` are the rounded sum, the rounded sum of what that leaves, and so on until nothing is
    left: added up over all workers they are rounded once, as in one place.
    """

    parts: tuple[float, ...]
    number: int


NOTHING = Total((), 0)


def total_of(scores: Scores) -> Total:
    """The total of one run by one measure."""
    counted = scores.counted[0, :, 0]
    values = scores.transformed()[0, :, 0][counted].tolist()
    parts: list[float] = []
    while rest := math.fsum([*values, *(-part for part in parts)]):
        parts.append(rest)
    return Total(tuple(parts), len(values))


def mean_of(measure: Measure, totals: Sequence[Total]) -> float:
    """``Scores.mean`` over the topics of all totals: sums are added up, not means."""
    value = math.fsum([part for total in totals for part in total.parts])
    number = sum(total.number for total in totals)
    return float(combine([measure], np.array([value]), np.array([number]))[0])
