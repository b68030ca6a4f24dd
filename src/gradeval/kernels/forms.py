"""The forms that kernels of pairs have: like average precision, or like a sum of gains; and what they are made of."""

from __future__ import annotations

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import JudgedRankings
from gradeval.kernels.pairs import PairKernel


def precision_like(judged: JudgedRankings, pairs: Array, norm: Array, weights: Array | None = None) -> PairKernel:
    """A kernel of pairs in which a document counts for itself as one above it would; w(n) = 1/n unless given."""
    pairs = pairs.reshape(-1, *pairs.shape[-2:])
    weights = 1 / judged.ranks if weights is None else weights
    return PairKernel(np.diagonal(pairs, axis1=1, axis2=2), pairs, weights, by_query(judged, norm))


def gain_like(judged: JudgedRankings, own: Array, weights: Array, norm: Array | float) -> PairKernel:
    """A kernel without pairs: a sum of gains, each times what its rank is worth."""
    weights = np.broadcast_to(weights, (*weights.shape[:-1], judged.ranks.shape[-1]))
    return PairKernel(np.atleast_2d(own).astype(float), None, np.atleast_2d(weights), by_query(judged, norm))


def agreed(share: Array) -> Array:
    """float64[..., level, level]: pairs(m, n) = share of the lesser of two levels, float64[..., level]: of the users
    to whom the one is relevant and the other too."""
    level = np.arange(share.shape[-1])
    return np.asarray(share[..., np.minimum.outer(level, level)])


def recall_bases(judged: JudgedRankings) -> Array:
    """float64[query, level]: RB of each level."""
    return np.asarray(judged.pool[:, ::-1].cumsum(-1)[:, ::-1], dtype=float)


def hits(judged: JudgedRankings, rel: float) -> Array:
    """float64[level]: is a document of the level relevant?"""
    return (np.array(judged.levels) >= rel).astype(float)


def by_query(judged: JudgedRankings, norm: Array | float) -> Array:
    """float64[query]: what the value of each query is divided by."""
    return np.broadcast_to(np.asarray(norm, float), (len(judged.pool),))
