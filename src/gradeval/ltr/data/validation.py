"""Validation: the mean of one measure for successive rankings of the same documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.formula.definition import Measure
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.kernels.derived import TooManyLevels
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.trainable import count_levels
from gradeval.scores.scores import Empty, Scores
from gradeval.scores.scoring import score

DRAWN = 1 << 15
"""Rows of all orders that are drawn: many orders of few queries, whose mean is uncertain, and one order of many."""


@dataclass(frozen=True, eq=False)
class Validation:
    """The mean of a measure over queries whose documents are ranked by scores, expected over the orders of equal ones.

    ``evaluate(features.qrels, features.run(scores), measure, ties="expected")`` gives the same numbers: where rows
    come best first, and a model ties many of them, the order of the rows would be a good ranking. Each row is a
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
        order = np.lexsort((-scores, self._query))
        begins = np.ones(len(order), bool)  # the document above it has another score
        begins[1:] = (np.diff(self._query) != 0) | (scores[order[1:]] != scores[order[:-1]])
        number = begins.cumsum() - 1
        first = self._judged.rank[:-1][begins]
        tied = replace(
            self._in_order(order),
            ties="expected",
            first=np.append(first[number], np.inf),
            last=np.append((first + np.bincount(number) - 1)[number], np.inf),
        )
        return score(tied, [self.measure], empty=self.empty)

    def mean_function(self, threads: int) -> Callable[[Array], float]:
        """The mean of the measure for scores float64[row], for the many rankings of a training.

        With a kernel of the measure the compiled core works it out, and the values equal ``evaluate``'s to 1e-9: a
        kernel is the measure to rounding. A measure without a kernel has no closed form of the expected value: it is
        the mean over orders of equal scores, drawn once for all rankings, and over as many as ``DRAWN`` rows allow. The
        geometric mean of such a measure, which errors of single queries would bias, is worked out as ``score`` does.
        """
        features = self.features
        try:
            queries = GradedQueries.of(self.measure, features.levels, features.grades, features.offsets)
        except TooManyLevels:
            queries = None
        example = self._score_in(self._chances[0], np.zeros(len(features)))
        averages = self.measure.definition.aggregate == "mean"

        def mean(scores: Array) -> float:
            if np.isnan(scores).any():
                raise InputError(f"{features.name}: the score of row {int(np.isnan(scores).argmax())} is not a number")
            if queries is None or queries.kernels is None:
                scored = self._score_drawn(scores) if averages else self.score(scores)
                return float(scored.mean()[0, 0])
            values = queries.values(scores, threads)
            if averages and self.empty == "zero":
                return float(values.sum()) / max(1, len(features.topics))
            return float(replace(example, values=values.reshape(example.values.shape)).mean()[0, 0])

        return mean

    def _score_drawn(self, scores: Array) -> Scores:
        """The value of every query, its mean over the drawn orders of equal scores."""
        first = self._score_in(self._chances[0], scores)
        order = np.lexsort((scores, self._query))
        if not (np.diff(self._query)[np.diff(scores[order]) == 0] == 0).any():
            return first
        values = [first.values, *(self._score_in(chance, scores).values for chance in self._chances[1:])]
        return replace(first, values=np.mean(values, axis=0))

    def _score_in(self, chance: Array, scores: Array) -> Scores:
        """The value of every query, of equal scores the document of the lowest chance[row] first."""
        order = np.lexsort((chance, -scores, self._query))
        return score(self._in_order(order), [self.measure], empty=self.empty)

    def _in_order(self, order: Array) -> JudgedRuns:
        """The judged rows in an order that keeps the rows of each query together."""
        place = order - np.repeat(self.features.offsets[:-1], np.diff(self.features.offsets))
        return replace(self._judged, document=np.append(place.astype(np.int32), NO_DOCUMENT))

    @cached_property
    def _query(self) -> Array:
        """int[row]: the number of its query."""
        return part_of_row(self.features.offsets)

    @cached_property
    def _chances(self) -> Array:
        """float64[order, row]: in each order, of documents of equal scores the one with the lowest comes first."""
        rows = len(self.features)
        return np.random.default_rng(0).random((min(max(1, DRAWN // max(1, rows)), 64), rows))


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
