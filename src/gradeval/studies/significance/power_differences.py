"""Does one measure tell more pairs of runs apart than another? Differences of discriminative power."""

from __future__ import annotations

from functools import partial
from typing import get_args

import numpy as np

from gradeval import checks
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.scores import Scores
from gradeval.studies.differences import Differences, differences_of_measures
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS, Measures, as_scores
from gradeval.studies.significance.bootstrap import resample_topics, tell_apart
from gradeval.studies.significance.discrimination import Method
from gradeval.studies.significance.paired import all_pairs, pair_values
from gradeval.studies.significance.tukey import shuffles, tukey_spreads, tukey_tests

RESAMPLES = 200
"""Resamples of the topics behind an interval where nobody says; each repeats the whole test."""


@with_progress_bar
def power_differences(
    scores: Scores | JudgedRuns,
    method: Method = "bootstrap",
    *,
    measures: Measures | None = None,
    runs: bool = False,
    samples: int = 1000,
    alpha: float = 0.05,
    resampled: int = RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Differences:
    """power(A) - power(B) for each two measures, with bootstrap intervals over topics.

    Parameters
    ----------
    scores, method, measures, samples, alpha, seed, threads : as of ``discriminate``, whose test is repeated in each
        resample.
    runs : resample the runs, too: power is then over the pairs of different runs that were drawn, each as often as the
        two were drawn together.
    resampled : resamples of the topics, at least 2.
    level : of the intervals. Percentiles are taken from their median: topics drawn twice let the tests of a resample
        find more than there is.

    Raises
    ------
    InputError : as of ``discriminate``; fewer than 2 measures.
    """
    alpha, level = checks.share("alpha", alpha, 0.05), checks.share("level", level, 0.95)
    samples, resampled = checks.whole("samples", samples, 1), checks.whole("resampled", resampled, 2)
    seed = checks.seed(seed)
    checks.one_of("method", method, get_args(Method))
    scores = as_scores(scores, measures)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))
    rng = np.random.default_rng(seed)
    topics, size = len(scores.topics), len(scores.runs)
    of_topics = rng.multinomial(topics, np.full(topics, 1 / topics), size=resampled)
    of_pairs: Array = np.ones((resampled, len(pairs)))
    if runs:
        of_runs = rng.multinomial(size, np.full(size, 1 / size), size=resampled)
        of_pairs = of_runs[:, pairs[:, 0]] * of_runs[:, pairs[:, 1]]

    def told_apart(values: Array, step: Step) -> Array:
        """bool[pair]: is its ASL below alpha in values[topic, run]?"""
        if method == "bootstrap":
            apart = tell_apart(values, pairs, resample_topics(len(values), samples, seed), alpha)
        else:
            apart = tukey_tests(values, pairs, tukey_spreads(values, shuffles(values.shape, samples, seed))) < alpha
        step(1)
        return apart

    def resample(number: int, step: Step) -> list[float]:
        """The power by each measure in a resample; NaN where no pairs or too few topics are left."""
        power = []
        for values, kept in zip(matrices, np.moveaxis(scores.counted[0], -1, 0), strict=True):
            drawn = values.repeat(of_topics[number, kept], axis=0)
            if len(drawn) < TOPICS or not of_pairs[number].any():
                power.append(np.nan)
                step(1)
            else:
                power.append(float(np.average(told_apart(drawn, step), weights=of_pairs[number])))
        return power

    total = (resampled + 1) * len(matrices)
    observed = partial(lambda step: [float(told_apart(values, step).mean()) for values in matrices])
    tasks = [observed, *(partial(resample, number) for number in range(resampled))]
    power, *drawn = run_in_parallel(tasks, threads, progress, total)
    return differences_of_measures(
        "power",
        scores.measures,
        np.array(power)[:, None],
        np.array(drawn)[..., None],
        centred=True,
        runs=runs,
        level=level,
        seed=seed,
    )
