"""Kernels of cascade measures, as expected reciprocal rank: a user reads from the top and stops at some document.

A cascade is not a sum over pairs, so its kernel is written by hand for each measure and registered with ``@kernel``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Formula, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import ByGrade
from gradeval.kernels.pairs import ArrayFields, Values, keep_swaps, look_up_level, multiply_before, namespace
from gradeval.measures import ERR, RR, nERR
from gradeval.measures.err import cascade, of_ideal


@dataclass(frozen=True, eq=False)
class CascadeKernel(ArrayFields):
    """M = 1/N * sum_n w(n) own(r[n]) prod_{m<n} (1 - stop(r[m])), in arrays or tensors.

    Attributes
    ----------
    own : float[query, level]
        What a document of each level is worth to a user who reads it. For ERR this equals ``stop``.
    stop : float[query, level]
        The probability that the user stops at a document of each level.
    weights, share : as in PairKernel.
    """

    own: Values
    stop: Values
    weights: Values
    share: Values

    def value(self, level: Values) -> Values:
        """float[query]: the value of rankings int[query, n]."""
        present = level >= 0
        arrived = multiply_before(1 - look_up_level(self.stop, level) * present)
        return (look_up_level(self.own, level) * present * arrived * self.weights[:, : level.shape[1]]).sum(
            -1
        ) * self.share

    def swaps(self, level: Values, top: int | None = None) -> Values:
        """float[query, a, b]: see PairKernel.swaps.

        For documents x at rank a and y at rank b > a

            N dM = A [w(a) (own(y) - own(x)) - (stop(y) - stop(x)) S(a, b)
                      + w(b) F(a, b) ((1 - stop(y)) own(x) - (1 - stop(x)) own(y))],

        with A = prod_{p<a} (1 - stop(p)), F(a, b) the probability of passing all between a and b, and S(a, b) =
        sum_{a<p<b} w(p) own(p) F(a, p). Nothing below b changes. No probability is divided by another, so a document
        at which every user stops causes no division by zero.
        """
        present = level >= 0
        own, stop = look_up_level(self.own, level) * present, look_up_level(self.stop, level) * present
        weight = self.weights[:, : level.shape[1]]
        functions = namespace(stop)
        later = functions.triu(functions.ones_like(stop[:1, :, None] + stop[:1, None, :]), 1)[:, :top]
        passed = multiply_before(1 - later * stop[:, None, :])
        reached = (weight * own)[:, None, :] * passed * later
        between = reached.cumsum(-1) - reached
        worth_x, worth_y = own[:, :top, None], own[:, None, :]
        stop_x, stop_y = stop[:, :top, None], stop[:, None, :]
        exchanged = (1 - stop_y) * worth_x - (1 - stop_x) * worth_y
        change = weight[:, :top, None] * (worth_y - worth_x) - (stop_y - stop_x) * between
        change = change + weight[:, None, :] * passed * exchanged
        return keep_swaps(multiply_before(1 - stop)[:, :top, None] * change, level, self.share)


Factory: TypeAlias = Callable[..., CascadeKernel]
F = TypeVar("F", bound=Factory)

CASCADES: dict[Formula, Factory] = {}
"""For the formula of each cascade measure, the function that makes its kernel."""


def kernel(*measures: Measure) -> Callable[[F], F]:
    """Register a function as the maker of a measure's cascade: write ``@kernel(ERR)`` above it.

    The function takes those parameters of the measure that it needs, and rankings with the ranks 1..n and the pools of
    the queries but without relevant documents; from these it computes recall bases and ideals as a formula does.
    Weights beyond the cutoff are set to 0 afterwards.
    """

    def register(make: F) -> F:
        for measure in measures:
            CASCADES[measure.definition.formula] = make
        return make

    return register


@kernel(ERR)
def _err(judged: JudgedRankings, *, gains: ByGrade | None) -> CascadeKernel:
    return _reciprocal_rank_cascade(judged, gains, np.ones(len(judged.pool)))


@kernel(nERR)
def _nerr(judged: JudgedRankings, *, gains: ByGrade | None, cutoff: int | None) -> CascadeKernel:
    ideal = of_ideal(judged, cascade(judged, gains), cutoff)
    return _reciprocal_rank_cascade(judged, gains, ratio(np.ones(1), ideal))


@kernel(RR)
def _rr(judged: JudgedRankings, *, rel: float) -> CascadeKernel:
    """The reciprocal rank is a cascade in which every relevant document stops the user."""
    hit = (np.array(judged.levels) >= rel).astype(float)[None]
    return CascadeKernel(hit, hit, 1 / judged.ranks, np.ones(len(judged.pool)))


def _reciprocal_rank_cascade(judged: JudgedRankings, gains: ByGrade | None, share: Array) -> CascadeKernel:
    worth = cascade(judged, gains)
    stop = np.array(worth.gains)[None] / (worth.top + 1)
    return CascadeKernel(stop, stop, 1 / judged.ranks, share)
