"""The pair form of a measure, computed from its values on short rankings and verified on random ones.

Rankings of one document show what a document of each level contributes and what each rank is worth; rankings of two
show what a document gains from one above it. The measure has a pair form if these tables reproduce its values on random
rankings with various pools. Measures without one (ERR, bpref, infAP ...) fail this check.

Rankings on which a pair form is proven, of pools of many kinds: each kind catches measures that the others miss.

A random sample proves nothing about pools that are larger, or rankings that are longer, than those in it.

Of many levels, as of grades that are measurements, a form is proven on some, and tables are made for those alone that a
query holds: the work grows with the documents, not with a power of the levels.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.kernels.pairs import PairKernel

FEW_LEVELS = 12  # up to so many levels, forms are proven on all of them, and all queries have tables of all
MANY_LEVELS = 128  # from here on, no table of all pairs of levels is made
MOST_PAIRS = 1 << 27  # of levels, over all queries: 1 GB
MOST_WORK = 1 << 26  # pairs of levels of queries, times levels: some seconds
ROUNDING = 1e-12  # a difference smaller than this share of its operands is rounding
PRECISION = 1e-9  # how closely the form must agree with the measure, as a share of the largest value
AT_ONCE = 1 << 21  # documents times levels that are scored in one call; memory grows with both


@dataclass(frozen=True)
class PairForm:
    """What is known about a measure as a sum over pairs, for all queries of a collection with these levels.

    Attributes
    ----------
    interacts : whether documents gain from those above them.
    one_table : whether all queries share the tables ``own`` and ``pairs``, except the normaliser.
    one_weighting : whether a rank has the same weight in all queries.
    """

    measure: Measure
    levels: Levels
    interacts: bool
    one_table: bool
    one_weighting: bool

    def kernel(self, pool: Array, lengths: Array, width: int) -> PairKernel:
        """The kernel for queries with pools int[query, level] and list lengths int[query], with weights for ``width``
        ranks. Queries of equal pool and length are computed once."""
        first, which = _distinct(np.column_stack([pool, lengths]))
        queries = _Queries(self.measure, self.levels, pool[first], lengths[first])
        held, place = queries.held
        self.require_few(queries.pool, len(pool))
        weights = _shared_weights(self, width) if self.one_weighting else queries.weights(width)[which]
        if self.one_table:
            own, pairs = _shared_tables(self)
            best, value = queries.best(np.broadcast_to(own, queries.pool.shape), np.arange(len(self.levels)))
            return PairKernel(own, pairs, weights, ratio(value, own[0, best])[which])
        own, pairs = queries.tables(self.interacts, held)
        _, value = queries.best(own, held)
        return PairKernel(
            own=own[which],
            pairs=None if pairs is None else pairs[which],
            weights=weights,
            share=(value != 0).astype(float)[which],
            place=None if place is None else place[which],
        )

    def require_few(self, pool: Array, queries: int) -> None:
        """A TooManyLevels where tables of pairs of levels would take too much time or memory, for so many queries with
        these pools, different ones."""
        size = len(self.levels)
        if not self.interacts or self.one_table or size <= FEW_LEVELS:
            return
        held = (pool > 0).sum(-1).astype(float)
        slow = size > MANY_LEVELS and float((held**2 * (held + size)).sum()) > MOST_WORK
        if slow or queries * held.max(initial=0) ** 2 > MOST_PAIRS:
            raise TooManyLevels(
                f"{self.measure} compares documents by their grades, and {size:,} different grades are too many for "
                "it: recode them to 0 .. 10, or take nDCG"
            )


def _distinct(rows: Array) -> tuple[Array, Array]:
    """The places of the first of rows [row, ...] that are equal, and which of these each row is."""
    known: dict[bytes, int] = {}
    which = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows], int)
    return np.unique(which, return_index=True)[1], which


class TooManyLevels(InputError):
    """A measure with tables of pairs of levels has no kernel for so many levels."""


@lru_cache(maxsize=1024)
def _shared_tables(form: PairForm) -> tuple[Array, Array | None]:
    """``own`` and ``pairs`` for all queries, scaled so that the largest entry of ``own`` is 1."""
    levels = np.arange(len(form.levels))
    own, pairs = _Queries.rich(form.measure, form.levels, 0, levels).tables(form.interacts, levels)
    largest = np.abs(own).max() or 1.0
    return own / largest, None if pairs is None else pairs / largest


@lru_cache(maxsize=1024)
def _shared_weights(form: PairForm, width: int) -> Array:
    """float64[1, n]: the weights of the ranks in all queries."""
    return _Queries.rich(form.measure, form.levels, width, some_levels(len(form.levels))).weights(width)


def pair_kernel(measure: Measure, pool: Array, levels: Levels, lengths: Array, width: int) -> PairKernel | None:
    """The pair kernel of a measure for some queries; None where the measure is not a sum over pairs of documents."""
    first = threshold(measure, levels)
    if first is not None:
        below, above = pool[:, :first].sum(-1), pool[:, first:].sum(-1)
        kernel = pair_kernel(measure, np.column_stack([below, above]), (0.0, levels[first]), lengths, width)
        return None if kernel is None else replace(kernel, place=(np.arange(len(levels)) >= first).astype(int)[None])
    form = pair_form(measure, levels)
    return None if form is None else form.kernel(pool, lengths, width)


@lru_cache(maxsize=1024)
def threshold(measure: Measure, levels: Levels) -> int | None:
    """The first of many levels that counts as relevant, for a measure to which all from there on are alike, as all
    below are; None for another measure, and for few levels."""
    rel = measure.arguments[measure.definition.formula].get("rel")
    first = 0 if rel is None else bisect_left(levels, rel)
    if len(levels) <= FEW_LEVELS or not 0 < first < len(levels):
        return None
    measure = replace(measure, judged_only=False)
    level, pool, lengths = example_rankings(levels)
    ranks = np.arange(1.0, level.shape[1] + 1)
    merged = np.where(level < 0, -1, level >= first)
    counts = np.column_stack([pool[:, :first].sum(-1), pool[:, first:].sum(-1)])
    values = score(measure, level, ranks, pool, levels, lengths)
    return first if _agree(score(measure, merged, ranks, counts, (0.0, levels[first]), lengths), values) else None


def _agree(values: Array, exact: Array) -> bool:
    return np.allclose(values, exact, rtol=0, atol=PRECISION * np.abs(exact).max(initial=0.0))


@lru_cache(maxsize=1024)
def pair_form(measure: Measure, levels: Levels) -> PairForm | None:
    """The pair form of a measure that shares most between queries; None where the measure has no pair form.

    All documents are judged, so ``judged_only`` has no effect.
    """
    measure = replace(measure, judged_only=False)
    if len(levels) > MANY_LEVELS:
        with suppress(InputError):  # raised where parameters name grades: the form is then proven on the whole scale
            form = pair_form(measure, tuple(levels[place] for place in some_levels(len(levels))))
            one_table = form is not None and form.one_table and not form.interacts
            return form and replace(form, levels=levels, one_table=one_table)
    level, pool, lengths = example_rankings(levels)
    values = score(measure, level, np.arange(1.0, level.shape[1] + 1), pool, levels, lengths)
    interacts = _interacts(measure, levels)
    for one_table, one_weighting in product((True, False), repeat=2):
        if one_table and interacts and len(levels) > MANY_LEVELS:
            continue
        form = PairForm(measure, levels, interacts, one_table, one_weighting)
        if _agree(form.kernel(pool, lengths, level.shape[1]).value(level), values):
            return form
    return None


def _interacts(measure: Measure, levels: Levels) -> bool:
    """Whether two documents are worth more, or less, than the sum of each alone."""
    some = some_levels(len(levels))
    _, pairs = _Queries.rich(measure, levels, 0, some).tables(interacts=True, held=some)
    return pairs is not None and bool(pairs.any())


def score(measure: Measure, level: Array, ranks: Array, pool: Array, levels: Levels, lengths: Array) -> Array:
    """float64[...]: the values of rankings of judged documents with levels int[..., j] (-1: padding) at ``ranks``.

    Documents beyond the length of their ranking do not count. All leading axes broadcast.
    """
    listed = (level >= 0) & (ranks <= lengths[..., None])
    grades = np.array(levels)[level]
    values = measure(JudgedRankings.full(grades, pool, levels, np.where(listed, ranks, np.inf), lengths))
    return np.broadcast_to(values, listed.shape[:-1])  # a formula may give one 0 for all rankings of an empty pool


@dataclass(frozen=True, eq=False)
class _Queries:
    """What a measure depends on besides the ranking: pools int[query, level], and the lengths of the lists."""

    measure: Measure
    levels: Levels
    pool: Array
    lengths: Array

    @classmethod
    def rich(cls, measure: Measure, levels: Levels, width: int, some: Array) -> _Queries:
        """One query with several documents of ``some`` levels and a list of at least ``width`` ranks."""
        each = max(2, DOCUMENTS // len(levels))
        pool = np.zeros((1, len(levels)), int)
        pool[:, some] = each
        return cls(measure, levels, pool, np.array([max(width, each * len(some))]))

    @cached_property
    def held(self) -> tuple[Array, Array | None]:
        """int[query, place]: the levels of which queries have tables; and int[query, level], the place of each level.

        Of many levels, those that the pool holds, ascending (in the padding, some other); else all, each in its own
        place (None).
        """
        size = len(self.levels)
        if size <= FEW_LEVELS:
            return np.broadcast_to(np.arange(size), self.pool.shape), None
        place = np.maximum((self.pool > 0).cumsum(-1) - 1, 0)
        held = np.zeros((len(place), int(place.max(initial=0)) + 1), int)
        query, level = np.nonzero(self.pool > 0)
        held[query, place[query, level]] = level
        return held, place

    def tables(self, interacts: bool, held: Array) -> tuple[Array, Array | None]:
        """``own`` and ``pairs`` of a PairKernel for the levels ``held`` [query or 1, place], for N = 1 and a first rank
        of weight 1; 0 for levels that the pool lacks."""
        held = np.broadcast_to(held, (len(self.pool), held.shape[-1]))
        counts = np.take_along_axis(self.pool, held, -1)
        present = counts > 0
        own = np.where(present, self._scores(held[..., None], np.array([1.0])), 0.0)
        if not interacts:
            return own, None
        second = np.where(present, self._scores(held[..., None], np.array([2.0])), 0.0)
        alone = own[:, :, None] + second[:, None, :]
        gained = np.where(present[:, :, None] & present[:, None, :], self._together(held) - alone, 0.0)
        best = np.where(present, np.abs(own), -1.0).argmax(1)
        row = np.arange(len(own))
        weight = ratio(second[row, best], np.where(present[row, best], own[row, best], 0.0))
        pairs = ratio(np.where(np.abs(gained) > ROUNDING * np.abs(alone), gained, 0.0), weight[:, None, None])
        # Where the pool has one document of a level, no ranking holds two of that level, and the measure's value for
        # such a ranking is arbitrary. Take what holds for AP and its relatives: the second gains its own worth again.
        query, place = np.nonzero(counts == 1)
        pairs[query, place, place] = own[query, place]
        return own, pairs

    def _together(self, held: Array) -> Array:
        """float64[query, place, place]: the values of rankings of two documents, by their levels at ranks 1 and 2."""
        queries, size = held.shape
        upper, lower = np.broadcast_arrays(held[:, :, None], held[:, None, :])
        both = np.stack([upper, lower], -1).reshape(queries, size * size, 2)
        return self._scores(both, np.array([1.0, 2.0])).reshape(queries, size, size)

    def best(self, own: Array, held: Array) -> tuple[Array, Array]:
        """int[query], float64[query]: the level in the pool that contributes most, and the value of a ranking with one
        document of that level at rank 1; 0 where no document contributes anything. ``own`` and ``held`` are as in
        ``tables``."""
        held = np.broadcast_to(held, own.shape)
        counts = np.take_along_axis(self.pool, held, -1)
        place = np.where(counts > 0, np.abs(own), -1.0).argmax(1)
        row = np.arange(len(own))
        level = held[row, place]
        value = self._scores(level[:, None, None], np.array([1.0]))[:, 0]
        return level, np.where(counts[row, place] > 0, value, 0.0)

    def weights(self, width: int) -> Array:
        """float64[query, n]: the weights of the ranks, relative to rank 1. Beyond the end of a list the last weight is
        repeated; all are 1 where no document contributes anything."""
        held, _ = self.held
        own, _ = self.tables(interacts=False, held=held)
        level, first = self.best(own, held)
        ranks = np.arange(1.0, width + 1)
        weights = ratio(self._scores(level[:, None, None], ranks[:, None]), first[:, None])
        last = np.clip(self.lengths, 1, width) - 1
        weights = np.where(np.arange(width) <= last[:, None], weights, weights[np.arange(len(last)), last][:, None])
        return np.where(first[:, None] != 0, weights, 1.0)

    def _scores(self, level: Array, ranks: Array) -> Array:
        """float64[query, ranking]: the values of short rankings [query, ranking, j], or [ranking, j] for all
        queries."""
        count, length = np.broadcast_shapes(level.shape[-2:], ranks.shape)
        level = np.broadcast_to(level, (*level.shape[:-2], count, length))
        ranks = np.broadcast_to(ranks, (count, length))
        step = max(1, AT_ONCE // max(1, count * length * len(self.levels)))
        parts = [slice(first, first + step) for first in range(0, max(1, len(self.pool)), step)]
        return np.concatenate([self._part(level[part] if level.ndim == 3 else level, ranks, part) for part in parts])

    def _part(self, level: Array, ranks: Array, part: slice) -> Array:
        pool, lengths = self.pool[part], self.lengths[part]
        level = np.broadcast_to(level, (len(pool), *ranks.shape))
        lengths = np.broadcast_to(lengths[:, None], level.shape[:-1])
        return score(self.measure, level, ranks, pool[:, None], self.levels, lengths)


@lru_cache(maxsize=1024)
def ignores_level_0(measure: Measure, levels: Levels) -> bool:
    """Whether judged documents of level 0 could as well be unjudged, for a measure with a pair form.

    Unjudged documents are gaps between the ranks; the measure is compared on rankings with and without such gaps.
    """
    level, pool, lengths = example_rankings(levels)
    ranks = np.arange(1.0, level.shape[1] + 1)
    dropped = (level == 0) & (np.random.default_rng(1).random(level.shape) < 0.5)
    order = np.argsort(dropped, axis=-1, kind="stable")
    remaining = np.take_along_axis(np.where(dropped, -1, level), order, -1)
    whole = score(replace(measure, judged_only=False), level, ranks, pool, levels, lengths)
    with_gaps = score(
        measure, remaining, np.take_along_axis(np.broadcast_to(ranks, level.shape), order, -1), pool, levels, lengths
    )
    return _agree(with_gaps, whole)


DOCUMENTS = 24  # about so many in a pool
LARGE = 4 * DOCUMENTS  # and so many in the largest
RANKINGS = 12  # of each pool
PAIRS = 100  # of levels, at most, that have pools to themselves
FEW_PAIRS = 10  # of so many, pools of all small sizes

RankingAndPool = tuple[Array, Array]  # a ranking int[n] of levels, and its pool int[level]


def example_rankings(levels: Levels) -> tuple[Array, Array, Array]:
    """Rankings int[query, n] of levels (-1: padding), their pools int[query, level], and their lengths."""
    rng = np.random.default_rng(0)
    some = some_levels(len(levels))
    size = len(some)
    examples = [*_random_rankings(size, rng), *_single_levels(size), *_pairs_of_levels(size, rng)]
    lengths = np.array([len(ranking) for ranking, _ in examples])
    level = np.full((len(examples), lengths.max()), -1)
    level[np.arange(level.shape[1]) < lengths[:, None]] = some[np.concatenate([ranking for ranking, _ in examples])]
    pools = np.zeros((len(examples), len(levels)), int)
    pools[:, some] = [pool for _, pool in examples]
    return level, pools, lengths


def some_levels(size: int) -> Array:
    """int[level]: so many levels, or of more than a few the lowest, the highest, and some between."""
    if size <= FEW_LEVELS:
        return np.arange(size)
    between = np.linspace(3, size - 3, FEW_LEVELS - 5).astype(int)
    return np.array([0, 1, 2, *between, size - 2, size - 1])


def _random_rankings(levels: int, rng: np.random.Generator) -> Iterator[RankingAndPool]:
    """Rankings of a pool or a part, in any order, and with the relevant documents first, where a cutoff
    sees them."""
    for pool in _pools(levels, rng):
        documents = np.repeat(np.arange(levels), pool)
        for number in range(RANKINGS):
            length = len(documents) if number % 3 else int(rng.integers(1, len(documents) + 1))
            ranking = rng.permutation(documents)[:length]
            yield ranking, pool
            yield (np.sort(ranking)[::-1] if number % 2 else ranking[np.argsort(ranking == 0, kind="stable")]), pool


def _pools(levels: int, rng: np.random.Generator) -> Iterator[Array]:
    """Pools int[level]: rich and poor ones, with and without the highest and the lowest relevant level."""
    each = max(2, DOCUMENTS // levels)
    yield np.full(levels, each)
    for present in (slice(0, 1), slice(-1, None), slice(1, 2), slice(0, -1)):  # and documents of level 0
        pool = np.zeros(levels, int)
        pool[present] = each
        pool[0] = DOCUMENTS // 2
        yield pool
    poor = np.minimum(np.arange(levels)[::-1] < 2, 1).astype(int)  # one of each of the best two
    poor[0] = DOCUMENTS
    yield poor
    for documents in (*[DOCUMENTS] * 4, LARGE):
        yield rng.multinomial(documents, rng.dirichlet(np.ones(levels)))
    yield np.full(levels, -(-LARGE // levels))


def _single_levels(levels: int) -> Iterator[RankingAndPool]:
    """Pools of one level and nothing else: one document, and many."""
    for level in range(levels):
        for documents in (1, DOCUMENTS):
            yield np.full(documents, level), np.bincount([level], [documents], levels).astype(int)


def _pairs_of_levels(levels: int, rng: np.random.Generator) -> Iterator[RankingAndPool]:
    """Pools of a few documents of each of two levels, ranked either way, and a ranking of some of them."""
    pairs = [(high, low) for high in range(levels) for low in range(high)]
    if len(pairs) > PAIRS:
        best, worst = [(levels - 1, low) for low in range(levels - 1)], [(high, 1) for high in range(2, levels)]
        pairs = [*(pairs[place] for place in rng.choice(len(pairs), PAIRS, replace=False)), *best, *worst]
    for high, low in pairs:
        counts = product((1, 2, 3), repeat=2) if len(pairs) <= FEW_PAIRS else [tuple(rng.integers(1, 3, 2))]
        for number in counts:
            pool = np.zeros(levels, int)
            pool[[high, low]] = number
            ranking = np.repeat(np.arange(levels), pool)
            yield from ((order, pool) for order in (ranking, ranking[::-1], rng.permutation(ranking)[:2]))
