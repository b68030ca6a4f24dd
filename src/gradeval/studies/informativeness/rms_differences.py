"""Does the value of one measure tell more of a ranking than that of another? Differences of RMS errors."""

from __future__ import annotations

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.formula.arithmetic import ratio
from gradeval.progress import ShowProgress, with_progress_bar
from gradeval.studies.differences import Differences, differences_of_measures
from gradeval.studies.informativeness.inform import Informativeness

BLOCK = 200
"""Samples of which errors are summed at a time, between two reports of progress."""


@with_progress_bar
def rms_differences(
    informativeness: Informativeness,
    *,
    runs: bool = False,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    progress: ShowProgress = False,
) -> Differences:
    """RMS(A) - RMS(B) for each two measures at each threshold, with bootstrap intervals; below 0 A tells more.

    Topics are drawn with all their rankings, the same ones for both measures, as for ``Informativeness.ci``; ``runs``:
    runs are drawn, too, and a ranking counts as often as its topic times its run was drawn. ``samples``: at least 2.

    Raises
    ------
    InputError : fewer than 2 measures, rankings of fewer than 2 topics (or runs, where they are drawn).
    """
    level, seed = arguments.share("level", level, 0.95), arguments.seed(seed)
    samples = arguments.whole("samples", samples, 2)
    counted = informativeness.counted
    errors = informativeness.errors[:, :, counted]
    rng = np.random.default_rng(seed)
    weights = np.ones((samples, int(counted.sum())))
    axes = [("topics", informativeness.topic)] + ([("runs", informativeness.run)] if runs else [])
    for name, places in axes:
        there, which = np.unique(places[counted], return_inverse=True)
        if len(there) < 2:
            raise InputError(f"intervals of differences need rankings of at least 2 {name}")
        weights *= rng.multinomial(len(there), np.full(len(there), 1 / len(there)), size=samples)[:, which]
    number = weights.sum(-1)[:, None, None]
    total = np.empty((samples, *errors.shape[:2]))
    for begin in range(0, samples, BLOCK):
        block = slice(begin, min(samples, begin + BLOCK))
        np.einsum("mkl,sl->smk", errors, weights[block], optimize=True, out=total[block])
        if callable(progress):
            progress(block.stop, samples)
    return differences_of_measures(
        "rms",
        informativeness.measures,
        informativeness.mean(),
        np.where(number > 0, ratio(total, number), np.nan),
        thresholds=informativeness.thresholds,
        centred=False,
        resample_runs=runs,
        alpha=1 - level,
        seed=seed,
    )
