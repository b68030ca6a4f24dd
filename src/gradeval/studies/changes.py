"""What changed since an earlier evaluation: the same runs, on the topics that both have, by the measures of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.collection.runs import find_run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.messages import list_some
from gradeval.scores.scores import Scores
from gradeval.studies.significance import CORRECTIONS, infer_means

DECIMALS, SINGLE = 5.1e-5, 1e-6
"""Differences that come from how earlier values were written: with four decimals, or in single precision."""


@dataclass(frozen=True, eq=False)
class Changes:
    """How the values of runs moved from one evaluation to the next.

    Attributes
    ----------
    runs, measures, topics : what both evaluations have.
    before, now : float64[run, measure]: means over these topics.
    difference, interval : float64[run, measure], float64[run, measure, 2]: now less before, with Student's interval, on
        the scale on which topics are averaged.
    p, corrected : float64[run, measure]: of Student's paired t test, and by Holm over the runs.
    added, gone : runs that only one of the evaluations has.
    alpha : level of the tests; intervals cover the rest.
    judged_alike : were both evaluated by the same judgments, read alike? None: that is not known.
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
    judged_alike: bool | None

    @property
    def significant(self) -> Array:
        """bool[run, measure]: is the change significant?"""
        return np.asarray(self.corrected < self.alpha)


def find_changes(now: Scores, before: Scores, alpha: float = 0.05) -> Changes:
    """Compare each run with itself in an earlier evaluation, topic by topic.

    Topics that both evaluations have are compared, on the scale on which they are averaged; the tests are the t tests
    of ``compare``, with Holm's correction over the runs of a measure. Differences as small as the rounding of earlier
    values, which files and pages may hold with four decimals or in single precision, count as 0.

    Raises
    ------
    InputError : no run or no measure in common, or fewer than 2 topics.
    """
    before = replace(before, runs=[_name_now(run, before.runs, now.runs) for run in before.runs])
    runs_before, runs_now, topics_before = set(before.runs), set(now.runs), set(before.topics)
    runs = [run for run in now.runs if run in runs_before]
    topics = [topic for topic in now.topics if topic in topics_before]
    known = {str(measure): measure for measure in before.measures}
    measures = [measure for measure in now.measures if str(measure) in known]
    for what, common, there in (("run", runs, before.runs), ("measure", measures, list(known))):
        if not common:
            raise InputError(
                f"the earlier evaluation has no {what} of this one; it has {list_some(there)}; "
                "score the same again: gradeval evaluate -q -o before.parquet"
            )
    if len(topics) < 2:
        raise InputError(f"the earlier evaluation has {len(topics)} of the topics of this one; two are needed")
    old = before.sel(runs=runs, topics=topics, measures=[known[str(measure)] for measure in measures])
    new = now.sel(runs=runs, topics=topics, measures=measures)
    if (old.missing, old.empty) != (new.missing, new.empty):
        raise InputError("the earlier evaluation treats missing or empty topics otherwise; evaluate both alike")
    tests = [_test_changes(old, new, place, alpha) for place in range(len(measures))]
    difference, interval, p, corrected = (np.stack(one, axis=1) for one in zip(*tests, strict=True))
    return Changes(
        runs=runs,
        measures=measures,
        topics=topics,
        before=old.mean(),
        now=new.mean(),
        difference=difference,
        interval=interval,
        p=p,
        corrected=corrected,
        added=[run for run in now.runs if run not in runs_before],
        gone=[run for run in before.runs if run not in runs_now],
        alpha=alpha,
        judged_alike=are_judged_alike(now, before),
    )


def _name_now(run: str, before: Sequence[str], now: Sequence[str]) -> str:
    """What a run of the earlier evaluation is called now: one of both names may have the ending of a file."""
    found = find_run(run, now)
    return run if found is None or find_run(found, before) != run else found


def are_judged_alike(now: Scores, before: Scores) -> bool | None:
    """Do both say by which judgments they were made, and by the same?"""
    if now.collection is None or before.collection is None:
        return None
    return now.collection.digest == before.collection.digest


def differences_beyond_rounding(later: Array, earlier: Array) -> Array:
    """float64[...]: later values less earlier ones, 0 where they differ by how one of them may have been written."""
    written = any((np.round(values, 4) == values).all() for values in (earlier, later))
    digits = DECIMALS if written else SINGLE * np.maximum(1, np.abs(earlier))
    return np.where(np.abs(later - earlier) <= digits, 0.0, later - earlier)


def _test_changes(old: Scores, new: Scores, place: int, alpha: float) -> tuple[Array, Array, Array, Array]:
    """float64[run], [run, 2], [run], [run]: changes by a measure on the scale on which topics are averaged (logarithms
    for a geometric mean), over the topics that count for all runs in both: means, intervals, p, and p by Holm."""
    counted = (old.counted & new.counted)[..., place].all(0)
    if counted.sum() < 2:
        raise InputError(f"fewer than 2 topics count by {new.measures[place]} for all runs of both evaluations")
    earlier, later = (one.transformed()[:, counted, place] for one in (old, new))
    changes = infer_means(differences_beyond_rounding(later, earlier), alpha)
    return changes.mean, changes.interval, changes.p, CORRECTIONS["holm"](changes.p)
