"""The runs by the grades of humans and of a judge: how far do the two sides agree?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import draw_some
from gradeval.formula.arithmetic import Array
from gradeval.scores.scores import Scores
from gradeval.studies.correlation import Statistic, is_constant
from gradeval.studies.judges.conclusions import (
    Rule,
    best_runs,
    correlate_means,
    find_signs,
    ordered_means,
    pairs_among,
    resample_correlations,
    resample_signs,
    shares_of,
)
from gradeval.studies.judges.floors import Resampled
from gradeval.studies.judges.verdicts import LEAST_TOP, JudgeAgreement

MORE_SAMPLES = 200
"""Resamples of other numbers of topics, by which it is found how many would decide."""
NOTHING = np.full((1, 3), np.nan)
"""The shares of one resample, where none is computed."""


@dataclass(frozen=True, eq=False)
class Side:
    """What the runs are by the grades of one side: scores, order, significant differences, also over resamples.

    Attributes
    ----------
    means : float64[measure, run]
    signs : int8[measure, pair]: of the significant differences
    resampled : by measure int8[sample, pair]; empty where the test is no t test.
    """

    scores: Scores
    means: Array
    signs: Array
    resampled: list[Array]

    @classmethod
    def of(cls, scores: Scores, weights: Array, rule: Rule) -> Side:
        """The runs by some scores, and over resamples with the topics as often as weights[sample, topic] say."""
        resampled = list(resample_signs(scores, weights, rule)) if rule.test == "t" else []
        return cls(scores, ordered_means(scores), find_signs(scores, rule), resampled)


def compare_sides(
    statistic: Statistic, truth: Side, side: Side, top_runs: int, weights: Array, taus: Array | None = None
) -> list[JudgeAgreement]:
    """By measure, how far a judge agrees with the humans over all runs, and among the best ones.

    Parameters
    ----------
    top_runs : the best runs by the humans, at most, and at most half of all.
    weights : float64[sample, topic]: resamples of the topics; the significant differences take the first ones.
    taus : float64[sample, measure]: over all runs, where these are known.
    """
    scores, measures = side.scores, range(len(side.scores.measures))
    runs = len(scores.runs)
    top = best_runs(truth.scores, min(top_runs, runs // 2))
    enough = top.shape[-1] >= LEAST_TOP
    if taus is None:
        taus = resample_correlations(statistic, truth.scores, [scores], weights)[:, 0]
    tau = correlate_means(statistic, truth.means, side.means[None])[0]
    top_tau, top_taus = np.full(len(measures), np.nan), np.full((1, len(measures)), np.nan)
    if enough:
        of_human, of_judge = (np.take_along_axis(one.means, top, -1) for one in (truth, side))
        top_tau = correlate_means(statistic, of_human, of_judge[None])[0]
        top_taus = resample_correlations(statistic, truth.scores, [scores], weights, top)[:, 0]

    def correlated(values: Array, samples: Array, place: int, among: Array) -> Resampled:
        one_measure = [one.sel(measures=[one.measures[place]]) for one in (truth.scores, scores)]
        return _correlated(statistic, one_measure, float(values[place]), samples[:, place], among)

    return [
        JudgeAgreement(
            topics=len(scores.topics),
            top_runs=top.shape[-1],
            tau=correlated(tau, taus, place, np.arange(runs)),
            top_tau=correlated(top_tau, top_taus, place, top[place]),
            kept=_keep(truth, side, place, slice(None)),
            top_kept=_keep(truth, side, place, pairs_among(runs, top[place]))
            if enough
            else Resampled(np.nan, NOTHING[:, 0]),
            statistic=statistic,
            humans_tie=bool(is_constant(truth.means[place])),
            humans_tie_top=bool(is_constant(truth.means[place][top[place]])),
        )
        for place in measures
    ]


def _correlated(statistic: Statistic, sides: Sequence[Scores], value: float, samples: Array, among: Array) -> Resampled:
    """A correlation of both sides, of one measure; over other numbers of topics it is resampled anew."""
    number = max(2, len(among))
    step = 4 / (number * (number - 1)) if statistic == "kendall" else 2 / (number - 1)  # the two best swapped

    def over(topics: int) -> Array:
        drawn = draw_some(len(sides[0].topics), topics, MORE_SAMPLES, 0)
        return resample_correlations(statistic, sides[0], sides[1:], drawn, among[None])[:, 0, 0]

    return Resampled(value, samples, step, over)


def _keep(truth: Side, side: Side, place: int, pairs: Array | slice) -> Resampled:
    """The share of the humans' significant differences that a judge keeps, of some pairs by a measure."""
    human = truth.signs[place][pairs]
    value, significant = shares_of(human, side.signs[place][pairs])[0], np.count_nonzero(human)
    if not side.resampled or not significant:
        return Resampled(float(value), NOTHING[:, 0])
    samples = shares_of(truth.resampled[place][:, pairs], side.resampled[place][:, pairs])
    return Resampled(float(value), samples[:, 0], 1 / significant)
