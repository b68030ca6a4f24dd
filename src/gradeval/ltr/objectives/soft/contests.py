"""The expected worth of a document to a measure, from the probabilities that each other document is ranked above it.

A contest takes the probabilities pi float[query, m, c] that document m beats document c (is ranked above it),
independently of each other, and what each document c brings: ``own`` float[query, c] by itself and ``pairs``
float[query, m, c] from each m above it, or None. It gives the worth float[query, c] of the documents c and its
derivatives float[query, m, c] by the probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import torch
from torch import Tensor

from gradeval.ltr.objectives.soft.convolution import Convolution

TINY = 1e-30  # replaces a factor of 0 in a product that is later divided by it


class Contest(Protocol):
    """See above; ``cells`` is how many numbers it needs for each probability, to judge how much fits into memory."""

    @property
    def cells(self) -> int: ...

    def __call__(self, pi: Tensor, own: Tensor, pairs: Tensor | None) -> tuple[Tensor, Tensor]: ...


@dataclass(frozen=True, eq=False)
class ByDistribution:
    """own E[w(rank)] for any weights w, by the distribution of the rank; there are no ``pairs``.

    The number of documents above c is a sum of independent contests, so its distribution is the convolution of theirs.
    Sets of documents are joined two by two, from single documents to all: as many steps as the number of documents has
    binary digits. A distribution is cut where weights are 0 from there on, as at a cutoff: O(n^2 K) for K ranks, and
    O(n^2 log(n)^2) for all of them.

    The derivatives are those of these steps in the opposite order. All terms are positive, so no digits are lost.
    Source of the distribution: Taylor, Guiver, Robertson & Minka (2008), "SoftRank", WSDM, section 4.

    Attributes
    ----------
    weights : float[query or 1, rank], of the ranks up to the last whose weight is not 0.
    steps : the convolutions that join sets of 1, 2, 4 ... documents, two by two.
    """

    weights: Tensor
    steps: tuple[Convolution, ...]

    cells: ClassVar[int] = 16

    @classmethod
    def of(cls, weights: Tensor, documents: int) -> Self:
        """For weights float[query or 1, rank] and so many documents."""
        sizes = [1 << step for step in range(max(0, documents - 1).bit_length())]
        return cls(weights, tuple(Convolution.of(size, weights.shape[1], weights) for size in sizes))

    def __call__(self, pi: Tensor, own: Tensor, pairs: Tensor | None = None) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        queries, length, columns = pi.shape
        beaten = pi.transpose(0, 1).reshape(1, length, queries * columns)
        chances = torch.cat([1 - beaten, beaten])[: self.weights.shape[1]]  # [how many of the set are above c, set, c]
        before = []
        for step in self.steps:
            before.append(chances)
            half, rest = chances.shape[1] // 2, chances.shape[1] % 2
            joined = step.multiply(chances[:, :half], chances[:, half : 2 * half])
            chances = joined if not rest else torch.cat([joined, _widen(chances[:, -1:], len(joined))], 1)
        weights = self._by_column(self.weights, queries, columns)
        worth = (chances * weights[: len(chances)]).sum((0, 1)).view(queries, columns)
        slope = torch.cat([weights[1:], torch.zeros_like(weights[:1])]) - weights  # of a further document above c
        for step, chances in zip(reversed(self.steps), reversed(before), strict=True):
            half, rest = chances.shape[1] // 2, chances.shape[1] % 2
            halves = chances[:, : 2 * half].unflatten(1, (2, half))
            apart = step.correlate(slope[: 2 * step.size, None, :half], halves)
            alone = [slope[: len(apart), half:]] if rest else []
            slope = torch.cat([apart[:, 1], apart[:, 0], *alone], 1)
        return worth * own, slope.view(length, queries, columns).transpose(0, 1) * own[:, None]

    @staticmethod
    def _by_column(weights: Tensor, queries: int, columns: int) -> Tensor:
        """float[rank, 1, query * column] from float[query or 1, rank]."""
        return weights.T[:, :, None].expand(-1, queries, columns).reshape(-1, 1, queries * columns)


def _widen(sets: Tensor, width: int) -> Tensor:
    """The same distributions with zeros at the end."""
    return torch.cat([sets, sets.new_zeros(width - len(sets), *sets.shape[1:])])


@dataclass(frozen=True, eq=False)
class ByExponentials:
    """E[w(rank) (own + sum of pairs(m) over the m above) * product of survival(m) over the m above], for
    w(n) = sum_k c_k t_k^(n-1). O(n^2 k).

    With F_m = 1 - pi_m (1 - t survival_m) the expectation for one base is prod_m F_m * (own + sum_m pairs_m pi_m t /
    F_m).

    Attributes
    ----------
    bases : float[k], the t.
    coefficients : float[k, query or 1], the c.
    survival : float[query, m], the probability that a user passes m; None: 1.
    vanishes : whether a factor F can be 0.
    """

    bases: Tensor
    coefficients: Tensor
    survival: Tensor | None
    vanishes: bool

    @property
    def cells(self) -> int:
        return len(self.bases)

    def __call__(self, pi: Tensor, own: Tensor, pairs: Tensor | None) -> tuple[Tensor, Tensor]:
        base = self.bases[:, None, None, None]
        left = 1 - base if self.survival is None else 1 - base * self.survival[:, :, None]
        factor = torch.addcmul(pi.new_ones(()), pi, left, value=-1)  # [k, query, m, c]
        if self.vanishes:
            factor.clamp_(min=TINY)
        passed = factor.prod(2).mul_(self.coefficients[:, :, None])
        inverse = factor.reciprocal_()
        if pairs is None:
            credit = passed * own
            return credit.sum(0), inverse.mul_(left).mul_(credit[:, :, None]).sum(0).neg_()
        share = pairs * inverse * base
        worth = own + (share * pi).sum(2)
        slope = share.addcmul_(left, worth[:, :, None], value=-1).mul_(inverse).mul_(passed[:, :, None])
        return (passed * worth).sum(0), slope.sum(0)
