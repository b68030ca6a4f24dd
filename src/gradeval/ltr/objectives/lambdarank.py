"""LambdaRank and LambdaLoss in PyTorch: a pairwise loss, each pair weighted by what its swap changes of a measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.kernels import lookup as exact
from gradeval.kernels.pairs import PairKernel
from gradeval.ltr.data.graded_queries import GradedQueries, SwapLoss
from gradeval.ltr.objectives.batch import Batch, batch_of, check_scores, in_full_precision, require_finite
from gradeval.ltr.objectives.draws import ALONE, Draws, NoiseKind, draw_scores, rank_by_chance
from gradeval.ltr.objectives.loss import LossByQuery, RowLoss
from gradeval.ltr.objectives.objective import METHODS, Objective, check_sigma, check_truncation

Swaps: TypeAlias = Callable[[Tensor, int], Tensor]
"""From rankings int[query, n] of levels and ``top`` to changes float[query, a, b] of a measure, a <= top."""


@known_arguments()
def lambda_loss(
    scores: torch.Tensor,
    grades: Any,
    measure: Measure | str,
    *,
    levels: Sequence[float] | None = None,
    sigma: float = 1.0,
    truncation: int | None = None,
    draws: int = 0,
    noise: NoiseKind = "gumbel",
    spread: float = 1.0,
    seed: int = 0,
    mask: Any = None,
    pool: Any = None,
) -> torch.Tensor:
    """LambdaRank's loss for any measure, float[query]; take its mean or sum and minimise it.

    loss = sum over pairs with grade i > grade j of |dM_ij| log(1 + exp(-sigma (s_i - s_j))), with dM_ij the change of
    the measure when i and j change places in the ranking by the scores. |dM_ij| counts as a constant: the gradient is
    the pairwise logistic loss's, each pair weighted by |dM_ij|. The loss is 0 for a query whose documents all have one
    grade, or without relevant documents.

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
    draws, noise, spread, seed : weigh a pair by the mean of |dM_ij| over rankings drawn around the scores, as in
        ``LambdaObjective``.

    Equal scores are ranked in an order by chance, which the scores, the grades and the seed decide. A few measures (Q,
    AWP, xGAP) can fall when a better document moves up; the loss still moves it up, as the weight is |dM|.

    Raises
    ------
    InputError : an unknown measure, or one whose parameters do not fit the levels; scores that are not finite (on the
        CPU; elsewhere the loss is then not finite either), or of another shape than the grades; a grade that is no
        level, grades without levels; see also Batch.of.

    Source: Burges, Ragno & Le (2006), "Learning to rank with nonsmooth cost functions", NIPS; Burges (2010),
    "From RankNet to LambdaRank to LambdaMART".
    """
    measure, sigma, truncation = parse_measure(measure), check_sigma(sigma), check_truncation(truncation)
    drawn = Draws.of(draws, noise, spread, seed)
    batch = batch_of(grades, levels, mask, pool)
    fitted = check_scores(scores, batch.padding_at(scores.device))
    require_finite(fitted)
    loss = batch.keep(
        ("lambdarank", measure, sigma, truncation, drawn, fitted.dtype, fitted.device),
        lambda: LossByQuery.of(
            batch,
            measure,
            fitted,
            PairwiseLoss.of(batch, measure, sigma, truncation, fitted, drawn),
            lambda queries: partial(queries.losses, swaps=SwapLoss(sigma, truncation, draws=drawn)),
        ),
    )
    with in_full_precision(fitted):
        return loss(fitted)


@dataclass(frozen=True, eq=False)
class PairwiseLoss:
    """``lambda_loss`` for a batch, float[query], as a function of fitted scores alone.

    Attributes
    ----------
    level : int64[query, n], as in Batch.
    place : int64[query, n], where the tables of the kernel have each level, by which rankings are drawn and
        equal scores ranked.
    swaps : how every swap in rankings int[query, n] of levels changes the measure, float[query, a, b] for a <= ``top``.
    distance : what the distance of two ranks adds to the weight of a pair, likewise; None: nothing.
    draws : the rankings over which weights are averaged, and the seed of the order of equal scores.
    """

    level: Tensor
    place: Tensor
    swaps: Swaps
    sigma: float
    top: int
    distance: Swaps | None = None
    draws: Draws = ALONE

    @classmethod
    def of(
        cls, batch: Batch, measure: Measure, sigma: float, truncation: int | None, like: Tensor, draws: Draws = ALONE
    ) -> Self:
        """For scores of the precision and on the device of ``like``."""
        length = batch.level.shape[1]
        level = batch.levels_at(like.device)
        top = min(truncation or length, length)
        place = torch.from_numpy(batch.places(measure)).to(like.device)
        return cls(level, place, swaps_of(batch, measure, like), sigma, top, draws=draws)

    def __call__(self, scores: Tensor) -> Tensor:
        present = scores.detach()
        if not self.draws.count:
            return self._in_order_of(present, scores)
        drawn = draw_scores(present.double(), self.place, self.draws)
        return sum(self._in_order_of(ranking, scores) for ranking in drawn) / self.draws.count

    def _in_order_of(self, ranking: Tensor, scores: Tensor) -> Tensor:
        """The loss of scores [query, n], each pair weighted by its swap in the order of ``ranking`` [query, n]."""
        order = rank_by_chance(ranking, self.place, self.draws.seed)
        ranked, by_rank = self.level.gather(1, order), scores.gather(1, order)
        with torch.no_grad():
            weight = self.swaps(ranked, self.top).abs()
            if self.distance is not None:
                weight = weight + self.distance(ranked, self.top)
        return sum_pairs(ranked, by_rank, weight, self.sigma)


def sum_pairs(ranked: Tensor, by_rank: Tensor, weight: Tensor, sigma: float) -> Tensor:
    """float[query]: the sum over pairs with grade i > grade j of weight_ij log(1 + exp(-sigma (s_i - s_j))), for
    rankings int[query, n] of levels with their scores, and weights float[query, a, b] of the ranks a and b."""
    top = weight.shape[1]
    direction = torch.sign(ranked[:, :top, None] - ranked[:, None, :])
    margin = direction * (by_rank[:, :top, None] - by_rank[:, None, :])
    return -(weight * direction.abs() * logsigmoid(sigma * margin)).sum((1, 2))


def swaps_of(batch: Batch, measure: Measure, like: Tensor) -> Swaps:
    """How swaps in rankings of a batch change a measure, by its kernel; without one every swapped list is scored, on
    the CPU."""
    kernel = batch.kernel_like(measure, like)
    if kernel is not None:
        return kernel.swaps

    def score(ranked: Tensor, top: int) -> Tensor:
        change = exact.score_swaps(measure, ranked.cpu().numpy(), batch.pool, batch.levels, top)
        return torch.tensor(change, dtype=like.dtype, device=like.device)

    return score


def prepare(objective: Objective, batch: Batch, like: Tensor) -> PairwiseLoss:
    """The loss of an objective for a batch, by query: LambdaRank's, or for LambdaLoss NDCG-Loss2++,

        L = sum over pairs with y_i > y_j of (rho_ij + mu delta_ij) |G_i - G_j| log(1 + exp(-sigma (s_i - s_j))),
        rho_ij = |1/D(i) - 1/D(j)|,    delta_ij = |1/D(|i - j|) - 1/D(|i - j| + 1)|,

    with i and j also the ranks by the scores, D(r) = log2(1 + r), G = (2^y - 1) / (the largest DCG of the query), and
    by default mu = 10 and sigma = 1, as in allRank. rho alone is LambdaRank for nDCG. The weights count as constants.
    The logarithm is natural; the one to the base 2, which allRank takes, is a constant factor larger.

    Source: Wang, Li, Golbandi, Bendersky & Najork (2018), "The LambdaLoss framework for ranking metric optimization",
    CIKM.
    """
    pairs = PairwiseLoss.of(
        batch, objective.measure, objective.sigma, objective.truncation, like, objective.ranking_draws
    )
    mu = METHODS[objective.method].mu
    return replace(pairs, distance=_distance_of(objective.measure, batch, like, mu)) if mu else pairs


def _distance_of(measure: Measure, batch: Batch, like: Tensor, mu: float) -> Swaps:
    """mu delta_ij |G_i - G_j|, float[query, a, b], for rankings int[query, n] of levels."""
    kernel = batch.kernel_like(measure, like)
    if not isinstance(kernel, PairKernel) or kernel.pairs is not None or len(kernel.weights) > 1:
        raise InputError(f"{measure} is no sum of gains with one discount, as nDCG: LambdaLoss is for these")
    step = torch.cat([kernel.weights.new_zeros(1), kernel.weights[0].diff().abs()])
    place = torch.arange(batch.level.shape[1], device=like.device)
    delta = mu * step[(place[:, None] - place).abs()]
    own, share = kernel.own.expand(batch.level.shape[0], -1), kernel.share[:, None, None]

    def weigh(ranked: Tensor, top: int) -> Tensor:
        gain = own.gather(1, ranked.clamp(min=0)) * (ranked >= 0)
        later = delta[:top].triu(1)
        both = (ranked[:, :top, None] >= 0) & (ranked[:, None, :] >= 0)
        return (gain[:, :top, None] - gain[:, None, :]).abs() * later * both * share

    return weigh


def prepare_rows(objective: Objective, queries: GradedQueries) -> RowLoss:
    """The same by the compiled core."""
    mu = METHODS[objective.method].mu or 0.0
    swaps = SwapLoss(objective.sigma, objective.truncation, mu=mu, draws=objective.ranking_draws)
    return partial(queries.losses, swaps=swaps)
