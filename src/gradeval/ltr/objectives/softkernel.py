"""Kernels under uncertain scores: the value of a measure and its gradient with respect to the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from gradeval.formula.arithmetic import Array
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.lookup import Kernel
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.objectives.batch import to_tensors

Contest: TypeAlias = Callable[[Tensor], tuple[Tensor, Tensor]]
"""From the probabilities pi[query, m, c] to the worth of documents and its derivatives: see ``contests``."""


@dataclass(frozen=True, eq=False)
class SoftKernel:
    """A kernel by document: columns c are documents that contribute to the measure, rows m all that may rank above
    them.

    Attributes
    ----------
    column : int64[query, c]
        The indices of the documents that contribute; in the padding any index, with ``own`` and ``pairs`` 0.
    own : float[query, c]
        What each contributes by itself.
    pairs : float[query, level, c] or None
        What each gains from a document of each level above it.
    survival : float[query, m] or None
        The probability that the user of a cascade passes each document.
    member : float[query, m, level + 1]
        1 at the level of the document, and 1 at the last index; 0 in the padding.
    weights : float[query, n]
        The weights of the ranks; a query axis of length 1 holds for all queries.
    share : float[query]
        1/N, or 0 for an empty query.
    """

    column: Tensor
    own: Tensor
    pairs: Tensor | None
    survival: Tensor | None
    member: Tensor
    weights: Tensor
    share: Tensor

    def at_expected_ranks(self, scores: Tensor, sigma: float) -> tuple[Tensor, Tensor]:
        """sum_n A_n w(B_n) / N and its gradient, where A_n = own_n + sum_m pi_mn pairs_mn is the expected credit of a
        document and B_n = 1 + sum_m pi_mn its expected rank.

        1/w is interpolated linearly between ranks, which is exact for w = 1/n. The derivative with respect to pi_mn is
        pairs_mn w(B_n) + A_n w'(B_n). All sums over m or n are matrix products with one column for each level.
        """
        assert self.pairs is not None
        own_score = scores.gather(1, self.column)
        half = (scores[:, :, None] - own_score[:, None, :]).mul_(0.5 / sigma)  # pi = (1 + erf(half)) / 2
        member = self.member.transpose(1, 2)
        myself = self.member.gather(1, self.column[..., None].expand(-1, -1, self.member.shape[2])).transpose(1, 2)
        above = (member.sum(2, keepdim=True) + member @ torch.erf(half) - myself) / 2
        credit = self.own + (self.pairs * above[:, :-1]).sum(1)
        weight, slope = self._weight_at(1 + above[:, -1])
        value = (credit * weight).sum(1) * self.share

        by_contest = torch.cat([self.pairs * weight[:, None], (credit * slope)[:, None]], 1)
        counts = (self.own != 0) | (self.pairs != 0).any(1)
        by_contest = by_contest * counts[:, None] * (self.share / (2 * math.sqrt(math.pi) * sigma))[:, None, None]
        density = half.square_().neg_().exp_()
        gradient = (self.member * (density @ by_contest.transpose(1, 2))).sum(2)
        return value, gradient.scatter_add(1, self.column, -(by_contest * (member @ density)).sum(1))

    def over_contests(
        self, scores: Tensor, sigma: float, contest: Contest, nodes: Sequence[tuple[float, float]]
    ) -> tuple[Tensor, Tensor]:
        """The value and gradient from ``contest``, averaged over points (x, weight) of the document's own score
        s + sigma x. Without points, both scores of a contest are uncertain and contests are taken for independent."""
        value, gradient = torch.zeros_like(self.share), torch.zeros_like(scores)
        own_score = scores.gather(1, self.column)
        place = torch.arange(scores.shape[1], device=scores.device)
        others = (place[:, None] != self.column[:, None, :]) * self.member[:, :, -1:]
        for x, weight in nodes or [(0.0, 1.0)]:
            scale = sigma if nodes else math.sqrt(2) * sigma
            standard = (scores[:, :, None] - own_score[:, None, :] - sigma * x) / scale
            worth, slope = contest(torch.special.ndtr(standard) * others)
            flow = slope * torch.exp(-standard.square() / 2) * others
            flow = flow * (self.share * (weight / (scale * math.sqrt(2 * math.pi))))[:, None, None]
            value += worth.sum(1) * self.share * weight
            gradient += flow.sum(2)
            gradient.scatter_add_(1, self.column, -flow.sum(1))
        return value, gradient

    def pair_credits(self) -> Tensor | None:
        """float[query, m, c]: what document c gains from m above it."""
        return None if self.pairs is None else self.member[:, :, :-1] @ self.pairs

    def _weight_at(self, rank: Tensor) -> tuple[Tensor, Tensor]:
        """w and its derivative at ranks that are not whole numbers."""
        length = self.weights.shape[1]
        inverse = (1 / self.weights).expand(len(rank), length)
        low = rank.floor().clamp(1, max(1, length - 1)).long()
        first = inverse.gather(1, low - 1)
        step = inverse.gather(1, low.clamp(max=length - 1)) - first
        weight = 1 / (first + step * (rank - low))
        return weight, -step * weight.square()


def make_soft_kernel(kernel: Kernel, level: Array, scores: Tensor) -> SoftKernel:
    """A kernel by document, for lists int[query, n] of levels (-1: padding), in the precision and on the device of
    ``scores``."""
    kernel = kernel.map_arrays(to_tensors(scores))
    own = kernel.own.expand(len(level), -1)
    levels = own.shape[1]
    pairs = None
    if isinstance(kernel, PairKernel) and kernel.pairs is not None:
        pairs = kernel.pairs.expand(len(level), levels, levels)
    contributes = own != 0 if pairs is None else (own != 0) | (pairs != 0).any(1)

    place = torch.tensor(level, device=scores.device)
    safe = place.clamp(min=0)
    member = torch.nn.functional.one_hot(safe, levels + 1)
    member[..., -1] = 1
    member = member * (place >= 0)[..., None]
    contributing = contributes.gather(1, safe) & (place >= 0)
    width = max(1, int(contributing.sum(1).max())) if len(level) else 1
    column = torch.argsort(~contributing, dim=1, stable=True)[:, :width]
    filled = contributing.gather(1, column)
    its_level = safe.gather(1, column)
    survival = None
    if isinstance(kernel, CascadeKernel):
        survival = 1 - kernel.stop.expand(len(level), -1).gather(1, safe)
    if pairs is not None:
        pairs = pairs.gather(2, its_level[:, None, :].expand(-1, levels, -1)) * filled[:, None, :]
    return SoftKernel(
        column=column,
        own=own.gather(1, its_level) * filled,
        pairs=pairs,
        survival=survival,
        member=member.to(scores.dtype),
        weights=kernel.weights,
        share=kernel.share,
    )
