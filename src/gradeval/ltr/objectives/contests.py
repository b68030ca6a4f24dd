"""The expected worth of a document to a measure, from the probabilities that each other document is ranked above it.

Every function takes the probabilities pi float[query, m, c] that document m beats document c (is ranked above it),
independently of each other, and returns the worth float[query, c] of the documents c with its derivatives float[query,
m, c] by these probabilities.
"""

from __future__ import annotations

import torch
from torch import Tensor

TINY = 1e-30  # replaces a factor of 0 in a product that is later divided by it


def by_recursion(pi: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """E[w(rank)] for any weights float[query, n], in O(n^3). Documents are added one by one; each shifts the
    distribution of the rank by one with the probability pi of being beaten: p(r) <- p(r-1) pi + p(r) (1 - pi).

    The derivative by pi_m is sum_r l(r) (w(r+1) - w(r)), where l is the distribution without m:
    p(r) = (1 - pi) l(r) + pi l(r-1). This is solved for l in ascending r where pi <= 1/2 and in descending r elsewhere,
    so that errors do not grow.
    Source: Taylor, Guiver, Robertson & Minka (2008), "SoftRank", WSDM, section 4.
    """
    queries, length, columns = pi.shape
    distribution = pi.new_zeros(length, queries, columns)
    distribution[0] = 1
    for m in range(length):
        beaten = pi[:, m]
        last = min(m + 2, length)
        moved = distribution[: last - 1] * beaten
        distribution[:last] *= 1 - beaten
        distribution[1:last] += moved
    value = torch.einsum("rqc,qr->qc", distribution, weights)

    weight_step = weights.diff(dim=1)
    upward = pi <= 0.5
    divisor = torch.where(upward, 1 - pi, pi)
    other = torch.where(upward, pi, 1 - pi) / divisor
    inverse = 1 / divisor
    slope = torch.zeros_like(pi)
    for start, steps, sign in ((0, range(length - 1), upward), (length - 1, range(length - 1, 0, -1), ~upward)):
        factor, rest = inverse * sign, other * sign
        without = torch.zeros_like(pi)
        for r in steps:
            without = factor * distribution[r][:, None] - rest * without
            slope += without * weight_step[:, r - (start > 0), None, None]
    return value, slope


def by_exponentials(
    pi: Tensor,
    bases: list[float],
    coefficients: Tensor,
    own: Tensor,
    pairs: Tensor | None = None,
    survival: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """E[w(rank) (own + sum of pairs(m) over the m above) * product of survival(m) over the m above], for
    w(n) = sum_k c_k t_k^(n-1). O(n^2 k).

    ``own`` float[query, c] is what the document brings itself, ``pairs`` float[query, m, c] what it gains from m above
    it, ``survival`` float[query, m] the probability that a user passes m. With F_m = 1 - pi_m (1 - t survival_m) the
    expectation for one base is prod_m F_m * (own + sum_m pairs_m pi_m t / F_m).
    """
    value, slope = torch.zeros_like(own), torch.zeros_like(pi)
    for k, base in enumerate(bases):
        left = 1 - base if survival is None else 1 - base * survival[:, :, None]
        factor = (pi * -left).add_(1)
        if survival is not None or base == 0:
            factor.clamp_(min=TINY)
        passed = factor.prod(1) * coefficients[:, k, None]
        inverse = factor.reciprocal_()
        if pairs is None:
            value += passed * own
            slope.addcmul_(inverse, -left * (passed * own)[:, None])
            continue
        share = pairs * inverse * base
        worth = own + (share * pi).sum(1)
        value += passed * worth
        slope += (share - left * worth[:, None]) * inverse * passed[:, None]
    return value, slope
