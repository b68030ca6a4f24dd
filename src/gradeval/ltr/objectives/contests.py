"""The expected worth of a document to a measure, from the probabilities that each other document is ranked above it.

A contest takes the probabilities pi float[query, m, c] that document m beats document c (is ranked above it),
independently of each other, and what each document c brings: ``own`` float[query, c] by itself and ``pairs``
float[query, m, c] from each m above it, or None. It gives the worth float[query, c] of the documents c and its
derivatives float[query, m, c] by the probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import ClassVar, Protocol, Self

import numpy as np
import torch
from torch import Tensor

from gradeval.formula.arithmetic import Array

TINY = 1e-30  # replaces a factor of 0 in a product that is later divided by it


class Contest(Protocol):
    """See above; ``cells`` is how many numbers it needs for each probability, to judge how much fits into memory."""

    @property
    def cells(self) -> int: ...

    def __call__(self, pi: Tensor, own: Tensor, pairs: Tensor | None, /) -> tuple[Tensor, Tensor]: ...


@dataclass(frozen=True, eq=False)
class ByDistribution:
    """own E[w(rank)] for any weights w, by the distribution of the rank; there are no ``pairs``.

    The number of documents above c is a sum of independent contests, so its distribution is the convolution of theirs.
    Sets of documents are joined two by two, from single documents to all: as many steps as the number of documents has
    binary digits. A distribution is cut where weights are 0 from there on, as at a cutoff: O(n^2 K) for K ranks, and
    O(n^2 log(n)^2) for all of them.

    The derivatives follow these steps in the opposite order. All terms are positive, so no digits are lost.
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

    def __call__(self, pi: Tensor, own: Tensor, _: Tensor | None = None) -> tuple[Tensor, Tensor]:
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


SHORT = 256  # products of coefficients; for more, Fourier transforms take less time


@dataclass(frozen=True, eq=False)
class Convolution:
    """The products of two polynomials each, whose coefficients are the chances that so many of ``size`` documents are
    above another; chances of ``most`` and more are not kept.

    All polynomials are float[coefficient, set, column]; sets and columns are independent of each other.

    Attributes
    ----------
    size : the number of documents of each of the two sets.
    products, derivatives : which products of two coefficients each coefficient of a result sums, as matrices of 0 and
        1; None where Fourier transforms are faster.
    """

    size: int
    most: int
    products: Tensor | None
    derivatives: Tensor | None

    @classmethod
    def of(cls, size: int, most: int, like: Tensor) -> Self:
        """In the precision and on the device of ``like``."""
        width, rows = min(most, size + 1), min(most, 2 * size + 1)
        if rows * width > SHORT:
            return cls(size, most, None, None)
        number, steps = torch.arange(width), torch.arange(min(most, 2 * size))
        products = (number[:, None] + number).flatten() == torch.arange(rows)[:, None]
        derivatives = (steps[:, None] - number).flatten() == torch.arange(min(most, size))[:, None]
        return cls(size, most, products.to(like), derivatives.to(like))

    def multiply(self, left: Tensor, right: Tensor) -> Tensor:
        """p_r = sum_i left_i right_(r-i): the chances for the union of two sets."""
        if self.products is None:
            chances = torch.fft.irfft(self._transform(left) * self._transform(right), self._length, dim=0)
            return chances[: min(self.most, 2 * self.size + 1)]
        return _sum_terms(self.products, left, right)

    def correlate(self, steps: Tensor, other: Tensor) -> Tensor:
        """s_i = sum_r steps_r other_(r-i): what a further document above is worth with i of a set, given what it is
        worth with r of the union; ``other`` are the chances of the other set."""
        if self.derivatives is None:
            worth = torch.fft.irfft(self._transform(steps) * self._transform(other).conj(), self._length, dim=0)
            return worth[: min(self.most, self.size)]
        return _sum_terms(self.derivatives, steps, other)

    @property
    def _length(self) -> int:
        """The length of the transforms: a power of two, so long that no coefficient falls on another."""
        return 1 << (2 * self.size).bit_length()

    def _transform(self, polynomials: Tensor) -> Tensor:
        return torch.fft.rfft(polynomials, self._length, dim=0)


def _sum_terms(which: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Sums of the products of a coefficient of ``left`` and one of ``right``, as the rows of ``which`` say."""
    terms = left[:, None] * right
    return torch.mm(which, terms.view(which.shape[1], -1)).view(-1, *terms.shape[2:])


TOLERANCE = 1e-6  # of the largest weight
LARGEST = 100  # largest sum of coefficients, in units of the largest weight: beyond it too many digits are lost
SMALLEST_RATIO = 1e-3  # below it, quotients by the base lose digits
TINY_WEIGHT = 1e-300  # below it, powers of the ratio lose digits
SIZES = (4, 8, 12, 16, 20, 24)


def fit_exponentials(weights: Array) -> tuple[Array, Array] | None:
    """Bases t float64[k] and coefficients c float64[query, k] with w(n) = sum_k c_k t_k^(n-1), n from 1, for weights
    float64[query, n]; None where 25 exponentials do not reach a precision of 1e-6 of the largest weight.

    Then E[w(rank)] of a document that X others beat, each independently with probability pi_i, is sum_k c_k E[t_k^X] =
    sum_k c_k prod_i (1 - pi_i (1 - t_k)): no distribution over ranks is needed. Smooth discounts (1/n, 1/log(n + 1))
    need 8 to 20 terms for thousands of ranks, a geometric one needs one. LETOR's discount, smooth except at the first
    rank, also needs the base 0, whose power is 1 at rank 1 and 0 elsewhere. A cutoff cannot be written this way.
    """
    ratio = _ratio(weights)
    if ratio is not None:
        return np.array([ratio]), weights[:, :1]
    largest = np.abs(weights).max(initial=0.0)
    for first, size in product((False, True), SIZES):
        bases, values, inverse = _design(weights.shape[1], size, first)
        coefficients = weights @ inverse.T
        error = np.abs(coefficients @ values.T - weights).max(initial=0.0)
        if error <= TOLERANCE * largest and np.abs(coefficients).sum(1).max(initial=0.0) <= LARGEST * largest:
            return bases, coefficients
    return None


def _ratio(weights: Array) -> float | None:
    """The ratio of a geometric sequence; None for other weights and for ratios near 0."""
    first = weights.ravel()[:2]
    if weights.shape[1] < 2 or first[0] == 0 or first[1] < SMALLEST_RATIO * first[0]:
        return None
    ratio = float(first[1] / first[0])
    return ratio if np.allclose(weights[:, 1:], ratio * weights[:, :-1], rtol=1e-12, atol=TINY_WEIGHT) else None


@lru_cache(maxsize=64)
def _design(length: int, size: int, first: bool) -> tuple[Array, Array, Array]:
    """Bases whose logarithms are spaced geometrically, their powers [n, k], and the matrix [k, n] that solves for the
    coefficients by least squares. With ``first`` also the base 0, so that rank 1 may have any weight."""
    bases = np.exp(-np.geomspace(0.3 / max(length, 1), 6.0, size))
    if first:
        bases = np.append(bases, 0.0)
    values = bases ** np.arange(length)[:, None]
    return bases, values, np.linalg.pinv(values, rcond=1e-13)
