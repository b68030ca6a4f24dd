"""What is told of pairs of runs: differences of means, their intervals, p values, effect sizes, topics won and lost."""

from __future__ import annotations

import numpy as np

from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array, ratio
from gradeval.progress import Step
from gradeval.studies.best import find_best_runs
from gradeval.studies.bootstrap_tests import centre, differences_of, rank_of
from gradeval.studies.paired_tests import (
    TESTS,
    mean_interval_bootstrap,
    mean_interval_t,
    shuffles,
    tukey_spreads,
    tukey_tests,
)
from gradeval.studies.sign_flips import flip_signs

TUKEY = "tukey-hsd"
TEST_NAMES = (*TESTS, TUKEY)
"""Tests of paired differences, and the one that compares all runs at once."""


def is_random(test: str) -> bool:
    """Whether a test draws samples, or the intervals beside it do."""
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
        interval = difference[:, None] + [-reach, reach]
    elif TESTS[test].student:
        p = TESTS[test](differences, samples, seed, step)
        interval = mean_interval_t(difference, spread, len(values), alpha)
    else:
        p = TESTS[test](differences, samples, seed, step)
        weights = draw(len(values), samples, seed)
        interval = difference[:, None] + mean_interval_bootstrap(deviations, weights, alpha, step)
    always = (spread == 0) & (difference != 0)
    effect = np.where(always, np.copysign(np.inf, difference), ratio(difference, spread))
    return difference, interval, p, effect, (differences > 0).sum(-1), (differences < 0).sum(-1)


def pair_with_one(runs: int, other: int) -> Array:
    """intp[pair, 2]: all runs, each with the same other one."""
    return np.stack([np.arange(runs), np.full(runs, other)], axis=-1)


def compare_with_best(values: Array, test: str, alpha: float, samples: int, seed: int, step: Step) -> tuple[Array, ...]:
    """As ``compare_pairs``, of each run and that with the highest mean in values[topic, run], with intervals of the
    difference from the best, whichever that is; and the p value that a run is it.
    """
    flipped = flip_signs(values, samples, seed, step)
    best, runs = find_best_runs(flipped, alpha), values.shape[1]
    highest = int((flipped.differences.mean > 0).sum(0).argmin())
    difference, _, *rest = compare_pairs(values, pair_with_one(runs, highest), test, alpha, samples, seed, step)
    return difference, np.stack([-best.upper, -best.lower], axis=-1) + 0.0, *rest, best.p
