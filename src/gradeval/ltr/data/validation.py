"""Validation: the mean of one measure for successive rankings of the same documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.kernels.derived import TooManyLevels
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.trainable import count_levels
from gradeval.scores.scores import Empty, Scores
from gradeval.scores.scoring import score


@dataclass(frozen=True, eq=False)
class Validation:
    """The mean of a measure under LETOR's rules: equal scores stay in the order of the rows.

    The numbers are those of ``evaluate(features.qrels, features.run(scores), measure, ties="order")``. Each row is a
    document of its own, even where two have the same id.

    Attributes
    ----------
    features : the documents that are ranked, with their grades.
    measure : the validation measure.
    empty : what a query counts that is empty for the measure.
    """

    features: Features
    measure: Measure
    empty: Empty
    _judged: JudgedRuns

    @classmethod
    def of(cls, features: Features, measure: Measure, *, empty: Empty = "zero") -> Self:
        """Prepare the validation data."""
        features.require_grades("validation data")
        return cls(features, measure, empty, rank_all_rows(features))

    def __call__(self, scores: Array) -> float:
        """The mean of the measure when documents are ranked by ``scores`` float[row]."""
        return float(self.score(scores).mean()[0, 0])

    def score(self, scores: Array) -> Scores:
        """The value of every query when documents are ranked by ``scores`` float[row]."""
        document = np.full_like(self._judged.document, NO_DOCUMENT)
        for begin, end in pairwise(self.features.offsets.tolist()):
            document[begin:end] = np.argsort(-scores[begin:end], kind="stable")
        ranked = replace(self._judged, document=document)
        return score(ranked, [self.measure], empty=self.empty)

    def by_kernel(self, threads: int) -> Callable[[Array], float]:
        """The mean of the measure for scores float64[row] by its kernel in the compiled core, for the many rankings of
        a training; the validation itself for a measure without a kernel, or whose values are not averaged.

        The values are those of ``evaluate`` to 1e-9: a kernel is the measure to rounding.
        """
        features = self.features
        if self.measure.definition.aggregate != "mean" or self.empty != "zero":
            return self
        try:
            queries = GradedQueries.of(self.measure, features.levels, features.grades, features.offsets)
        except TooManyLevels:
            return self
        if queries.kernels is None:
            return self

        def mean(scores: Array) -> float:
            if np.isnan(scores).any():
                raise InputError(f"{features.name}: the score of row {int(np.isnan(scores).argmax())} is not a number")
            return float(queries.values(scores, threads).sum()) / max(1, len(features.topics))

        return mean


def rank_all_rows(features: Features) -> JudgedRuns:
    """A run that returns the documents of each query in the order of their rows.

    All of them are judged and known by their rows, so nothing is to be matched: ids and their hashes would take several
    times as much memory as these arrays.
    """
    rows, sizes = len(features), np.diff(features.offsets)
    place = np.arange(rows) - np.repeat(features.offsets[:-1], sizes)
    grading = Grading(
        grades=np.append(features.grades, 0.0),
        judged=np.append(np.ones(rows, bool), False),
        first=features.offsets[:-1],
        pools=JudgedRankings.empty(count_levels(features, features.levels), features.levels),
        complete=True,
    )
    return JudgedRuns(
        runs=[features.name],
        topics=features.topics,
        rank=np.append(place + 1.0, np.inf),
        document=np.append(place.astype(np.int32), NO_DOCUMENT),
        offsets=features.offsets,
        retrieved=sizes.astype(np.int32)[None],
        tied=np.zeros((1, len(sizes)), np.int32),
        contradicting=np.zeros((1, len(sizes)), np.int32),
        itself=np.zeros((1, len(sizes)), bool),
        unjudged_topics=[[]],
        skipped=[None],
        grading=grading,
    )
