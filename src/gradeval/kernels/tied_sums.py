"""The expected value of a sum over pairs of documents, over all orders of the documents that share their score."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array, width_for
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.pairs import PairKernel
from gradeval.kernels.tied_rankings import group_columns


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
    value: Array = (total * present).sum(-1) * kernel.share
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
    total = np.zeros(len(level))
    rows, columns = np.nonzero(own)
    if not rows.size:
        return total
    # Documents of one level and score have the same p_k: one of them stands for all.
    key = np.stack([rows, begin[rows, columns], level[rows, columns]])
    _, chosen, count = np.unique(key, axis=1, return_index=True, return_counts=True)
    rows, columns = rows[chosen], columns[chosen]
    for part in _alike(size[rows, columns]):
        r, c = rows[part], columns[part]
        s = size[r, c]
        others = _others(stop, r, c, begin[r, c], end[r, c])
        mean = _mean_products(others, s - 1)
        rank = first[r, c].astype(np.intp)[:, None] + np.arange(mean.shape[1])
        weights = kernel.weights[0 if len(kernel.weights) == 1 else r[:, None], np.minimum(rank, last_of(kernel)) - 1]
        weights = weights * (np.arange(mean.shape[1]) < s[:, None])
        np.add.at(total, r, count[part] * own[r, c] * passed[r, begin[r, c]] * (weights * mean).sum(-1) / s)
    value: Array = total * kernel.share
    return value


def last_of(kernel: CascadeKernel) -> int:
    """The last rank that has a weight of its own."""
    return int(kernel.weights.shape[-1])


def _alike(size: Array) -> list[Array]:
    """The places of groups of like size, so many that they fit into the memory at once."""
    width = np.array([width_for(s) if s > 1 else 1 for s in size.tolist()])
    parts: list[Array] = []
    for each in np.unique(width).tolist():
        places = np.flatnonzero(width == each)
        step = max(1, AT_ONCE // each)
        parts += [places[start : start + step] for start in range(0, len(places), step)]
    return parts


def _others(stop: Array, row: Array, column: Array, begin: Array, end: Array) -> Array:
    """float64[group, i]: the stop probabilities of the pooled documents tied with each document, without its own."""
    place = begin[:, None] + np.arange(int((end - begin).max(initial=0)) + 1)
    inside = (place <= end[:, None]) & (place != column[:, None])
    return np.where(inside, stop[row[:, None], np.minimum(place, stop.shape[1] - 1)], 0.0)


def _mean_products(stop: Array, number: Array) -> Array:
    """p_k, float64[group, k], k = 0 .. the largest ``number``: the mean, over all sets of k of ``number`` documents, of
    the product of 1 - stop; documents that are not listed in stop[group, i], or have 0 there, stop nobody.

    One document q more makes p_k of n documents ((n + 1 - k) p_k + k (1 - q) p_{k-1}) / (n + 1): all numbers stay in
    [0, 1] and none is a difference. Documents that stop nobody come first: until then every p_k is 1.
    """
    stop = -np.sort(-stop, axis=-1)
    stop = stop[:, : int(np.count_nonzero(stop, axis=-1).max(initial=0))]
    n = (number - np.count_nonzero(stop, axis=-1))[:, None]
    k = np.arange(int(number.max(initial=0)) + 1)
    mean = np.ones((len(stop), len(k)))
    for column in range(stop.shape[1]):
        q = stop[:, column, None]
        before = np.concatenate([mean[:, :1], mean[:, :-1]], axis=-1)
        share = np.minimum(k / (n + 1), 1.0)
        mean = np.where(q > 0, (1 - share) * mean + share * (1 - q) * before, mean)
        n = n + (q > 0)
    return mean
