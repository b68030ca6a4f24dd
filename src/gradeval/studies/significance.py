"""Which differences between runs are significant: paired tests over all runs at once, and corrections for their number.

Paired tests take (differences, samples, seed, step) and give float64[pair]; where no topic differs, p is 1. ``step``
counts pairs. ``TESTS`` and ``CORRECTIONS`` name them; ``compare_pairs`` gives all that is told of pairs of runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.aggregation import blocks, draw, interval
from gradeval.formula.arithmetic import SAME, Array, ratio, rounded, tiny
from gradeval.messages import Given, plural
from gradeval.progress import Step, ignore_step
from gradeval.scores.scores import ONE, Scores
from gradeval.studies.parallel import product
from gradeval.studies.requirements import require_runs, require_topics

TUKEY = "tukey-hsd"
"""The test that compares all runs at once."""
RESAMPLES_AT_ONCE = 2**17  # pairs times resamples at once: they stay in the cache
PAIRS_AT_ONCE = 2048  # pairs whose resamples stay in the cache of a core
PART = 100  # resamples after which pairs are left that cannot be told apart any more
TOO_SMALL = 1e-20  # means of squares, of which single precision may say nothing
MEANS_AT_ONCE = 2**22  # resampled means that are in memory at once
SHUFFLES_AT_ONCE = 32  # permutations of the runs in memory at once
DIFFERENCES_AT_ONCE = 2**15  # pairs times topics that are compared at once: what stays in the cache of a core


def pair_values(scores: Scores) -> list[Array]:
    """float64[topic, run] for each measure: values on the scale on which topics are averaged, ready to be paired.

    With ``empty="skip"`` a measure leaves out the topics that are empty for it.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics; a run that misses a topic under ``missing="skip"``, which
        leaves nothing to pair with.
    """
    require_runs(len(scores.runs))
    if scores.missing == "skip" and not scores.present.all():
        run, topic = np.argwhere(~scores.present)[0]
        common, every = int(scores.present.all(0).sum()), plural(len(scores.topics), ONE[scores.unit])
        raise InputError(
            f"run {scores.runs[run]!r} misses topic {scores.topics[topic]!r}, so runs cannot be paired topic by topic "
            "with ",
            Given("missing", "skip"),
            "; count it as 0 or leave the run out",
            *(["; or say ", Given("missing", "common"), f": all runs have {common} of the {every}"] if common else []),
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


MEASURES = "AP nDCG@10"
"""The measures by which judged runs are compared by default."""


def pair_with_one(runs: int, other: int) -> Array:
    """intp[pair, 2]: all runs, each with the same other one."""
    return np.stack([np.arange(runs), np.full(runs, other)], axis=-1)


def differences_of(values: Array, pairs: Array) -> Array:
    """float64[pair, topic]: the first run of each pair less the second, of values[topic, run].

    Differences that are rounding errors next to the largest value are exactly 0.
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
    for block in blocks(len(pairs), RESAMPLES_AT_ONCE // len(weights)):
        differences = differences_of(values, pairs[block])
        asl[block], required[block] = _bootstrap_block(differences, shares, alpha)
        step(len(differences))
    return asl, required


def bootstrap_levels(values: Array, pairs: Array, weights: Array, step: Step = ignore_step) -> Array:
    """float64[pair]: the ASL of ``bootstrap_tests``.

    Samples are counted in single precision; pairs for which some sample may or may not be extreme, in double precision.
    """
    levels = np.zeros(len(pairs))
    samples = len(weights)
    shares = np.ascontiguousarray(weights.T) / len(values)
    rough_shares = shares.astype(np.float32)
    for block in blocks(len(pairs), PAIRS_AT_ONCE):
        observed, deviations, _ = standardize(differences_of(values, pairs[block]))
        rough = deviations.astype(np.float32)
        least, most = np.zeros((2, len(observed)), np.int64)
        for part in blocks(samples, PART):
            surely, perhaps = _count_extremes(rough, rough_shares[:, part], observed)
            least += surely
            most += perhaps
        for open_ in np.array_split(np.flatnonzero(least < most), 1 + samples * len(observed) // RESAMPLES_AT_ONCE):
            extremes = resample(deviations[open_], shares)[1] >= (observed[open_] * (1 - SAME))[:, None]
            least[open_] = np.count_nonzero(extremes, axis=-1)
        levels[block] = least / samples
        step(len(observed))
    return levels


def largest_required(values: Array, weights: Array, alpha: float) -> float:
    """The largest required difference of ``bootstrap_tests``, of all pairs of runs.

    No pair needs more than its largest difference of means in any sample. The pairs are tested in the order of that
    bound, until no other can need more than was found.
    """
    pairs = all_pairs(values.shape[1])
    means = (weights @ (values - values.mean(0)) / len(values)).T
    bounds = np.concatenate([np.abs(own - means[place + 1 :]).max(-1) for place, own in enumerate(means[:-1])])
    order = np.argsort(-bounds, kind="stable")
    found = 0.0
    for block in blocks(len(pairs), RESAMPLES_AT_ONCE // len(weights)):
        tested = order[block]
        if bounds[tested[0]] * (1 + SAME) < found:
            break
        found = max(found, float(bootstrap_tests(values, pairs[tested], weights, alpha)[1].max()))
    return found


def _bootstrap_block(differences: Array, shares: Array, alpha: float) -> tuple[Array, Array]:
    """The tests of differences[pair, topic], with shares[topic, sample] of each topic in each bootstrap sample."""
    observed, deviations, scale = standardize(differences)
    averages, extremes = resample(deviations, shares)
    asl = np.count_nonzero(extremes >= (observed * (1 - SAME))[:, None], axis=-1) / shares.shape[-1]

    rank = rank_of(alpha, shares.shape[-1])
    critical = np.partition(extremes, -rank, axis=-1)[:, -rank, None]
    tied = (extremes >= critical * (1 - SAME)) & (extremes <= critical * (1 + SAME))
    pair, sample = tied.nonzero()
    required = np.zeros(len(differences))
    np.maximum.at(required, pair, np.abs(averages[pair, sample]))
    return asl, required * scale[:, 0]


def standardize(differences: Array, times: Array | None = None) -> tuple[Array, Array, Array]:
    """M^2/Q (see ``resample``) of differences[pair, topic], their deviations from the mean, at most 1, and the scale
    [pair, 1] of these."""
    topics = differences.shape[-1] if times is None else int(times.sum())
    means, deviations, spread = centre(differences, times)
    scale = np.abs(deviations).max(-1, keepdims=True)
    observed = ratio(np.square(means), np.square(means) + spread**2 * (topics - 1) / topics)
    return observed, ratio(deviations, scale), scale


def resample(deviations: Array, shares: Array) -> tuple[Array, Array]:
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


def _count_extremes(rough: Array, shares: Array, observed: Array) -> list[Array]:
    """[pair], twice: in how many samples, at most 255, M^2/Q is surely, and is perhaps, as large as the one observed.

    Of deviations and shares in single precision. Their sums of n products are wrong by at most (n + 3) u of the sum of
    the products' sizes: M no more than sqrt(Q), and so M^2 - observed Q by less than four times the error of Q.
    """
    error = 8 * (len(shares) + 3) * 2.0**-24
    squares, averages = product(np.square(rough), shares), product(rough, shares)
    np.square(averages, out=averages)
    counts = []
    for sign in (1, -1):
        needed = squares * np.asarray(observed + sign * error, np.float32)[:, None]
        needed += np.float32(sign * TOO_SMALL)
        counts.append(np.add.reduce((averages >= needed).view(np.uint8), axis=-1, dtype=np.uint8))
    return counts


def t_test(differences: Array, _samples: int = 0, _seed: int = 0, step: Step = ignore_step) -> Array:
    """Student's t: p = P(|T_{n-1}| >= |mean| sqrt(n) / sd). Where all topics differ by the same amount there is no t:
    only their signs tell, and p is ``rarest``."""
    from scipy.special import stdtr

    topics = differences.shape[-1]
    means, _, spread = centre(differences)
    t = ratio(np.abs(means), spread) * np.sqrt(topics)
    step(len(differences))
    return np.where((spread == 0) & (means != 0), rarest(topics), 2 * stdtr(topics - 1, -t))


Alternative: TypeAlias = Literal["two-sided", "less"]
"""What a test of a mean against 0 asks: is it another, or is it lower?"""


@dataclass(frozen=True, eq=False)
class InferredMeans:
    """What the default test of ``compare`` says of the means of paired differences.

    Attributes
    ----------
    mean, p : float64[pair].
    interval : float64[pair, 2]: of 1 - alpha; where the test is one-sided each end is a bound of 1 - alpha by itself.
        NaN: there is none (see ``paired_interval_t``).
    """

    mean: Array
    p: Array
    interval: Array


def infer_means(differences: Array, alpha: float, alternative: Alternative = "two-sided") -> InferredMeans:
    """The default test of ``compare``, of differences[pair, topic], with intervals; p is 1 where no topic differs."""
    mean, _, spread = centre(differences)
    p = t_test(differences)
    if alternative == "less":
        p = np.where(mean < 0, p / 2, 1 - p / 2)
        p[~differences.any(-1)] = 1.0
    both = alpha if alternative == "two-sided" else 2 * alpha
    return InferredMeans(mean, p, paired_interval_t(mean, spread, differences.shape[-1], both))


def every_sign(topics: int, samples: int) -> bool:
    """Does the permutation test go through all 2^n assignments of signs? Never of more than 20 topics."""
    return topics <= 20 and 2**topics <= samples


def rarest(topics: int) -> float:
    """The share of what was observed and of its opposite among all assignments of signs: 2^(1-n), the p of the exact
    two-sided sign test where all topics have one sign."""
    return 2.0 ** (1 - topics)


def t_of_signs(topics: int) -> float:
    """The t whose two-sided p is ``rarest``: it stands where all topics differ by the same amount."""
    from scipy.special import stdtrit

    return abs(float(stdtrit(topics - 1, rarest(topics) / 2)))


def permutation_test(differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
    """Fisher's randomisation: the share of sign assignments whose mean is at least as far from 0.

    All 2^n assignments (see ``every_sign``) where there are no more than ``samples``; else that many random ones and
    the one observed.
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
    for block in blocks(len(differences), MEANS_AT_ONCE // len(signs)):
        sums = np.abs(product(differences[block], signs.T))
        count[block] = np.count_nonzero(sums >= observed[block, None], axis=-1)
        step(len(sums))
    return count / len(signs) if exact else (count + 1) / (samples + 1)


def bootstrap_test(differences: Array, samples: int, seed: int, step: Step = ignore_step) -> Array:
    """Sakai's paired bootstrap test (see ``bootstrap_tests``).

    The sample itself counts with the resamples, as in the permutation test, so that p is never 0. Where all topics
    differ by the same amount resamples are no others, and only their signs tell: p is at least ``rarest``.
    """
    means, _, spread = centre(differences)
    weights = draw(differences.shape[-1], samples, seed)
    # Each difference is a run, compared with a run that is always 0.
    values = np.vstack([differences, np.zeros(differences.shape[-1])]).T
    pairs = np.stack([np.arange(len(differences)), np.full(len(differences), len(differences))], axis=-1)
    level: Array = bootstrap_tests(values, pairs, weights, alpha=0.5, step=step)[0]
    p = (level * samples + 1) / (samples + 1)
    return np.where((spread == 0) & (means != 0), np.maximum(p, rarest(differences.shape[-1])), p)


def wilcoxon_test(differences: Array, _samples: int = 0, _seed: int = 0, step: Step = ignore_step) -> Array:
    """Wilcoxon's signed ranks, zero differences dropped; exact for small samples as SciPy decides. p is at least
    ``rarest``: older releases of SciPy give less where sizes are tied."""
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
        p[rows] = np.maximum(wilcoxon(nonzero, axis=-1).pvalue, rarest(count))
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


def paired_interval_t(means: Array, spread: Array, topics: int, alpha: float) -> Array:
    """``mean_interval_t`` as ``t_test`` tests."""
    return where_signs_tell(mean_interval_t(means, spread, topics, alpha), spread, topics, alpha)


def where_signs_tell(intervals: Array, spread: Array, topics: int, alpha: float) -> Array:
    """float64[pair, 2]: of differences with this spread. Where all topics differ by the same amount their signs exclude
    all other means, or are too few to exclude any: then there are no ends, and NaN stands for both."""
    known = (spread > 0) | (rarest(topics) < alpha)
    return np.where(known[..., None], intervals, np.nan)


def mean_interval_bootstrap(deviations: Array, weights: Array, alpha: float, step: Step = ignore_step) -> Array:
    """float64[pair, 2]: percentiles of the means of deviations[pair, topic] over resamples weights[sample, topic]."""
    shares = weights.T / weights.shape[-1]
    bounds = np.zeros((len(deviations), 2))
    for block in blocks(len(deviations), MEANS_AT_ONCE // len(weights)):
        means = product(deviations[block], shares)
        bounds[block] = interval(means.T, alpha)
        step(len(means))
    return bounds


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
    "t": PairedTest(t_test, lambda *_: 0.0, student=True),
    "permutation": PairedTest(
        permutation_test, lambda topics, samples: rarest(topics) if every_sign(topics, samples) else 1 / (samples + 1)
    ),
    "bootstrap": PairedTest(bootstrap_test, lambda _, samples: 1 / (samples + 1)),  # what was observed counts, too
    "wilcoxon": PairedTest(wilcoxon_test, lambda topics, _: rarest(topics)),
    "sign": PairedTest(sign_test, lambda topics, _: rarest(topics)),
}
"""The tests by name."""


def shuffles(shape: tuple[int, ...], samples: int, seed: int) -> Iterator[Array]:
    """intp[sample, topic, run]: random orders of the runs, a new one for each topic, some samples at a time."""
    topics, runs = shape
    rng = np.random.default_rng(seed)
    for begin in range(0, samples, SHUFFLES_AT_ONCE):
        here = min(SHUFFLES_AT_ONCE, samples - begin)
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

_IN_WORDS = {"holm": "Holm's correction", "bonferroni": "Bonferroni's correction"}
_IN_WORDS |= {"bh": "the correction of Benjamini and Hochberg", "none": "no correction"}


def name_correction(correction: str) -> str:
    """What a correction is called in a sentence."""
    return _IN_WORDS[correction]


def least_p(test: str, topics: int, samples: int) -> float:
    """The smallest p value that a test of so many topics and resamples can give; 0 where there is no bound."""
    if test == TUKEY:  # the order that was observed counts with those drawn
        return 1 / (samples + 1)
    return TESTS[test].least(topics, samples)


def correction_clause(correction: str, pairs: int, test: str = "") -> str:
    """How p values are corrected for the number of pairs, as a clause behind a semicolon; empty where one pair needs
    none."""
    if correction != "none":
        return f"; {name_correction(correction)} for {plural(pairs, 'pair')} by each measure"
    if test == TUKEY:
        return f"; the test itself corrects for {plural(pairs, 'pair')} by each measure"
    return f"; p values are not corrected for {pairs} pairs" if pairs > 1 else ""


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


@dataclass(frozen=True, eq=False)
class RunDifferences:
    """Differences between all runs, topic by topic.

    Attributes
    ----------
    mean : float64[run, run]: the mean of the first less the mean of the second; differences by rounding are 0.
    spread : float64[run, run]: the standard deviation of the difference.
    topics : the number of topics.
    """

    mean: Array
    spread: Array
    topics: int

    @classmethod
    def of(cls, values: Array) -> RunDifferences:
        """The differences of values[topic, run]."""
        topics, runs = values.shape
        mean, spread = np.zeros((2, runs, runs))
        pairs = all_pairs(runs)
        for block in blocks(len(pairs), DIFFERENCES_AT_ONCE // topics):
            first, second = pairs[block].T
            mean[first, second], _, spread[first, second] = centre(differences_of(values, pairs[block]))
        return cls(mean - mean.T, spread + spread.T, topics)

    @property
    def error(self) -> Array:
        """float64[run, run]: the standard errors of the means."""
        return np.asarray(self.spread / np.sqrt(self.topics))

    @property
    def t(self) -> Array:
        """float64[run, run]: t; ``t_of_signs`` where all topics differ by the same amount."""
        alike = (self.spread == 0) & (self.mean != 0)
        t = np.where(alike, np.copysign(t_of_signs(self.topics), self.mean), ratio(self.mean, self.error))
        return np.asarray(t)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """float64[run, run] each: the sum of d^2, and of the squares of its deviations from the mean."""
        deviations: Array = self.spread**2 * (self.topics - 1)
        return deviations + self.mean**2 * self.topics, deviations


TEST_NAMES = (*TESTS, TUKEY)
"""Tests of paired differences, and Tukey's."""


def is_random(test: str) -> bool:
    """Whether a test draws samples, or the intervals next to it do."""
    return test == TUKEY or not TESTS[test].student


def count_steps(test: str, pairs: int, samples: int) -> int:
    """The steps of one measure: samples, or pairs, once for the test and once for the intervals."""
    if test == TUKEY:
        return samples
    return pairs if TESTS[test].student else 2 * pairs


def compare_pairs(
    values: Array, pairs: Array, test: str, alpha: float, samples: int, seed: int, step: Step
) -> tuple[Array, ...]:
    """Difference, interval, p, effect, wins and losses of each pair of runs in values[topic, run]."""
    differences = differences_of(values, pairs)
    difference, deviations, spread = centre(differences)
    if test == TUKEY:
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed), step)
        # The order of the runs that was observed counts with those drawn, as in the other tests: p is never 0.
        p = (tukey_tests(values, pairs, spreads) * samples + 1) / (samples + 1)
        reach = np.sort(spreads)[-rank_of(alpha, samples)]
        bounds = difference[:, None] + [-reach, reach]
    else:
        p = TESTS[test](differences, samples, seed, step)
        if TESTS[test].student:
            bounds = paired_interval_t(difference, spread, len(values), alpha)
        else:
            weights = draw(len(values), samples, seed)
            drawn = difference[:, None] + mean_interval_bootstrap(deviations, weights, alpha, step)
            bounds = where_signs_tell(drawn, spread, len(values), alpha)
    always = (spread == 0) & (difference != 0)
    effect = np.where(always, np.copysign(np.inf, difference), ratio(difference, spread))
    return difference, bounds, p, effect, (differences > 0).sum(-1), (differences < 0).sum(-1)
