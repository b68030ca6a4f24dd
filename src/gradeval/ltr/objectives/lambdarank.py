"""LambdaRank in PyTorch: a pairwise loss, each pair weighted by how much its swap changes a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import logsigmoid

from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.kernels import exact
from gradeval.ltr.objectives.batch import Batch, batch_of, check_scores
from gradeval.ltr.objectives.objective import check_sigma, check_truncation


def lambda_loss(
    scores: torch.Tensor,
    grades: Any,
    measure: Measure | str,
    *,
    levels: Sequence[float] | None = None,
    sigma: float = 1.0,
    truncation: int | None = None,
    mask: Any = None,
    pool: Any = None,
) -> torch.Tensor:
    """LambdaRank's loss for any measure, float[query]; take its mean or sum and minimise it.

    loss = sum over pairs with grade i > grade j of |dM_ij| log(1 + exp(-sigma (s_i - s_j))), with dM_ij the change of
    the measure when i and j change places in the ranking by the scores. |dM_ij| counts as a constant: the gradient is
    that of the pairwise logistic loss, each pair weighted by |dM_ij|. The loss is 0 for a query whose documents all
    have one grade, or without relevant documents.

    Parameters
    ----------
    scores : float[query, n], on any device.
    grades : number[query, n], or a Batch: make it once, and grades need not be checked again in every epoch.
    measure : any measure, or its spelling. For those without a kernel every swapped list is scored, which is slow.
        The cutoff of ``nDCG @ 10`` belongs to the measure: only swaps that involve one of the first 10 ranks change it.
    levels, mask, pool : see Batch.of; ``levels`` are required unless ``grades`` is a Batch.
    sigma : steepness of the logistic function.
    truncation : use only pairs with a document among the first ``truncation`` ranks. Default: all pairs. LightGBM and
        XGBoost use these pairs, too, but divide DCG by the ideal DCG of so many ranks; here nDCG itself is unchanged.

    Equal scores are ranked in the order of the list. A few measures (Q, AWP, xGAP) can fall when a better document
    moves up; the loss still moves it up, as the weight is |dM|.

    Raises
    ------
    InputError : an unknown measure, or one whose parameters do not fit the levels; scores that are not finite, or of
        another shape than the grades; a grade that is no level, grades without levels; see also Batch.of.

    Source: Burges, Ragno & Le (2006), "Learning to rank with nonsmooth cost functions", NIPS; Burges (2010),
    "From RankNet to LambdaRank to LambdaMART".
    """
    measure, sigma, truncation = parse_measure(measure), check_sigma(sigma), check_truncation(truncation)
    batch = batch_of(grades, levels, mask, pool)
    scores = check_scores(scores, batch)
    level = batch.levels_at(scores.device)
    order = scores.detach().masked_fill(level < 0, -torch.inf).sort(dim=1, descending=True, stable=True).indices
    length = level.shape[1]
    top = min(truncation or length, length)
    ranked, by_rank = level.gather(1, order), scores.gather(1, order)
    weight = measure_swaps(batch, measure, ranked, scores, top).abs()
    direction = torch.sign(ranked[:, :top, None] - ranked[:, None, :])
    margin = direction * (by_rank[:, :top, None] - by_rank[:, None, :])
    return -(weight * direction.abs() * logsigmoid(sigma * margin)).sum((1, 2))


def measure_swaps(batch: Batch, measure: Measure, ranked: torch.Tensor, like: torch.Tensor, top: int) -> torch.Tensor:
    """float[query, a, b], a <= top: how every swap in rankings int[query, n] of levels changes a measure."""
    with torch.no_grad():
        kernel = batch.kernel_like(measure, like)
        if kernel is not None:
            by_kernel: torch.Tensor = kernel.swaps(ranked, top)
            return by_kernel
        change = exact.score_swaps(measure, ranked.cpu().numpy(), batch.pool, batch.levels, top)
        return torch.tensor(change, dtype=like.dtype, device=like.device)
