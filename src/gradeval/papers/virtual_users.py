"""Do measures depend on the number of grades? Virtual users.

``strategies.py`` measures the strategies; this file adds intervals of the means and compares users.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Anything, Seed, Several, Whole, find_twice
from gradeval.atomic_files import Path
from gradeval.features.features import Features
from gradeval.files.accepted import as_features
from gradeval.formula.aggregation import draw, interval
from gradeval.formula.arithmetic import Array
from gradeval.messages import list_some, plural
from gradeval.papers.strategies import (
    NAMES,
    STRATEGIES,
    Judgment,
    constant_strategies,
    judge_strategies,
    ranks_as_grades,
    scale_as_grades,
    values_as_grades,
)
from gradeval.progress import Progress
from gradeval.scores.scores import Empty
from gradeval.studies.parallel import product
from gradeval.studies.study import Measures, Result, study
from gradeval.studies.study_parameters import Data
from gradeval.tables.grid import Cell, Column, Estimate, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

FIELDS = "user other grades strategy measure threshold statistic value lower upper samples seed topics empty".split()
FEW = 2  # thresholds that have a column each
SIDES = 10  # thresholds that have a column each in a table of their own
COUNT: dict[Empty, str] = {"zero": "count 0", "skip": "are left out", "one": "count 1"}
"""What becomes of topics that lack what is looked for."""
KINDS = "FEATURE or FEATURE:values, FEATURE:ranks, or FEATURE:N with a number of grades N from 2"
"""How users are spelled."""
SHOWN = {0: "muAP", 3: "mean nDCG (exp)", 4: "mean NDCNG"}
"""The measures of a ``Judgment`` that the figures of the paper show, by their place."""


@dataclass(frozen=True)
class User:
    """A user: the labels (no feature), or a feature by its ``values``, by its ``ranks``, or on a scale of n grades."""

    feature: str | None = None
    kind: str | int = "values"

    @classmethod
    def parse(cls, text: str) -> Self:
        """A user from the name of a feature, with or without its kind: "9", "1:ranks", "4:50"."""
        if text == "labels":
            return cls()
        feature, kind = text.rsplit(":", 1) if ":" in text else (text, "values")
        if kind in ("values", "ranks"):
            return cls(feature, kind)
        if kind.isascii() and kind.isdecimal() and 2 <= int(kind) < 2**31:
            return cls(feature, int(kind))
        raise InputError(f"{text!r} ends in {kind!r}; accepted: {KINDS}")

    def __str__(self) -> str:
        return f"{self.feature}:{self.kind}"

    @property
    def name(self) -> str:
        """The name in tables and charts."""
        if self.feature is None:
            return "labels"
        return f"feature {self.feature}, {self.kind}{' grades' * isinstance(self.kind, int)}"

    def grades(self, features: Features) -> Array:
        """float64[row]: the user's grades; an InputError where the feature has a single value."""
        if self.feature is None:
            features.require_grades("labels")
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


@dataclass(frozen=True, eq=False, repr=False)
class UserStudy(Result):
    """Strategies, measured against the labels and against virtual users.

    Attributes
    ----------
    users, judgments : the users, the labels first, and how the strategies do by each.
    constant : strategies with one value throughout every topic, which keep the order of the file.
    samples, seed : of the resamples behind the intervals.
    pearson : float64[user, user]: Pearson's correlation of the grades that two users give to the documents.
    """

    users: list[User]
    judgments: list[Judgment]
    constant: list[str]
    samples: int
    seed: int
    pearson: Array

    @property
    def shown(self) -> dict[int, str]:
        """The measures that tables and figures show: place and title."""
        names = self.judgments[0].measures
        return SHOWN if names == NAMES else dict(enumerate(names))

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
        judgment = self.judgments[user]
        return interval_of_mean(judgment.values[:, judgment.counted], self.samples, self.seed)

    def mean_of_others(self, user: int) -> tuple[Array, Array]:
        """The mean over ``others``, float64[measure], and its interval, float64[measure, 2]."""
        return self._estimate(self._values_of_others(user)[self.judgments[user].counted])

    def change(self, before: int, after: int) -> tuple[Array, Array]:
        """The change of that mean from one user to another, float64[measure], and its interval, paired by topic.

        Topics that count for one of the two alone are left out.
        """
        both = self._counted_by_both(before, after)
        return self._estimate((self._values_of_others(after) - self._values_of_others(before))[both])

    def _counted_by_both(self, before: int, after: int) -> Array:
        return self.judgments[before].counted & self.judgments[after].counted

    def nearest(self, user: int) -> list[str]:
        """The strategies, other than the user, that have the highest value by one of the measures shown, with ties."""
        mean = self.judgments[user].mean()[:, list(self.shown)]
        mean[[name == self.users[user].feature for name in self.strategies]] = -np.inf
        first = (mean >= mean.max(axis=0) - 1e-12).any(axis=1) & np.isfinite(mean).all(axis=1)
        return [name for name, chosen in zip(self.strategies, first.tolist(), strict=True) if chosen]

    def title(self, user: int) -> str:
        """The user, and how many grades the user gives."""
        used = self.judgments[user].grades
        if isinstance(self.users[user].kind, str):
            return f"{self.users[user].name} ({used} grades)"
        return f"{self.users[user].name}{f' ({used} used)' * (used != self.users[user].kind)}"

    def remark(self, user: int, strategy: str) -> str:
        """What is written behind the name of a strategy: that it is the user, that it changes no order, or nothing."""
        if strategy == self.users[user].feature:
            return " (the user)"
        return " (file order)" if strategy in self.constant else ""

    def table(self, digits: int = 3) -> Table:
        """A grid for each user, with a row a strategy; then AP by threshold for users of few grades, Pearson's
        correlation of the users' grades, and one grid that compares the users.

        The records hold more measures, and AP for every grade of a user as the threshold.
        """
        grids = [self._by_strategy(user, digits) for user in range(len(self.users))]
        grids += [*self._left_sides(digits), self._alike(digits)]
        if self.others:
            grids.append(self._by_user(digits))
        return Table(grids, Records.of(FIELDS, self._records()), [self.description])

    @property
    def description(self) -> str:
        """How the means and their intervals were computed, in a sentence."""
        topics = len(self.judgments[0].topics)
        lacking = f"; those with nothing relevant, or nothing from a threshold on, {COUNT[self.judgments[0].policy]}"
        policy = lacking if any(one.without.any() for one in self.judgments) else ""
        return (
            f"means over {topics} topics{policy}; 95% intervals: {self.samples} samples of the topics, seed {self.seed}"
        )

    def _by_strategy(self, user: int, digits: int) -> Grid:
        """What becomes of each strategy by the judgment of a user."""
        judgment, bounds = self.judgments[user], self.interval(user)
        means = judgment.mean()
        thresholds = judgment.thresholds if len(judgment.thresholds) <= FEW else ()
        rows: list[list[Cell]] = [
            [
                strategy + self.remark(user, strategy),
                *judgment.by_threshold[place, : len(thresholds)].tolist(),
                *self._estimates(means[place], bounds[place]),
            ]
            for place, strategy in enumerate(judgment.strategies)
        ]
        titles = [*(f"AP(rel={level:g})" for level in thresholds), *self.shown.values()]
        columns = [Column("strategy", "name"), *(Column(title, spec=f".{digits}f") for title in titles)]
        return Grid(columns, rows, title=self.title(user))

    def _by_user(self, digits: int) -> Grid:
        """The means over the strategies that are no user, and how they change from one virtual user to the next."""
        rows: list[list[Cell]] = []
        signed = Column("change", spec=f"+.{digits}f")
        for user, judgment in enumerate(self.judgments):
            nearest = ", ".join(self.nearest(user)) if user else ""
            rows.append([judgment.user, judgment.grades, nearest, *self._estimates(*self.mean_of_others(user))])
            if user > 1:
                changes = map(signed.write, self._estimates(*self.change(user - 1, user)))
                rows.append(["  change", None, None, *changes])
        title = f"mean over the strategies that are no user: {', '.join(self.others)}"
        columns = [Column("user", "name"), Column("grades", spec="d"), Column("nearest", "text")]
        return Grid([*columns, *(Column(name, spec=f".{digits}f") for name in self.shown.values())], rows, title=title)

    def _left_sides(self, digits: int) -> Iterator[Grid]:
        """Mean AP by threshold, for users of some grades: the left sides of the figures."""
        for user, judgment in enumerate(self.judgments):
            if FEW < len(judgment.thresholds) <= SIDES:
                columns = [Column(f"AP(rel={level:g})", spec=f".{digits}f") for level in judgment.thresholds]
                rows: list[list[Cell]] = [
                    [strategy + self.remark(user, strategy), *values.tolist()]
                    for strategy, values in zip(judgment.strategies, judgment.by_threshold, strict=True)
                ]
                yield Grid([Column("strategy", "name"), *columns], rows, title=f"{self.title(user)}, AP by threshold")

    def _alike(self, digits: int) -> Grid:
        """Pearson's correlation of the users' grades."""
        names = [user.name for user in self.users]
        rows: list[list[Cell]] = [[name, *row] for name, row in zip(names, self.pearson.tolist(), strict=True)]
        columns = [Column("user", "name"), *(Column(name, spec=f".{digits}f") for name in names)]
        return Grid(columns, rows, title="Pearson's correlation of the grades")

    def _estimates(self, means: Array, bounds: Array) -> list[Cell]:
        """The measures that are shown, of means[measure] and bounds[measure, 2]."""
        cells: list[Cell] = []
        for measure in self.shown:
            low, high = bounds[measure].tolist()
            cells.append(Estimate(float(means[measure]), bounds=(low, high)))
        return cells

    def _records(self) -> Iterator[list[Value]]:
        """Of each user: the strategies, then the means over those that are no user."""
        topics, policy = len(self.judgments[0].topics), self.judgments[0].policy
        settings: list[Value] = [self.samples, self.seed, topics, policy]
        for user, judgment in enumerate(self.judgments):
            for other, value in zip(self.users, self.pearson[user].tolist(), strict=True):
                yield [
                    judgment.user,
                    other.name,
                    judgment.grades,
                    *[None] * 3,
                    "pearson",
                    value,
                    *[None] * 4,
                    topics,
                    None,
                ]
            names: list[Value] = [judgment.user, None, judgment.grades]
            bounds, means = self.interval(user), judgment.mean()
            for place, strategy in enumerate(judgment.strategies):
                for measure, mean, bound in zip(judgment.measures, means[place].tolist(), bounds[place], strict=True):
                    yield [*names, strategy, measure, None, "mean", mean, *bound.tolist(), *settings]
                for level, mean in zip(judgment.thresholds, judgment.by_threshold[place].tolist(), strict=True):
                    yield [*names, strategy, "AP", level, "mean", mean, None, None, *settings]
            if self.others:
                statistics = {"mean of the others": self.mean_of_others(user)}
                if user > 1:
                    statistics["change of the others"] = self.change(user - 1, user)
                for statistic, (values, intervals) in statistics.items():
                    for measure, value, bound in zip(judgment.measures, values.tolist(), intervals, strict=True):
                        yield [*names, None, measure, None, statistic, value, *bound.tolist(), *settings]

    def _values_of_others(self, user: int) -> Array:
        places = [self.strategies.index(name) for name in self.others]
        return np.asarray(self.judgments[user].values[places].mean(axis=0))

    def _estimate(self, values: Array) -> tuple[Array, Array]:
        return np.asarray(values.mean(axis=0)), interval_of_mean(values, self.samples, self.seed)


class _UserModel(Anything):
    """A user, or how one is spelled."""

    def check(self, _: str, value: Any) -> User:
        """The user."""
        return value if isinstance(value, User) else User.parse(str(value))


@study(
    measures="muAP, nDCG(dcg='exp-log2'), NDCNG, and the means of the last two over all cutoffs",
    digits=3,
    examples="""
      gradeval virtual-users ohsumed/S?.txt --plot users.svg
      gradeval virtual-users train.txt --strategies 1,2,3,4 --users 4:2,4:5,4:50
      gradeval virtual-users ohsumed/S?.txt -m "AP GAP Q ERR muAP NDCNG\"""",
)
def virtual_users(
    features: Annotated[Features | Path | Sequence[Path], Data("FILES", "features")],
    /,
    *,
    samples: Annotated[int, Whole(2, 10_000_000)] = 2000,
    seed: Seed = 0,
    progress: Progress | None,
    measures: Measures | None = None,
    strategies: Annotated[Sequence[str | int], Several(Anything(), "features as in 1,5,9")] = STRATEGIES,
    users: Annotated[Sequence[User], Several(_UserModel(), f"{KINDS}, as in 1:ranks,9:values")] = USERS,
    empty: Empty = "zero",
) -> UserStudy:
    """Rank documents by single features, and measure that against the labels and against virtual users.

    A virtual user is a feature whose values are taken for grades: more of them than any person gives. A measure that
    does not depend on the number of grades says the same for users who think alike. The defaults are the paper's for
    OHSUMED of LETOR 2.0. Files are the parts of one collection in LETOR's format. Intervals hold 95% of the means over
    resampled topics. The last table is Pearson's correlation of the users' grades. tsv, csv and jsonl hold more
    measures, and AP for every grade of a user as the threshold.

    Parameters
    ----------
    strategies : features that rank the documents, each by itself.
    users : features taken for grades, as FEATURE or FEATURE:HOW. FEATURE or FEATURE:values: as they are; FEATURE:ranks:
        by their rank among the distinct values; FEATURE:N: on a scale of N grades; labels: none of them.
    empty : topics without relevant documents count 0, are left out, or count 1. So do topics in which nothing is
        relevant from a threshold on.
    samples : resamples of the topics, for the intervals.

    Raises
    ------
    InputError : an unknown feature, or a user or strategy that is named twice; else as ``judge_strategies``, and where
        fewer than two topics count for two users who are compared.
    Source: Scheel, Lommatzsch & Albayrak (2011), section 2.2, figures 6 to 8.
    """
    features = as_features(features)
    users = [user for user in users if user != LABELS]  # who judge anyway
    names = [user.name for user in users]
    for option, chosen in (("strategies", strategies), ("users", [user.feature for user in users])):
        _require_columns(option, list(map(str, chosen)), features)
    for what, listed in (("user", names), ("strategy", list(map(str, strategies)))):
        if (twice := find_twice(listed)) is not None:
            raise InputError(f"{features.name}: {what} {twice} is there twice; name each once")
    everybody = [LABELS, *users]
    grades = {user.name: user.grades(features) for user in everybody}
    judgments = judge_strategies(features, grades, strategies, measures=measures, empty=empty, progress=progress)
    pearson = np.corrcoef(list(grades.values())).reshape(len(grades), -1)
    result = UserStudy(everybody, judgments, constant_strategies(features, strategies), samples, seed, pearson)
    for user in range(2, len(everybody)):
        if result._counted_by_both(user - 1, user).sum() < 2:
            one, other = names[user - 2], names[user - 1]
            raise InputError(
                f"{features.name}: {one} and {other} find something relevant in fewer than two topics in common, so "
                "that they cannot be compared; study them apart, or count all topics with empty zero"
            )
    return replace(result, notes=list(map(Note, _about_data(features, result))))


def _require_columns(option: str, names: Sequence[str], features: Features) -> None:
    columns = features.columns
    for name in names:
        if name not in columns:
            raise InputError(
                f"{option}: {features.name} has no feature {name!r} among its {len(columns)} ({columns[0]} to "
                f"{columns[-1]}); name others, as in {','.join(columns[:3])}"
            )


def _about_data(features: Features, study: UserStudy) -> Iterator[str]:
    """How large the data are, and what the means hide."""
    count, topics = COUNT[study.judgments[0].policy], len(features.topics)
    size = f"{plural(topics, 'topic')}, {plural(len(features), 'document')}"
    yield f"{features.name}: {size}; intervals: {plural(study.samples, 'sample')}, seed {study.seed}"
    if study.constant:
        have = "has" if len(study.constant) == 1 else "have"
        which = f"{'feature' if have == 'has' else 'features'} {list_some(study.constant)}"
        yield f"{which} {have} one value throughout every topic: documents stay in the order of the file"
    for judgment in study.judgments:
        if judgment.empty:
            yield f"{judgment.user}: nothing is relevant in {judgment.empty} of {topics} topics; they {count}"
        if len(judgment.thresholds) <= SIDES and judgment.without[-1] > judgment.empty:
            lacking = f"{judgment.without[-1]} of {topics} topics have nothing of grade {judgment.thresholds[-1]:g}"
            yield f"{judgment.user}, AP by threshold: {lacking}; topics without a grade {count} there (empty)"
        if judgment.flat:
            flat = f"{judgment.flat} of {topics} topics"
            yield f"{judgment.user}: all documents have one positive grade in {flat}; they count 1"


def interval_of_mean(values: Array, samples: int = 2000, seed: int = 0) -> Array:
    """float64[..., measure, 2]: 95% intervals of the means over the topics of values[..., topic, measure].

    Percentiles over bootstrap samples of the topics, which are the same for the same seed.
    """
    topics = values.shape[-2]
    by_topic = np.swapaxes(values, -2, -1)
    means = product(by_topic.reshape(-1, topics), draw(topics, samples, seed).T / topics)
    return interval(means.T, 0.05).reshape(*by_topic.shape[:-1], 2)
