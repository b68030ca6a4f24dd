"""Expected values of measures over random rankings whose ranks are independent, and their gradients."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, running_sums
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.levels import Levels
from gradeval.kernels.derived import ignores_level_0, pair_form
from gradeval.kernels.pairs import PairKernel


@dataclass(frozen=True, eq=False)
class ListRows:
    """A dataclass of arrays, and of other ``ListRows``, that all have one row for each list."""

    def take(self, which: Array | list[int] | slice) -> Self:
        """Some of the lists, by number or mask."""
        parts = {each.name: _take(getattr(self, each.name), which) for each in fields(self)}
        return type(self)(**parts)

    def update(self, which: Array | list[int], other: Self) -> None:
        """Replace the rows of some lists by the rows of ``other``; of arrays only."""
        for each in fields(self):
            getattr(self, each.name)[which] = getattr(other, each.name)


def _take(value: Any, which: Array | list[int] | slice) -> Any:
    return value.take(which) if isinstance(value, ListRows) else value[which]


@dataclass(frozen=True, eq=False)
class AdditiveMeasure(ListRows):
    """A measure that adds up over documents and pairs of documents, and hence its expected value.

    The value of a ranking with levels r[1], r[2], ... is, for these measures,

        sum_n linear[r[n], n]  +  sum_{m < n} discount[n] pair[r[n], r[m]]

    nDCG and P are linear: documents do not interact. AP = sum_{m <= n} [r[n] and r[m] relevant] / (n RB) has a pair
    and a discount of 1/n; the terms m = n are its linear part, and so it is with GAP and Q. Where the ranks are
    independent, ``p[a, n]`` being the probability that rank n holds a document of level a, the expected value is

        E(p) = sum_n sum_a p[a, n] (linear[a, n] + discount[n] sum_b pair[a, b] S[b, n-1]),

    with S[b, n] = sum_{m <= n} p[b, m]. All arrays may have leading axes, which broadcast.

    Source: Aslam, Yilmaz & Pavlu (2005); Robertson, Kanoulas & Yilmaz (2010), section 4.1.

    Attributes
    ----------
    linear : float64[..., level, rank]
    pair : float64[..., level, level]: of the document at the deeper rank, and of the one above it.
    discount : float64[..., rank]
    """

    linear: Array
    pair: Array
    discount: Array

    def value(self, p: Array) -> Array:
        """float64[...]: E(p) for distributions p[..., level, rank]."""
        return np.asarray((p * self._worth(p)).sum((-2, -1)))

    def gradient(self, p: Array) -> Array:
        """float64[..., level, rank]: dE/dp[a, n], in one pass down the ranking and one up."""
        return self.value_and_gradient(p)[1]

    def value_and_gradient(self, p: Array) -> tuple[Array, Array]:
        """E(p) and its gradient."""
        worth = self._worth(p)
        value = np.asarray((p * worth).sum((-2, -1)))
        if self.is_linear:
            return value, np.broadcast_to(worth, p.shape)
        discounted = self.discount[..., None, :] * p
        below = running_sums(discounted[..., ::-1])[..., ::-1] - discounted
        return value, np.asarray(worth + np.swapaxes(self.pair, -1, -2) @ below)

    @cached_property
    def is_linear(self) -> bool:
        """Do documents not interact?"""
        return not self.pair.any()

    def _worth(self, p: Array) -> Array:
        """float64[..., level, rank]: what a document of the level at the rank adds to the documents expected above
        it."""
        if self.is_linear:
            return self.linear
        above = running_sums(p) - p
        return np.asarray(self.linear + self.discount[..., None, :] * (self.pair @ above))


def expected(measure: Measure, pool: Array, levels: Levels, retrieved: Array | int) -> AdditiveMeasure:
    """The expected value of a measure as a function of the distribution of levels over ranks.

    The terms come from the measure's pair form, which is read off the measure itself (``kernels.derived``); so every
    parameter (g, rel, gains, cutoff, norm, ...) counts. Level 0 stands for documents
    outside the pool and for those judged non-relevant alike, so neither may gain anything.

    Parameters
    ----------
    pool : int64[..., level]: the judged documents of each level, on which normalisers depend.
    levels : the grades of the collection.
    retrieved : length of the rankings; leading axes broadcast with ``pool``.

    Raises
    ------
    InputError : the measure is no sum over documents and pairs of them (as ERR, RR or bpref); the message
        names those that are.
    """
    pool, retrieved = np.asarray(pool), np.asarray(retrieved)
    leading = np.broadcast_shapes(pool.shape[:-1], retrieved.shape)
    pools = np.broadcast_to(pool, (*leading, len(levels))).reshape(-1, len(levels))
    lengths = np.broadcast_to(retrieved, leading).reshape(-1)
    form = pair_form(measure, levels)
    if form is None or not ignores_level_0(measure, levels):
        known = ", ".join(sorted(name for name, each in REGISTRY.items() if _has_form_by_default(each)))
        raise InputError(
            f"{measure} is no sum over documents and pairs of documents, so its expected value has no closed form; "
            f"these have one (as long as non-relevant documents gain nothing): {known}"
        )
    kernel = form.kernel(pools, lengths, int(lengths.max(initial=1))).on_all_levels()
    linear, pair, discount = _terms(kernel, pools, lengths)
    return AdditiveMeasure(*(each.reshape(*leading, *each.shape[1:]) for each in (linear, pair, discount)))


def _terms(kernel: PairKernel, pool: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """``linear``, ``pair`` and ``discount`` of Expected, for each list; what the pool lacks is worth nothing."""
    present = pool > 0
    depth = kernel.weights.shape[1]
    discount = kernel.weights * (np.arange(depth) < lengths[:, None])
    own = kernel.own * kernel.share[:, None] * present
    linear = own[:, :, None] * discount[:, None, :]
    if kernel.pairs is None:
        return linear, np.zeros((*own.shape, own.shape[1])), np.zeros(discount.shape)
    pair = kernel.pairs.swapaxes(1, 2) * kernel.share[:, None, None]
    return linear, pair * (present[:, :, None] & present[:, None, :]), discount


def _has_form_by_default(measure: Measure) -> bool:
    """Is a measure, in its default configuration (at 10), a sum over documents and pairs?"""
    levels = (0.0, 1.0, 2.0, 3.0)
    try:
        configured = measure @ 10 if measure.definition.at == "cutoff" else measure
        return pair_form(configured, levels) is not None and ignores_level_0(configured, levels)
    except InputError:  # there is no default
        return False
