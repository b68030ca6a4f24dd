"""Does one measure tell more pairs of runs apart than another?"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from gradeval.arguments import Alpha, Seed, Threads, Whole
from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array
from gradeval.progress import Progress, Step
from gradeval.scores.scores import Scores
from gradeval.studies.discriminate import PowerTest
from gradeval.studies.measure_differences import MeasureDifferences, differences_of_measures, require_two
from gradeval.studies.pair_differences import PairDifferences
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import TOPICS, require_samples
from gradeval.studies.significance import all_pairs, pair_values, shuffles, tukey_spreads, tukey_tests
from gradeval.studies.study import study


@study(
    examples="""
      gradeval power-differences qrels.txt runs/* -m "GAP nDCG AP"
      gradeval power-differences qrels.txt runs/* -m "GAP nDCG" --runs top:15 --resample-runs --plot powers.svg
      gradeval power-differences qrels.txt runs/* -m "GAP nDCG" --method tukey-hsd --resamples 1000 -o powers.tsv"""
)
def power_differences(
    scores: Scores,
    /,
    *,
    method: PowerTest = "bootstrap",
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 1000,
    resamples: Annotated[int, Whole(2, 10_000_000)] = 200,
    resample_runs: bool = False,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> MeasureDifferences:
    """Compare measures by discriminative power: power(A) - power(B) of each two, with bootstrap intervals.

    The test of 'gradeval discriminate' is repeated in each resample of the topics. Percentiles are taken from their
    median: topics drawn twice let the tests of a resample find more than there is.

    Parameters
    ----------
    method : the test of each pair of runs; see ``discriminate``.
    alpha : level below which a pair is told apart; intervals cover 1 - alpha.
    samples : resamples of a test; no level is finer than 1/samples.
    resamples : resamples of the topics behind the intervals; each repeats all tests.
    resample_runs : resample the runs, too. Power is then over the pairs of different runs in a sample. A pair counts
        as often as both runs are drawn.

    Raises
    ------
    InputError : as of ``discriminate``; fewer than 2 measures.
    """
    require_samples(samples, alpha)
    require_two(scores.measures)
    matrices = pair_values(scores)
    pairs = all_pairs(len(scores.runs))
    rng = np.random.default_rng(seed)
    of_topics = draw(len(scores.topics), resamples, rng).astype(int)
    of_pairs: Array = np.ones((resamples, len(pairs)))
    if resample_runs:
        of_runs = draw(len(scores.runs), resamples, rng)
        of_pairs = of_runs[:, pairs[:, 0]] * of_runs[:, pairs[:, 1]]

    differences = [PairDifferences.of(values, pairs) for values in matrices] if method == "bootstrap" else []

    def told_apart(measure: int, step: Step, times: Array | None = None) -> Array:
        """bool[pair]: is its ASL below alpha by a measure, each topic so many times?"""
        values = matrices[measure]
        if method == "bootstrap":
            topics = len(values) if times is None else int(times.sum())
            apart = differences[measure].tell_apart(draw(topics, samples, seed), alpha, times)
        else:
            values = values if times is None else values.repeat(times, axis=0)
            apart = tukey_tests(values, pairs, tukey_spreads(values, shuffles(values.shape, samples, seed))) < alpha
        step(1)
        return apart

    def resample(number: int, step: Step) -> list[float]:
        """The power by each measure in a resample; NaN where no pairs or too few topics are left."""
        power = []
        for measure, kept in enumerate(np.moveaxis(scores.counted[0], -1, 0)):
            times = of_topics[number, kept]
            if times.sum() < TOPICS or not of_pairs[number].any():
                power.append(np.nan)
                step(1)
            else:
                power.append(float(np.average(told_apart(measure, step, times), weights=of_pairs[number])))
        return power

    total = (resamples + 1) * len(matrices)
    observed = partial(lambda step: [float(told_apart(measure, step).mean()) for measure in range(len(matrices))])
    tasks = [observed, *(partial(resample, number) for number in range(resamples))]
    power, *drawn = run_in_parallel(tasks, threads, progress, total)
    return differences_of_measures(
        "power",
        scores.measures,
        np.array(power)[:, None],
        np.array(drawn)[..., None],
        centred=True,
        possible=(0.0, 1.0),
        resample_runs=resample_runs,
        alpha=alpha,
        seed=seed,
        unit=scores.unit,
    )
