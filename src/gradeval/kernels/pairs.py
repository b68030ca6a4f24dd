"""A measure as a kernel over pairs of documents: its value, and how it changes when two documents change places.

Most measures are sums over the documents above each other,

    M = 1/N * sum_n w(n) [own(r[n]) + sum_{m<n} pairs(r[m], r[n])],

r[n] being the level of the document at rank n: precision-like measures have pairs and w(n) = 1/n, gain measures only
``own`` and a discount. Cascade measures (ERR, RR) have a form of their own. Both know the effect of every swap at O(1)
a pair, which is what LambdaRank needs. Which measure has which kernel stands in ``ltr.measures``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import TypeAlias, TypeVar

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Formula, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, show_levels
from gradeval.formula.spelling import parse_measure


@dataclass(frozen=True, eq=False)
class PairKernel:
    """The kernel of a measure for some queries; axes of length 1 stand for all of them.

    ``value`` and ``swaps`` are the reference that the tensors and the compiled pair loops are tested against.

    Attributes
    ----------
    own : float64[query, level]
        What a document brings by itself.
    pairs : float64[query, level, level], or None where there are none
        What a document (second) gains from one above it (first).
    weights : float64[query, n]
        What the rank n is worth; index 0 is rank 1, and ranks beyond a cutoff are worth 0.
    norm : float64[query]
        N; where it is 0 the query is empty, and every value is 0.
    """

    own: Array
    pairs: Array | None
    weights: Array
    norm: Array

    def value(self, level: Array) -> Array:
        """float64[query]: the value of rankings int[query, n], the level of the document at each rank (-1: padding)."""
        here = level >= 0
        own = _entry(self.own, level)
        if self.pairs is not None:
            above = _before(_rows(self.pairs, level) * here[..., None])
            own = own + _entry_of_each(above, level)
        return ratio((own * self.weights[:, : level.shape[1]] * here).sum(-1), self.norm)

    def swap_terms(self, level: Array) -> tuple[Array, Array]:
        """``up`` and ``down``, float64[query, n, level]: exchanging the documents x at rank a and y at rank b > a
        changes N M by up[a, level of y] + down[b, level of x].

        With P(n, y) = sum_{p<=n} pairs(p, y) and V(n, y) = sum_{p<=n} w(p) pairs(y, p),

            up(a, y)   = w(a) [own(y) - own(x) + P(a-1, y) - P(a-1, x)] - V(a, y) + V(a, x)
            down(b, x) = V(b-1, y) - V(b-1, x)
                         - w(b) [own(y) - own(x) + pairs(x, x) - pairs(y, x) + P(b-1, y) - P(b-1, x)].
        """
        weight = self.weights[:, : level.shape[1], None]
        rise = self.own[:, None, :] - _entry(self.own, level)[..., None]
        up, down = weight * rise, weight * rise
        if self.pairs is None:
            return up, down
        here = (level >= 0)[..., None]
        rows, columns = _rows(self.pairs, level) * here, _rows(self.pairs.swapaxes(1, 2), level) * here * weight
        above, below = _before(rows), _before(columns)
        for sums in (above, below):
            sums -= _entry_of_each(sums, level)[..., None]
        columns = columns - _entry_of_each(columns, level)[..., None]
        same = np.diagonal(self.pairs, axis1=1, axis2=2)[:, None, :]
        up += weight * above - below - columns
        down += weight * (rows - same + above) - below
        return up, down

    def swaps(self, level: Array, top: int | None = None) -> Array:
        """float64[query, a, b]: by how much the measure changes when the documents at the ranks a < b change places;
        0 elsewhere. ``top``: only the first rows, a <= top."""
        up, down = self.swap_terms(level)
        rows = slice(top)
        change = _columns(up[:, rows], level) + _columns(down, level[:, rows]).swapaxes(1, 2)
        return _upper(change, level, self.norm)

    def within(self, cutoff: int) -> PairKernel:
        """The same with ranks beyond a cutoff worth nothing."""
        return replace(self, weights=_cut(self.weights, cutoff))


@dataclass(frozen=True, eq=False)
class CascadeKernel:
    """M = 1/N * sum_n w(n) stop(r[n]) prod_{m<n} (1 - stop(r[m])): a user reads from the top and stops at a document.

    Attributes
    ----------
    stop : float64[query, level]
        The probability that a document of each level stops the user.
    weights, norm : as of PairKernel.
    """

    stop: Array
    weights: Array
    norm: Array

    def value(self, level: Array) -> Array:
        """float64[query]: the value of rankings int[query, n]."""
        stop = _entry(self.stop, level) * (level >= 0)
        return ratio((stop * _product_before(1 - stop) * self.weights[:, : level.shape[1]]).sum(-1), self.norm)

    def swaps(self, level: Array, top: int | None = None) -> Array:
        """float64[query, a, b]: as PairKernel.swaps.

        N dM = prod_{p<a} (1 - stop(p)) * (stop(y) - stop(x)) * [w(a) - S(a, b) - w(b) F(a, b)], with F(a, b) the
        probability of passing all between a and b, and S(a, b) = sum_{a<p<b} w(p) stop(p) F(a, p). Nothing below b
        changes, and no probability is divided by another, so that documents which always stop do no harm.
        """
        stop = _entry(self.stop, level) * (level >= 0)
        weight = np.broadcast_to(self.weights[:, : level.shape[1]], stop.shape)
        rows = slice(top)
        later = np.triu(np.ones(2 * level.shape[1:]), 1)[rows]
        passed = _product_before(np.where(later > 0, 1 - stop[:, None, :], 1.0))
        met = (weight * stop)[:, None, :] * passed * later
        bracket = weight[:, rows, None] - (np.cumsum(met, -1) - met) - weight[:, None, :] * passed
        rise = stop[:, None, :] - stop[:, rows, None]
        change = _product_before(1 - stop)[:, rows, None] * rise * bracket
        return _upper(change, level, self.norm)

    def within(self, cutoff: int) -> CascadeKernel:
        """The same with ranks beyond a cutoff worth nothing."""
        return replace(self, weights=_cut(self.weights, cutoff))


Kernel: TypeAlias = PairKernel | CascadeKernel
Factory: TypeAlias = Callable[..., Kernel]
F = TypeVar("F", bound=Factory)

KERNELS: dict[Formula, Factory] = {}
"""The function that makes the kernel of a measure, by the measure's formula."""


def kernel(*measures: Measure) -> Callable[[F], F]:
    """Register a kernel: ``@kernel(AP)`` above a function with those parameters of AP that it needs.

    It gets rankings that have the ranks 1..n and the pools of the queries but no relevant document, so that it can ask
    for ranks, recall bases and ideals as a formula does. What is beyond the cutoff is taken away afterwards.
    """

    def register(make: F) -> F:
        for measure in measures:
            KERNELS[measure.definition.formula] = make
        return make

    return register


def kernel_of(
    measure: Measure | str, pool: Array, levels: Levels, lengths: Array, width: int | None = None
) -> Kernel | None:
    """The kernel of a measure for queries with the given pools int[query, level] and list lengths int[query], padded
    to ``width`` documents (default: the longest); None for a measure without one: see ``ltr.exact``."""
    import gradeval.kernels.by_measure  # noqa: F401  (they register themselves)

    measure = parse_measure(measure)
    make = KERNELS.get(measure.definition.formula)
    if make is None:
        return None
    given = measure.arguments[measure.definition.formula]
    names = [name for name in signature(make).parameters if name in given]  # gmAP has fewer than AP
    try:
        made = make(_ranks_only(pool, levels, lengths, width), **{name: given[name] for name in names})
    except InputError as error:
        raise InputError(f"{measure}: {error}") from None
    return made if measure.cutoff is None else made.within(measure.cutoff)


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


def _ranks_only(pool: Array, levels: Levels, lengths: Array, width: int | None) -> JudgedRankings:
    """Rankings with the given pools, of non-relevant documents: what a kernel's normaliser and discount come from."""
    length = max(width or 1, int(lengths.max(initial=1)))
    return JudgedRankings(
        grades=np.zeros((1, length)),
        ranks=np.arange(1.0, length + 1)[None],
        judged=np.ones((1, length), bool),
        document=np.arange(length, dtype=np.int32)[None],
        pool=pool,
        levels=levels,
        retrieved=lengths,
    )


def _cut(weights: Array, cutoff: int) -> Array:
    return weights * (np.arange(weights.shape[1]) < cutoff)


def _entry(table: Array, level: Array) -> Array:
    """[query, n]: the entry of a table [query, level] for each document."""
    rows = np.arange(len(level))[:, None] if len(table) > 1 else 0
    return np.asarray(table[rows, level])


_rows = _entry  # [query, n, level]: of a table [query, level, level] the row for each document


def _entry_of_each(values: Array, level: Array) -> Array:
    """[query, n]: of values [query, n, level] that for each document's own level."""
    return np.take_along_axis(values, np.maximum(level, 0)[..., None], -1)[..., 0]


def _columns(values: Array, level: Array) -> Array:
    """[query, m, n]: of values [query, m, level] those for the level of each document n."""
    index = np.broadcast_to(np.maximum(level, 0)[:, None, :], (len(level), values.shape[1], level.shape[1]))
    return np.take_along_axis(values, index, -1)


def _before(values: Array) -> Array:
    """Sums along the ranks (the second axis) of all before each."""
    sums = np.zeros_like(values)
    np.cumsum(values[:, :-1], axis=1, out=sums[:, 1:])
    return sums


def _product_before(values: Array) -> Array:
    """Products along the last axis of all before each."""
    products = np.ones_like(values)
    np.cumprod(values[..., :-1], axis=-1, out=products[..., 1:])
    return products


def _upper(change: Array, level: Array, norm: Array) -> Array:
    """The part a < b of changes [query, a, b], divided by the normaliser, 0 where there is no document."""
    here = level >= 0
    pairs = np.triu(np.ones(change.shape[1:], bool), 1) & here[:, : change.shape[1], None] & here[:, None, :]
    return ratio(np.where(pairs, change, 0.0), norm[:, None, None])
