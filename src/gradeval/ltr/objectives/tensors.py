"""Kernels as tensors: the swaps of ``ltr.kernel`` for whole batches, on any device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class PairTensors:
    """``ltr.kernel.PairKernel`` with tensors; ``share`` is 1/N, or 0 for an empty query."""

    own: Tensor
    pairs: Tensor | None
    weights: Tensor
    share: Tensor

    def swaps(self, level: Tensor, top: int) -> Tensor:
        """float[query, a, b] for rankings int[query, n]: see PairKernel.swaps."""
        up, down = self._swap_terms(level)
        queries, length = level.shape
        safe = level.clamp(min=0)[:, None, :]
        rise = up[:, :top].gather(2, safe.expand(queries, min(top, length), length))
        fall = down.gather(2, safe[..., :top].expand(queries, length, min(top, length)))
        return upper(rise + fall.transpose(1, 2), level) * self.share[:, None, None]

    def _swap_terms(self, level: Tensor) -> tuple[Tensor, Tensor]:
        weight = self.weights[:, : level.shape[1], None]
        rise = self.own[:, None, :] - entry(self.own, level)[..., None]
        if self.pairs is None:
            return weight * rise, weight * rise
        here = (level >= 0)[..., None]
        rows, columns = entry(self.pairs, level) * here, entry(self.pairs.transpose(1, 2), level) * here * weight
        above, below = before(rows), before(columns)
        above = above - of_each(above, level)
        below = below - of_each(below, level)
        columns = columns - of_each(columns, level)
        same = self.pairs.diagonal(dim1=1, dim2=2)[:, None, :]
        up = weight * (rise + above) - below - columns
        down = weight * (rise + rows - same + above) - below
        return up, down


@dataclass(frozen=True, eq=False)
class CascadeTensors:
    """``ltr.kernel.CascadeKernel`` with tensors; ``share`` is 1/N, or 0 for an empty query."""

    stop: Tensor
    weights: Tensor
    share: Tensor

    def swaps(self, level: Tensor, top: int) -> Tensor:
        """float[query, a, b] for rankings int[query, n]: see CascadeKernel.swaps."""
        length = level.shape[1]
        stop = entry(self.stop, level) * (level >= 0)
        weight = self.weights[:, :length]
        later = torch.ones(length, length, dtype=torch.bool, device=level.device).triu(1)[:top]
        passed = product_before(torch.where(later, 1 - stop[:, None, :], 1.0))
        met = (weight * stop)[:, None, :] * passed * later
        bracket = weight[:, :top, None] - (met.cumsum(-1) - met) - weight[:, None, :] * passed
        change = product_before(1 - stop)[:, :top, None] * (stop[:, None, :] - stop[:, :top, None]) * bracket
        return upper(change, level) * self.share[:, None, None]


KernelTensors: TypeAlias = PairTensors | CascadeTensors


def entry(table: Tensor, level: Tensor) -> Tensor:
    """[query, n] or [query, n, level]: of a table [query, level(, level)] the entry or row for each document."""
    whole = table.expand(len(level), *table.shape[1:])
    safe = level.clamp(min=0)
    if table.ndim == 2:
        return whole.gather(1, safe)
    return whole.gather(1, safe[..., None].expand(*level.shape, table.shape[2]))


def of_each(values: Tensor, level: Tensor) -> Tensor:
    """[query, n, 1]: of values [query, n, level] that for each document's own level."""
    return values.gather(2, level.clamp(min=0)[..., None])


def before(values: Tensor) -> Tensor:
    """Sums along the ranks (the second axis) of all before each."""
    return values.cumsum(1) - values


def product_before(values: Tensor) -> Tensor:
    """Products along the last axis of all before each."""
    return torch.cat([torch.ones_like(values[..., :1]), values[..., :-1].cumprod(-1)], -1)


def upper(change: Tensor, level: Tensor) -> Tensor:
    """The part a < b of changes [query, a, b], 0 where there is no document."""
    here = level >= 0
    return change.triu(1) * (here[:, : change.shape[1], None] & here[:, None, :])
