"""Measures of a user who reads from the top and stops at a document: expected reciprocal rank and its kin.

Such a cascade is no sum over pairs. Its form is written here for each measure; ``@kernel`` registers one.
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
from gradeval.kernels.arrays import OfArrays, Values, namespace, of_level, products_before, upper
from gradeval.measures import ERR, RR, nERR
from gradeval.measures.err import cascade, of_ideal


@dataclass(frozen=True, eq=False)
class CascadeKernel(OfArrays):
    """M = 1/N * sum_n w(n) own(r[n]) prod_{m<n} (1 - stop(r[m])), of arrays or of tensors.

    Attributes
    ----------
    own : float[query, level]
        What a document of each level is worth to a user who gets to it. For ERR that is ``stop``.
    stop : float[query, level]
        The probability that it stops the user.
    weights, share : as of PairKernel.
    """

    own: Values
    stop: Values
    weights: Values
    share: Values

    def value(self, level: Values) -> Values:
        """float[query]: the value of rankings int[query, n]."""
        here = level >= 0
        arrived = products_before(1 - of_level(self.stop, level) * here)
        return (of_level(self.own, level) * here * arrived * self.weights[:, : level.shape[1]]).sum(-1) * self.share

    def swaps(self, level: Values, top: int | None = None) -> Values:
        """float[query, a, b]: as PairKernel.swaps.

        For documents x at rank a and y at rank b > a

            N dM = A [w(a) (own(y) - own(x)) - (stop(y) - stop(x)) S(a, b)
                      + w(b) F(a, b) ((1 - stop(y)) own(x) - (1 - stop(x)) own(y))],

        with A = prod_{p<a} (1 - stop(p)), F(a, b) the probability of passing all between a and b, and S(a, b) =
        sum_{a<p<b} w(p) own(p) F(a, p). Nothing below b changes, and no probability is divided by another, so that
        documents which always stop do no harm.
        """
        here = level >= 0
        own, stop = of_level(self.own, level) * here, of_level(self.stop, level) * here
        weight = self.weights[:, : level.shape[1]]
        functions = namespace(stop)
        later = functions.triu(functions.ones_like(stop[:1, :, None] + stop[:1, None, :]), 1)[:, :top]
        passed = products_before(1 - later * stop[:, None, :])
        met = (weight * own)[:, None, :] * passed * later
        between = met.cumsum(-1) - met
        worth_x, worth_y = own[:, :top, None], own[:, None, :]
        stop_x, stop_y = stop[:, :top, None], stop[:, None, :]
        exchanged = (1 - stop_y) * worth_x - (1 - stop_x) * worth_y
        change = weight[:, :top, None] * (worth_y - worth_x) - (stop_y - stop_x) * between
        change = change + weight[:, None, :] * passed * exchanged
        return upper(products_before(1 - stop)[:, :top, None] * change, level, self.share)


Factory: TypeAlias = Callable[..., CascadeKernel]
F = TypeVar("F", bound=Factory)

CASCADES: dict[Formula, Factory] = {}
"""The function that makes the kernel of a cascade, by the formula of its measure."""


def kernel(*measures: Measure) -> Callable[[F], F]:
    """Register a cascade: ``@kernel(ERR)`` above a function with those parameters of ERR that it needs.

    It gets rankings that have the ranks 1..n and the pools of the queries but no relevant document, so that it can ask
    for ranks, recall bases and ideals as a formula does. What is beyond the cutoff is taken away afterwards.
    """

    def register(make: F) -> F:
        for measure in measures:
            CASCADES[measure.definition.formula] = make
        return make

    return register


@kernel(ERR)
def _err(judged: JudgedRankings, *, gains: ByGrade | None) -> CascadeKernel:
    return _satisfied(judged, gains, np.ones(len(judged.pool)))


@kernel(nERR)
def _nerr(judged: JudgedRankings, *, gains: ByGrade | None, cutoff: int | None) -> CascadeKernel:
    ideal = of_ideal(judged, cascade(judged, gains), cutoff)
    return _satisfied(judged, gains, ratio(np.ones(1), ideal))


@kernel(RR)
def _rr(judged: JudgedRankings, *, rel: float) -> CascadeKernel:
    """The reciprocal rank is a cascade in which every relevant document stops the user."""
    hit = (np.array(judged.levels) >= rel).astype(float)[None]
    return CascadeKernel(hit, hit, 1 / judged.ranks, np.ones(len(judged.pool)))


def _satisfied(judged: JudgedRankings, gains: ByGrade | None, share: Array) -> CascadeKernel:
    worth = cascade(judged, gains)
    stop = np.array(worth.gains)[None] / (worth.top + 1)
    return CascadeKernel(stop, stop, 1 / judged.ranks, share)
