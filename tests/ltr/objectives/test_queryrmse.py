"""QueryRMSE against its formula, finite differences and CatBoost."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval.ltr import TreeRanker
from gradeval.ltr.objectives.queryrmse import QueryRMSEObjective

SIZES = [4, 0, 3, 1, 2]
OFFSETS = np.concatenate([[0], np.cumsum(SIZES)])
GRADES = np.array([0, 2, 1, 0, 3, 0, 0, 1, 2, 2.0])
SCORES = np.random.default_rng(2).normal(size=10)


def literal(scores: Any) -> float:
    """Half the squared error, the best constant of each query taken off."""
    total = 0.0
    for first, end in pairwise(OFFSETS):
        errors = [score - grade for score, grade in zip(scores[first:end], GRADES[first:end], strict=True)]
        total += min((sum((e - c) ** 2 for e in errors) / 2 for c in [sum(errors) / max(1, len(errors))]), default=0)
    return total


def test_the_gradient_and_the_curvature_are_those_of_the_loss() -> None:
    gradient, hessian = QueryRMSEObjective().gradients(SCORES, GRADES, OFFSETS)
    for row in range(10):
        step = 1e-3 * (np.arange(10) == row)
        up, here, down = literal(SCORES + step), literal(SCORES), literal(SCORES - step)
        assert gradient[row] == pytest.approx((up - down) / 2e-3, abs=1e-9)
        assert hessian[row] == pytest.approx((up - 2 * here + down) / 1e-6, abs=1e-7)
    constant = np.repeat([5.0, 0, -3, 2, 9], SIZES)  # of each query, changes nothing
    np.testing.assert_allclose(QueryRMSEObjective().gradients(SCORES + constant, GRADES, OFFSETS)[0], gradient)
    weights = np.arange(10.0)
    (by_row, curvature), _ = QueryRMSEObjective().gradients_and_values(SCORES, GRADES, OFFSETS, weights)
    np.testing.assert_allclose((by_row, curvature), (gradient * weights, hessian * weights))


def test_the_loss_is_that_of_catboost() -> None:
    utils, torch = pytest.importorskip("catboost.utils"), pytest.importorskip("torch")
    from gradeval.ltr import Batch, prepare_loss

    scores, grades = SCORES[:8].reshape(2, 4), GRADES[[0, 1, 2, 3, 4, 5, 6, 8]].reshape(2, 4)
    loss = prepare_loss("queryrmse", Batch.of(grades, levels=(0, 1, 2, 3)), dtype=torch.float64)
    theirs = utils.eval_metric(grades.ravel(), scores.ravel(), "QueryRMSE", group_id=np.repeat([0, 1], 4))
    for ours in (loss, loss.by_query.tensors):  # the mean of two queries, and each
        half = float(ours(torch.tensor(scores)).sum())
        half *= 2 if ours is loss else 1
        assert math.sqrt(2 * half / 8) == pytest.approx(theirs[0], rel=1e-12)


def test_trees_are_those_of_lightgbm_with_the_same_gradients() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train = graded_features(30)
    sizes = np.diff(train.offsets)

    def objective(scores: Any, _: Any) -> tuple[Any, Any]:
        error = scores - train.grades
        means = [error[first:end].mean() for first, end in pairwise(train.offsets)]
        return error - np.repeat(means, sizes), 1 - 1 / np.repeat(sizes, sizes).astype(float)

    direct = lightgbm.train(
        {"objective": objective, "num_leaves": 7, "min_data_in_leaf": 3, "learning_rate": 0.05, "verbosity": -1}
        | {"num_threads": 1, "deterministic": True, "force_row_wise": True},
        lightgbm.Dataset(train.X, train.grades, params={"min_data_in_bin": 1}),
        12,
    )
    ranker = TreeRanker("queryrmse", epochs=12, min_rows=3, subsample=1.0).fit(train)
    np.testing.assert_allclose(ranker.score(train), direct.predict(train.X), rtol=1e-5, atol=1e-7)
