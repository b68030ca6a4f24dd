"""XGBoost's trees as LightGBM's text: the same scores for all numbers, at and beside the limits of splits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gradeval.ltr.rankers.forest_text import cut_checked_forest
from gradeval.ltr.xgboost_trees import rewrite_tree, write_forest

xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")


def grown(X: Any, rounds: int, **settings: Any) -> tuple[Any, list[dict[str, Any]]]:
    y = np.nan_to_num(X[:, 0]) ** 2 - np.nan_to_num(X[:, 1])
    booster = xgboost.train(
        {"base_score": 0.0, "max_depth": 4, "verbosity": 0, **settings}, xgboost.QuantileDMatrix(X, y), rounds
    )
    trees = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"]
    return booster, trees


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_trees_score_as_they_did(missing: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 4)).astype(np.float32)
    X[rng.random(X.shape) < missing] = np.nan
    booster, trees = grown(X, 12)
    text = write_forest([rewrite_tree(tree) for tree in trees], 4)
    forest = lightgbm.Booster(model_str=cut_checked_forest(text, 4, "made"))
    limits = np.array([limit for tree in trees for limit in tree["split_conditions"]], np.float32)
    numbers = np.concatenate([limits, np.nextafter(limits, np.float32(-9)), np.nextafter(limits, np.float32(9)), [0]])
    beside = rng.choice(numbers.astype(np.float32), (2000, 4))
    for rows in (X, beside, np.where(rng.random(beside.shape) < missing, np.float32(np.nan), beside)):
        margin = np.zeros(len(rows), np.float32)  # added up tree by tree in single precision, as XGBoost does
        for tree in range(len(trees)):
            margin += forest.predict(rows, start_iteration=tree, num_iteration=1, raw_score=True).astype(np.float32)
        assert margin.tobytes() == booster.inplace_predict(rows, predict_type="margin").tobytes()


def test_a_tree_of_one_leaf_is_written_and_read() -> None:
    X = np.zeros((20, 2), np.float32)
    X[:, 0] = np.arange(20)
    _, trees = grown(X, 2, min_child_weight=1e6)
    assert len(trees[0]["left_children"]) == 1
    text = write_forest([rewrite_tree(tree) for tree in trees], 2)
    forest = lightgbm.Booster(model_str=cut_checked_forest(text, 2, "made"))
    leaves = [np.float32(tree["split_conditions"][0]) for tree in trees]
    assert forest.predict(X, raw_score=True).tolist() == [float(leaves[0]) + float(leaves[1])] * 20


def test_counts_add_up_for_lightgbms_explanations() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    _, trees = grown(X, 4)
    forest = lightgbm.Booster(
        model_str=cut_checked_forest(write_forest([rewrite_tree(t) for t in trees], 3), 3, "made")
    )
    shares = forest.predict(X, pred_contrib=True)
    assert shares.sum(1) == pytest.approx(forest.predict(X, raw_score=True), abs=1e-9)
