"""Paired bootstrap tests of all pairs of runs at once, over given resamples of the topics; and how runs are paired."""

from __future__ import annotations

import math

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Given
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import SAME, Array, ratio, tiny
from gradeval.progress import Step, ignore_step
from gradeval.scores.scores import Scores
from gradeval.studies.parallel import product
from gradeval.studies.requirements import require_runs, require_topics

BLOCK = 2**17  # pairs times resamples at once: they stay in the cache
PART = 64  # resamples after which pairs are left that cannot be told apart any more


def rank_of(alpha: float, samples: int) -> int:
    """ceil(alpha * samples): the rank of the critical value among the resamples, the largest first."""
    return max(1, math.ceil(round(alpha * samples, 9)))


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
    for block in blocks(len(pairs), BLOCK // len(weights)):
        differences = differences_of(values, pairs[block])
        asl[block], required[block] = _bootstrap_block(differences, shares, alpha)
        step(len(differences))
    return asl, required


def tell_apart(values: Array, pairs: Array, weights: Array, alpha: float, times: Array | None = None) -> Array:
    """bool[pair]: is the ASL of ``bootstrap_tests`` below alpha?

    Most pairs that are not told apart need only part of the samples: a pair is left as soon as so many of them are
    extreme that its ASL cannot be below alpha.

    Parameters
    ----------
    times : int64[topic]: how often each topic stands there, one after another; weights[sample, topic] are then those of
        all of them. By default once.
    """
    apart = np.zeros(len(pairs), bool)
    samples, topics = weights.shape
    if times is not None:
        weights = np.add.reduceat(weights, np.cumsum(times) - times, axis=1)
    shares = np.ascontiguousarray(weights.T) / topics
    for block in blocks(len(pairs), BLOCK // PART):
        observed, deviations, _ = _standardize(differences_of(values, pairs[block]), times)
        extreme = np.zeros(len(observed), np.int64)
        left = np.arange(len(observed))
        for part in blocks(samples, PART):
            _, extremes = _resample(deviations[left], shares[:, part])
            extreme[left] += np.count_nonzero(extremes >= (observed[left] * (1 - SAME))[:, None], axis=-1)
            left = left[extreme[left] / samples < alpha]
        apart[block.start + left] = True
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


def _standardize(differences: Array, times: Array | None = None) -> tuple[Array, Array, Array]:
    """M^2/Q (see ``_resample``) of differences[pair, topic], their deviations from the mean, at most 1, and the scale
    [pair, 1] of these."""
    topics = differences.shape[-1] if times is None else int(times.sum())
    means, deviations, spread = centre(differences, times)
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


def pair_values(scores: Scores) -> list[Array]:
    """float64[topic, run] for each measure: values on the scale on which topics are averaged, ready to be paired.

    Topics that are empty for a measure are left out of it where ``empty="skip"``.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a run that misses a topic under ``missing="skip"``, which
        leaves nothing to pair with.
    """
    require_runs(len(scores.runs))
    if scores.missing == "skip" and not scores.present.all():
        run, topic = np.argwhere(~scores.present)[0]
        raise InputError(
            f"run {scores.runs[run]!r} misses topic {scores.topics[topic]!r}, so runs cannot be paired topic by topic "
            "with ",
            Given("missing", "skip"),
            "; count it as 0 or leave the run out",
        )
    values, counted = scores.transformed(), scores.counted
    matrices = []
    for place, measure in enumerate(scores.measures):
        counts = counted[0, :, place]
        require_topics(int(counts.sum()), scores.unit, str(measure))
        matrices.append(np.ascontiguousarray(values[:, counts, place].T))
    return matrices


def all_pairs(runs: int) -> Array:
    """intp[pair, 2]: all pairs of runs."""
    return np.stack(np.triu_indices(runs, 1), axis=-1)


def differences_of(values: Array, pairs: Array) -> Array:
    """float64[pair, topic]: the first run of each pair less the second, of values[topic, run].

    Differences that are rounding errors beside the largest value are exactly 0.
    """
    by_run = np.ascontiguousarray(values.T)
    differences: Array = by_run[pairs[:, 0]] - by_run[pairs[:, 1]]
    differences[tiny(differences, np.abs(values).max())] = 0.0
    return differences


def centre(differences: Array, times: Array | None = None) -> tuple[Array, Array, Array]:
    """Paired differences [..., topic] as (their means, their deviations from the mean, their standard deviations).

    Equal differences have deviations of exactly 0, whatever the rounding of their mean. ``times``: int64[topic], how
    often each topic counts; by default once.
    """
    scale = np.abs(differences).max(-1)
    means = differences.mean(-1) if times is None else differences @ times / times.sum()
    means = np.where(tiny(means, scale), 0.0, means)
    deviations = differences - means[..., None]
    deviations[tiny(deviations, scale[..., None])] = 0.0
    if times is None:
        return means, deviations, deviations.std(-1, ddof=1)
    return means, deviations, np.sqrt(np.square(deviations) @ times / (times.sum() - 1))
