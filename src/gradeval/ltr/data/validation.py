"""Validation: the mean of one measure for successive rankings of the same documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Grading
from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import level_of, pool_of
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.data.trainable import count_levels
from gradeval.scores.scores import Empty, Scores
from gradeval.scores.scoring import score

if TYPE_CHECKING:
    from torch import Tensor


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
        unjudged_topics=[[]],
        grading=grading,
    )


@dataclass(frozen=True, eq=False)
class CompiledValidation:
    """The mean of a measure over queries by its kernel. Equal scores stay in the order of the rows, queries without
    relevant documents count 0.

    The values are those of ``evaluate`` to 1e-9: a kernel is the measure to rounding.
    """

    queries: GradedQueries
    name: str
    threads: int

    @classmethod
    def of(cls, features: Features, measure: Measure, threads: int) -> Self | None:
        """Prepare the validation; None for a measure without a kernel, or whose values are not averaged."""
        if measure.definition.aggregate != "mean":
            return None
        queries = GradedQueries.of(measure, features.levels, features.grades, features.offsets)
        return None if queries.kernels is None else cls(queries, features.name, threads)

    def __call__(self, scores: Array) -> float:
        """The mean for scores float64[row]."""
        if np.isnan(scores).any():
            raise InputError(f"{self.name}: the score of row {int(np.argmax(np.isnan(scores)))} is not a number")
        return float(self.queries.values(scores, self.threads).sum()) / max(1, len(self.queries.offsets) - 1)


CELLS = 1 << 20  # documents times levels, padded, that are ranked in one call


@dataclass(frozen=True, eq=False)
class _Part:
    """Queries of similar length.

    Attributes
    ----------
    row : int64[query, n], where the score of each document is; in the padding any.
    level : int64[query, n], -1 in the padding.
    kernel : that of the measure, in double precision.
    """

    row: Tensor
    level: Tensor
    kernel: Kernel

    def total(self, scores: Tensor) -> Tensor:
        """The sum of the measure over these queries, float64."""
        by_query = scores[self.row].masked_fill(self.level < 0, -np.inf)
        order = by_query.sort(dim=1, descending=True, stable=True).indices
        value: Tensor = self.kernel.value(self.level.gather(1, order)).sum()
        return value


@dataclass(frozen=True, eq=False)
class TensorValidation:
    """The mean of a measure over queries by its kernel, for scores on a device. Equal scores stay in the order of the
    rows, queries without relevant documents count 0.

    The values are those of ``evaluate`` to 1e-9: a kernel is the measure to rounding.
    """

    parts: tuple[_Part, ...]
    queries: int

    @classmethod
    def of(cls, features: Features, measure: Measure, device: str) -> Self | None:
        """Prepare the validation; None for a measure without a kernel, or whose values are not averaged."""
        import torch

        levels, sizes = features.levels, np.diff(features.offsets)
        if measure.definition.aggregate != "mean":
            return None
        if kernel_of(measure, np.ones((1, len(levels)), np.int64), levels, np.array([len(levels)])) is None:
            return None
        level_by_row = level_of(features.grades, levels)
        parts = []
        for places in _group(sizes, CELLS // len(levels)):
            column = np.arange(int(sizes[places].max(initial=1)))
            listed = column < sizes[places][:, None]
            row = np.where(listed, features.offsets[places][:, None] + column, 0)
            level = np.where(listed, level_by_row[row], -1)
            kernel = kernel_of(measure, pool_of(level, levels), levels, sizes[places], len(column))
            assert kernel is not None
            tensors = kernel.map_arrays(lambda array: torch.tensor(array, dtype=torch.float64, device=device))
            parts.append(_Part(torch.from_numpy(row).to(device), torch.from_numpy(level).to(device), tensors))
        return cls(tuple(parts), len(sizes))

    def __call__(self, scores: Tensor) -> float:
        """The mean for scores float[row] on the device."""
        import torch

        with torch.no_grad():
            total = torch.zeros((), dtype=torch.float64, device=scores.device)
            for part in self.parts:
                total += part.total(scores)
            return float(total) / max(1, self.queries)


def _group(sizes: Array, cells: int) -> Iterator[Array]:
    """The indices of queries of similar length, as many at a time as have so many documents when padded."""
    order = np.argsort(sizes, kind="stable")
    begin = 0
    while begin < len(order):
        padded = sizes[order[begin:]] * np.arange(1, len(order) - begin + 1)
        end = begin + max(1, int(np.searchsorted(padded, cells, side="right")))
        yield np.sort(order[begin:end])
        begin = end
