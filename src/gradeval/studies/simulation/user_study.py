"""What changes when one user of a collection takes the place of another: the figures 6 to 8 of Scheel et al. (2011).

``virtual_users`` measures the strategies; here their means have intervals, and users are set side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.studies.products import product
from gradeval.studies.progress import Progress
from gradeval.studies.significance.bootstrap import resamples
from gradeval.studies.simulation.virtual_users import (
    STRATEGIES,
    Judgment,
    constant_strategies,
    judge_strategies,
    ranks_as_grades,
    scale_as_grades,
    values_as_grades,
)

SHOWN = {0: "muAP", 3: "mean nDCG (exp)", 4: "mean NDCNG"}
"""The measures of a ``Judgment`` that the figures show, by their place."""


@dataclass(frozen=True)
class User:
    """Who judges: the labels (no feature), or a feature by its ``values``, by ``ranks``, or on a scale of n grades."""

    feature: str | None = None
    kind: str | int = "values"

    @property
    def name(self) -> str:
        """As tables and pictures have it."""
        if self.feature is None:
            return "labels"
        return f"feature {self.feature}, {self.kind}{' grades' * isinstance(self.kind, int)}"

    def grades(self, features: Features) -> Array:
        """float64[row]: the user's grades; an InputError where a feature gives one alone."""
        if self.feature is None:
            return features.grades
        if isinstance(self.kind, int):
            grades = scale_as_grades(features, self.feature, self.kind)
        else:
            grades = {"ranks": ranks_as_grades, "values": values_as_grades}[self.kind](features, self.feature)
        if not grades.any():
            raise InputError(
                f"{features.name}: feature {self.feature} has one value throughout, which is one grade; "
                "a user needs two"
            )
        return grades


LABELS = User()
USERS = (User("1", "ranks"), User("9", "values"))
"""The virtual users of the paper."""


@dataclass(frozen=True, eq=False)
class UserStudy:
    """Strategies, measured against the labels and against virtual users.

    Attributes
    ----------
    users, judgments : who judges, and what comes of it; the labels first.
    constant : strategies with one value throughout every topic: what they show is the order of the file.
    samples, seed : of the resamples behind the intervals.
    """

    users: list[User]
    judgments: list[Judgment]
    constant: list[str]
    samples: int
    seed: int

    @property
    def strategies(self) -> list[str]:
        """The features that rank."""
        return self.judgments[0].strategies

    @property
    def others(self) -> list[str]:
        """The strategies that are no user: the only ones that can be compared from user to user."""
        taken = {user.feature for user in self.users}
        return [strategy for strategy in self.strategies if strategy not in taken]

    def interval(self, user: int) -> Array:
        """float64[strategy, measure, 2]: 95% intervals of the means over topics."""
        return interval_of_mean(self.judgments[user].values, self.samples, self.seed)

    def of_others(self, user: int) -> tuple[Array, Array]:
        """The mean over the others, float64[measure], and its interval, float64[measure, 2]."""
        return self._summed(self._of_others(user))

    def change(self, before: int, after: int) -> tuple[Array, Array]:
        """By how much that mean changes from user to user, float64[measure], and its interval, paired by topic."""
        return self._summed(self._of_others(after) - self._of_others(before))

    def nearest(self, user: int) -> list[str]:
        """The strategies that come next to a virtual user by one of the measures shown, as many as are tied."""
        mean = self.judgments[user].mean()[:, list(SHOWN)]
        mean[[name == self.users[user].feature for name in self.strategies]] = -np.inf
        first = (mean >= mean.max(axis=0) - 1e-12).any(axis=1) & np.isfinite(mean).all(axis=1)
        return [name for name, chosen in zip(self.strategies, first.tolist(), strict=True) if chosen]

    def title(self, user: int) -> str:
        """The user, and how many grades the user gives."""
        given = self.judgments[user].grades
        if isinstance(self.users[user].kind, str):
            return f"{self.users[user].name} ({given} grades)"
        return f"{self.users[user].name}{f' ({given} used)' * (given != self.users[user].kind)}"

    def remark(self, user: int, strategy: str) -> str:
        """What is to be known of a strategy beside its name; mostly nothing."""
        if strategy == self.users[user].feature:
            return " (the user)"
        return " (file order)" if strategy in self.constant else ""

    def _of_others(self, user: int) -> Array:
        places = [self.strategies.index(name) for name in self.others]
        return np.asarray(self.judgments[user].values[places].mean(axis=0))

    def _summed(self, values: Array) -> tuple[Array, Array]:
        return np.asarray(values.mean(axis=0)), interval_of_mean(values, self.samples, self.seed)


def study_users(
    features: Features,
    users: Sequence[User] = USERS,
    strategies: Sequence[str | int] = STRATEGIES,
    *,
    samples: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
) -> UserStudy:
    """Measure strategies against the labels of a collection and against virtual users.

    What cannot be judged is an InputError, see ``judge_strategies``; so is a user or a strategy that is there twice.
    """
    samples, seed = checks.whole("samples", samples, 1), checks.seed(seed)
    names = [user.name for user in users]
    for what, given in (("user", names), ("strategy", [str(strategy) for strategy in strategies])):
        if twice := next((name for name in given if given.count(name) > 1), None):
            raise InputError(f"{features.name}: {what} {twice} is there twice; name each once")
    asked = [LABELS, *users]
    grades = {user.name: user.grades(features) for user in asked}
    found = judge_strategies(features, grades, strategies, progress=progress)
    return UserStudy(asked, found, constant_strategies(features, strategies), samples, seed)


def interval_of_mean(values: Array, samples: int = 2000, seed: int = 0) -> Array:
    """float64[..., measure, 2]: 95% intervals of the means over the topics of values[..., topic, measure].

    Percentiles over bootstrap samples of the topics, the same ones for all that is measured with one seed.
    """
    topics = values.shape[-2]
    by_topic = np.swapaxes(values, -2, -1)
    means = product(by_topic.reshape(-1, topics), resamples(topics, samples, seed).T / topics)
    return np.moveaxis(np.quantile(means, (0.025, 0.975), axis=1), 0, -1).reshape(*by_topic.shape[:-1], 2)
