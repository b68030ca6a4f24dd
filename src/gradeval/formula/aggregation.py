"""Means, sums and geometric means of measures, from totals over topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure


def combine(measures: Sequence[Measure], total: Array, number: Array) -> Array:
    """float64[..., measure]: means, sums or geometric means, as each measure aggregates.

    ``total`` and ``number`` are sums over the topics that count: of values (of logarithms for geometric means), and of
    ones.
    """
    kinds = np.array([measure.definition.aggregate for measure in measures])
    geometric = kinds == "geometric"
    average = ratio(total, number)
    if geometric.any():
        average = np.where(geometric & (number > 0), np.exp(np.where(geometric, average, 0.0)), average)
    return np.where(kinds == "sum", total, average) if (kinds == "sum").any() else average
