"""The weights of ranks as a sum of few exponentials, which turns rank distributions into products over documents."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from gradeval.formula.arithmetic import Array

TOLERANCE = 1e-6  # of the largest weight
LARGEST = 100  # largest sum of coefficients, in units of the largest weight: beyond it too many digits are lost
SMALLEST_RATIO = 1e-3  # below it, quotients by the base lose digits
TINY = 1e-300  # below it, powers of the ratio lose digits
SIZES = (4, 8, 12, 16, 20, 24)


def fit_exponentials(weights: Array) -> tuple[Array, Array] | None:
    """Bases t float64[k] and coefficients c float64[query, k] with w(n) = sum_k c_k t_k^(n-1), n from 1, for weights
    float64[query, n]; None where 25 exponentials do not reach a precision of 1e-6 of the largest weight.

    Then E[w(rank)] of a document that X others beat, each independently with probability pi_i, is sum_k c_k E[t_k^X] =
    sum_k c_k prod_i (1 - pi_i (1 - t_k)): no distribution over ranks is needed. Smooth discounts (1/n, 1/log(n + 1))
    need 8 to 20 terms for thousands of ranks, a geometric one needs one. LETOR's discount, smooth but for the first
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
    return ratio if np.allclose(weights[:, 1:], ratio * weights[:, :-1], rtol=1e-12, atol=TINY) else None


@lru_cache(maxsize=64)
def _design(length: int, size: int, first: bool) -> tuple[Array, Array, Array]:
    """Bases whose logarithms are spaced geometrically, their powers [n, k], and the matrix [k, n] that solves for the
    coefficients by least squares. With ``first`` also the base 0, so that rank 1 may have any weight."""
    bases = np.exp(-np.geomspace(0.3 / max(length, 1), 6.0, size))
    if first:
        bases = np.append(bases, 0.0)
    values = bases ** np.arange(length)[:, None]
    return bases, values, np.linalg.pinv(values, rcond=1e-13)
