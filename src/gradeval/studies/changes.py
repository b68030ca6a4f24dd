"""What changed since an earlier evaluation: the same runs, on the topics that both have, by the measures of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Scores
from gradeval.studies.paired_tests import CORRECTIONS, mean_interval_t, t_test

DECIMALS, SINGLE = 5.1e-5, 1e-6
"""Differences that come from how earlier values were written: with four decimals, or in single precision."""


@dataclass(frozen=True, eq=False)
class Changes:
    """How the values of runs moved from one evaluation to the next.

    Attributes
    ----------
    runs, measures, topics : those of both evaluations.
    before, now : float64[run, measure]: means over these topics.
    difference, interval : float64[run, measure], float64[run, measure, 2]: now less before, with Student's interval.
    p, corrected : float64[run, measure]: of Student's paired t test, and by Holm over the runs.
    added, gone : runs that only one of the evaluations has.
    alpha : level of the tests; intervals cover the rest.
    """

    runs: list[str]
    measures: list[Measure]
    topics: list[str]
    before: Array
    now: Array
    difference: Array
    interval: Array
    p: Array
    corrected: Array
    added: list[str]
    gone: list[str]
    alpha: float

    @property
    def significant(self) -> Array:
        """bool[run, measure]: is the change told from none?"""
        return np.asarray(self.corrected <= self.alpha)


def find_changes(now: Scores, before: Scores, alpha: float = 0.05) -> Changes:
    """Compare each run with itself in an earlier evaluation, topic by topic.

    Values that enter the means are compared (``Scores.credited``), on the topics that both evaluations have; the tests
    are those of ``compare``, t with Holm's correction over the runs of a measure. Differences as small as the rounding
    of earlier values, which files and pages may hold with four decimals or in single precision, are none.

    Raises
    ------
    InputError : no run or no measure in common, or fewer than 2 topics.
    """
    runs = [run for run in now.runs if run in before.runs]
    topics = [topic for topic in now.topics if topic in set(before.topics)]
    known = {str(measure): measure for measure in before.measures}
    measures = [measure for measure in now.measures if str(measure) in known]
    for what, common, there in (("run", runs, before.runs), ("measure", measures, list(known))):
        if not common:
            raise InputError(f"the earlier evaluation has no {what} of this one; it has {', '.join(there[:6])}")
    if len(topics) < 2:
        raise InputError(f"the earlier evaluation has {len(topics)} of the topics of this one; two are needed")
    sides = [
        one.sel(runs=runs, topics=topics, measures=wanted).credited
        for one, wanted in ((before, [known[str(measure)] for measure in measures]), (now, measures))
    ]
    rounding = DECIMALS if (np.round(sides[0], 4) == sides[0]).all() else SINGLE
    moved = sides[1] - sides[0]
    differences = np.moveaxis(np.where(np.abs(moved) <= rounding, 0.0, moved), 1, 2)  # [run, measure, topic]
    flat = differences.reshape(-1, len(topics))
    means, p = flat.mean(-1), t_test(flat)
    shape = differences.shape[:2]
    p = np.where(means == 0, 1.0, p).reshape(shape)
    return Changes(
        runs=runs,
        measures=measures,
        topics=topics,
        before=sides[0].mean(1),
        now=sides[1].mean(1),
        difference=means.reshape(shape),
        interval=mean_interval_t(means, flat.std(-1, ddof=1), len(topics), alpha).reshape(*shape, 2),
        p=p,
        corrected=CORRECTIONS["holm"](p.T).T,
        added=[run for run in now.runs if run not in before.runs],
        gone=[run for run in before.runs if run not in now.runs],
        alpha=alpha,
    )
