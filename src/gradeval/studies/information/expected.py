"""Expected values of measures over random rankings whose ranks are independent, and their gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.studies.information.rows import Rows

_TRIALS = 64  # rankings on which a form is checked against its measure
_PLENTY = 24  # documents in them
_ROUNDING = 1e-12
_AT_ONCE = 1 << 21  # rankings, times levels, that are scored at once: what measures keep of them grows with both


@dataclass(frozen=True, eq=False)
class Expected(Rows):
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
        return np.asarray((p * self._given_above(p)).sum((-2, -1)))

    def gradient(self, p: Array) -> Array:
        """float64[..., level, rank]: dE/dp[a, n], in one pass down the ranking and one up."""
        return self.measured(p)[1]

    def measured(self, p: Array) -> tuple[Array, Array]:
        """E(p) and its gradient."""
        worth = self._given_above(p)
        discounted = self.discount[..., None, :] * p
        below = discounted[..., ::-1].cumsum(-1)[..., ::-1] - discounted
        return np.asarray((p * worth).sum((-2, -1))), np.asarray(worth + np.swapaxes(self.pair, -1, -2) @ below)

    def _given_above(self, p: Array) -> Array:
        """What a document of level a at rank n is worth, given those expected above it."""
        above = p.cumsum(-1) - p
        return np.asarray(self.linear + self.discount[..., None, :] * (self.pair @ above))


def expected(measure: Measure, pool: Array, levels: Levels, retrieved: Array | int) -> Expected:
    """The expected value of a measure as a function of the distribution of levels over ranks.

    The terms are read off the measure itself, by scoring rankings of one and of two documents; so every
    parameter (g, rel, gains, cutoff, norm, ...) counts. A few random rankings then prove the form.

    Parameters
    ----------
    pool : int64[..., level]: the judged documents of each level, on which normalisers depend.
    levels : the grades of the collection.
    retrieved : length of the rankings; leading axes broadcast with those of ``pool``.

    Raises
    ------
    InputError : the measure is no sum over documents and pairs of them (as ERR, RR or bpref); the message
        names those that are.
    """
    pool, retrieved = np.asarray(pool), np.asarray(retrieved)
    leading = np.broadcast_shapes(pool.shape[:-1], retrieved.shape)
    topic = _Topic(np.broadcast_to(pool, (*leading, pool.shape[-1])), levels, np.broadcast_to(retrieved, leading))
    if not _adds_up(measure, levels):
        known = ", ".join(sorted(name for name, each in REGISTRY.items() if _adds_up_at_all(each)))
        raise InputError(
            f"{measure} is no sum over documents and pairs of documents, so its expected value has no closed form; "
            f"these have one (as long as non-relevant documents gain nothing): {known}"
        )
    return _read_off(measure, topic)


@dataclass(frozen=True, eq=False)
class _Topic:
    """What a measure knows beside the ranking: the pool, and how long the ranking is."""

    pool: Array
    levels: Levels
    retrieved: Array

    @classmethod
    def rich(cls, levels: Levels) -> _Topic:
        """A topic with some documents of every level, and rankings twice as long as its pool."""
        each = max(4, _PLENTY // len(levels))
        return cls(np.full(len(levels), each), levels, np.array(2 * each * len(levels)))

    @property
    def depth(self) -> int:
        """Length of the longest ranking."""
        return int(self.retrieved.max(initial=1))

    def score(self, measure: Measure, level: Array, rank: Array) -> Array:
        """float64[..., ranking]: scores of rankings [ranking, j] of a few documents, for each pool.

        ``level`` counts from 0, ``rank`` from 1; documents beyond the end of a ranking do not count.
        """
        count, length = np.broadcast_shapes(level.shape, rank.shape)
        level, rank = np.broadcast_to(level, (count, length)), np.broadcast_to(rank, (count, length))
        some = max(1, _AT_ONCE // max(1, self.retrieved.size * len(self.levels)))
        parts = (slice(first, first + some) for first in range(0, count, some))
        return np.concatenate([self._score(measure, level[part], rank[part]) for part in parts], axis=-1)

    def _score(self, measure: Measure, level: Array, rank: Array) -> Array:
        shape = (*self.retrieved.shape, *rank.shape)
        kept = np.broadcast_to(rank <= self.retrieved[..., None, None], shape)
        return measure(
            JudgedRankings(
                grades=np.where(kept, np.array(self.levels)[level], 0.0),
                ranks=np.where(kept, rank, np.inf),
                judged=kept,
                document=np.where(kept, np.arange(shape[-1], dtype=np.int32), np.int32(-1)),
                pool=self.pool[..., None, :],
                levels=self.levels,
                retrieved=np.broadcast_to(self.retrieved[..., None], shape[:-1]),
            )
        )

    def alone(self, measure: Measure) -> Array:
        """float64[..., level, rank]: the value of one document; 0 where the pool has none of its level."""
        size = len(self.levels)
        level, rank = np.indices((size, self.depth)).reshape(2, -1, 1)
        value = self.score(measure, level, rank + 1.0)
        return np.asarray(value.reshape(*value.shape[:-1], size, self.depth) * (self.pool > 0)[..., None])

    def together(self, measure: Measure) -> Array:
        """float64[..., level, level]: what two documents of different levels, both in the pool, are worth beyond each
        alone; the first at rank 2, the second above it."""
        size = len(self.levels)
        one, two = (self.score(measure, np.arange(size)[:, None], np.array([[rank]])) for rank in (1.0, 2.0))
        lower, upper = np.indices((size, size)).reshape(2, -1)
        both = self.score(measure, np.stack([upper, lower], -1), np.array([[1.0, 2.0]]))
        alone = one[..., upper] + two[..., lower]
        extra = np.where(np.abs(both - alone) > _ROUNDING * np.abs(alone), both - alone, 0.0)
        present = self.pool > 0
        ranking = present[..., upper] & present[..., lower] & (upper != lower)
        return np.where(ranking, extra, 0.0).reshape(*extra.shape[:-1], size, size)


def _read_off(measure: Measure, topic: _Topic) -> Expected:
    linear = topic.alone(measure)
    size, depth = linear.shape[-2:]
    pair = np.zeros((*linear.shape[:-2], size, size))
    discount = np.zeros((*linear.shape[:-2], depth))
    if depth > 1 and _interacts(measure, topic.levels):
        # A document meets itself as it would meet its like above it. (Two of a level that the pool has once are no
        # ranking, of which a measure may say anything; so they are not asked for.)
        pair = topic.together(measure)
        np.einsum("...aa->...a", pair)[...] = linear[..., 1]
        total = linear.sum(-2)
        np.divide(total, total[..., 1:2], out=discount, where=total[..., 1:2] != 0)
    return Expected(linear, pair, discount)


@lru_cache(maxsize=1024)
def _interacts(measure: Measure, levels: Levels) -> bool:
    """Are two documents worth more, or less, than each alone?"""
    topic = _Topic.rich(levels)
    like = np.repeat(np.arange(len(levels)), 2).reshape(-1, 2)
    alone = topic.alone(measure)[:, :2].sum(-1)
    both = topic.score(measure, like, np.array([[1.0, 2.0]]))
    return bool((np.abs(both - alone) > _ROUNDING * np.abs(alone)).any())


@lru_cache(maxsize=1024)
def _adds_up(measure: Measure, levels: Levels) -> bool:
    """Does the form give random rankings of a pool, judged non-relevant documents among them, the measure's value?

    A document that nobody pooled stands for level 0 as well as one that was judged non-relevant: it gains nothing.
    """
    topic = _Topic.rich(levels)
    form = _read_off(measure, topic)
    if form.linear[0].any() or form.pair[0].any() or form.pair[:, 0].any():
        return False
    rng = np.random.default_rng(0)
    deck = np.repeat(np.arange(len(levels)), topic.pool)
    level = np.stack([rng.permutation(deck) for _ in range(_TRIALS)])
    rank = np.stack([np.sort(rng.choice(topic.depth, len(deck), replace=False)) for _ in range(_TRIALS)])
    rank[::2] = np.arange(len(deck))  # without gaps, so that documents of one level meet at the top too
    holds = np.zeros((_TRIALS, len(levels), topic.depth))
    holds[np.arange(_TRIALS)[:, None], level, rank] = 1.0
    return bool(np.allclose(form.value(holds), topic.score(measure, level, rank + 1.0), rtol=1e-9, atol=1e-9))


def _adds_up_at_all(measure: Measure) -> bool:
    """Is a measure, in its default configuration (at 10), a sum over documents and pairs?"""
    try:
        return _adds_up(measure @ 10 if measure.definition.at == "cutoff" else measure, (0.0, 1.0, 2.0, 3.0))
    except InputError:  # there is no default
        return False
