"""LambdaRank in PyTorch: pairs of documents pushed apart by what their exchange would do to a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import logsigmoid

from gradeval import checks as checked
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.kernels import exact
from gradeval.ltr.objectives.batch import Batch, batch_of, checked_scores


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
    that of the pairwise logistic loss, each pair weighted by what is at stake. A query without a pair of different
    grades, of one document, or empty for the measure has loss 0.

    Parameters
    ----------
    scores : float[query, n], on any device.
    grades : number[query, n], or a Batch: made once, it saves checking and counting in every epoch.
    measure : any measure, or its spelling. Those without a kernel are scored once for every swap, which is slow. The
        cutoff of ``nDCG @ 10`` belongs to the measure: pairs within the first 10 or across rank 10 count.
    levels, mask, pool : see Batch.of; ``levels`` must be given with grades.
    sigma : steepness of the logistic function.
    truncation : only pairs with a document among the first ``truncation`` of the ranking. Default: all pairs. LightGBM
        and XGBoost take these pairs, too, but then divide DCG by the ideal of so many ranks; here nDCG stays whole.

    Equal scores are ranked in the order of the list. Measures that can fall when a better document moves up (Q, AWP,
    xGAP, for rare lists) still push it up: the weight is |dM|.

    Raises
    ------
    InputError : an unknown measure, or one whose parameters do not fit the levels; scores that are not finite, or of
        another shape than the grades; a grade that is no level, grades without levels; see also Batch.of.

    Source: Burges, Ragno & Le (2006), "Learning to rank with nonsmooth cost functions", NIPS; Burges (2010),
    "From RankNet to LambdaRank to LambdaMART".
    """
    measure, sigma, truncation = parse_measure(measure), checked.sigma(sigma), checked.truncation(truncation)
    batch = batch_of(grades, levels, mask, pool)
    scores = checked_scores(scores, batch)
    level = batch.levels_at(scores.device)
    order = scores.detach().masked_fill(level < 0, -torch.inf).sort(dim=1, descending=True, stable=True).indices
    length = level.shape[1]
    top = min(truncation or length, length)
    ranked, by_rank = level.gather(1, order), scores.gather(1, order)
    stake = swaps(batch, measure, ranked, scores, top).abs()
    better = torch.sign(ranked[:, :top, None] - ranked[:, None, :])
    ahead = better * (by_rank[:, :top, None] - by_rank[:, None, :])
    return -(stake * better.abs() * logsigmoid(sigma * ahead)).sum((1, 2))


def swaps(batch: Batch, measure: Measure, ranked: torch.Tensor, like: torch.Tensor, top: int) -> torch.Tensor:
    """float[query, a, b], a <= top: the change of a measure by every swap in rankings int[query, n] of levels."""
    with torch.no_grad():
        kernel = batch.kernel_like(measure, like)
        if kernel is not None:
            by_kernel: torch.Tensor = kernel.swaps(ranked, top)
            return by_kernel
        change = exact.swaps(measure, ranked.cpu().numpy(), batch.pool, batch.levels, top)
        return torch.tensor(change, dtype=like.dtype, device=like.device)
