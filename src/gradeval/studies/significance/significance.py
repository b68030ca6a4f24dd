"""Do systems differ? Paired tests between runs, with intervals, effect sizes and corrections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.progress import Progress, Step
from gradeval.studies.side_by_side import side_by_side
from gradeval.studies.significance.bootstrap import rank_of, resamples
from gradeval.studies.significance.corrections import CORRECTIONS, Correction
from gradeval.studies.significance.paired import all_pairs, by_topic, centred, differences_of
from gradeval.studies.significance.paired_tests import TESTS, mean_interval_bootstrap, mean_interval_t
from gradeval.studies.significance.tukey import shuffles, tukey_spreads, tukey_tests

Verdict: TypeAlias = Literal["better", "worse", "not told apart"]
Test: TypeAlias = Literal["t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey-hsd"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences between runs by each measure, and what chance has to do with them.

    Attributes
    ----------
    pairs : intp[pair, 2]: places of the run and of the one it is compared with (the baseline, if there is one).
    difference : float64[measure, pair]: mean of the first run less that of the second (of logarithms for gmAP).
    interval : float64[measure, pair, 2]: confidence interval of the difference, not corrected except for tukey-hsd.
    p, corrected : float64[measure, pair]: p values of the two-sided test, and after the correction for the pairs.
    effect : float64[measure, pair]: the mean of the topics' differences over their standard deviation (Cohen's d for
        pairs); infinite where all topics differ by the same amount, 0 where none differs.
    wins, ties, losses : int64[measure, pair]: topics on which the first run is better, equal, worse.
    topics : int64[measure]: topics that were counted.
    """

    pairs: Array
    difference: Array
    interval: Array
    p: Array
    corrected: Array
    effect: Array
    wins: Array
    ties: Array
    losses: Array
    topics: Array
    measures: list[Measure]
    runs: list[str]
    baseline: str | None
    test: Test
    correction: Correction
    alpha: float
    samples: int | None
    seed: int | None

    @property
    def significant(self) -> Array:
        """bool[measure, pair]: is the corrected p value below alpha?"""
        return self.corrected < self.alpha

    def verdict(self, measure: int, pair: int) -> Verdict:
        """Is the first run of a pair significantly better or worse than the second?"""
        if not self.significant[measure, pair]:
            return "not told apart"
        return "better" if self.difference[measure, pair] > 0 else "worse"


def compare(
    scores: Scores,
    baseline: str | None = None,
    *,
    test: Test = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Test the differences of all runs from a baseline, or of all pairs of runs, by each measure.

    Parameters
    ----------
    baseline : the run that the others are compared with; None: all pairs.
    test : paired and two-sided: "t"; "permutation" of the signs of the differences (all 2^n of them where ``samples``
        allows, else drawn ones, p = (count + 1)/(samples + 1)); "bootstrap" (studentised, likewise);
        "wilcoxon" (signed ranks, zeros dropped); "sign" (ties dropped); "tukey-hsd" (randomised, over all runs).
    correction : for the number of pairs, measure by measure; default "holm". tukey-hsd corrects by itself and takes
        "none" only.
    alpha : intervals cover 1 - alpha: by Student's t for "t", of Tukey's range for "tukey-hsd", else the percentile
        bootstrap over topics.
    samples, seed : of everything random.
    threads : 0 takes all cores; the answer is the same.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, an unknown baseline, a number outside its range.
    Source: Smucker, Allan & Carterette (2007); Sakai (2006); Carterette (2012).
    """
    correction = _checked(test, correction)
    alpha = checks.share("alpha", alpha, 0.05)
    samples, seed = checks.whole("samples", samples, 1), checks.seed(seed)
    threads = checks.threads(threads)
    matrices = by_topic(scores)
    pairs = _pairs(scores.runs, baseline)
    tasks = [partial(_tested, values, pairs, test, alpha, samples, seed) for values in matrices]
    parts = side_by_side(tasks, threads, progress, len(tasks) * _size(test, len(pairs), samples))
    difference, interval, p, effect, wins, losses = (np.stack(part) for part in zip(*parts, strict=True))
    topics = np.array([len(values) for values in matrices])
    return Comparison(
        pairs=pairs,
        difference=difference,
        interval=interval,
        p=p,
        corrected=CORRECTIONS[correction](p),
        effect=effect,
        wins=wins,
        ties=topics[:, None] - wins - losses,
        losses=losses,
        topics=topics,
        measures=scores.measures,
        runs=scores.runs,
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples if test != "t" else None,
        seed=seed if test != "t" else None,
    )


def _size(test: Test, pairs: int, samples: int) -> int:
    """How far the test of a measure steps: samples, or pairs, once for the test and once for the intervals."""
    return {"tukey-hsd": samples, "t": pairs}.get(test, 2 * pairs)


def _tested(
    values: Array, pairs: Array, test: Test, alpha: float, samples: int, seed: int, step: Step
) -> tuple[Array, ...]:
    """Difference, interval, p, effect, wins and losses of each pair of runs in values[topic, run]."""
    each = differences_of(values, pairs)
    difference, deviations, spread = centred(each)
    if test == "tukey-hsd":
        spreads = tukey_spreads(values, shuffles(values.shape, samples, seed), step)
        p = tukey_tests(values, pairs, spreads)
        reach = np.sort(spreads)[-rank_of(alpha, samples)]
        interval = difference[:, None] + [-reach, reach]
    elif test == "t":
        p = TESTS[test](each, samples, seed, step)
        interval = mean_interval_t(difference, spread, len(values), alpha)
    else:
        p = TESTS[test](each, samples, seed, step)
        drawn = resamples(len(values), samples, seed)
        interval = difference[:, None] + mean_interval_bootstrap(deviations, drawn, alpha, step)
    always = (spread == 0) & (difference != 0)
    effect = np.where(always, np.copysign(np.inf, difference), ratio(difference, spread))
    return difference, interval, p, effect, (each > 0).sum(-1), (each < 0).sum(-1)


def _checked(test: Test, correction: Correction | None) -> Correction:
    checks.one_of("test", test, [*TESTS, "tukey-hsd"])
    if correction is None:
        correction = "none" if test == "tukey-hsd" else "holm"
    checks.one_of("correction", correction, CORRECTIONS)
    if test == "tukey-hsd" and correction != "none":
        raise InputError(f"tukey-hsd corrects for the number of pairs by itself; drop the correction {correction!r}")
    return correction


def _pairs(runs: list[str], baseline: str | None) -> Array:
    if baseline is None:
        return all_pairs(len(runs))
    if baseline not in runs:
        raise InputError(f"no run {baseline!r} to compare with{nearest(baseline, runs)}")
    place = runs.index(baseline)
    return np.array([(other, place) for other in range(len(runs)) if other != place])
