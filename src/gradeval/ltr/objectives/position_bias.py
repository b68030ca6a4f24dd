"""How much more often some positions are looked at than others, as a training for clicks has estimated it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.ltr.data.graded_queries import Gradients
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records
from gradeval.tables.table import Table, Tabular
from gradeval.upward import plot_result

FIELDS = "rank value low high".split()
ALPHA = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class PositionBias(Tabular):
    """How often a document is looked at by its position, relative to the first position.

    Attributes
    ----------
    rank : float64[position], the positions in ascending order, as they were given.
    value : float64[position]: theta of the position over theta of the first.
    low, high : float64[position], the bounds of intervals of 95%, for the scores as they are: they count how the
        estimate varies with the queries, not its bias. Relevance is partly read as position, so that true values often
        lie above them.
    """

    rank: Array
    value: Array
    low: Array
    high: Array

    @classmethod
    def estimate(
        cls, rank: Array, place: Array, offset: Array, gradients: Gradients, offsets: Array, sigma: float
    ) -> Self:
        """From offsets b_k = log(theta_k) / sigma, float64[position], where the gradient of position k sums to 0.

        The variance of b_k - b_1 comes from estimating equations,

            sum over queries q of (G_qk / H_k - G_q1 / H_1)^2

        with the sum G_qk of the gradient over the rows of q at position k, and H_k of the hessian over all rows there.
        ``place`` int[row] are the indices of positions; the rows of query q are offsets[q]:offsets[q + 1].
        """
        from scipy.special import ndtri

        queries, positions = len(offsets) - 1, len(offset)
        query = part_of_row(offsets)
        hessian = np.bincount(place, gradients[1], positions)
        cell, row = np.unique(query * positions + place, return_inverse=True)
        owner, at = np.divmod(cell, positions)
        slope = np.bincount(row, gradients[0], len(cell))
        step = np.divide(slope, hessian[at], out=np.zeros(len(cell)), where=hessian[at] > 0)
        first = np.bincount(owner[at == 0], step[at == 0], queries)
        square = np.bincount(at, step**2 - 2 * step * first[owner], positions) + (first**2).sum()
        mean = (np.bincount(at, step, positions) - first.sum()) / queries
        error = np.sqrt(np.maximum(square - queries * mean**2, 0.0))
        error[0] = 0.0
        distance, reach = offset - offset[0], -float(ndtri(ALPHA / 2)) * error
        with np.errstate(over="ignore"):
            value, low, high = (np.exp(sigma * each) for each in (distance, distance - reach, distance + reach))
        return cls(rank.astype(float), value, low, np.where(hessian > 0, high, np.inf))

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[float | None]]) -> Self:
        """From rows of rank, value, low and high; None for no bound."""
        table = np.array([[np.inf if one is None else one for one in row] for row in rows], float).reshape(-1, 4)
        return cls(*table.T)

    def rows(self) -> list[list[float | None]]:
        """A row for each position: rank, value, low and high; None for no bound."""
        table = np.column_stack([self.rank, self.value, self.low, self.high])
        return [[one if np.isfinite(one) else None for one in row] for row in table.tolist()]

    def plot(self, *file: Any, **options: Any) -> Any:
        """A chart of the estimates with their intervals, as ``gradeval.plot``."""
        return plot_result(self, options, file)

    def table(self, digits: int = 4) -> Table:
        """A row for each position."""
        cells: list[list[Cell]] = []
        for rank, value, low, high in zip(self.rank, self.value, self.low, self.high, strict=True):
            cells.append([f"{rank:g}", Estimate(float(value), "", (float(low), float(high)))])
        columns = [Column("rank", "name"), Column("examination", spec=f".{digits}f")]
        note = "relative to the first position; intervals of 95% for the scores as they are"
        return Table([Grid(columns, cells)], Records.of(FIELDS, self.rows()), [note])


def propensities_of(given: Any) -> Any:
    """Propensities of the positions 1, 2 ... from the result of ``clicks``; anything else as it is."""
    if not hasattr(given, "examined") or not hasattr(given, "ranks"):
        return given
    if given.examined is None:
        raise InputError(
            'propensities: clicks(..., estimator="click-share") does not tell how often ranks are looked at; take '
            'estimator="position-model"'
        )
    ranks = given.ranks.tolist()
    if lacking := sorted({*range(1, ranks[-1] + 1)} - {*ranks}):
        raise InputError(
            f"propensities: clicks() has judged documents at rank {ranks[-1]}, and none at rank {lacking[0]}: give the "
            "numbers yourself, [1, 0.5, ...]"
        )
    if not given.examined.all():
        rank = ranks[int(np.argmin(given.examined > 0))]
        raise InputError(f"propensities: nobody clicked at rank {rank}: give the numbers yourself, [1, 0.5, ...]")
    return np.asarray(given.examined)
