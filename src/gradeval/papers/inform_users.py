"""Which users let a measure tell most about rankings? RMS errors.

Source: Robertson, Kanoulas & Yilmaz (2010), section 4.1, figure 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from gradeval.arguments import Alpha, Resamples, Seed, Threads
from gradeval.papers.correlate_users import GridStep, over_grid, user_grid
from gradeval.progress import Progress
from gradeval.studies.informativeness.inform import (
    FEWEST_DOCUMENTS,
    NDCGS,
    NOTHING,
    Counts,
    Informativeness,
    Least,
    Thresholds,
    inform,
)
from gradeval.studies.study import Judged, study


@study(
    measures=f"{NDCGS} AP",
    consequence=NOTHING,
    examples="""
      gradeval inform-users qrels.txt runs/* --runs top:15:AP
      gradeval inform-users qrels.txt runs/* --runs top:15:AP -m "nDCG AP" --step 0.1 --plot rms.svg""",
)
def inform_users(
    data: Judged,
    /,
    *,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Resamples(0, 10_000_000)] = 2000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None,
    step: Annotated[float | None, GridStep()] = None,
    thresholds: Thresholds = None,
    least: Least = FEWEST_DOCUMENTS,
    counts: Counts = "retrieved",
) -> Informativeness:
    """Infer rankings from the values of measures; also of GAP, xGAP and eGAP for every g on a grid.

    Parameters
    ----------
    step : the step of the grid. Default: 0.1 for two positive levels, 0.2 for three, 0.25 for four, else 0.5.
    thresholds : the grades from which on a document is relevant. Default: all positive levels.
    least : how many documents of each kind a list must hold to be studied. A kind goes from one threshold to below the
        next.
    counts : how many documents of each grade a list is assumed to hold. retrieved: as many as it retrieved; pool: all
        there are.
    samples : bootstrap samples of the topics with all their rankings; 0: no intervals.
    alpha : the level of the intervals: they cover 1 - alpha.

    Raises
    ------
    InputError : as ``inform``; a grid of more than 1000 points.
    """
    grid = over_grid(["GAP", "xGAP", "eGAP"], user_grid(len(data.runs.levels) - 1, step))
    measures = list(dict.fromkeys([*data.scores.measures, *grid]))
    return inform.function(
        replace(data, scores=data.by(measures)),
        alpha=alpha,
        samples=samples,
        seed=seed,
        threads=threads,
        progress=progress,
        thresholds=thresholds,
        least=least,
        counts=counts,
    )
