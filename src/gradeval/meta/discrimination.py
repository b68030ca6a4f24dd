"""Discriminative power: how many pairs of runs does a measure tell apart, beyond chance?"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.judged import Array, ratio
from gradeval.measure import Measure
from gradeval.meta.paired import SAME, all_pairs, by_topic, centred
from gradeval.meta.products import product
from gradeval.meta.progress import Progress
from gradeval.notation import parse_measure
from gradeval.scores import Scores

Method: TypeAlias = Literal["bootstrap", "tukey-hsd"]

BLOCK = 2**20  # pairs, times resamples, that are held at once
SHUFFLES = 32  # permutations of the runs that are held at once


@dataclass(frozen=True, eq=False)
class Discrimination:
    """Achieved significance levels of all pairs of runs, by each measure.

    Attributes
    ----------
    asl : float64[measure, pair]: the share of resamples in which chance alone made as large a difference.
    required : float64[measure]: the difference of two means that suffices for significance, an estimate: the largest
        any pair needs.
    pairs : intp[pair, 2]: places of the two runs.
    measures, runs, topics, method, samples, alpha, seed : what was tested, and how.
    """

    asl: Array
    required: Array
    pairs: Array
    measures: list[Measure]
    runs: list[str]
    topics: list[str]
    method: Method
    samples: int
    alpha: float
    seed: int

    @property
    def power(self) -> Array:
        """float64[measure]: discriminative power, the share of pairs with an ASL below alpha."""
        return np.asarray((self.asl < self.alpha).mean(-1))

    def curve(self, measure: str | Measure) -> Array:
        """float64[pair]: the ASL curve of a measure, in descending order; the closer to 0, the more discriminative."""
        wanted = parse_measure(measure)
        if wanted not in self.measures:
            raise InputError(f"{wanted} was not tested; there are {', '.join(map(str, self.measures))}")
        return np.sort(self.asl[self.measures.index(wanted)])[::-1]


def discriminate(
    scores: Scores,
    method: Method = "bootstrap",
    *,
    samples: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Discrimination:
    """Test all pairs of runs by each measure, with the same resamples for all of them.

    "bootstrap" is Sakai's paired bootstrap test, pair by pair: an index that compares measures, not a set of findings
    (alpha of the pairs are expected to pass by chance alone). "tukey-hsd" is the randomised Tukey test, which controls
    the family-wise error. ``threads``: 0 takes all cores; the answer is the same.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, alpha outside (0, 1), no samples.
    Source: Sakai (2006), "Evaluating evaluation metrics based on the bootstrap"; Carterette (2012); Sakai (2012).
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha:g} is not between 0 and 1, as in 0.05")
    if samples < 1:
        raise InputError(f"samples {samples} is not a number of resamples from 1")
    if method not in get_args(Method):
        raise InputError(f"method {method!r} is not 'bootstrap' or 'tukey-hsd'")
    matrices = by_topic(scores)
    pairs = all_pairs(len(scores.runs))
    asl = np.zeros((len(matrices), len(pairs)))
    required = np.zeros(len(matrices))

    def test(values: Array) -> tuple[Array, float]:
        if method == "bootstrap":
            levels, differences = bootstrap_tests(values, pairs, resamples(len(values), samples, seed), alpha)
            return levels, differences.max()
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed))
        return tukey_tests(values, pairs, spreads), np.sort(spreads)[-rank_of(alpha, samples)]

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for place, (levels, difference) in enumerate(pool.map(test, matrices)):
            asl[place], required[place] = levels, difference
            if progress:
                progress(place + 1, len(matrices))
    return Discrimination(
        asl, required, pairs, scores.measures, scores.runs, scores.topics, method, samples, alpha, seed
    )


def rank_of(alpha: float, samples: int) -> int:
    """ceil(alpha * samples): how many of the resamples lie beyond the critical value, itself included."""
    return max(1, math.ceil(round(alpha * samples, 9)))


def resamples(topics: int, samples: int, seed: int) -> Array:
    """float64[sample, topic]: how often each topic is drawn in a bootstrap sample of as many topics."""
    return counted(np.random.default_rng(seed).integers(0, topics, (samples, topics)), topics)


def counted(indices: Array, topics: int) -> Array:
    """float64[sample, topic]: how often each topic is among indices[sample, draw]."""
    cells = indices + topics * np.arange(len(indices))[:, None]
    return np.bincount(cells.ravel(), minlength=len(indices) * topics).reshape(-1, topics).astype(float)


def bootstrap_tests(values: Array, pairs: Array, drawn: Array, alpha: float) -> tuple[Array, Array]:
    """Paired bootstrap tests of values[topic, run]: (ASL, required difference), float64[pair] each.

    For each pair, z is the difference topic by topic, t(z) its mean over its standard error, w = z - mean(z) what
    no difference would look like. ASL = share of the bootstrap samples b of the topics with |t(w_b)| >= |t(z)|; the
    required difference is |mean(w_b)| where |t(w_b)| is the ceil(alpha B)-th largest.
    """
    asl = np.zeros(len(pairs))
    required = np.zeros(len(pairs))
    by_run = np.ascontiguousarray(values.T)
    shares = np.ascontiguousarray(drawn.T) / len(values)
    step = max(1, BLOCK // len(drawn))
    for begin in range(0, len(pairs), step):
        block = slice(begin, begin + step)
        first, second = pairs[block].T
        asl[block], required[block] = _bootstrap_block(by_run[first] - by_run[second], shares, alpha)
    return asl, required


def _bootstrap_block(differences: Array, shares: Array, alpha: float) -> tuple[Array, Array]:
    """The tests of differences[pair, topic], with shares[topic, sample] of each topic in each bootstrap sample.

    With M = mean(w_b) and Q = mean(w_b^2), n topics, t_b^2 = (n-1) M^2 / (Q - M^2) grows with M^2/Q. That ratio takes
    the place of t: it needs no difference of near-equal numbers, and is 1 where all of a sample's w are the same (t
    infinite).
    """
    topics = differences.shape[-1]
    means, deviations, spread = centred(differences)
    scale = np.abs(deviations).max(-1, keepdims=True)
    deviations = ratio(deviations, scale)
    averages = product(deviations, shares)
    squares = product(np.square(deviations), shares)
    averages[np.abs(averages) <= SAME] = 0.0  # deviations are at most 1
    extremes = np.square(averages)
    extremes /= np.maximum(squares, SAME**2)
    observed = ratio(np.square(means), np.square(means) + spread**2 * (topics - 1) / topics)
    asl = np.count_nonzero(extremes >= (observed * (1 - SAME))[:, None], axis=-1) / shares.shape[-1]

    rank = rank_of(alpha, shares.shape[-1])
    critical = np.partition(extremes, -rank, axis=-1)[:, -rank, None]
    tied = (extremes >= critical * (1 - SAME)) & (extremes <= critical * (1 + SAME))
    pair, sample = tied.nonzero()
    required = np.zeros(len(differences))
    np.maximum.at(required, pair, np.abs(averages[pair, sample]))
    return asl, required * scale[:, 0]


def shuffles(shape: tuple[int, ...], samples: int, seed: int) -> Iterator[Array]:
    """intp[sample, topic, run]: random orders of the runs, of each topic its own, some samples at a time."""
    topics, runs = shape
    rng = np.random.default_rng(seed)
    for begin in range(0, samples, SHUFFLES):
        here = min(SHUFFLES, samples - begin)
        yield rng.permuted(np.broadcast_to(np.arange(runs), (here, topics, runs)), axis=-1)


def tukey_spreads(values: Array, orders: Iterable[Array]) -> Array:
    """float64[sample]: the range of the runs' means after values[topic, run] are shuffled within each topic."""
    spreads = []
    for order in orders:
        means = np.take_along_axis(values[None], order, axis=-1).mean(1)
        spreads.append(means.max(-1) - means.min(-1))
    return np.concatenate(spreads)


def tukey_tests(values: Array, pairs: Array, spreads: Array) -> Array:
    """float64[pair]: randomised Tukey HSD, p = share of the samples with a range of at least |mean_i - mean_j|."""
    means = values.mean(0)
    differences = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    below = np.searchsorted(np.sort(spreads), differences - SAME * np.abs(values).max(), side="left")
    return np.asarray((len(spreads) - below) / len(spreads))
