"""Graded queries with the kernels of a measure, in the form that the compiled core takes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

import gradeval._core as _core
from gradeval._core import InputError
from gradeval.array_checks import read_offsets
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.kernels import lookup as exact
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import PairKernel, level_of
from gradeval.ltr.objectives.draws import ALONE, Draws, draw_scores, rank_by_chance

AT_ONCE = 2048  # queries whose kernels are computed in one call, padded to the longest list
Gradients: TypeAlias = tuple[Array, Array]


def weighted(gradients: Gradients, weights: Array | None) -> Gradients:
    """Gradient and hessian times the weights float64[row]; without weights as they are."""
    return gradients if weights is None else (gradients[0] * weights, gradients[1] * weights)


class Kernels(NamedTuple):
    """The kernels of all queries, in the order in which the functions of ``_core`` take them.

    Attributes
    ----------
    own : float64[query or 1, level], what a document contributes by itself.
    pairs : float64[query or 1, level, level], what a document (last axis) gains from one above it (the axis before);
        None where documents do not interact.
    weights : float64[...], what ranks are worth, of one query after the other or once for all.
    starts : int64[query], where the weights of each query begin.
    share : float64[query], 1 / the normaliser, 0 for an empty query.
    stop : float64[query or 1, level], the probability that the user of a cascade stops; None for another measure.
    """

    own: Array
    pairs: Array | None
    weights: Array
    starts: Array
    share: Array
    stop: Array | None


@dataclass(frozen=True)
class SwapLoss:
    """How the loss counts pairs of documents whose exchange changes the measure: see ``objectives.lambdarank``.

    Attributes
    ----------
    sigma, truncation, norm : as there.
    mu : of LambdaLoss; 0: LambdaRank.
    draws : the weights of pairs are means over drawn rankings; the seed is also for the order of equal scores.
    """

    sigma: float = 1.0
    truncation: int | None = None
    norm: bool = False
    mu: float = 0.0
    draws: Draws = ALONE


@dataclass(frozen=True, eq=False)
class GradedQueries:
    """The graded documents of some queries, one a row, and the measure to train for.

    Attributes
    ----------
    offsets : int64[query + 1]: the rows of query q are offsets[q]:offsets[q + 1].
    level : int32[row], the index of each grade in ``levels``. The grades themselves are not kept, to save memory.
    pool : int64[query, level], the number of documents of each level.
    kernels : None for a measure without a kernel.
    place : int32[row], where the tables of the kernels have the level of each document.
    """

    measure: Measure
    levels: Levels
    offsets: Array
    level: Array
    pool: Array
    kernels: Kernels | None
    place: Array

    @classmethod
    def of(cls, measure: Measure, levels: Levels, grades: Array, offsets: Array) -> GradedQueries:
        """Check grades and offsets and compute the kernels; an InputError where a grade is not one of the levels."""
        offsets = read_offsets("offsets", offsets, len(grades))
        level = level_of(grades.astype(float), levels).astype(np.int32)
        sizes = np.diff(offsets)
        query = np.repeat(np.arange(len(sizes)), sizes)
        count = np.bincount(query * len(levels) + level, minlength=len(sizes) * len(levels))
        pool = count.reshape(len(sizes), len(levels))
        return cls.of_pools(measure, levels, level, offsets.copy(), pool)

    @classmethod
    def of_pools(cls, measure: Measure, levels: Levels, level: Array, offsets: Array, pool: Array) -> GradedQueries:
        """Of checked levels, int[row], and pools that may hold more documents than the lists."""
        kernels, places = kernels_of(measure, levels, pool, np.diff(offsets))
        level = place = level.astype(np.int32)
        if places is not None:
            query = part_of_row(offsets)
            place = places[0 if len(places) == 1 else query, level].astype(np.int32)
        return cls(measure, levels, offsets.astype(np.int64), level, pool, kernels, place)

    def are(self, grades: Array, offsets: Array) -> bool:
        """Whether these are the same grades and queries."""
        return np.array_equal(self.offsets, offsets) and np.array_equal(np.take(self.levels, self.level), grades)

    def gradients(
        self, scores: Array, swaps: SwapLoss, threads: int, values: Array | None = None, importance: Array | None = None
    ) -> Gradients:
        """Gradient and hessian of the loss with respect to the scores, float64[row].

        Where there is a kernel, ``values`` float64[query] are filled as by the function of this name. Equal scores are
        ranked in an order by chance, see ``rank_by_chance``. The weight of a pair is multiplied by the ``importance``
        float64[row] of its better document.
        """
        gradient, hessian = np.zeros(len(self.level)), np.zeros(len(self.level))
        self._differentiate(scores, swaps, threads, gradient, hessian, None, values, importance)
        return gradient, hessian

    def losses(
        self, scores: Array, threads: int, with_loss: bool = True, *, swaps: SwapLoss
    ) -> tuple[Array | None, Array]:
        """The loss of each query, float64[query], or None without ``with_loss``; and its gradient float64[row]. A query
        with a score that is not finite has NaN. With ``swaps`` given it is a ``RowLoss``."""
        loss, gradient = np.zeros(len(self.offsets) - 1), np.zeros(len(self.level))
        self._differentiate(scores, swaps, threads, gradient, None, loss if with_loss else None)
        return loss if with_loss else None, gradient

    def values(self, scores: Array, threads: int) -> Array:
        """float64[query]: the measure for rankings by scores float64[row], its mean over the orders of equal ones.
        There must be a kernel."""
        kernels = self.kernels
        assert kernels is not None
        values = np.zeros(len(self.offsets) - 1)
        _core.kernel_values(scores, self.place, self.offsets, *kernels, threads, values)
        return values

    def _differentiate(
        self,
        scores: Array,
        swaps: SwapLoss,
        threads: int,
        gradient: Array,
        hessian: Array | None,
        loss: Array | None,
        values: Array | None = None,
        importance: Array | None = None,
    ) -> None:
        """Fill gradient, hessian, loss and values."""
        distance = distance_weights(self.measure, self.kernels, swaps.mu) if swaps.mu else None
        if self.kernels is None:
            for query, (first, end) in enumerate(pairwise(self.offsets)):
                rows = slice(first, end)
                value, slope, curvature = self._score_swaps(query, rows, scores[rows], swaps, importance)
                gradient[rows] = slope
                if hessian is not None:
                    hessian[rows] = curvature
                if loss is not None:
                    loss[query] = value
            return
        kernels = self.kernels
        _core.lambda_gradients(
            scores,
            self.place,
            self.offsets,
            *kernels,
            swaps.sigma,
            swaps.truncation or 0,
            swaps.norm,
            threads,
            distance,
            gradient,
            hessian,
            loss,
            *swaps.draws.arguments,
            values,
            importance,
        )

    def _score_swaps(
        self, query: int, rows: slice, scores: Array, swaps: SwapLoss, importance: Array | None
    ) -> tuple[float, Array, Array]:
        """Loss, gradient and hessian for one query, where every list with two documents swapped is scored by the
        measure."""
        if not np.isfinite(scores).all():
            return np.nan, np.full(len(scores), np.nan), np.full(len(scores), np.nan)
        sigma, draws = swaps.sigma, swaps.draws
        level, count = self.level[rows], max(1, draws.count)
        levels = level[None].astype(np.int64)
        drawn = draw_scores(scores[None], levels, draws) if draws.count else [scores[None]]
        loss, total, gradient, hessian = 0.0, 0.0, np.zeros(len(scores)), np.zeros(len(scores))
        for ranking in drawn:
            order = rank_by_chance(ranking, levels, draws.seed)[0]
            change = exact.score_swaps(
                self.measure, level[order][None], self.pool[query][None], self.levels, swaps.truncation
            )
            better, ranked = np.sign(level[order][: change.shape[1], None] - level[order]), scores[order]
            gap = ranked[: change.shape[1], None] - ranked
            weight = np.abs(change[0]) * (sigma / count)
            if importance is not None:
                own = importance[rows][order]
                weight = weight * np.where(better > 0, own[: len(weight), None], own)
            if swaps.norm and (scores != scores[:1]).any():
                weight /= 0.01 + np.abs(gap)
            rho = np.exp(-np.logaddexp(0, sigma * better * gap))
            slope, curvature = weight * rho, weight * sigma * rho * (1 - rho)
            gradient[order] += (better * slope).sum(0)
            gradient[order[: len(slope)]] -= (better * slope).sum(1)
            hessian[order] += curvature.sum(0)
            hessian[order[: len(slope)]] += curvature.sum(1)
            loss += float((weight / sigma * better**2 * np.logaddexp(0, -sigma * better * gap)).sum())
            total += 2 * float(slope.sum())
        factor = np.log2(1 + total) / total if swaps.norm and total > 0 else 1.0
        return loss, gradient * factor, hessian * factor


def distance_weights(measure: Measure, kernels: Kernels | None, mu: float) -> Array:
    """float64[rank]: mu |w(d) - w(d + 1)| for the distances d = 0, 1, 2 ... of two ranks, where w is what the ranks are
    worth (0 for d = 0); an InputError for a measure that is no sum of gains with one discount for all queries."""
    is_gain_measure = kernels is not None and kernels.pairs is None and kernels.stop is None
    if kernels is None or not is_gain_measure or (len(kernels.starts) > 1 and kernels.starts.any()):
        raise InputError(f"mu: {measure} is no sum of gains with one discount, as nDCG: LambdaLoss is for these")
    distance = np.zeros(len(kernels.weights))
    distance[1:] = mu * np.abs(np.diff(kernels.weights))
    return distance


def kernels_of(measure: Measure, levels: Levels, pool: Array, sizes: Array) -> tuple[Kernels | None, Array | None]:
    """The kernels of queries with these pools and sizes, None for a measure without a kernel; and where their tables
    have each level, int[query or 1, level], None: in its own place."""
    example = kernel_of(measure, pool[:2], levels, sizes[:2])
    if example is None:
        return None, None
    # Where each query has its own weights, their table is as wide as the longest list that is computed in one call, so
    # compute them in parts. Whether queries have their own weights depends on the measure alone.
    own_weights = len(example.weights) > 1
    step = AT_ONCE if own_weights else max(1, len(pool))
    parts: list[Kernel] = []
    places: list[Array] = []
    for first in range(0, max(1, len(pool)), step):
        some = slice(first, first + step)
        kernel = kernel_of(measure, pool[some], levels, sizes[some])
        assert kernel is not None
        parts.append(kernel)
        if isinstance(kernel, PairKernel) and kernel.place is not None:
            places.append(kernel.place)
    if own_weights:
        by_part = np.split(sizes, range(step, len(sizes), step))
        listed = [
            part.weights[np.arange(part.weights.shape[1]) < lengths[:, None]]
            for part, lengths in zip(parts, by_part, strict=True)
        ]
        weights, starts = np.concatenate(listed), np.cumsum(sizes) - sizes
    else:
        weights, starts = parts[0].weights[0], np.zeros(len(pool), np.int64)
    pairs = [part.pairs for part in parts if isinstance(part, PairKernel) and part.pairs is not None]
    stops = [part.stop for part in parts if isinstance(part, CascadeKernel)]
    kernels = Kernels(
        own=_join([part.own for part in parts]),
        pairs=_join(pairs) if pairs else None,
        weights=np.ascontiguousarray(weights, dtype=float),
        starts=starts.astype(np.int64),
        share=np.concatenate([part.share for part in parts]),
        stop=_join(stops) if stops else None,
    )
    return kernels, _join(places).astype(np.int64) if places else None


def _join(tables: list[Array]) -> Array:
    """The tables [query, ...] of all parts as one; a table with a query axis of length 1 holds for all queries. Parts
    with fewer levels are filled up with 0."""
    most = max(table.shape[-1] for table in tables)
    wide = [np.pad(table, [(0, 0), *[(0, most - table.shape[-1])] * (table.ndim - 1)]) for table in tables]
    whole = wide[0] if len(wide[0]) == 1 else np.concatenate(wide)
    return np.ascontiguousarray(whole, dtype=float)
