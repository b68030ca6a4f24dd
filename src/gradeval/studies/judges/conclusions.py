"""Which order of the runs and which significant differences does a judge keep?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array, ratio, rounded
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.judges.floors import FigureAndFloor, compare_with_floor
from gradeval.studies.significance import (
    CORRECTIONS,
    TESTS,
    TUKEY,
    Correction,
    all_pairs,
    differences_of,
    pair_values,
    shuffles,
    tukey_spreads,
    tukey_tests,
)
from gradeval.tables.grid import Estimate

SAMPLES = 400
"""Resamples of the topics, at most, in which significant differences are counted anew."""
SPLITS = 100
"""Times that the topics are split into halves."""
BEST = (1.0, 0.0, 0.0)
"""The shares kept, reversed and not confirmed of the humans themselves."""
BLOCK = 2**18
"""Pairs times resamples that are held in memory at once: what fits into a cache."""
PAIRS_AT_ONCE = 2**22  # pairs of runs, times measures, judges and resamples, that are in memory at once
MEANS_AT_ONCE = 2**24  # means of runs, times measures, judges and resamples, in memory at once


@dataclass(frozen=True)
class OrderAgreement:
    """How alike two orders of runs are; None where a side ties all runs.

    Attributes
    ----------
    tau : the correlation, with its interval over topics.
    floor : the mean correlation of judges that know nothing: the humans' grades, shuffled within each topic; with its
        interval over topics and over such judges.
    constant : the correlation of a judge that gives every document the highest grade.
    skill_bounds : the interval of the skill.
    """

    tau: Estimate | None
    floor: Estimate | None
    constant: float | None
    skill_bounds: tuple[float, float] | None = None

    @property
    def skill(self) -> float | None:
        """(tau - floor) / (1 - floor): 0 for a judge that knows nothing, 1 for the order of the humans."""
        if self.tau is None or self.floor is None or self.floor.value >= 1:
            return None
        return (self.tau.value - self.floor.value) / (1 - self.floor.value)

    @property
    def skill_estimate(self) -> Estimate | None:
        """The skill with its interval over topics and over judges that know nothing."""
        return None if self.skill is None else Estimate(self.skill, bounds=self.skill_bounds)


def correlate_means(statistic: Statistic, human: Array, judges: Array) -> Array:
    """float64[judge, measure]: the correlation of means human[measure, run] with judges[judge, measure, run]; NaN where
    a side ties all runs."""
    values: Array = _correlate(statistic, human[None], judges[None])[0]
    return values


def best_runs(scores: Scores, number: int) -> Array:
    """intp[measure, run]: the places of the runs with the highest means; of equal ones the first by name."""
    by_name = np.argsort(np.argsort(scores.runs))
    means = ordered_means(scores)
    order = np.lexsort((np.broadcast_to(by_name, means.shape), -means), axis=-1)
    return np.sort(order[:, :number], axis=-1)


def pairs_among(runs: int, some: Array) -> Array:
    """bool[pair]: are both runs among some of so many, in the order of ``all_pairs``?"""
    return np.asarray(np.isin(all_pairs(runs), some).all(-1))


def resample_correlations(
    statistic: Statistic, human: Scores, judges: Sequence[Scores], weights: Array, among: Array | None = None
) -> Array:
    """float64[sample, judge, measure]: the same with the topics as often as weights[sample, topic] say.

    ``among``: intp[measure, run]: the runs that are ordered; default: all.
    """
    runs, measures = len(human.runs), len(human.measures)
    together = max(1, MEANS_AT_ONCE // (runs * measures * (len(judges) + 1)))
    step = max(1, PAIRS_AT_ONCE // (runs**2 * measures * (len(judges) + 1)))
    values = np.zeros((len(weights), len(judges), measures))
    for begin in range(0, len(weights), together):
        drawn = weights[begin : begin + together]
        of_human = _resample_means(human, drawn)
        of_judges = np.stack([_resample_means(scores, drawn) for scores in judges], axis=1)
        if among is not None:
            of_human, of_judges = (
                np.take_along_axis(of_human, among[None], -1),
                np.take_along_axis(of_judges, among[None, None], -1),
            )
        for first in range(0, len(drawn), step):
            part = slice(first, first + step)
            values[begin:][part] = _correlate(statistic, of_human[part], of_judges[part])
    return values


def correlate_halves(statistic: Statistic, human: Scores, seed: int) -> Array:
    """float64[measure]: the mean correlation of the orders by two halves of the topics, over ``SPLITS`` random splits.

    It says how far the topics alone leave the order open; nothing of what assessors have in common.
    """
    topics = len(human.topics)
    drawn = np.random.default_rng(seed).random((SPLITS, topics)).argsort(-1)
    first, second = drawn < topics // 2, drawn >= topics - topics // 2
    orders = [_resample_means(human, half.astype(float)) for half in (first, second)]
    values = _correlate(statistic, orders[0], orders[1][:, None])[:, 0]
    known = ~np.isnan(values)
    return np.where(known.any(0), ratio(np.where(known, values, 0.0).sum(0), known.sum(0)), np.nan)


def ordered_means(scores: Scores) -> Array:
    """float64[measure, run]: the means of the runs, those that differ by rounding errors alone made equal."""
    everything = np.ones((1, len(scores.topics)))
    means: Array = _ordered(scores.aggregate(everything))[0]
    return means


def _resample_means(scores: Scores, weights: Array) -> Array:
    """float64[sample, measure, run]: all 0, which is no order, where a resample leaves a run without topics."""
    means = _ordered(scores.aggregate(weights))
    if scores.counted.all():
        return means
    left = np.einsum("st,rtm->smr", weights, scores.counted.astype(float), optimize=True)
    return np.where((left > 0).all(-1, keepdims=True), means, 0.0)


def _ordered(means: Array) -> Array:
    """float64[..., measure, run] of means[..., run, measure], fit to be ranked."""
    return rounded(np.ascontiguousarray(np.swapaxes(means, -1, -2)))


def _correlate(statistic: Statistic, human: Array, judges: Array) -> Array:
    """float64[sample, judge, measure] from human[sample, measure, run] and judges[sample, judge, measure, run]."""
    estimates = np.swapaxes(judges, 1, 2)  # [sample, measure, judge, run]
    values = correlation_matrix(statistic, human[:, :, None], estimates)[:, :, 0]
    undefined = is_constant(human)[..., None] | is_constant(estimates)
    return np.swapaxes(np.where(undefined, np.nan, values), 1, 2)


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
class ConclusionShares:
    """Conclusions as shares, each with the share of judges that know nothing, with its interval over topics.

    Attributes
    ----------
    kept, reversed : of the humans' significant differences.
    not_confirmed : of the judge's significant differences: the humans lack them.
    """

    kept: FigureAndFloor
    reversed: FigureAndFloor
    not_confirmed: FigureAndFloor


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
    (n-1) S / (1 - S) grows with S = M^2 / Q, which is compared with the S of the critical t.
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

    Holm's procedure goes on where k differences are significant at alpha / (pairs - k) until no more are; Benjamini and
    Hochberg's begins with all of them and goes on at alpha k / pairs until no fewer are.
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
    counts = _count_kept_and_lost(human, judge)
    return Conclusions(*(int(count) for count in counts))


def _count_kept_and_lost(human: Array, judge: Array) -> tuple[Array, Array, Array, Array]:
    """int64[...] each: pairs kept, reversed, missed and not confirmed, of signs[..., pair]."""
    there, here = human != 0, judge != 0
    both = np.count_nonzero(there & here, axis=-1)
    kept = np.count_nonzero((human == judge) & there, axis=-1)
    missed = np.count_nonzero(there, axis=-1) - both
    return np.asarray(kept), np.asarray(both - kept), np.asarray(missed), np.count_nonzero(here, axis=-1) - both


def shares_of(human: Array, judge: Array) -> Array:
    """float64[..., 3]: the shares kept, reversed and not confirmed, of signs[..., pair]; NaN where there is no pair."""
    kept, reverse, missed, alone = _count_kept_and_lost(human, judge)
    of_human, of_judge = kept + reverse + missed, kept + reverse + alone
    parts = ((kept, of_human), (reverse, of_human), (alone, of_judge))
    return np.stack([np.where(total > 0, ratio(part, total), np.nan) for part, total in parts], axis=-1)


def compare_shares(
    value: Array, resampled: Array, floors: Array, floors_resampled: Array, topics: int, alpha: float
) -> ConclusionShares:
    """The shares of a judge with the shares of judges that know nothing.

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
    return ConclusionShares(*figures)
