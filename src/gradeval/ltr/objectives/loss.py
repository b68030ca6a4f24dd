"""The loss of an objective: what training by gradient descent minimises."""

from __future__ import annotations

import torch

from gradeval.kernels.pairs import pool_of
from gradeval.ltr.data.trainable import are_trainable
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.lambdarank import lambda_loss
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.objectives.softrank import soft_measure


def compute_loss(objective: Objective, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """The scalar to minimise for scores float[query, n]: the mean over the queries that can be learnt from.

    For lambdarank the mean of ``lambda_loss``, for softrank minus the mean of ``soft_measure``. A query can be learnt
    from if its documents differ in grade and it has something relevant to the measure; without such queries the loss
    is 0.
    """
    measure, sigma = objective.measure, objective.sigma
    if objective.method == "lambdarank":
        by_query = lambda_loss(scores, batch, measure, sigma=sigma, truncation=objective.truncation)
    else:
        by_query = -soft_measure(scores, batch, measure, sigma, estimator=objective.estimator)
    trainable = batch.keep(
        ("trainable", measure),
        lambda: are_trainable(measure, pool_of(batch.level, batch.levels), batch.pool, batch.levels),
    )
    if not trainable.any():
        return (by_query * 0).sum()
    chosen: torch.Tensor = by_query[torch.from_numpy(trainable).to(scores.device)]
    return chosen.mean()
