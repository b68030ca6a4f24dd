"""Expected values over the orders of tied documents: closed forms where there are any, else drawn orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import NO_ORDER, JudgedRuns
from gradeval.formula.arithmetic import Array, add_in_order, tiny, width_for
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.ranking import group_columns
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.derived import TooManyLevels
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import PairKernel

PRECISION = 1e-10
"""How closely a closed form must give the value of the order at hand, or it is not used for the ranking."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected values of measures.

    Attributes
    ----------
    values : float64[measure, row]
    errors : float64[measure, row]: the standard error of a value that was estimated from drawn orders, else 0.
    """

    values: Array
    errors: Array


def expect(measures: Sequence[Measure], tied: TiedRankings, values: Array) -> Expected:
    """The expected values of the measures over all orders of the tied documents, each order equally likely.

    ``values`` are by the order at hand, float64[measure, row]; they stay where no order differs.
    Measures that are sums over documents, sums over pairs of documents or cascades have closed forms (see ``kernels``).
    They are used where they also give the value of the order at hand; else random orders.
    """
    expected = Expected(values.copy(), np.zeros(values.shape))
    mixed = tied.mixed()
    if not mixed.size:
        return expected
    part = tied.take(mixed)
    condensed = part.condensed() if any(measure.judged_only for measure in measures) else part
    open_rows = np.zeros((len(measures), len(mixed)), bool)
    for place, measure in enumerate(measures):
        exact = _closed_form(measure, condensed if measure.judged_only else part, values[place, mixed])
        open_rows[place] = ~np.isfinite(exact)
        expected.values[place, mixed] = np.where(open_rows[place], 0.0, exact)
    for row in np.flatnonzero(open_rows.any(0)).tolist():
        places = np.flatnonzero(open_rows[:, row]).tolist()
        mean, error = mean_over_orders([measures[place] for place in places], part, row)
        expected.values[places, mixed[row]] = mean
        expected.errors[places, mixed[row]] = error
    return expected


def _closed_form(measure: Measure, tied: TiedRankings, values: Array) -> Array:
    """float64[row]: the expected values, NaN where no closed form is known.

    A kernel is proven on rankings whose documents are all judged. Here some may not be, so it must also give the
    ``values`` of the order at hand.
    """
    if measure.judged_only and tied.depth is not None:
        return np.full(len(values), np.nan)  # how many judged documents are above the depth is random
    judged, lengths = tied.judged, tied.lengths
    width = width_for(int(judged.retrieved.max(initial=1)))
    try:
        kernel = kernel_of(measure, judged.pool, judged.levels, lengths, width)
    except TooManyLevels:
        kernel = None
    if kernel is None:
        return np.full(len(values), np.nan)
    if tied.depth is not None:
        kernel = replace(kernel, weights=kernel.weights * (np.arange(kernel.weights.shape[-1]) < tied.depth))
    level = np.where(judged.judged, judged.level, -1)
    ranks, first, last = (np.where(np.isfinite(each), each, 1.0) for each in (judged.ranks, tied.first, tied.last))
    in_order = _expect(kernel, level, ranks, ranks)
    # By level within ties: sums do not depend on the order in which equal scores stand.
    by_level = np.argsort(tied.first * (len(judged.levels) + 2) + level, axis=-1)
    expected = _expect(kernel, np.take_along_axis(level, by_level, -1), first, last)
    sure = np.abs(in_order - values) <= PRECISION * np.maximum(1.0, np.abs(values))
    return np.where(sure, expected, np.nan)


def _expect(kernel: Kernel, level: Array, first: Array, last: Array) -> Array:
    if isinstance(kernel, CascadeKernel):
        return expect_cascade(kernel, level, first, last)
    return expect_sum(kernel, level, first, last)


@dataclass(frozen=True, eq=False)
class TiedArrays:
    """Rankings of arrays whose measures are expected values over all orders of the tied documents.

    ``AP(rankings)`` gives one expected value for each, ``errors(AP)`` their standard errors where orders were drawn.
    """

    tied: TiedRankings
    shape: tuple[int, ...]

    def map(self, measure: Callable[[JudgedRankings], Array]) -> Array:
        """float64[...]: the expected value of a measure for each ranking."""
        values: Array = self._expected(measure).values[0]
        return values.reshape(self.shape)

    def errors(self, measure: Measure) -> Array:
        """float64[...]: the standard errors of the expected values; 0 where they are exact."""
        errors: Array = self._expected(measure).errors[0]
        return errors.reshape(self.shape)

    def _expected(self, measure: Callable[[JudgedRankings], Array]) -> Expected:
        if not isinstance(measure, Measure):
            raise InputError(f"ties='expected' takes a measure, as in AP(rankings), not {type(measure).__name__}")
        return expect([measure], self.tied, measure(self.tied.cut)[None])

    @property
    def rectangle(self) -> JudgedRankings:
        """Refused: the documents have no order."""
        raise InputError(NO_ORDER)

    def __repr__(self) -> str:
        return f"TiedArrays({list(self.shape)} rankings, expected over the orders of tied documents)"


@dataclass(frozen=True, eq=False)
class TiedRankings:
    """Rankings [row, j] in one of the orders that their scores allow, and all others that they allow.

    Attributes
    ----------
    judged : the rankings in that order, whole.
    first, last : float64[row, j]: the ranks at which the documents with the score of document j begin and end; inf in
        the padding. Documents that are not in the pool are among them.
    seeds : int64[row]: for the orders that are drawn; rankings of one topic have the same.
    depth : only so many ranks count; None: all.
    """

    judged: JudgedRankings
    first: Array
    last: Array
    seeds: Array
    depth: int | None = None

    @property
    def cut(self) -> JudgedRankings:
        """The rankings in their one order, down to the depth."""
        return self.judged if self.depth is None else self.judged.top(self.depth)

    @property
    def lengths(self) -> Array:
        """int64[row]: the ranks that count."""
        length = self.judged.retrieved
        return length if self.depth is None else np.minimum(length, self.depth)

    def mixed(self) -> Array:
        """intp[row]: the rankings whose tied documents are not all alike, so that their order matters."""
        judged, there = self.judged, self.judged.pooled
        size = np.where(there, self.last, 0.0) - np.where(there, self.first, 0.0) + 1
        begin, end = group_columns(self.first)
        kind = np.where(judged.judged, judged.level, -1)
        unlike = np.zeros(kind.shape, bool)
        unlike[:, 1:] = (kind[:, 1:] != kind[:, :-1]) & (begin[:, 1:] == begin[:, :-1])
        unlike |= end - begin + 1 < size  # with documents outside the pool
        return np.flatnonzero((unlike & there).any(-1))

    def take(self, rows: Array) -> TiedRankings:
        """Some of the rankings."""
        judged = self.judged
        taken = JudgedRankings(
            judged.grades[rows],
            judged.ranks[rows],
            judged.judged[rows],
            judged.document[rows],
            judged.pool[rows],
            judged.levels,
            judged.retrieved[rows],
        )
        return replace(self, judged=taken, first=self.first[rows], last=self.last[rows], seeds=self.seeds[rows])

    def condensed(self) -> TiedRankings:
        """The rankings without their unjudged documents, closed up (see JudgedRankings.condensed)."""
        known = self.judged.judged
        begin, end = group_columns(self.first)
        number = known.cumsum(-1)
        below = np.take_along_axis(number - known, begin, -1)
        first = np.where(known, below + 1.0, np.inf)
        last = np.where(known, np.take_along_axis(number, end, -1).astype(float), np.inf)
        order = np.argsort(~known, axis=-1, kind="stable")
        condensed = self.judged.condensed()
        width = condensed.grades.shape[-1]
        moved = [np.take_along_axis(ranks, order, -1)[:, :width] for ranks in (first, last)]
        return replace(self, judged=condensed, first=moved[0], last=moved[1])


def tied_blocks(judged: JudgedRuns, seed: int) -> Iterator[tuple[Array, TiedRankings]]:
    """All rankings of runs that were judged with ties="expected", in rectangles: (row numbers, rankings)."""
    assert judged.first is not None
    assert judged.last is not None
    of_topic = np.array([seed_of(topic, seed) for topic in judged.topics], np.int64)
    for rows, block in judged.in_one_order().blocks():
        place = judged.offsets[rows][:, None] + np.arange(block.grades.shape[-1])
        place = np.where(block.pooled, place, -1)
        first, last = judged.first.take(place), judged.last.take(place)
        yield rows, TiedRankings(block, first, last, of_topic[rows % len(judged.topics)], judged.depth)


def seed_of(topic: str, seed: int) -> int:
    """A seed for each topic, which does not depend on the other topics: errors of topics are then independent."""
    from zlib import crc32  # only where orders are drawn

    return crc32(topic.encode("utf-8", "surrogateescape")) ^ (seed << 32)


def expect_sum(kernel: PairKernel, level: Array, first: Array, last: Array) -> Array:
    """float64[row]: the expected value of M = 1/N sum_n w(n) [own(r[n]) + sum_{m<n} pairs(r[m], r[n])].

    The document y is at each of the s ranks f..l of its score with probability 1/s, and below another one of them at
    rank n with probability (n - f) / (s (s - 1)):

        E[M] = 1/N sum_y [(own(y) + sum_{x above} pairs(x, y)) 1/s sum_n w(n)
                          + sum_{x tied} pairs(x, y) 1/(s (s - 1)) sum_n w(n) (n - f)].

    Parameters
    ----------
    kernel : of the rankings; ranks that do not count have weight 0.
    level : int[row, j]: the levels of the documents, in one of the orders; -1: not judged, or padding.
    first, last : [row, j]: f and l, at least 1 also in the padding.

    Source: McSherry & Najork (2008), "Computing information retrieval performance measures efficiently in the presence
    of tied scores", ECIR: their sections on discounted gain and average precision, for any tables.
    """
    level = kernel.places(level)
    present, safe = level >= 0, np.maximum(level, 0)
    alone, below = _mean_weights(kernel.weights, first, last)
    row = np.arange(len(level))[:, None]
    own = kernel.own[0 if len(kernel.own) == 1 else row, safe]
    total = own * alone
    if kernel.pairs is not None:
        gained = kernel.pairs[0 if len(kernel.pairs) == 1 else row, safe] * present[..., None]  # [row, x, level of y]
        summed = np.concatenate([np.zeros_like(gained[:, :1]), gained.cumsum(1)], axis=1)
        begin, end = group_columns(first)
        above = summed[row, begin, safe]
        tied = summed[row, end + 1, safe] - above - gained[row, np.arange(level.shape[1]), safe]
        total = total + above * alone + tied * below
    value: Array = add_in_order(total * present) * kernel.share
    return value


def _mean_weights(weights: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """1/s sum_n w(n) and 1/(s (s - 1)) sum_n w(n) (n - f), float64[row, j] each; the second is 0 where s = 1."""
    row = 0 if len(weights) == 1 else np.arange(len(weights))[:, None]
    f, end = first.astype(np.intp), last.astype(np.intp)
    if last is first:  # no document is tied
        return weights[row, f - 1], np.zeros(1)
    rank = np.arange(1, weights.shape[-1] + 1)
    exact = weights.astype(np.longdouble)  # differences of long sums
    begin = np.zeros((len(weights), 1), np.longdouble)
    plain, ranked = (np.concatenate([begin, part.cumsum(-1)], axis=-1) for part in (exact, exact * rank))
    size = end - f + 1
    mass = plain[row, end] - plain[row, f - 1]
    moment = ranked[row, end] - ranked[row, f - 1] - f * mass
    return (mass / size).astype(float), (moment / np.maximum(size * (size - 1), 1)).astype(float)


AT_ONCE = 1 << 21
"""Numbers in the largest array: documents times the ranks that they may have."""


def expect_cascade(kernel: CascadeKernel, level: Array, first: Array, last: Array) -> Array:
    """float64[row]: the expected value of M = 1/N sum_n w(n) own(r[n]) prod_{m<n} (1 - stop(r[m])).

    With A the probability of passing all documents with higher scores, and p_k(y) the mean, over all sets of k of the
    documents tied with y, of the probability of passing them,

        E[M] = 1/N sum_y A own(y) 1/s sum_{k=0}^{s-1} w(f + k) p_k(y).

    Parameters: see ``expect_sum``.
    """
    present, safe = level >= 0, np.maximum(level, 0)
    row = np.arange(len(level))[:, None]
    own, stop = (table[0 if len(table) == 1 else row, safe] * present for table in (kernel.own, kernel.stop))
    passed = np.cumprod(np.concatenate([np.ones((len(level), 1)), 1 - stop], axis=-1), axis=-1)
    begin, end = group_columns(first)
    size = (last - first).astype(np.intp) + 1
    rows, columns = np.nonzero(own)
    # Documents of one level and score have the same p_k: one of them stands for all.
    key = np.stack([rows, begin[rows, columns], level[rows, columns]])
    _, chosen, count = np.unique(key, axis=1, return_index=True, return_counts=True)
    rows, columns = rows[chosen], columns[chosen]
    reach = _reach(kernel, stop, rows, columns, first, begin, end, size)
    rows, columns, count, reach = (each[reach > 0] for each in (rows, columns, count, reach))
    terms = np.zeros(len(rows))
    for part in _alike(reach, (end - begin)[rows, columns] + 1):
        r, c = rows[part], columns[part]
        s, number = size[r, c], int(reach[part].max())
        others = _others(stop, r, c, begin[r, c], end[r, c])
        mean = _mean_products(others, s - 1, number)
        rank = first[r, c].astype(np.intp)[:, None] + np.arange(number)
        weights = kernel.weights[0 if len(kernel.weights) == 1 else r[:, None], np.minimum(rank, last_of(kernel)) - 1]
        weights = weights * (np.arange(number) < reach[part][:, None])
        terms[part] = count[part] * own[r, c] * passed[r, begin[r, c]] * add_in_order(weights * mean) / s
    value: Array = np.bincount(rows, terms, len(level)) * kernel.share
    return value


def last_of(kernel: CascadeKernel) -> int:
    """The last rank that has a weight of its own."""
    return int(kernel.weights.shape[-1])


NEGLIGIBLE = 1e-18
"""A share of a sum that is smaller than its rounding."""


def _reach(
    kernel: CascadeKernel, stop: Array, row: Array, column: Array, first: Array, begin: Array, end: Array, size: Array
) -> Array:
    """int64[group]: how many terms k = 0, 1 ... of the sum over w(f + k) p_k there are, or are not negligible.

    The mean over sets of k documents is at most that over k draws with replacement (Hoeffding 1963, theorem 4):
    p_k <= mu^k, mu = the mean of 1 - stop of the documents. So the terms from k = K on are together at most
    max w mu^K / (1 - mu), besides the first, which is w(f).
    """
    s, f = size[row, column], first[row, column].astype(np.intp)
    summed = np.concatenate([np.zeros((len(stop), 1)), stop.cumsum(-1)], axis=-1)
    stopped = summed[row, end[row, column] + 1] - summed[row, begin[row, column]] - stop[row, column]
    leaving = np.clip(stopped / np.maximum(s - 1, 1), 0.0, 1.0)  # 1 - mu
    of_row = np.zeros_like(row) if len(kernel.weights) == 1 else row
    head = kernel.weights[of_row, np.minimum(f, last_of(kernel)) - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        least = NEGLIGIBLE * leaving * head / kernel.weights.max(-1)[of_row]
        terms = np.ceil(np.log(least) / np.log1p(-leaving)) + 1
    terms = np.where((leaving > 0) & (head > 0), np.maximum(terms, 1), s)
    last = last_of(kernel) - np.argmax(kernel.weights[:, ::-1] > 0, axis=-1)  # rank with a weight
    reach: Array = np.minimum(np.minimum(terms, last[of_row] - f + 1), s)
    return reach.clip(0).astype(np.int64)


def _alike(reach: Array, documents: Array) -> list[Array]:
    """The places of groups of about as many terms and documents, so many that they fit into the memory at once."""
    terms, others = _widths(reach), _widths(documents)
    kind = terms << 32 | others
    parts: list[Array] = []
    for each in np.unique(kind).tolist():
        places = np.flatnonzero(kind == each)
        step = max(1, AT_ONCE // max(each >> 32, each & (2**32 - 1)))
        parts += [places[start : start + step] for start in range(0, len(places), step)]
    return parts


def _widths(sizes: Array) -> Array:
    """int64[group]: the widths of the rectangles for groups of these sizes."""
    there = np.flatnonzero(np.bincount(sizes))
    widths = np.zeros(int(sizes.max(initial=0)) + 1, np.int64)
    widths[there] = [width_for(size) if size > 1 else 1 for size in there.tolist()]
    return widths[sizes]


def _others(stop: Array, row: Array, column: Array, begin: Array, end: Array) -> Array:
    """float64[group, i]: the stop probabilities of the pooled documents tied with each document, without its own."""
    place = begin[:, None] + np.arange(int((end - begin).max(initial=0)) + 1)
    inside = (place <= end[:, None]) & (place != column[:, None])
    return np.where(inside, stop[row[:, None], np.minimum(place, stop.shape[1] - 1)], 0.0)


def _mean_products(stop: Array, number: Array, terms: int) -> Array:
    """p_k, float64[group, k], k = 0 .. ``terms`` - 1: the mean, over all sets of k of ``number`` documents, of
    the product of 1 - stop; documents that are not listed in stop[group, i], or have 0 there, stop nobody.

    One document q more makes p_k of n documents ((n + 1 - k) p_k + k (1 - q) p_{k-1}) / (n + 1): all numbers stay in
    [0, 1] and none is a difference. Documents that stop nobody come first: until then every p_k is 1.
    """
    stop = -np.sort(-stop, axis=-1)
    stop = stop[:, : int(np.count_nonzero(stop, axis=-1).max(initial=0))]
    n = (number - np.count_nonzero(stop, axis=-1))[:, None]
    k = np.arange(terms)
    mean = np.ones((len(stop), len(k)))
    for column in range(stop.shape[1]):
        q = stop[:, column, None]
        before = np.concatenate([mean[:, :1], mean[:, :-1]], axis=-1)
        share = np.minimum(k / (n + 1), 1.0)
        mean = np.where(q > 0, (1 - share) * mean + share * (1 - q) * before, mean)
        n = n + (q > 0)
    return mean


DRAWS = 256
"""Orders of a ranking, where it has more."""


def mean_over_orders(measures: Sequence[Measure], tied: TiedRankings, row: int) -> tuple[Array, Array]:
    """float64[measure], twice: the mean of each measure over orders of a ranking, and its standard error.

    Where the tied documents have no more than DRAWS orders, the mean is over all of them, and exact: its error is 0.
    """
    ranges = _tied_ranges(tied, row)
    length = int(tied.judged.retrieved[row])
    every = math.prod(math.factorial(min(last - first + 1, DRAWS)) for first, last in ranges) <= DRAWS
    order = _all_orders(length, ranges) if every else _shuffle(length, ranges, int(tied.seeds[row]))
    rankings = _in_orders(tied, row, order)
    values = np.stack([measure(rankings) for measure in measures])
    if every:
        return values.mean(-1), np.zeros(len(measures))
    spread = values.std(-1, ddof=1)
    spread[tiny(spread, np.abs(values).max(-1))] = 0.0  # of a measure that is the same in every order
    return values.mean(-1), spread / np.sqrt(len(order))


def _tied_ranges(tied: TiedRankings, row: int) -> list[tuple[int, int]]:
    """The first and last ranks of groups of tied documents that hold one of the pool."""
    shared = tied.judged.pooled[row] & (tied.last[row] > tied.first[row])
    pairs = zip(tied.first[row, shared].tolist(), tied.last[row, shared].tolist(), strict=True)
    return [(int(first), int(last)) for first, last in dict.fromkeys(pairs)]


def _all_orders(length: int, ranges: Sequence[tuple[int, int]]) -> Array:
    """intp[order, n]: the places 0..n-1 in all orders in which places of each range exchange ranks."""
    orders = np.arange(length)[None]
    for first, last in ranges:
        some = np.array(list(permutations(range(first - 1, last))))
        orders = np.repeat(orders, len(some), axis=0)
        orders[:, first - 1 : last] = np.tile(some, (len(orders) // len(some), 1))
    return orders


def _shuffle(length: int, ranges: Sequence[tuple[int, int]], seed: int) -> Array:
    """intp[order, n]: the places 0..n-1, shuffled within each range.

    The range, a random number and the place are packed into one integer, as sorting integers is several times faster
    than finding their order.
    """
    group = np.arange(length)
    for first, last in ranges:
        group[first - 1 : last] = first - 1
    bits = max(1, (length - 1).bit_length())
    random = np.random.default_rng(seed).integers(0, 1 << (62 - 2 * bits), (DRAWS, length), dtype=np.int64)
    packed = (group.astype(np.int64) << (62 - bits)) | (random << bits) | np.arange(length)
    packed.sort(axis=-1)
    return packed & ((1 << bits) - 1)


def _in_orders(tied: TiedRankings, row: int, order: Array) -> JudgedRankings:
    """One ranking, with the documents that stand at the ranks 1, 2 ... in their places order[order, n]: [order, j]."""
    judged, there = tied.judged, tied.judged.pooled[row]
    rank = judged.ranks[row, there].astype(np.intp) - 1
    listed = np.full(order.shape[1], -1)  # which pooled document is at each rank
    listed[rank] = np.arange(len(rank))
    document = listed[order]
    pooled = document >= 0  # as many in each order
    document = document[pooled].reshape(len(order), len(rank))
    whole = JudgedRankings(
        grades=judged.grades[row, there][document],
        ranks=np.nonzero(pooled)[1].reshape(document.shape) + 1.0,
        judged=judged.judged[row, there][document],
        document=judged.document[row, there][document],
        pool=np.broadcast_to(judged.pool[row], (len(order), judged.pool.shape[-1])),
        levels=judged.levels,
        retrieved=np.full(len(order), order.shape[1]),
    )
    return whole if tied.depth is None else whole.top(tied.depth)
