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
from gradeval.messages import plain


@dataclass(frozen=True)
class TrialShare:
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


@dataclass(frozen=True, eq=False)
class TrialOutcomes:
    """What happened in each trial; levels are places in the levels of the collection.

    Attributes
    ----------
    user : int[trial]: the threshold of the user who picks a document; -1 where a document is picked without a user.
    level, rank : int[trial]: level and rank of the document that is picked; rank 0: not retrieved; level -1: there is
        none to be picked.
    judge : int[trial]: the threshold of the user who judges the other document.
    seen : int[trial]: the rank at or above the first one that is looked at; 0: none.
    outcome : bool[trial]: is the document there relevant to the judge?
    """

    user: Array
    level: Array
    rank: Array
    judge: Array
    seen: Array
    outcome: Array

    @classmethod
    def none(cls, trials: int) -> TrialOutcomes:
        """Trials in which no document is relevant to anybody."""
        nothing = np.full(trials, -1)
        return cls(nothing, nothing, np.zeros(trials, int), nothing, np.zeros(trials, int), np.zeros(trials, bool))

    def estimate(self) -> TrialShare:
        """The share of trials that ended in 1, with its standard error."""
        value = float(self.outcome.mean())
        return TrialShare(value, float(np.sqrt(value * (1 - value) / len(self.outcome))), len(self.outcome))


@dataclass(frozen=True)
class _Topic:
    """One ranking as a user meets it; grades are indices of levels."""

    shown: Array  # grade at each rank, from rank 1
    grade: Array  # grade of every relevant document of the collection, best grade first
    rank: Array  # its rank; 0: not retrieved
    base: Array  # relevant documents at or above each grade
    rng: np.random.Generator

    def pick(self, threshold: Array) -> Array:
        """A uniformly drawn document among those at or above the threshold of each trial; -1 where there is none."""
        base = self.base[threshold]
        return np.where(base > 0, np.floor(self.rng.random(len(threshold)) * base).astype(int), -1)

    def watch(self, user: Array, pivot: Array, judge: Array) -> TrialOutcomes:
        """Look at a uniformly drawn rank down to the rank of each picked document (-1: none is picked)."""
        picked = pivot >= 0
        level = np.full(len(pivot), -1)
        rank = np.zeros(len(pivot), int)
        level[picked], rank[picked] = self.grade[pivot[picked]], self.rank[pivot[picked]]
        seen = np.floor(self.rng.random(len(rank)) * rank).astype(int) + (rank > 0)
        there = self.shown[np.maximum(seen - 1, 0)]
        return TrialOutcomes(user, level, rank, judge, seen, (seen > 0) & (there >= judge))


def draw_ap(judged: JudgedRankings, rel: float = 1, *, trials: int, seed: int) -> TrialOutcomes:
    """AP: a document uniformly among the relevant ones, a rank uniformly down to it: is it relevant there?

    Source: Yilmaz & Aslam (2006); Robertson, Kanoulas & Yilmaz (2010), section 3.1.
    """
    topic = _topic(judged, seed)
    threshold = int(np.searchsorted(judged.levels, rel))
    if threshold >= len(judged.levels) or not topic.base[threshold]:
        return TrialOutcomes.none(trials)
    return _same_user(topic, np.full(trials, threshold))


def draw_gap(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> TrialOutcomes:
    """GAP, told from the document: one with probability G(grade)/Z; the user is any of those who find it relevant.

    Source: Robertson, Kanoulas & Yilmaz (2010), section 3.1.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    weight = users.cumsum()[topic.grade]
    if not weight.sum():
        return TrialOutcomes.none(trials)
    pivot = topic.rng.choice(len(weight), trials, p=weight / weight.sum())
    return topic.watch(np.full(trials, -1), pivot, _user_up_to(topic, users, topic.grade[pivot]))


def draw_egap(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> TrialOutcomes:
    """eGAP: a user by g, who does what the user of AP does (0 if nothing is relevant to this user).

    Source: Ferrante, Ferro & Maistro (2014), section 5.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    return _same_user(topic, topic.rng.choice(len(users), trials, p=users / users.sum()))


def draw_xgap(judged: JudgedRankings, g: Sequence[float], *, trials: int, seed: int) -> TrialOutcomes:
    """xGAP: a user by g picks the document, another one of those who find it relevant judges the rank.

    Source: Ferrante, Ferro & Maistro (2014), section 4.
    """
    topic, users = _topic(judged, seed), _users(judged, g)
    first = topic.rng.choice(len(users), trials, p=users / users.sum())
    pivot = topic.pick(first)
    second = np.full(trials, -1)
    second[pivot >= 0] = _user_up_to(topic, users, topic.grade[pivot[pivot >= 0]])
    return topic.watch(first, pivot, second)


def draw_muap(judged: JudgedRankings, *, trials: int, seed: int) -> TrialOutcomes:
    """muAP: a threshold among the grades of the topic by its distance from the one below, then AP's user.

    Source: Scheel, Lommatzsch & Albayrak (2011), section 3.1.
    """
    topic = _topic(judged, seed)
    used = np.unique(topic.grade)
    if not used.size:
        return TrialOutcomes.none(trials)
    values = np.array(judged.levels)[used]
    distance = np.diff(values, prepend=0.0)
    return _same_user(topic, topic.rng.choice(used, trials, p=distance / values[-1]))


def _same_user(topic: _Topic, user: Array) -> TrialOutcomes:
    """Trials in which the user who picks the document also judges the rank."""
    return topic.watch(user, topic.pick(user), user)


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
        of_level = ranks[places[here] == level]
        size = int(judged.pool.reshape(-1, len(judged.levels))[0, level])
        grade += [level] * size
        rank += [*of_level, *[0] * (size - len(of_level))]
    levels = np.array(grade, int)
    base = np.array([(levels >= level).sum() for level in range(len(judged.levels))])
    return _Topic(shown, levels, np.array(rank, int), base, np.random.default_rng(seed))


def _users(judged: JudgedRankings, g: Sequence[float]) -> Array:
    positive = judged.positive
    if len(g) != len(positive):
        raise InputError(f"g has {len(g)} probabilities, the positive levels are {show_levels(positive)}")
    if min(g) < 0 or abs(sum(g) - 1) > 1e-6:
        raise InputError(plain("g", list(g)), " is not a distribution: give probabilities that sum to 1")
    return np.array([0.0, *g])
