"""What ranks are worth as a sum of few exponentials: it turns rank distributions into products over documents."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from gradeval.formula.arithmetic import Array

TOLERANCE = 1e-6  # of the largest weight
LARGEST = 100  # times the largest weight: beyond it the sum of the coefficients loses too many digits
SMALLEST_RATIO = 1e-3  # below it, what is divided by the base loses its digits
TINY = 1e-300  # below it, powers of the ratio lose their digits
SIZES = (4, 8, 12, 16, 20, 24)


def exponential_sum(weights: Array) -> tuple[Array, Array] | None:
    """Bases t float64[k] and coefficients c float64[query, k] with w(n) = sum_k c_k t_k^(n-1), n from 1, for weights
    float64[query, n]; None where 25 exponentials do not come within 1e-6 of the largest weight.

    Then E[w(rank)] of a document that X others beat, each with probability pi_i by itself, is sum_k c_k E[t_k^X] =
    sum_k c_k prod_i (1 - pi_i (1 - t_k)): no distribution over ranks is needed. Smooth discounts (1/n, 1/log(n + 1))
    need 8 to 20 terms up to thousands of ranks, a geometric one is a single term; LETOR's discount, smooth but for the
    first rank, needs the base 0 besides, whose power is 1 there and 0 elsewhere; a cutoff cannot be had this way.
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
    """The ratio of a geometric sequence; None for other weights, and for ratios that are all but 0."""
    first = weights.ravel()[:2]
    if weights.shape[1] < 2 or first[0] == 0 or first[1] < SMALLEST_RATIO * first[0]:
        return None
    ratio = float(first[1] / first[0])
    return ratio if np.allclose(weights[:, 1:], ratio * weights[:, :-1], rtol=1e-12, atol=TINY) else None


@lru_cache(maxsize=64)
def _design(length: int, size: int, first: bool) -> tuple[Array, Array, Array]:
    """Bases with logarithms evenly spaced in order of magnitude, their powers [n, k], and what solves for the
    coefficients by least squares [k, n]; ``first``: and the base 0, so that the first rank may be worth anything."""
    bases = np.exp(-np.geomspace(0.3 / max(length, 1), 6.0, size))
    if first:
        bases = np.append(bases, 0.0)
    values = bases ** np.arange(length)[:, None]
    return bases, values, np.linalg.pinv(values, rcond=1e-13)
