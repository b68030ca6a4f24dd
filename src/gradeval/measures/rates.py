"""Rates of gain of users who neither go on with a fixed probability nor stop at what they find: INSQ, SDCG."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, TypeAlias

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.parameters import Cutoff, FiniteNumber
from gradeval.measures.discount import at_ranks, cumulated_discounts, discounts, reach
from gradeval.measures.gainmap import gain_map
from gradeval.measures.rbp import worthwhile

RankCount: TypeAlias = Annotated[
    int, FiniteNumber("a whole number of ranks from 1 to 1000000", low=0, high=10**6, whole=True)
]
Wanted: TypeAlias = Annotated[float, FiniteNumber("a number of documents above 0", low=0)]


@measure(base=worthwhile, many="cutoff")
def INSQ(judged: JudgedRankings, *, T: Wanted = 1, cutoff: Cutoff | None = None) -> Array:
    """Inverse squares: the rate of gain of a user who looks for T documents and grows more patient with each rank.

    INSQ = sum_n W(n) gain(r[n]) / top gain, with W(n) in proportion to 1 / (n + 2T - 1)^2, and 1 over all ranks to
    infinity: who is at rank n goes on with probability ((n + 2T - 1) / (n + 2T))^2.

    Conventions: graded, the gain is the grade, and the top gain the collection's highest level; an unjudged
    document gains 0. No normaliser: the best possible value depends on the topic and is below 1. An empty topic (no
    gain in the pool) scores 0.
    Source: Moffat, Scholer & Thomas (2012), "Models and metrics: IR evaluation as a user process", ADCS.
    """
    weights = at_ranks(judged, inverse_squares(float(T), reach(judged.longest)))
    worth = gain_map(judged.levels, None)
    rate: Array = judged.total(worth.of(judged) * weights, cutoff)
    return rate / worth.top if worth.top else rate


@lru_cache(maxsize=32)
def inverse_squares(T: float, length: int) -> Array:
    """float64[length]: the weight W(n) of rank n; entry 0 is 0."""
    weights = np.append(0.0, 1 / (np.arange(1.0, length) + 2 * T - 1) ** 2 / trigamma(np.array(2.0 * T)))
    weights.flags.writeable = False
    return weights


def trigamma(x: Array) -> Array:
    """1/x^2 + 1/(x+1)^2 + ... to infinity, for x above 0: the first terms, and for the rest the asymptotic series."""
    near: Array = 1 / (x * x)
    for step in range(1, 12):
        near = near + 1 / ((x + step) * (x + step))
    far = 1 / (x + 12)
    square = far * far
    tail = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * (5 / 66))))
    return near + far * (1 + far * (0.5 + far * tail))


@measure(base=worthwhile, many="cutoff")
def SDCG(judged: JudgedRankings, *, cutoff: RankCount) -> Array:
    """Scaled discounted cumulated gain: the rate at which a user of k ranks gains, ranks weighing as in DCG.

    SDCG@k = sum_{n <= k} d(n) gain(r[n]) / (top gain * sum_{n <= k} d(n)), with d(n) = 1 / log2(n + 1).

    Conventions: graded, the gain is the grade, and the top gain the collection's highest level; an unjudged
    document, and a rank beyond the end of the ranking, gain 0. Unlike nDCG it is not divided by what is best for the
    topic. An empty topic (no gain in the pool) scores 0.
    Source: Moffat, Bailey, Scholer & Thomas (2017), "Incorporating user expectations and behavior into the measurement
    of search effectiveness", ACM TOIS 35(3), section 3.
    """
    weights = at_ranks(judged, discounts("ms", 2.0, reach(judged.longest)))
    worth = gain_map(judged.levels, None)
    gained: Array = judged.total(worth.of(judged) * weights, cutoff)
    most = cumulated_discounts("ms", 2.0, reach(int(np.max(cutoff))))[np.asarray(cutoff)]
    scaled: Array = gained / most
    return scaled / worth.top if worth.top else scaled
