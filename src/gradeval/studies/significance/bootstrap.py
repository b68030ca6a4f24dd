"""Paired bootstrap tests over topics, of all pairs of runs at once."""

from __future__ import annotations

import math

import numpy as np

from gradeval.formula.arithmetic import SAME, Array, ratio
from gradeval.progress import Step, ignore_step
from gradeval.studies.products import product
from gradeval.studies.significance.paired import centre, differences_of

BLOCK = 2**20  # pairs times resamples in memory at once
PART = 128  # resamples after which pairs are left that cannot be told apart any more


def rank_of(alpha: float, samples: int) -> int:
    """ceil(alpha * samples): the rank of the critical value among the resamples, the largest first."""
    return max(1, math.ceil(round(alpha * samples, 9)))


def resample_topics(topics: int, samples: int, seed: int) -> Array:
    """float64[sample, topic]: how often each topic is drawn in a bootstrap sample of as many topics."""
    return count_draws(np.random.default_rng(seed).integers(0, topics, (samples, topics)), topics)


def count_draws(indices: Array, topics: int) -> Array:
    """float64[sample, topic]: how often each topic is among indices[sample, draw]."""
    cells = indices + topics * np.arange(len(indices))[:, None]
    return np.bincount(cells.ravel(), minlength=len(indices) * topics).reshape(-1, topics).astype(float)


def bootstrap_tests(
    values: Array, pairs: Array, weights: Array, alpha: float, step: Step = ignore_step
) -> tuple[Array, Array]:
    """Paired bootstrap tests of values[topic, run]: (ASL, required difference), float64[pair] each.

    For each pair, z is the difference topic by topic, t(z) its mean over its standard error, w = z - mean(z) the
    differences shifted to the null hypothesis. ASL = share of the bootstrap samples b of the topics with
    |t(w_b)| >= |t(z)|; the required difference is |mean(w_b)| where |t(w_b)| is the ceil(alpha B)-th largest.
    ``step`` counts pairs.
    """
    asl = np.zeros(len(pairs))
    required = np.zeros(len(pairs))
    shares = np.ascontiguousarray(weights.T) / len(values)
    together = max(1, BLOCK // len(weights))
    for begin in range(0, len(pairs), together):
        block = slice(begin, begin + together)
        differences = differences_of(values, pairs[block])
        asl[block], required[block] = _bootstrap_block(differences, shares, alpha)
        step(len(differences))
    return asl, required


def tell_apart(values: Array, pairs: Array, weights: Array, alpha: float) -> Array:
    """bool[pair]: is the ASL of ``bootstrap_tests`` below alpha?

    Most pairs that are not told apart need only part of the samples: a pair is left as soon as so many of them are
    extreme that its ASL cannot be below alpha.
    """
    apart = np.zeros(len(pairs), bool)
    samples = len(weights)
    shares = np.ascontiguousarray(weights.T) / len(values)
    together = max(1, BLOCK // PART)
    for first in range(0, len(pairs), together):
        observed, deviations, _ = _standardize(differences_of(values, pairs[first : first + together]))
        extreme = np.zeros(len(observed), np.int64)
        left = np.arange(len(observed))
        for begin in range(0, samples, PART):
            _, extremes = _resample(deviations[left], shares[:, begin : begin + PART])
            extreme[left] += np.count_nonzero(extremes >= (observed[left] * (1 - SAME))[:, None], axis=-1)
            left = left[extreme[left] / samples < alpha]
        apart[first + left] = True
    return apart


def _bootstrap_block(differences: Array, shares: Array, alpha: float) -> tuple[Array, Array]:
    """The tests of differences[pair, topic], with shares[topic, sample] of each topic in each bootstrap sample."""
    observed, deviations, scale = _standardize(differences)
    averages, extremes = _resample(deviations, shares)
    asl = np.count_nonzero(extremes >= (observed * (1 - SAME))[:, None], axis=-1) / shares.shape[-1]

    rank = rank_of(alpha, shares.shape[-1])
    critical = np.partition(extremes, -rank, axis=-1)[:, -rank, None]
    tied = (extremes >= critical * (1 - SAME)) & (extremes <= critical * (1 + SAME))
    pair, sample = tied.nonzero()
    required = np.zeros(len(differences))
    np.maximum.at(required, pair, np.abs(averages[pair, sample]))
    return asl, required * scale[:, 0]


def _standardize(differences: Array) -> tuple[Array, Array, Array]:
    """M^2/Q (see ``_resample``) of differences[pair, topic], their deviations from the mean, at most 1, and the scale
    [pair, 1] of these."""
    topics = differences.shape[-1]
    means, deviations, spread = centre(differences)
    scale = np.abs(deviations).max(-1, keepdims=True)
    observed = ratio(np.square(means), np.square(means) + spread**2 * (topics - 1) / topics)
    return observed, ratio(deviations, scale), scale


def _resample(deviations: Array, shares: Array) -> tuple[Array, Array]:
    """M and M^2/Q, float64[pair, sample], of deviations[pair, topic] in each bootstrap sample.

    With M = mean(w_b) and Q = mean(w_b^2), n topics, t_b^2 = (n-1) M^2 / (Q - M^2) grows with M^2/Q. That ratio takes
    the place of t: it needs no difference of near-equal numbers, and is 1 where all of a sample's w are the same (t
    infinite).
    """
    averages = product(deviations, shares)
    squares = product(np.square(deviations), shares)
    averages[np.abs(averages) <= SAME] = 0.0  # deviations are at most 1
    extremes = np.square(averages)
    extremes /= np.maximum(squares, SAME**2)
    return averages, extremes
