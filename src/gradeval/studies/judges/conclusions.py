"""Which significant differences between runs does a judge keep, and how far would chance come?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array, ratio
from gradeval.scores.scores import Scores
from gradeval.studies.bootstrap_tests import all_pairs, differences_of, pair_values
from gradeval.studies.judges.floors import BesideFloor, compare_with_floor
from gradeval.studies.pair_statistics import TUKEY
from gradeval.studies.paired_tests import CORRECTIONS, TESTS, Correction, shuffles, tukey_spreads, tukey_tests

BLOCK = 2**18
"""Pairs times resamples that are held in memory at once: what fits into a cache."""
SAMPLES = 400
"""Resamples of the topics, at most, in which significant differences are counted anew."""


@dataclass(frozen=True)
class Rule:
    """When the difference of two runs is significant.

    Attributes
    ----------
    test, correction, alpha : as for ``compare``.
    samples, seed : of tests that draw.
    """

    test: str
    correction: Correction
    alpha: float
    samples: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Conclusions:
    """Pairs of runs by whom they differ significantly, and in which direction.

    Attributes
    ----------
    kept : by humans and judge, in the same direction.
    reversed : by humans and judge, in opposite directions.
    missed : by the humans alone.
    not_confirmed : by the judge alone.
    """

    kept: int
    reversed: int
    missed: int
    not_confirmed: int

    @property
    def human(self) -> int:
        """Pairs that differ significantly by the humans' grades."""
        return self.kept + self.reversed + self.missed

    @property
    def judge(self) -> int:
        """Pairs that differ significantly by the judge's grades."""
        return self.kept + self.reversed + self.not_confirmed


@dataclass(frozen=True)
class Shares:
    """Conclusions as shares, each beside that of judges that know nothing, with its interval over topics.

    Attributes
    ----------
    kept, reversed : of the humans' significant differences.
    not_confirmed : of the judge's significant differences: those that the humans have not.
    """

    kept: BesideFloor
    reversed: BesideFloor
    not_confirmed: BesideFloor


def find_signs(scores: Scores, rule: Rule) -> Array:
    """int8[measure, pair]: 1 where the first run of a pair is significantly better, -1 where it is worse, else 0."""
    pairs = all_pairs(len(scores.runs))
    signs = np.zeros((len(scores.measures), len(pairs)), np.int8)
    for place, values in enumerate(pair_values(scores)):
        differences = differences_of(values, pairs)
        if rule.test == TUKEY:
            spreads = tukey_spreads(values, shuffles(values.shape, rule.samples, rule.seed))
            # The order of the runs that was observed counts with those drawn, as in ``compare``.
            p = (tukey_tests(values, pairs, spreads) * rule.samples + 1) / (rule.samples + 1)
        else:
            p = TESTS[rule.test](differences, rule.samples, rule.seed)
        significant = CORRECTIONS[rule.correction](p) < rule.alpha
        signs[place] = np.where(significant, np.sign(differences.mean(-1)), 0)
    return signs


def resample_signs(scores: Scores, weights: Array, rule: Rule) -> Iterator[Array]:
    """int8[sample, pair] by measure: the same by t tests of topics drawn anew, topic t weights[sample, t] times.

    With M and Q the means of the differences and of their squares over the n topics of a resample, t^2 =
    (n-1) S / (1 - S) grows with S = M^2 / Q, which is compared with that of the critical t.
    """
    everything, counted = scores.transformed(), scores.counted[0]
    for place in range(len(scores.measures)):
        counts = counted[:, place]
        values = everything[:, counts, place].T.astype(np.float32)  # of resamples only the spread is used
        drawn = weights[:, counts].astype(np.float32)
        pairs = values.shape[-1] * (values.shape[-1] - 1) // 2
        signs = np.zeros((len(drawn), pairs), np.int8)
        squares = np.square(_differences(values))
        for part in blocks(len(drawn), BLOCK // max(1, pairs)):
            number = drawn[part].sum(-1)
            means = ratio(_differences(drawn[part] @ values), number[:, None])
            ratios = np.abs(means) * means
            ratios = ratio(ratios, ratio(drawn[part] @ squares, number[:, None]))
            least = _least(ratios, number - 1, rule)[:, None]
            np.subtract(ratios > least, ratios < -least, out=signs[part], dtype=np.int8)
        yield signs


def _differences(values: Array) -> Array:
    """[..., pair]: the first of each two of values[..., run] less the second, in the order of ``all_pairs``."""
    runs = values.shape[-1]
    differences = np.empty((*values.shape[:-1], runs * (runs - 1) // 2), values.dtype)
    begin = 0
    for run in range(runs - 1):
        end = begin + runs - 1 - run
        np.subtract(values[..., run, None], values[..., run + 1 :], out=differences[..., begin:end])
        begin = end
    return differences


def _least(ratios: Array, freedom: Array, rule: Rule) -> Array:
    """float64[sample]: the S above which a difference is significant after the correction, of ratios[sample, pair].

    Holm's procedure goes on where k differences are significant at alpha / (pairs - k) until no more are; that of
    Benjamini and Hochberg begins with all of them and goes on at alpha k / pairs until no fewer are.
    """
    from scipy.special import stdtrit

    pairs = ratios.shape[-1]

    def critical(level: Array) -> Array:
        enough = freedom >= 1
        squares = np.square(stdtrit(np.where(enough, freedom, 1), 1 - level / 2))
        return np.where(enough, squares / (freedom + squares), np.inf)

    if rule.correction in ("none", "bonferroni"):
        tests = pairs if rule.correction == "bonferroni" else 1
        return critical(np.full(len(ratios), rule.alpha / tests))
    number = np.full(len(ratios), pairs if rule.correction == "bh" else 0)
    while True:
        share = np.maximum(number, 1) / pairs if rule.correction == "bh" else 1 / np.maximum(pairs - number, 1)
        least = critical(rule.alpha * share)
        now = np.count_nonzero(np.abs(ratios) > least[:, None], axis=-1)
        if (now == number).all():
            return least
        number = now


def count_conclusions(human: Array, judge: Array) -> Conclusions:
    """Count the pairs of two int8[pair] of ``find_signs``."""
    counts = _count(human, judge)
    return Conclusions(*(int(count) for count in counts))


def _count(human: Array, judge: Array) -> tuple[Array, Array, Array, Array]:
    """int64[...] each: pairs kept, reversed, missed and not confirmed, of signs[..., pair]."""
    there, here = human != 0, judge != 0
    both = np.count_nonzero(there & here, axis=-1)
    kept = np.count_nonzero((human == judge) & there, axis=-1)
    missed = np.count_nonzero(there, axis=-1) - both
    return np.asarray(kept), np.asarray(both - kept), np.asarray(missed), np.count_nonzero(here, axis=-1) - both


def shares_of(human: Array, judge: Array) -> Array:
    """float64[..., 3]: the shares kept, reversed and not confirmed, of signs[..., pair]; NaN where there is no pair."""
    kept, reverse, missed, alone = _count(human, judge)
    of_human, of_judge = kept + reverse + missed, kept + reverse + alone
    parts = ((kept, of_human), (reverse, of_human), (alone, of_judge))
    return np.stack([np.where(total > 0, ratio(part, total), np.nan) for part, total in parts], axis=-1)


BEST = (1.0, 0.0, 0.0)
"""The shares kept, reversed and not confirmed of the humans themselves."""


def compare_shares(
    value: Array, resampled: Array, floors: Array, floors_resampled: Array, topics: int, alpha: float
) -> Shares:
    """The shares of a judge beside those of judges that know nothing.

    Parameters
    ----------
    value, resampled : float64[share], float64[sample, share]: of ``shares_of``.
    floors, floors_resampled : float64[floor, share], float64[sample, floor, share].
    """
    figures = (
        compare_with_floor(
            float(value[place]),
            resampled[:, place],
            floors[:, place],
            floors_resampled[..., place],
            topics,
            alpha,
            within=(0.0, 1.0),
            best=best,
        )
        for place, best in enumerate(BEST)
    )
    return Shares(*figures)
