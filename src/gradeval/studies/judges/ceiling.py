"""How well would a run do that ranked the pool by a judge's grades?

Runs that do better by the humans' grades know more than the judge: it cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval.formula.aggregation import interval
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.ranking import group_columns
from gradeval.kernels.tied import Expected, TiedRankings, expect
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score_block
from gradeval.tables.grid import Estimate


@dataclass(frozen=True)
class Ceiling:
    """The mean of the pool ranked by the judge and scored by the humans.

    Attributes
    ----------
    mean : with its interval over topics.
    error : the standard error of the mean where orders of tied documents were drawn; 0 where it is exact.
    above : the runs with a higher mean, the best first.
    """

    mean: Estimate
    error: float
    above: list[str]


def score_ceiling(
    measures: Sequence[Measure],
    human: Array,
    judge: Array,
    topic: Array,
    pool: Array,
    levels: Levels,
    seeds: Array,
    depth: int | None = None,
) -> Expected:
    """The expected values[measure, topic] of each topic's documents in the order of the judge, scored by the humans.

    They are expected over the orders of documents with the same grade of the judge: exact where the measure has a
    closed form, else from drawn orders, with their errors (see ``kernels.tied``).

    Parameters
    ----------
    human, judge : float64[document]: the grades of the documents that both judged.
    topic : intp[document], ascending.
    pool : int64[topic, level]: all documents that the humans judged.
    seeds : int64[topic]: of drawn orders.
    depth : only the first documents of each order are scored; None: all.
    """
    best = np.lexsort([-np.maximum(judge, 0.0), topic])
    counts = np.bincount(topic, minlength=len(pool))
    cell = topic, np.arange(len(topic)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (len(pool), int(counts.max(initial=0)))
    grades, judged = np.zeros(shape), np.full(shape, -np.inf)
    grades[cell], judged[cell] = np.maximum(human, 0.0)[best], np.maximum(judge, 0.0)[best]
    there = np.isfinite(judged)
    begin, end = group_columns(-judged)
    ranks, first, last = (
        np.where(there, place + 1.0, np.inf) for place in (np.arange(shape[1]) + np.zeros(shape), begin, end)
    )
    ranked = JudgedRankings.full(grades, pool, levels, ranks, counts)
    tied = TiedRankings(ranked, first, last, seeds, depth)
    return expect(measures, tied, score_block(tuple(measures), tied.cut))


def average_ceiling(expected: Expected, human: Scores, weights: Array, alpha: float) -> list[Ceiling]:
    """By measure, the mean over topics of what ``score_ceiling`` expects, and the runs above it.

    Parameters
    ----------
    human : the runs by the humans, on these topics.
    weights : float64[sample, topic]: resamples of the topics.
    alpha : the interval covers 1 - alpha.
    """
    pooled = replace(
        human,
        values=expected.values.T[None],
        errors=expected.errors.T[None],
        present=np.ones((1, len(human.topics)), bool),
        runs=["pool"],
        coverage=None,
    )
    left = np.einsum("st,tm->sm", weights, pooled.counted[0].astype(float)) > 0
    samples = np.where(left, pooled.aggregate(weights)[:, 0], np.nan)
    bounds, errors = interval(samples, alpha).tolist(), pooled.standard_errors()[0].tolist()
    means, reached = pooled.mean()[0].tolist(), human.mean()
    ceilings = []
    for place, (mean, (low, high), error) in enumerate(zip(means, bounds, errors, strict=True)):
        best = np.argsort(-reached[:, place], kind="stable").tolist()
        above = [human.runs[run] for run in best if reached[run, place] > mean]
        ceilings.append(Ceiling(Estimate(mean, bounds=(low, high)), error, above))
    return ceilings
