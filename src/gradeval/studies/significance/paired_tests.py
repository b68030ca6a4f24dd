"""Two-sided tests of paired differences: p values for differences[pair, topic], all pairs at once.

Each takes (differences, samples, seed, step) and gives float64[pair]; where no topic differs, p is 1. ``step`` counts
pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradeval.formula.arithmetic import SAME, Array, ratio, rounded
from gradeval.progress import Step, ignore_step
from gradeval.studies.products import product
from gradeval.studies.significance.bootstrap import bootstrap_tests, resample_topics
from gradeval.studies.significance.paired import centre

BLOCK = 2**22  # resampled means that are held at once


def t_test(differences: Array, _samples: int = 0, _seed: int = 0, step: Step = ignore_step) -> Array:
    """Student's t: p = P(|T_{n-1}| >= |mean| sqrt(n) / sd); 0 where all topics differ by the same amount."""
    from scipy.special import stdtr

    topics = differences.shape[-1]
    means, _, spread = centre(differences)
    t = ratio(np.abs(means), spread) * np.sqrt(topics)
    step(len(differences))
    return np.where((spread == 0) & (means != 0), 0.0, 2 * stdtr(topics - 1, -t))


def every_sign(topics: int, samples: int) -> bool:
    """Does the permutation test go through all 2^n assignments of signs? Never of more than 20 topics."""
    return topics <= 20 and 2**topics <= samples


def permutation_test(differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
    """Fisher's randomisation: the share of sign assignments whose mean is at least as far from 0.

    All 2^n assignments (see ``every_sign``) where there are no more than ``samples``; else that many drawn ones and the
    one observed.
    """
    topics = differences.shape[-1]
    exact = every_sign(topics, samples)
    if exact:
        signs = 1.0 - 2.0 * (np.arange(2**topics)[:, None] >> np.arange(topics) & 1)
    else:
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], (samples, topics))
    scale = np.abs(differences).max(-1)
    observed = np.abs(differences.sum(-1)) - SAME * topics * scale
    count = np.zeros(len(differences))
    together = max(1, BLOCK // len(signs))
    for begin in range(0, len(differences), together):
        block = slice(begin, begin + together)
        sums = np.abs(product(differences[block], signs.T))
        count[block] = np.count_nonzero(sums >= observed[block, None], axis=-1)
        step(len(sums))
    return count / len(signs) if exact else (count + 1) / (samples + 1)


def bootstrap_test(differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
    """Sakai's paired bootstrap test (see ``bootstrap_tests``).

    The sample itself counts with the resamples, as in the permutation test, so that p is never 0.
    """
    weights = resample_topics(differences.shape[-1], samples, seed)
    # Each difference is a run, compared with a run that is always 0.
    values = np.vstack([differences, np.zeros(differences.shape[-1])]).T
    pairs = np.stack([np.arange(len(differences)), np.full(len(differences), len(differences))], axis=-1)
    level: Array = bootstrap_tests(values, pairs, weights, alpha=0.5, step=step)[0]
    return (level * samples + 1) / (samples + 1)


def wilcoxon_test(differences: Array, _samples: int = 0, _seed: int = 0, step: Step = ignore_step) -> Array:
    """Wilcoxon's signed ranks, zero differences dropped; exact for small samples without ties, as SciPy decides."""
    from scipy.stats import wilcoxon

    steady = rounded(differences)
    p = np.ones(len(steady))
    # SciPy decides once for an array whether the test is exact: pairs with and without ties are tested separately.
    size = np.sort(np.abs(steady), axis=-1)
    tied = ((np.diff(size, axis=-1) == 0) & (size[:, 1:] > 0)).any(-1)
    number = (steady != 0).sum(-1)
    step(int((number == 0).sum()))
    for count, ties in sorted({*zip(number[number > 0].tolist(), tied[number > 0].tolist(), strict=True)}):
        rows = np.flatnonzero((number == count) & (tied == ties))
        nonzero = steady[rows][steady[rows] != 0].reshape(len(rows), count)
        p[rows] = wilcoxon(nonzero, axis=-1).pvalue
        step(len(rows))
    return p


def sign_test(differences: Array, _samples: int = 0, _seed: int = 0, step: Step = ignore_step) -> Array:
    """The sign test: wins and losses as fair coin tosses, ties dropped."""
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(-1), (differences < 0).sum(-1)
    p: Array = 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)
    step(len(differences))
    return np.minimum(p, 1.0)


def mean_interval_t(means: Array, spread: Array, topics: int, alpha: float) -> Array:
    """float64[pair, 2]: mean -+ t_{n-1, 1 - alpha/2} sd / sqrt(n)."""
    from scipy.special import stdtrit

    reach = spread / np.sqrt(topics) * stdtrit(topics - 1, 1 - alpha / 2)
    return np.stack([means - reach, means + reach], axis=-1)


def mean_interval_bootstrap(deviations: Array, weights: Array, alpha: float, step: Step = ignore_step) -> Array:
    """float64[pair, 2]: percentiles of the means of deviations[pair, topic] over resamples drawn[sample, topic]."""
    shares = weights.T / weights.shape[-1]
    bounds = np.zeros((len(deviations), 2))
    together = max(1, BLOCK // len(weights))
    for begin in range(0, len(deviations), together):
        block = slice(begin, begin + together)
        means = product(deviations[block], shares)
        bounds[block] = np.quantile(means, [alpha / 2, 1 - alpha / 2], axis=-1).T
        step(len(means))
    return bounds


EXACT_RANKS = 50
"""Most topics for which SciPy goes through all ranks of Wilcoxon's test."""


def _least_of_signs(topics: int, _samples: int = 0) -> float:
    """All 2^n assignments of signs are gone through: the one observed and its opposite are the rarest."""
    return 2.0 ** (1 - topics)


def _least_of_ranks(topics: int, _samples: int) -> float:
    """Where no ranks are tied; with ties, or more topics, SciPy takes the normal distribution."""
    return _least_of_signs(topics) if topics <= EXACT_RANKS else 0.0


def _least_of_samples(_topics: int, samples: int) -> float:
    """The sample itself counts with the resamples."""
    return 1 / (samples + 1)


def _least_of_permutations(topics: int, samples: int) -> float:
    return _least_of_signs(topics) if every_sign(topics, samples) else _least_of_samples(topics, samples)


def _no_least(_topics: int, _samples: int) -> float:
    return 0.0


@dataclass(frozen=True)
class PairedTest:
    """A test of paired differences: to add one, write its function and a record in ``TESTS``.

    Attributes
    ----------
    function : computes p values; see the top of this file.
    least : the smallest p value over so many topics with so many samples; 0: there is no bound.
    student : do intervals come from Student's t? Else from a bootstrap over the topics.
    """

    function: Callable[[Array, int, int, Step], Array]
    least: Callable[[int, int], float]
    student: bool = False

    def __call__(self, differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
        """float64[pair]: p values of differences[pair, topic]."""
        return self.function(differences, samples, seed, step)


TESTS = {
    "t": PairedTest(t_test, _no_least, student=True),
    "permutation": PairedTest(permutation_test, _least_of_permutations),
    "bootstrap": PairedTest(bootstrap_test, _least_of_samples),
    "wilcoxon": PairedTest(wilcoxon_test, _least_of_ranks),
    "sign": PairedTest(sign_test, _least_of_signs),
}
"""The tests by name."""
