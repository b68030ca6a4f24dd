"""Are measures comparable when the reference has more levels? Features of a collection, judged by virtual users.

The OHSUMED part of Scheel, Lommatzsch & Albayrak (2011), sections 2.2 and 4, figures 6 to 8: strategies (features that
rank the documents) are measured against the labels of the collection, then against a virtual user, that is one of the
strategies, whose scores are taken for grades: for their rank among its distinct values, and for their value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradeval._core import InputError
from gradeval.features import Features
from gradeval.judged import Array, JudgedRankings, Levels
from gradeval.measure import Measure
from gradeval.measures.ap import AP, muAP
from gradeval.measures.gain import NDCNG, nDCG
from gradeval.meeting import JudgedRuns, judge
from gradeval.meta.swaps import mean_over_ranks

STRATEGIES = (1, 5, 9, 11, 15, 19, 21, 22)
"""The features of OHSUMED in LETOR 2.0 that the paper shows."""

PLAIN: tuple[Measure, ...] = (muAP, nDCG(dcg="exp-log2"), NDCNG)


@dataclass(frozen=True, eq=False)
class Judgment:
    """Strategies measured against one user.

    Attributes
    ----------
    user : whose judgments they are.
    values : float64[strategy, topic, measure].
    strategies, topics, measures : names; ``mean`` stands for the mean of a measure over the cutoffs 1 to the number of
        documents of the topic, as LETOR's MeanNDCG.
    thresholds : the positive levels of the user, ascending.
    by_threshold : float64[strategy, threshold]: MAP with the documents from that level on as the relevant ones. A topic
        that has none counts 0.
    """

    user: str
    values: Array
    strategies: list[str]
    topics: list[str]
    measures: list[str]
    thresholds: Levels
    by_threshold: Array

    def mean(self) -> Array:
        """float64[strategy, measure]: means over the topics."""
        return np.asarray(self.values.mean(axis=1))

    def error(self) -> Array:
        """float64[strategy, measure]: their standard errors."""
        return np.asarray(self.values.std(axis=1, ddof=1) / np.sqrt(len(self.topics)))


def ranks_as_grades(features: Features, feature: str | int) -> Array:
    """float64[row]: the rank of a feature's value among its distinct values in the whole collection, from 0."""
    return np.unique(features.column(feature), return_inverse=True)[1].astype(float)


def values_as_grades(features: Features, feature: str | int) -> Array:
    """float64[row]: a feature's values, shifted so that the least of the collection is 0: distances count."""
    column = features.column(feature).astype(float)
    return np.asarray(column - column.min())


def virtual_users(features: Features, by_rank: str | int = 1, by_value: str | int = 9) -> dict[str, Array]:
    """The three users of figures 6 to 8, name to grades: the labels, a feature by rank, a feature by value."""
    return {
        "labels": features.grades,
        f"feature {by_rank}, ranks": ranks_as_grades(features, by_rank),
        f"feature {by_value}, values": values_as_grades(features, by_value),
    }


def judge_strategies(
    features: Features,
    users: Mapping[str, Array] | None = None,
    strategies: Sequence[str | int] = STRATEGIES,
) -> list[Judgment]:
    """Measure strategies against users: what depends on the number of levels, and what does not.

    Parameters
    ----------
    features : rows with the features that rank them; documents of equal value stay in the order of the file.
    users : the grades of each row by user, see ``virtual_users`` (the default).
    strategies : features, by number or name.

    Raises
    ------
    InputError : a feature that is not there, a grade below 0, fewer than two topics.
    """
    if len(features.topics) < 2:
        raise InputError(f"{features.name}: {len(features.topics)} topics; give two or more, to tell chance from merit")
    runs = [features.run(strategy, name=str(strategy)) for strategy in strategies]
    found = []
    for user, grades in (virtual_users(features) if users is None else users).items():
        rated = features.with_grades(grades)
        judged = judge(rated.qrels, runs, ties="order")
        values, by_threshold = _measured(judged)
        names = [*map(str, PLAIN), f"mean {PLAIN[1]}", f"mean {PLAIN[2]}"]
        found.append(Judgment(user, values, judged.runs, judged.topics, names, rated.levels[1:], by_threshold))
    return found


def _measured(judged: JudgedRuns) -> tuple[Array, Array]:
    """float64[strategy, topic, measure] and float64[strategy, threshold]."""
    strategies, topics, thresholds = len(judged.runs), len(judged.topics), np.array(judged.levels[1:])
    values = np.zeros((strategies, topics, len(PLAIN) + 2))
    by_threshold = np.zeros((strategies, len(thresholds)))
    for topic in range(topics):
        rankings = _with_own_levels(judged.rows(np.arange(strategies) * topics + topic))
        values[:, topic, : len(PLAIN)] = np.stack([measure(rankings) for measure in PLAIN], axis=-1)
        values[:, topic, len(PLAIN) :] = _mean_over_ranks(rankings)
        # A threshold between two levels of the topic asks for the upper one; above the highest nothing is relevant.
        own = [AP(rel=level)(rankings) for level in rankings.positive]
        precisions = np.stack([*own, np.zeros(strategies)], axis=-1)
        by_threshold += precisions[:, np.searchsorted(rankings.positive, thresholds)]
    return values, by_threshold / topics


def _with_own_levels(rankings: JudgedRankings) -> JudgedRankings:
    """Rankings of one topic with the levels of its own documents alone.

    A feature has a thousand levels in all and some ten in a topic; no measure here depends on those that nobody used.
    """
    used = rankings.pool[0] > 0
    used[0] = True
    if not used[1:].any():
        used[1] = True
    levels = tuple(level for level, there in zip(rankings.levels, used.tolist(), strict=True) if there)
    return replace(rankings, levels=levels, pool=rankings.pool[:, used], pools=None, topic=None)


def _mean_over_ranks(rankings: JudgedRankings) -> Array:
    """float64[strategy, 2]: nDCG and NDCNG, averaged over the cutoffs 1 to the length of the rankings."""
    grades = rankings.grades[:, : int(rankings.retrieved.max())]
    largest = grades.max()
    if largest == 0:
        return np.zeros((len(grades), 2))
    return np.stack([mean_over_ranks(np.exp2(grades) - 1), mean_over_ranks(np.exp2(grades / largest) - 1)], axis=-1)
