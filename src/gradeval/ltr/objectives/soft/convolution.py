"""Distributions of sums of independent numbers: products of many polynomials at a time, and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

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
        """s_i = sum_r steps_r other_(r-i): what a further document above is worth beside i of a set, given what it is
        worth beside r of the union; ``other`` are the chances of the other set."""
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
