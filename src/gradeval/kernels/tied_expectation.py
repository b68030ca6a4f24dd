"""Expected values over the orders of tied documents: closed forms where there are any, else drawn orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import NO_ORDER
from gradeval.formula.arithmetic import Array, width_for
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.tied_draws import mean_over_orders
from gradeval.kernels.tied_rankings import TiedRankings
from gradeval.kernels.tied_sums import expect_cascade, expect_sum

PRECISION = 1e-10
"""How closely a closed form must give the value of the order at hand, or it is not used for the ranking."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected values of measures.

    Attributes
    ----------
    values : float64[measure, row]
    errors : float64[measure, row]: the standard error of a value that was estimated from drawn orders, else 0.
    """

    values: Array
    errors: Array


def expect(measures: Sequence[Measure], tied: TiedRankings, values: Array) -> Expected:
    """The expected values of the measures over all orders of the tied documents, each order equally likely.

    ``values`` are those of the order at hand, float64[measure, row]; they stay where no order differs.
    Measures that are sums over documents, sums over pairs of documents or cascades have closed forms (see ``kernels``).
    They are used where they also give the value of the order at hand. Else orders are drawn.
    """
    expected = Expected(values.copy(), np.zeros(values.shape))
    mixed = tied.mixed()
    if not mixed.size:
        return expected
    part = tied.take(mixed)
    condensed = part.condensed() if any(measure.judged_only for measure in measures) else part
    open_rows = np.zeros((len(measures), len(mixed)), bool)
    for place, measure in enumerate(measures):
        exact = _closed_form(measure, condensed if measure.judged_only else part, values[place, mixed])
        open_rows[place] = ~np.isfinite(exact)
        expected.values[place, mixed] = np.where(open_rows[place], 0.0, exact)
    for row in np.flatnonzero(open_rows.any(0)).tolist():
        places = np.flatnonzero(open_rows[:, row]).tolist()
        mean, error = mean_over_orders([measures[place] for place in places], part, row)
        expected.values[places, mixed[row]] = mean
        expected.errors[places, mixed[row]] = error
    return expected


def _closed_form(measure: Measure, tied: TiedRankings, values: Array) -> Array:
    """float64[row]: the expected values, NaN where no closed form is known.

    A kernel is proven on rankings whose documents are all judged. Here some may not be, so it must also give the
    ``values`` of the order at hand.
    """
    if measure.judged_only and tied.depth is not None:
        return np.full(len(values), np.nan)  # how many judged documents are above the depth is random
    judged, lengths = tied.judged, tied.lengths
    width = width_for(int(judged.retrieved.max(initial=1)))
    kernel = kernel_of(measure, judged.pool, judged.levels, lengths, width)
    if kernel is None:
        return np.full(len(values), np.nan)
    if tied.depth is not None:
        kernel = replace(kernel, weights=kernel.weights * (np.arange(kernel.weights.shape[-1]) < tied.depth))
    level = np.where(judged.judged, judged.level, -1)
    ranks, first, last = (np.where(np.isfinite(each), each, 1.0) for each in (judged.ranks, tied.first, tied.last))
    in_order = _expect(kernel, level, ranks, ranks)
    expected = _expect(kernel, level, first, last)
    sure = np.abs(in_order - values) <= PRECISION * np.maximum(1.0, np.abs(values))
    return np.where(sure, expected, np.nan)


def _expect(kernel: Kernel, level: Array, first: Array, last: Array) -> Array:
    if isinstance(kernel, CascadeKernel):
        return expect_cascade(kernel, level, first, last)
    return expect_sum(kernel, level, first, last)


@dataclass(frozen=True, eq=False)
class TiedArrays:
    """Rankings of arrays whose measures are expected values over all orders of the tied documents.

    ``AP(rankings)`` gives one expected value for each, ``errors(AP)`` their standard errors where orders were drawn.
    """

    tied: TiedRankings
    shape: tuple[int, ...]

    def map(self, measure: Callable[[JudgedRankings], Array]) -> Array:
        """float64[...]: the expected value of a measure for each ranking."""
        values: Array = self._expected(measure).values[0]
        return values.reshape(self.shape)

    def errors(self, measure: Measure) -> Array:
        """float64[...]: the standard errors of the expected values; 0 where they are exact."""
        errors: Array = self._expected(measure).errors[0]
        return errors.reshape(self.shape)

    def _expected(self, measure: Callable[[JudgedRankings], Array]) -> Expected:
        if not isinstance(measure, Measure):
            raise InputError(f"ties='expected' takes a measure, as in AP(rankings), not {type(measure).__name__}")
        return expect([measure], self.tied, measure(self.tied.cut)[None])

    @property
    def rectangle(self) -> JudgedRankings:
        """Refused: the documents have no order."""
        raise InputError(NO_ORDER)

    def __repr__(self) -> str:
        return f"TiedArrays({list(self.shape)} rankings, expected over the orders of tied documents)"
