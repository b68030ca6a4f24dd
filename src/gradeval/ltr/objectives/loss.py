"""The loss of an objective: what training by gradient descent minimises."""

from __future__ import annotations

import torch

from gradeval.kernels.pairs import pool_of
from gradeval.ltr.data.trainable import are_trainable
from gradeval.ltr.objectives.batch import Batch
from gradeval.ltr.objectives.lambdarank import lambda_loss
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.objectives.softrank import soft_measure


def loss(objective: Objective, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """What to minimise for scores float[query, n]: the mean over the queries that can be learnt from, a scalar.

    For lambdarank the mean of ``lambda_loss``, for softrank minus the mean of ``soft_measure``. A query can be learnt
    from where documents have different grades and the measure is not empty; 0 where there is none.
    """
    measure, sigma = objective.measure, objective.sigma
    if objective.method == "lambdarank":
        by_query = lambda_loss(scores, batch, measure, sigma=sigma, truncation=objective.truncation)
    else:
        by_query = -soft_measure(scores, batch, measure, sigma, estimator=objective.estimator)
    usable = batch.keep(
        ("trainable", measure),
        lambda: are_trainable(measure, pool_of(batch.level, batch.levels), batch.pool, batch.levels),
    )
    if not usable.any():
        return (by_query * 0).sum()
    chosen: torch.Tensor = by_query[torch.from_numpy(usable).to(scores.device)]
    return chosen.mean()
