"""The expected value of a sum over pairs of documents, over all orders of the documents that share their score."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.kernels.pairs import PairKernel
from gradeval.tied.rankings import group_columns


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
