"""The random experiments whose expectation is a measure: what AP, GAP, xGAP, eGAP and muAP mean, acted out.

In each a user picks a relevant document of the collection (it may not be retrieved: outcome 0), then looks at a
random rank down to that document, and says whether what stands there is relevant. Nothing here shares code with the
formulas, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels


@dataclass(frozen=True)
class Estimate:
    """The share of trials that ended in 1.

    Attributes
    ----------
    value : the share, an unbiased estimate of the measure.
    error : its standard error, sqrt(v (1 - v) / trials).
    trials : how often the experiment was made.
    """

    value: float
    error: float
    trials: int


@dataclass(frozen=True)
class _Topic:
    """One ranking as a user meets it; grades are indices of levels."""

    shown: Array  # grade at each rank, from rank 1
    grade: Array  # grade of every relevant document of the collection, best grade first
    rank: Array  # its rank; 0: not retrieved
    base: Array  # relevant documents at or above each grade
    rng: np.random.Generator

    def pivot(self, threshold: Array) -> Array:
        """A uniformly drawn document among those at or above the threshold of each trial."""
        return np.floor(self.rng.random(len(threshold)) * self.base[threshold]).astype(int)

    def look(self, rank: Array) -> Array:
        """The grade at a uniformly drawn rank down to the given one."""
        seen = np.floor(self.rng.random(len(rank)) * rank).astype(int)
        return np.asarray(self.shown[np.minimum(seen, len(self.shown) - 1)])


def ap_experiment(judged: JudgedRankings, rel: float = 1, *, trials: int, seed: int) -> Estimate:
    """AP: a document uniformly among the relevant ones, a rank uniformly down to it: is it relevant there?"""
    topic = _topic(judged, seed)
    threshold = np.full(trials, int(np.searchsorted(judged.levels, rel)))
    if threshold[0] >= len(judged.levels) or not topic.base[threshold[0]]:
        return _estimate(np.zeros(trials, bool))
    return _estimate(_same_user(topic, threshold))


def gap_by_document(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> Estimate:
    """GAP, told from the document: one with probability G(grade)/Z; the user is any of those who find it relevant.

    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.1.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    weight = users.cumsum()[topic.grade]
    if not weight.sum():
        return _estimate(np.zeros(trials, bool))
    pivot = topic.rng.choice(len(weight), trials, p=weight / weight.sum())
    user = _user_up_to(topic, users, topic.grade[pivot])
    return _estimate((topic.rank[pivot] > 0) & (topic.look(topic.rank[pivot]) >= user))


def gap_by_user(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> Estimate:
    """GAP, told from the user: one with probability g_k RB(k)/Z, who does what the user of AP does.

    The law is that of ``gap_by_document``; only the drawing of the user, by the size of the recall base, differs from
    ``egap_experiment``.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    weight = users * topic.base
    if not weight.sum():
        return _estimate(np.zeros(trials, bool))
    return _estimate(_same_user(topic, topic.rng.choice(len(weight), trials, p=weight / weight.sum())))


def egap_experiment(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> Estimate:
    """eGAP: a user by g, who does what the user of AP does (0 if nothing is relevant to this user).

    Source: Ferrante, Ferro & Maistro (2014), section 5.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    return _estimate(_same_user(topic, topic.rng.choice(len(users), trials, p=users / users.sum())))


def xgap_experiment(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> Estimate:
    """xGAP: a user by g picks the document, another one of those who find it relevant judges the rank.

    Source: Ferrante, Ferro & Maistro (2014), section 4.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    first = topic.rng.choice(len(users), trials, p=users / users.sum())
    some = topic.base[first] > 0
    pivot = topic.pivot(first[some])
    second = _user_up_to(topic, users, topic.grade[pivot])
    outcome = np.zeros(trials, bool)
    outcome[some] = (topic.rank[pivot] > 0) & (topic.look(topic.rank[pivot]) >= second)
    return _estimate(outcome)


def muap_experiment(judged: JudgedRankings, *, trials: int, seed: int) -> Estimate:
    """muAP: a threshold among the grades of the topic by its distance from the one below, then AP's user.

    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.1.
    """
    topic = _topic(judged, seed)
    used = np.unique(topic.grade)
    if not used.size:
        return _estimate(np.zeros(trials, bool))
    values = np.array(judged.levels)[used]
    distance = np.diff(values, prepend=0.0)
    return _estimate(_same_user(topic, topic.rng.choice(used, trials, p=distance / values[-1])))


def _same_user(topic: _Topic, user: Array) -> Array:
    """Outcomes where the user who picks the document also judges the rank."""
    outcome = np.zeros(len(user), bool)
    some = topic.base[user] > 0
    pivot = topic.pivot(user[some])
    outcome[some] = (topic.rank[pivot] > 0) & (topic.look(topic.rank[pivot]) >= user[some])
    return outcome


def _user_up_to(topic: _Topic, users: Array, grade: Array) -> Array:
    """A threshold by g for each trial, given that it is no higher than the grade."""
    reached = users.cumsum()
    return np.asarray(np.searchsorted(reached, topic.rng.random(len(grade)) * reached[grade], side="right"))


def _topic(judged: JudgedRankings, seed: int) -> _Topic:
    if judged.grades.size != judged.grades.shape[-1]:
        raise InputError("a random experiment is made on one ranking; take one row, as in JudgedRankings.of")
    places = np.searchsorted(judged.levels, judged.grades.ravel())
    here = np.isfinite(judged.ranks.ravel())
    ranks = judged.ranks.ravel()[here].astype(int)
    shown = np.zeros(max(1, int(judged.retrieved.ravel()[0])), int)
    shown[ranks - 1] = places[here]
    grade, rank = [], []
    for level in range(len(judged.levels) - 1, 0, -1):
        met = ranks[places[here] == level]
        size = int(judged.pool.reshape(-1, len(judged.levels))[0, level])
        grade += [level] * size
        rank += [*met, *[0] * (size - len(met))]
    levels = np.array(grade, int)
    base = np.array([(levels >= level).sum() for level in range(len(judged.levels))])
    return _Topic(shown, levels, np.array(rank, int), base, np.random.default_rng(seed))


def _users(judged: JudgedRankings, g: Sequence[float]) -> Array:
    positive = judged.positive
    if len(g) != len(positive):
        raise InputError(f"g has {len(g)} probabilities, the positive levels are {show_levels(positive)}")
    if min(g) < 0 or abs(sum(g) - 1) > 1e-6:
        raise InputError(f"g={list(g)} is not a distribution: give probabilities that sum to 1")
    return np.array([0.0, *g])


def _estimate(outcome: Array) -> Estimate:
    value = float(outcome.mean())
    return Estimate(value, float(np.sqrt(value * (1 - value) / len(outcome))), len(outcome))
