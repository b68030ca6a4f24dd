"""Paired tests of differences between runs, over all runs at once, and corrections for their number.

Each takes (differences, samples, seed, step) and gives float64[pair]; where no topic differs, p is 1. ``step`` counts
pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradeval.formula.aggregation import blocks, draw, interval
from gradeval.formula.arithmetic import SAME, Array, ratio, rounded
from gradeval.progress import Step, ignore_step
from gradeval.studies.bootstrap_tests import bootstrap_tests, centre
from gradeval.studies.parallel import product

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
    for block in blocks(len(differences), BLOCK // len(signs)):
        sums = np.abs(product(differences[block], signs.T))
        count[block] = np.count_nonzero(sums >= observed[block, None], axis=-1)
        step(len(sums))
    return count / len(signs) if exact else (count + 1) / (samples + 1)


def bootstrap_test(differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
    """Sakai's paired bootstrap test (see ``bootstrap_tests``).

    The sample itself counts with the resamples, as in the permutation test, so that p is never 0.
    """
    weights = draw(differences.shape[-1], samples, seed)
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
    """float64[pair, 2]: percentiles of the means of deviations[pair, topic] over resamples weights[sample, topic]."""
    shares = weights.T / weights.shape[-1]
    bounds = np.zeros((len(deviations), 2))
    for block in blocks(len(deviations), BLOCK // len(weights)):
        means = product(deviations[block], shares)
        bounds[block] = interval(means.T, alpha)
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


SHUFFLES = 32  # permutations of the runs in memory at once


def shuffles(shape: tuple[int, ...], samples: int, seed: int) -> Iterator[Array]:
    """intp[sample, topic, run]: random orders of the runs, a new one for each topic, some samples at a time."""
    topics, runs = shape
    rng = np.random.default_rng(seed)
    for begin in range(0, samples, SHUFFLES):
        here = min(SHUFFLES, samples - begin)
        yield rng.permuted(np.broadcast_to(np.arange(runs), (here, topics, runs)), axis=-1)


def tukey_spreads(values: Array, orders: Iterable[Array], step: Step = ignore_step) -> Array:
    """float64[sample]: the range of the runs' means after values[topic, run] are shuffled within each topic.

    ``step`` counts samples.
    """
    spreads = []
    for order in orders:
        means = np.take_along_axis(values[None], order, axis=-1).mean(1)
        spreads.append(means.max(-1) - means.min(-1))
        step(len(order))
    return np.concatenate(spreads)


def tukey_tests(values: Array, pairs: Array, spreads: Array) -> Array:
    """float64[pair]: randomised Tukey HSD, p = share of the samples with a range of at least |mean_i - mean_j|."""
    means = values.mean(0)
    differences = np.abs(means[pairs[:, 0]] - means[pairs[:, 1]])
    below = np.searchsorted(np.sort(spreads), differences - SAME * np.abs(values).max(), side="left")
    return np.asarray((len(spreads) - below) / len(spreads))


Correction: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]


def holm(p: Array) -> Array:
    """float64[..., test]: Holm's step-down procedure; controls the family-wise error, more sharply than Bonferroni."""
    order = np.argsort(p, axis=-1, kind="stable")
    remaining = np.arange(p.shape[-1], 0, -1)
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, -1) * remaining, axis=-1)
    corrected = np.empty_like(stepped)
    np.put_along_axis(corrected, order, np.minimum(stepped, 1.0), -1)
    return corrected


def bonferroni(p: Array) -> Array:
    """float64[..., test]: p times the number of tests, 1 at most; controls the family-wise error."""
    return np.asarray(np.minimum(p * p.shape[-1], 1.0))


def benjamini_hochberg(p: Array) -> Array:
    """float64[..., test]: Benjamini & Hochberg's step-up procedure; controls the share of false discoveries."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, axis=-1))


CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": np.copy,
}
"""The corrections by name: functions of p values whose last axis is the family of tests."""


def least_p(test: str, topics: int, samples: int) -> float:
    """The smallest p value that a test of so many topics and resamples can give; 0 where there is no bound."""
    if test == "tukey-hsd":  # the order that was observed counts with those drawn
        return 1 / (samples + 1)
    return TESTS[test].least(topics, samples)


def out_of_reach(test: str, correction: Correction, alpha: float, topics: int, samples: int, pairs: int) -> bool:
    """Is every corrected p value at least alpha, however large the differences are?

    Holm and Bonferroni multiply the smallest p by the number of pairs; Benjamini and Hochberg need not, if all pairs
    have it.
    """
    return least_p(test, topics, samples) * _factor(correction, pairs) >= alpha


def samples_to_reach(test: str, correction: Correction, alpha: float, topics: int, pairs: int) -> int | None:
    """The number of resamples with which the smallest corrected p value is below alpha; None: no number suffices.

    pairs/(samples + 1) < alpha; but a permutation test of few topics goes through all assignments with fewer samples.
    """
    needed = math.floor(_factor(correction, pairs) / alpha * (1 + 1e-12))
    return None if out_of_reach(test, correction, alpha, topics, needed, pairs) else needed


def _factor(correction: Correction, pairs: int) -> int:
    return pairs if correction in ("holm", "bonferroni") else 1
