"""LambdaLoss: LambdaRank's pairs, weighted also by how far apart they stand."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from gradeval._core import InputError
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.lambdarank import PairwiseLoss, Swaps, prepare_rows
from gradeval.ltr.objectives.methods import METHODS
from gradeval.ltr.objectives.objective import Objective

__all__ = ["prepare", "prepare_rows"]


def prepare(objective: Objective, batch: Batch, like: Tensor) -> PairwiseLoss:
    """NDCG-Loss2++ by query, for scores of the precision and on the device of ``like``:

        L = sum over pairs with y_i > y_j of (rho_ij + mu delta_ij) |G_i - G_j| log(1 + exp(-sigma (s_i - s_j))),
        rho_ij = |1/D(i) - 1/D(j)|,    delta_ij = |1/D(|i - j|) - 1/D(|i - j| + 1)|,

    with i and j also the ranks by the scores, D(r) = log2(1 + r), G = (2^y - 1) / (the largest DCG of the query), and
    by default mu = 10 and sigma = 1, as in allRank. rho alone is LambdaRank for nDCG. The weights count as constants.
    The logarithm is natural; that to the base 2, which allRank takes, is a constant factor larger.

    Source: Wang, Li, Golbandi, Bendersky & Najork (2018), "The LambdaLoss framework for ranking metric optimization",
    CIKM.
    """
    mu = METHODS[objective.method].mu or 0.0
    pairs = PairwiseLoss.of(batch, objective.measure, objective.sigma, objective.truncation, like)
    return replace(pairs, distance=distance_of(objective, batch, like, mu))


def distance_of(objective: Objective, batch: Batch, like: Tensor, mu: float) -> Swaps:
    """mu delta_ij |G_i - G_j|, float[query, a, b], for rankings int[query, n] of levels."""
    kernel = batch.kernel_like(objective.measure, like)
    if not isinstance(kernel, PairKernel) or kernel.pairs is not None or len(kernel.weights) > 1:
        raise InputError(f"{objective.measure} is no sum of gains with one discount, as nDCG: LambdaLoss is for these")
    length = batch.level.shape[1]
    step = torch.cat([kernel.weights.new_zeros(1), kernel.weights[0].diff().abs()])
    place = torch.arange(length, device=like.device)
    delta = mu * step[(place[:, None] - place).abs()]
    own, share = kernel.own.expand(batch.level.shape[0], -1), kernel.share[:, None, None]

    def weigh(ranked: Tensor, top: int) -> Tensor:
        gain = own.gather(1, ranked.clamp(min=0)) * (ranked >= 0)
        later = delta[:top].triu(1)
        both = (ranked[:, :top, None] >= 0) & (ranked[:, None, :] >= 0)
        return (gain[:, :top, None] - gain[:, None, :]).abs() * later * both * share

    return weigh
