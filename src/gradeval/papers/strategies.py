"""Do values of measures stay comparable when users give more grades? Strategies, measured against virtual users.

The OHSUMED part of Scheel, Lommatzsch & Albayrak (2011), sections 2.2 and 4, figures 6 to 8. A strategy is a feature
that ranks the documents. It is measured against the labels of the collection, then against virtual users: features
whose values serve as grades, either as they are or by their rank among the distinct values.
Beyond the paper: values on a scale of n grades, so that the same user can judge on many scales.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import meet
from gradeval.collection.runs import Run
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measures
from gradeval.measures.ap import AP, muAP
from gradeval.measures.gain import NDCNG, nDCG
from gradeval.measures.meangain import MeannDCG, MeanNDCNG
from gradeval.papers.swaps import ndcg_by_rank
from gradeval.progress import Progress, ShowProgress
from gradeval.scores.scores import EMPTY, Empty
from gradeval.studies.study import Measures

STRATEGIES = (1, 5, 9, 11, 15, 19, 21, 22)
"""The features of OHSUMED in LETOR 2.0 that the paper shows."""

PLAIN: tuple[Measure, ...] = (muAP, nDCG(dcg="exp-log2"), NDCNG)
MEANS: tuple[Measure, ...] = (MeannDCG(dcg="exp-log2"), MeanNDCNG)
DEFAULT = (*PLAIN, *MEANS)
"""The measures of the paper, which ``_measure_exactly`` computes for grades however large."""
NAMES = [*map(str, PLAIN), f"mean {PLAIN[1]}", f"mean {PLAIN[2]}"]


@dataclass(frozen=True, eq=False)
class Judgment:
    """Strategies measured against one user.

    Attributes
    ----------
    user : whose judgments they are.
    values : float64[strategy, topic, measure].
    strategies, topics, measures : names; ``mean`` stands for the mean of a measure over the cutoffs 1 to the number of
        documents of the topic, as LETOR's MeanNDCG.
    thresholds : the positive grades that the user gives, ascending.
    by_threshold : float64[strategy, threshold]: MAP with the documents from that level on as the relevant ones.
    policy : what a topic counts where there are none, at a threshold or at all: 0, nothing (it is left out of the
        mean), or 1.
    without : int64[threshold]: in how many topics there are none from that level on.
    flat : in how many topics all documents have the same positive grade, so that every order is perfect.
    counted : bool[topic]: the topics over which values are averaged.
    """

    user: str
    values: Array
    strategies: list[str]
    topics: list[str]
    measures: list[str]
    thresholds: Levels
    by_threshold: Array
    policy: Empty
    without: Array
    flat: int
    counted: Array

    @property
    def empty(self) -> int:
        """In how many topics nothing is relevant to the user."""
        return int(self.without[0])

    @property
    def grades(self) -> int:
        """How many grades the user gives, 0 among them."""
        return len(self.thresholds) + 1

    def mean(self) -> Array:
        """float64[strategy, measure]: means over the topics."""
        return np.asarray(self.values[:, self.counted].mean(axis=1))

    def error(self) -> Array:
        """float64[strategy, measure]: their standard errors."""
        counted = self.values[:, self.counted]
        return np.asarray(counted.std(axis=1, ddof=1) / np.sqrt(counted.shape[1]))


def ranks_as_grades(features: Features, feature: str | int) -> Array:
    """float64[row]: the rank of a feature's value among its distinct values in the whole collection, from 0."""
    return np.unique(features.column(feature), return_inverse=True)[1].astype(float)


def values_as_grades(features: Features, feature: str | int) -> Array:
    """float64[row]: a feature's values, shifted so that the least of the collection is 0: distances count."""
    column = features.column(feature).astype(float)
    return np.asarray(column - column.min())


def scale_as_grades(features: Features, feature: str | int, grades: int) -> Array:
    """float64[row]: a feature's values on a scale of so many grades, from 0: equal parts of its range."""
    if arguments.whole("grades", grades, 0) < 2:
        raise InputError(f"a scale of {grades} grades tells nothing apart; give 2 or more")
    values = values_as_grades(features, feature)
    return np.asarray(np.minimum(np.floor(values / (values.max() or 1) * grades), grades - 1))


def constant_strategies(features: Features, strategies: Sequence[str | int]) -> list[str]:
    """The strategies that have one value throughout every topic: they keep the order of the file."""
    begins = features.offsets[:-1]
    columns = [(str(strategy), features.column(strategy)) for strategy in strategies]
    return [name for name, x in columns if (np.maximum.reduceat(x, begins) == np.minimum.reduceat(x, begins)).all()]


def judge_strategies(
    features: Features,
    users: Mapping[str, Array],
    strategies: Sequence[str | int] = STRATEGIES,
    *,
    measures: Measures | None = None,
    empty: Empty = "zero",
    progress: ShowProgress = False,
) -> list[Judgment]:
    """Measure strategies against users: what depends on the number of levels, and what does not.

    Parameters
    ----------
    features : rows with the features that rank them; documents of equal value stay in the order of the file.
    users : the grades of each row, by the name of the user.
    strategies : features, by number or name.
    measures : which; default muAP, nDCG with exponential gains, NDCNG, and the means of the last two over all cutoffs.
    empty : a topic in which nothing is relevant, or, for average precision by threshold, nothing from that grade on,
        counts 0 ("zero"), is left out of that mean ("skip"), or counts 1 ("one").

    Raises
    ------
    InputError : a feature that is not there, a grade below 0, a user for whom nothing is relevant, fewer than two
        topics, or fewer than two that count.
    """
    arguments.one_of("empty", empty, EMPTY)
    if len(features.topics) < 2:
        raise InputError(f"{features.name}: {len(features.topics)} topics; give two or more, to tell chance from merit")
    runs = [features.run(strategy, name=str(strategy)) for strategy in strategies]
    chosen = DEFAULT if measures is None else tuple(parse_measures(measures))
    names = NAMES if measures is None else [*map(str, chosen)]
    for user, grades in users.items():
        if not features.with_grades(grades).grades.any():
            raise InputError(
                f"{features.name}: {user}: no document has a positive grade, so nothing can be ranked well or badly; "
                "a user needs two grades"
            )
    return [
        _judge(
            features.with_grades(grades),
            user,
            runs,
            chosen,
            names,
            empty,
            partial(_report_topic, progress, number, len(users)),
        )
        for number, (user, grades) in enumerate(users.items())
    ]


def _report_topic(progress: ShowProgress, user: int, users: int, topic: int, topics: int) -> None:
    """Report how many topics are done for a user."""
    if callable(progress):
        progress(user * topics + topic, users * topics)


def _judge(
    rated: Features,
    user: str,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    names: list[str],
    empty: Empty,
    progress: Progress,
) -> Judgment:
    """Measure strategies against one user.

    A feature has thousands of levels in the collection and some ten in a topic: each topic is judged with its own.
    """
    spans = list(pairwise(rated.offsets.tolist()))
    own = [np.union1d([0.0], rated.grades[begin:end]) for begin, end in spans]
    ordinal = [np.searchsorted(levels, rated.grades[slice(*span)]) for levels, span in zip(own, spans, strict=True)]
    judged = meet(rated.with_grades(np.concatenate(ordinal)).qrels, list(runs), ties="order")
    strategies, topics, thresholds = len(runs), len(judged.topics), np.unique(rated.grades[rated.grades > 0])
    values = np.zeros((strategies, topics, len(measures)))
    steps = np.zeros((strategies, len(thresholds) + 1))  # between the values at neighbouring thresholds
    for topic, levels in enumerate(own):
        if len(levels) == 1:
            values[:, topic] = empty == "one"
            progress(topic + 1, topics)
            continue
        rankings = _with_levels(judged.rows(np.arange(strategies) * topics + topic), levels)
        values[:, topic] = _score_strategies(rankings, measures, thresholds)
        # A threshold between two levels of the topic asks for the upper one; above the highest nothing is relevant.
        precisions = np.stack([AP(rel=level)(rankings) for level in rankings.positive], axis=-1)
        steps[:, 0] += precisions[:, 0]
        steps[:, np.searchsorted(thresholds, levels[1:]) + 1] += np.diff(precisions, append=0)
        progress(topic + 1, topics)
    highest = np.maximum.reduceat(rated.grades, rated.offsets[:-1])
    without = np.searchsorted(np.sort(highest), thresholds)  # topics whose highest grade is below the threshold
    counted = highest > 0 if empty == "skip" else np.ones(topics, bool)
    if counted.sum() < 2:
        raise InputError(
            f"{rated.name}: {user}: something is relevant in 1 of {topics} topics; give two or more such topics, or "
            "count the others with empty zero"
        )
    sums = np.maximum(steps.cumsum(axis=1)[:, :-1], 0) + without * (empty == "one")
    return Judgment(
        user=user,
        values=values,
        strategies=judged.runs,
        topics=judged.topics,
        measures=names,
        thresholds=tuple(thresholds.tolist()),
        by_threshold=sums / (topics - without if empty == "skip" else topics),
        policy=empty,
        without=without,
        flat=int(((highest > 0) & (highest == np.minimum.reduceat(rated.grades, rated.offsets[:-1]))).sum()),
        counted=counted,
    )


def _with_levels(rankings: JudgedRankings, levels: Array) -> JudgedRankings:
    """Rankings of one topic, whose grades are places among its levels, with the levels themselves."""
    grades = np.where(np.isinf(rankings.ranks), 0.0, levels[rankings.grades.astype(np.intp)])
    pool = rankings.pool[:, : len(levels)]
    return replace(rankings, grades=grades, levels=tuple(levels.tolist()), pool=pool, pools=None, topic=None)


def _score_strategies(rankings: JudgedRankings, measures: Sequence[Measure], thresholds: Array) -> Array:
    """float64[strategy, measure] of rankings that hold the whole pool of one topic.

    ``thresholds``: the positive levels of the collection.

    Measures that are not of the paper see the levels of the collection, as gains and g belong to it.
    """
    exact = dict(zip(DEFAULT, _measure_exactly(rankings).T, strict=True))
    if all(measure in exact for measure in measures):
        return np.stack([exact[measure] for measure in measures], axis=-1)
    whole = _with_more_levels(rankings, (0.0, *thresholds.tolist()))
    return np.stack([exact[measure] if measure in exact else measure(whole) for measure in measures], axis=-1)


def _with_more_levels(rankings: JudgedRankings, levels: Levels) -> JudgedRankings:
    """The same rankings, with levels that no document of the topic has."""
    pool = np.zeros((len(rankings.pool), len(levels)), rankings.pool.dtype)
    pool[:, np.searchsorted(levels, rankings.levels)] = rankings.pool
    return replace(rankings, levels=levels, pool=pool)


def _measure_exactly(rankings: JudgedRankings) -> Array:
    """float64[strategy, measure] of rankings that hold the whole pool of one topic, by the measures of the paper.

    nDCG divides all gains by 2 to the highest grade, which changes nothing but that no grade is too large for it:
    (2^g - 1) / 2^h = 2^(g - h) (1 - 2^-g).
    """
    grades = rankings.grades[:, : int(rankings.retrieved.max())]
    highest = grades.max()
    plain = ndcg_by_rank(np.exp2(grades - highest) * -np.expm1(-np.log(2) * grades))
    normalised = ndcg_by_rank(np.expm1(np.log(2) * grades / highest))
    columns = [muAP(rankings), plain[:, -1], normalised[:, -1], plain.mean(-1), normalised.mean(-1)]
    return np.stack(columns, axis=-1)
