"""Does one measure correlate more with a reference than another does?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Seed, Whole
from gradeval.formula.aggregation import blocks, draw
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.progress import Progress
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import Statistic, correlation_matrix, is_constant
from gradeval.studies.measure_differences import MeasureDifferences, differences_of_measures
from gradeval.studies.requirements import about_few_runs, refuse_constant, require_enough
from gradeval.studies.study import study
from gradeval.studies.study_parameters import ExtraMeasure

PAIRS_AT_ONCE = 2**22  # pairs of runs, times measures, times resamples, in memory at once


@study(
    examples="""
      gradeval correlation-differences qrels.txt runs/* -m "GAP Q nDCG" --reference AP
      gradeval correlation-differences qrels.txt runs/* -m "Q AWP" --reference AP --resample-runs --plot tau.svg""",
    digits=3,
)
def correlation_differences(
    scores: Scores,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 1000,
    seed: Seed = 0,
    progress: Progress | None,
    reference: Annotated[Measure, ExtraMeasure()],
    statistic: Statistic = "kendall",
    resample_runs: bool = False,
) -> MeasureDifferences:
    """Tell by how much more one measure correlates with a reference than another: tau(A, ref) - tau(B, ref).

    All measures have the same resamples, as in correlate. Topics drawn twice add noise, which pulls correlations
    down: percentiles are taken from their median, and put around the difference.

    Parameters
    ----------
    reference : the measure that the others are correlated with; the truth of tau-ap.
    statistic : kendall (tau-b), kendall-a, spearman, tau-ap, tau-ap-b, rbo-a or rbo-b; see correlate.
    resample_runs : resample the runs as well as the topics. A run that is drawn twice ties with itself.
    samples : bootstrap samples of the topics.
    alpha : intervals cover 1 - alpha.

    Raises
    ------
    InputError : fewer than 2 runs, 3 topics, or 2 measures without the reference; a measure by which all runs are
        equal.
    """
    require_enough(scores)
    truth = scores.measures.index(reference)
    means = rounded(scores.mean().T)
    refuse_constant(means, scores.measures)
    others = [place for place in range(len(scores.measures)) if place != truth]
    if len(others) < 2:
        raise InputError(f"{scores.measures[truth]}: differences need at least 2 measures to correlate with it")
    rng = np.random.default_rng(seed)
    drawn = draw(len(scores.topics), samples, rng)
    of_runs = rng.integers(0, len(scores.runs), (samples, len(scores.runs))) if resample_runs else None
    resampled = np.zeros((samples, len(others)))
    for block in blocks(samples, PAIRS_AT_ONCE // (len(scores.measures) * len(scores.runs) ** 2)):
        here = rounded(np.swapaxes(scores.aggregate(drawn[block]), -1, -2))
        if of_runs is not None:
            here = np.take_along_axis(here, of_runs[block, None, :], axis=-1)
        resampled[block] = _with_reference(statistic, here, truth, others)
        if progress is not None:
            progress(block.stop, samples)
    differences = differences_of_measures(
        statistic,
        [scores.measures[place] for place in others],
        correlation_matrix(statistic, means[[truth]], means[others]).T,
        resampled[..., None],
        reference=scores.measures[truth],
        centred=True,
        possible=(-1.0, 1.0),
        resample_runs=resample_runs,
        alpha=alpha,
        seed=seed,
        unit=scores.unit,
    )
    return replace(differences, notes=[*differences.notes, *about_few_runs(len(scores.runs))])


def _with_reference(statistic: Statistic, means: Array, truth: int, others: list[int]) -> Array:
    """float64[sample, other]: correlations of means[sample, measure, run] with the reference; NaN if undefined."""
    means = np.ascontiguousarray(means)
    values = correlation_matrix(statistic, means[:, [truth]], means[:, others])[:, 0]
    same = is_constant(means)
    return np.where(same[:, [truth]] | same[:, others], np.nan, values)
