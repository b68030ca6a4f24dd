"""Does one measure agree with a reference more than another does? Differences of rank correlations."""

from __future__ import annotations

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.scores.measure_names import place_of_measure
from gradeval.scores.scores import Scores
from gradeval.studies.agreement.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.differences import Differences, differences_of_measures
from gradeval.studies.requirements import STUDIED, Measures, as_scores, refuse_constant, require_enough

TOGETHER = 2**22  # pairs of runs, times measures, times resamples, that are held at once


@with_progress_bar
def correlation_differences(
    scores: Scores | JudgedRuns,
    reference: str | Measure,
    statistic: Statistic = "kendall",
    *,
    measures: Measures | None = None,
    runs: bool = False,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    progress: ShowProgress = False,
) -> Differences:
    """tau(A, reference) - tau(B, reference) for each two measures A and B, with bootstrap intervals.

    Parameters
    ----------
    scores : of ``evaluate``, ``read_scores`` ..., or judged runs, which are then scored.
    reference : the measure that the others are correlated with; the truth of "tau-ap".
    statistic, measures, level, seed : as of ``correlate``; the resamples are the same, too.
    runs : resample the runs as well as the topics; a run that is drawn twice ties with itself.
    samples : resamples of the topics, at least 2.

    Percentiles are taken from their median, as in ``correlate``; for the same reason.

    Raises
    ------
    InputError : fewer than 2 runs, 3 topics, or 2 measures beside the reference; a measure by which all runs are equal.
    """
    scores = _score(scores, measures, reference)
    require_enough(scores)
    level, seed = checks.share("level", level, 0.95), checks.seed(seed)
    samples = checks.whole("samples", samples, 2)
    truth = place_of_measure(reference, scores.measures, "correlation")
    means = rounded(scores.mean().T)
    refuse_constant(means, scores.measures)
    others = [place for place in range(len(scores.measures)) if place != truth]
    if len(others) < 2:
        raise InputError(f"{scores.measures[truth]}: differences need at least 2 measures to correlate with it")
    rng = np.random.default_rng(seed)
    topics = len(scores.topics)
    drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size=samples).astype(float)
    of_runs = rng.integers(0, len(scores.runs), (samples, len(scores.runs))) if runs else None
    resampled = np.zeros((samples, len(others)))
    together = max(1, TOGETHER // (len(scores.measures) * len(scores.runs) ** 2))
    for begin in range(0, samples, together):
        block = slice(begin, min(samples, begin + together))
        here = rounded(np.swapaxes(scores.aggregate(drawn[block]), -1, -2))
        if of_runs is not None:
            here = np.take_along_axis(here, of_runs[block, None, :], axis=-1)
        resampled[block] = _with_reference(statistic, here, truth, others)
        if callable(progress):
            progress(block.stop, samples)
    return differences_of_measures(
        statistic,
        [scores.measures[place] for place in others],
        correlation_matrix(statistic, means[[truth]], means[others]).T,
        resampled[..., None],
        reference=scores.measures[truth],
        centred=True,
        runs=runs,
        level=level,
        seed=seed,
    )


def _score(scores: Scores | JudgedRuns, measures: Measures | None, reference: str | Measure) -> Scores:
    """Scores by the measures that were asked for, or the default ones, and by the reference."""
    if measures is None and isinstance(scores, Scores):
        return scores
    chosen = STUDIED if measures is None else measures
    listed = [chosen] if isinstance(chosen, str | Measure) else list(chosen)
    return as_scores(scores, [*listed, reference])


def _with_reference(statistic: Statistic, means: Array, truth: int, others: list[int]) -> Array:
    """float64[sample, other]: correlations of means[sample, measure, run] with the reference; NaN if undefined."""
    means = np.ascontiguousarray(means)
    values = correlation_matrix(statistic, means[:, [truth]], means[:, others])[:, 0]
    same = is_constant(means)
    return np.where(same[:, [truth]] | same[:, others], np.nan, values)
