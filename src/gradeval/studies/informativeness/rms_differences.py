"""Does one measure tell more about rankings than another? RMS errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Seed, Threads, Whole
from gradeval.formula.aggregation import blocks, draw
from gradeval.formula.arithmetic import ratio
from gradeval.progress import Progress
from gradeval.studies.informativeness.inform import (
    FEWEST_DOCUMENTS,
    MEASURES,
    NOTHING,
    Counts,
    Informativeness,
    Least,
    Thresholds,
    infer,
    with_notes,
)
from gradeval.studies.measure_differences import MeasureDifferences, differences_of_measures
from gradeval.studies.study import Judged, study

BLOCK = 200
"""Samples of which errors are summed at a time."""


@study(
    measures=MEASURES,
    consequence=NOTHING,
    examples="""
      gradeval rms-differences qrels.txt runs/* -m "GAP AP"
      gradeval rms-differences qrels.txt runs/* -m "GAP AP nDCG" --resample-runs --plot rms.svg""",
)
def rms_differences(
    data: Judged,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 2000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None,
    resample_runs: bool = False,
    thresholds: Thresholds = None,
    least: Least = FEWEST_DOCUMENTS,
    counts: Counts = "retrieved",
) -> MeasureDifferences:
    """Tell by how much more one measure's value tells of rankings than another's: RMS(A) - RMS(B).

    Below 0 A tells more. Topics are drawn with all their rankings, the same ones for both measures, as for inform.

    Parameters
    ----------
    resample_runs : draw the runs, too. A ranking then counts as often as its topic times its run was drawn.
    samples : bootstrap samples of the topics.
    alpha : intervals cover 1 - alpha.
    thresholds : the grades from which on a document is relevant. Default: all positive levels.
    least : how many documents from each threshold to the next a list must hold.
    counts : how many documents of each grade a list is assumed to hold. retrieved: as many as it retrieved; pool: all
        there are.

    Raises
    ------
    InputError : as ``inform``; fewer than 2 measures, rankings of fewer than 2 topics (or runs, where they are drawn).
    """
    informativeness = infer(data, data.scores.measures, thresholds, least, counts, threads, progress)
    result = differences_of(informativeness, resample_runs=resample_runs, samples=samples, alpha=alpha, seed=seed)
    return replace(result, notes=[*with_notes(informativeness).notes, *result.notes])


def differences_of(
    informativeness: Informativeness,
    *,
    resample_runs: bool = False,
    samples: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
) -> MeasureDifferences:
    """The differences between the measures of what ``inform`` found."""
    counted = informativeness.counted
    errors = informativeness.errors[:, :, counted]
    rng = np.random.default_rng(seed)
    weights = np.ones((samples, int(counted.sum())))
    axes = [("topics", informativeness.topic)] + ([("runs", informativeness.run)] if resample_runs else [])
    for name, places in axes:
        there, which = np.unique(places[counted], return_inverse=True)
        if len(there) < 2:
            raise InputError(f"intervals of differences need rankings of at least 2 {name}")
        weights *= draw(len(there), samples, rng)[:, which]
    number = weights.sum(-1)[:, None, None]
    total = np.empty((samples, *errors.shape[:2]))
    for block in blocks(samples, BLOCK):
        np.einsum("mkl,sl->smk", errors, weights[block], optimize=True, out=total[block])
    return differences_of_measures(
        "rms",
        informativeness.measures,
        informativeness.mean(),
        np.where(number > 0, ratio(total, number), np.nan),
        thresholds=informativeness.thresholds,
        centred=False,
        resample_runs=resample_runs,
        alpha=alpha,
        seed=seed,
    )
