"""Validation on the device on which a ranker is trained: the same numbers as ``Validation``, without leaving it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradeval.features.features import Features
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import level_of, pool_of

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
        by_query = scores[self.row].masked_fill(self.level < 0, -torch.inf)
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
