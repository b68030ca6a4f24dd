"""Do runs differ? Paired tests between them, with intervals, effect sizes and corrections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, ratio
from gradeval.progress import ShowProgress, Step, with_progress_bar
from gradeval.scores.notes import list_some
from gradeval.scores.scores import Scores
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import Measures, as_scores
from gradeval.studies.significance.bootstrap import rank_of, resample_topics
from gradeval.studies.significance.comparison import Comparison
from gradeval.studies.significance.corrections import CORRECTIONS, Correction
from gradeval.studies.significance.paired import all_pairs, centre, differences_of, pair_values
from gradeval.studies.significance.paired_tests import TESTS, mean_interval_bootstrap, mean_interval_t
from gradeval.studies.significance.tukey import shuffles, tukey_spreads, tukey_tests

TUKEY = "tukey-hsd"
TEST_NAMES = [*TESTS, TUKEY]
"""Tests of paired differences, and the one that compares all runs at once."""

BEST = "best"
"""The baseline that stands for the best run, where no run has this name."""

MEASURES = "AP nDCG@10"
"""The measures by which judged runs are compared by default."""


@with_progress_bar
def compare(
    scores: Scores | JudgedRuns,
    baseline: str | Sequence[str] | None = None,
    *,
    measures: Measures | None = None,
    test: str = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
    progress: ShowProgress = False,
) -> Comparison:
    """Test the differences of all runs from a baseline, or of all pairs of runs, by each measure.

    Parameters
    ----------
    scores : of ``evaluate``, ``read_scores`` ..., or judged runs, which are then scored.
    measures : which; default all of the scores, or "AP nDCG@10" of judged runs.
    baseline : the run that the others are compared with, or several such runs, whose pairs are corrected together, each
        pair once; "best": the run with the highest mean of the first measure; None: all pairs.
    test : paired and two-sided: "t"; "permutation" of the signs of the differences (all 2^n of them where ``samples``
        allows, else drawn ones, p = (count + 1)/(samples + 1)); "bootstrap" (studentised, likewise);
        "wilcoxon" (signed ranks, zeros dropped); "sign" (ties dropped); "tukey-hsd" (randomised, over all runs,
        p = (count + 1)/(samples + 1)).
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
    correction = _choose_correction(test, correction)
    alpha = checks.share("alpha", alpha, 0.05)
    samples, seed = checks.whole("samples", samples, 1), checks.seed(seed)
    threads = checks.threads(threads)
    scores = as_scores(scores, measures, MEASURES)
    matrices = pair_values(scores)
    baselines = name_baselines(baseline, scores)
    pairs = pair_with(scores.runs, baselines)
    tasks = [partial(_test, values, pairs, test, alpha, samples, seed) for values in matrices]
    parts = run_in_parallel(tasks, threads, progress, len(tasks) * _count_steps(test, len(pairs), samples))
    difference, interval, p, effect, wins, losses = (np.stack(part) for part in zip(*parts, strict=True))
    topics = np.array([len(values) for values in matrices])
    random = is_random(test)
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
        means=scores.mean(),
        measures=scores.measures,
        runs=scores.runs,
        baselines=baselines,
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples if random else None,
        seed=seed if random else None,
    )


def is_random(test: str) -> bool:
    """Whether a test draws samples, or the intervals beside it do."""
    return test == TUKEY or not TESTS[test].student


def _count_steps(test: str, pairs: int, samples: int) -> int:
    """The steps of one measure: samples, or pairs, once for the test and once for the intervals."""
    if test == TUKEY:
        return samples
    return pairs if TESTS[test].student else 2 * pairs


def _test(
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
        weights = resample_topics(len(values), samples, seed)
        interval = difference[:, None] + mean_interval_bootstrap(deviations, weights, alpha, step)
    always = (spread == 0) & (difference != 0)
    effect = np.where(always, np.copysign(np.inf, difference), ratio(difference, spread))
    return difference, interval, p, effect, (differences > 0).sum(-1), (differences < 0).sum(-1)


def _choose_correction(test: str, correction: Correction | None) -> Correction:
    checks.one_of("test", test, TEST_NAMES)
    if correction is None:
        correction = "none" if test == TUKEY else "holm"
    checks.one_of("correction", correction, CORRECTIONS)
    if test == TUKEY and correction != "none":
        raise InputError(f"tukey-hsd corrects for the number of pairs by itself; drop the correction {correction!r}")
    return correction


def name_baselines(baseline: str | Sequence[str] | None, scores: Scores) -> list[str]:
    """The names of the baselines, each once."""
    if baseline is None:
        return []
    names = [baseline] if isinstance(baseline, str) or not isinstance(baseline, Iterable) else baseline
    best = scores.runs[int(scores.mean()[:, 0].argmax())]
    return list(dict.fromkeys(best if name == BEST and BEST not in scores.runs else name for name in names))


def pair_with(runs: list[str], baselines: list[str]) -> Array:
    """intp[pair, 2]: each other run and a baseline, each two runs once; without baselines all pairs."""
    for baseline in baselines:
        if baseline not in runs:
            raise InputError(
                f"no run {baseline!r} to compare with{nearest(str(baseline), [*runs, BEST])}; the runs are "
                f"{list_some(runs)}, and {BEST} is the one with the highest mean"
            )
    if not baselines:
        return all_pairs(len(runs))
    places = [runs.index(baseline) for baseline in baselines]
    return np.array(
        [
            (other, place)
            for number, place in enumerate(places)
            for other in range(len(runs))
            if other not in (place, *places[:number])
        ]
    )
