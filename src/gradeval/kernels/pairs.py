"""A measure as a sum over pairs of documents: its value, and how it changes when two documents change places.

Most measures are sums over the documents above each other,

    M = 1/N * sum_n w(n) [own(r[n]) + sum_{m<n} pairs(r[m], r[n])],

r[n] being the level of the document at rank n: precision-like measures have pairs and w(n) = 1/n, gain measures only
``own`` and a discount. The effect of every swap is known at O(1) a pair, which is what LambdaRank needs. The tables are
read off a measure by ``derived``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels, show_levels
from gradeval.kernels.arrays import OfArrays, Values, of_level, of_own_level, pick, sums_before, upper


@dataclass(frozen=True, eq=False)
class PairKernel(OfArrays):
    """The pair form of a measure for some queries, of arrays or of tensors; axes of length 1 stand for all queries.

    Attributes
    ----------
    own : float[query, level]
        What a document brings by itself.
    pairs : float[query, level, level], or None where there are none
        What a document (second) gains from one above it (first).
    weights : float[query, n]
        What the rank n is worth; index 0 is rank 1, and ranks beyond a cutoff are worth 0.
    share : float[query]
        1/N; 0 for a query that is empty, where every value is 0.
    """

    own: Values
    pairs: Values | None
    weights: Values
    share: Values

    def value(self, level: Values) -> Values:
        """float[query]: the value of rankings int[query, n], the level of the document at each rank (-1: padding)."""
        here = level >= 0
        own = of_level(self.own, level)
        if self.pairs is not None:
            above = sums_before(of_level(self.pairs, level) * here[..., None])
            own = own + of_own_level(above, level)[..., 0]
        return (own * self.weights[:, : level.shape[1]] * here).sum(-1) * self.share

    def swap_terms(self, level: Values) -> tuple[Values, Values]:
        """``up`` and ``down``, float[query, n, level]: exchanging the documents x at rank a and y at rank b > a
        changes N M by up[a, level of y] + down[b, level of x].

        With P(n, y) = sum_{p<=n} pairs(p, y) and V(n, y) = sum_{p<=n} w(p) pairs(y, p),

            up(a, y)   = w(a) [own(y) - own(x) + P(a-1, y) - P(a-1, x)] - V(a, y) + V(a, x)
            down(b, x) = V(b-1, y) - V(b-1, x)
                         - w(b) [own(y) - own(x) + pairs(x, x) - pairs(y, x) + P(b-1, y) - P(b-1, x)].
        """
        weight = self.weights[:, : level.shape[1], None]
        rise = self.own[:, None, :] - of_level(self.own, level)[..., None]
        if self.pairs is None:
            return weight * rise, weight * rise
        here = (level >= 0)[..., None]
        rows = of_level(self.pairs, level) * here
        columns = of_level(self.pairs.swapaxes(1, 2), level) * here * weight
        above, below = sums_before(rows), sums_before(columns)
        above = above - of_own_level(above, level)
        below = below - of_own_level(below, level)
        columns = columns - of_own_level(columns, level)
        same = self.pairs.diagonal(0, 1, 2)[:, None, :]
        up = weight * (rise + above) - below - columns
        down = weight * (rise + rows - same + above) - below
        return up, down

    def swaps(self, level: Values, top: int | None = None) -> Values:
        """float[query, a, b]: by how much the measure changes when the documents at the ranks a < b change places;
        0 elsewhere. ``top``: only the first rows, a <= top."""
        up, down = self.swap_terms(level)
        safe = level.clip(min=0)[:, None, :]
        rise = pick(up[:, :top], safe, 2)
        fall = pick(down, safe[..., :top], 2)
        return upper(rise + fall.swapaxes(1, 2), level, self.share)


def level_of(grades: Array, levels: Levels) -> Array:
    """int[...]: which level each grade is; an error where it is none of them."""
    scale = np.array(levels)
    level = np.minimum(np.searchsorted(scale, grades), len(levels) - 1)
    if outside := grades[scale[level] != grades].tolist():  # NaN is outside too
        raise InputError(
            f"grade {outside[0]:g} is not one of the levels {show_levels(levels)}: declare all grades of the "
            "collection as levels, and recode negative ones"
        )
    return level


def pool_of(level: Array, levels: Levels) -> Array:
    """int64[query, level]: how many documents of each level the lists int[query, n] hold; -1 is padding."""
    counts = np.zeros((len(level), len(levels)), np.int64)
    query, place = np.nonzero(level >= 0)
    np.add.at(counts, (query, level[query, place]), 1)
    return counts
