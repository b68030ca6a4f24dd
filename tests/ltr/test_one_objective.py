"""One objective, one model: every public way to it grows the same trees, in each engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from dask_tables import TRAIN, VALID, fit, partitions_of

from gradeval import GAP
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, TreeRanker

lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
TREES = 10
OBJECTIVE = LambdaObjective(GAP, levels=TRAIN.levels)
SIZES = np.diff(TRAIN.offsets)
COMMON: dict[str, Any] = {"num_leaves": 5, "learning_rate": 0.2, "min_sum_hessian_in_leaf": 1e-3}
LIGHTGBM = {**COMMON, "min_data_in_leaf": 1, "lambda_l2": 0.5, "verbosity": -1, "num_threads": 1}
BINS = {"min_data_in_bin": 1, "feature_pre_filter": False, "verbosity": -1}
XGBOOST: dict[str, Any] = {
    "tree_method": "hist",
    "grow_policy": "lossguide",
    "max_depth": 0,
    "max_leaves": 5,
    "eta": 0.2,
    "lambda": 0.5,
    "min_child_weight": 2e-3,
    "base_score": 0.0,
    "nthread": 1,
}


@pytest.fixture(scope="module")
def by_lightgbm() -> Array:
    data = lightgbm.Dataset(TRAIN.X, TRAIN.grades, group=SIZES, params=BINS)
    scores: Array = lightgbm.train({**LIGHTGBM, "objective": OBJECTIVE}, data, TREES).predict(VALID.X)
    assert np.ptp(scores) > 1
    return scores


@pytest.fixture(scope="module")
def by_xgboost() -> Array:
    data = xgboost.DMatrix(TRAIN.X, TRAIN.grades, qid=np.repeat(np.arange(len(SIZES)), SIZES))
    scores: Array = xgboost.train(XGBOOST, data, TREES, obj=OBJECTIVE).inplace_predict(VALID.X, predict_type="margin")
    assert np.ptp(scores) > 1
    return scores


def settings_of_ranker() -> dict[str, Any]:
    return {"leaves": 5, "learning_rate": 0.2, "l2": 0.5, "min_rows": 1, "subsample": 1.0}


def test_tree_ranker_grows_the_trees_of_lightgbm(by_lightgbm: Array) -> None:
    ranker = TreeRanker("lambdarank:GAP", epochs=TREES, **settings_of_ranker()).fit(TRAIN)
    assert ranker.score(VALID) == pytest.approx(by_lightgbm, abs=1e-10)


def test_lgbm_ranker_grows_the_trees_of_lightgbm(by_lightgbm: Array) -> None:
    pytest.importorskip("sklearn")
    ranker = lightgbm.LGBMRanker(objective=OBJECTIVE.ranker, n_estimators=TREES, **(LIGHTGBM | BINS))
    ranker.fit(TRAIN.X, TRAIN.grades, group=SIZES)
    assert ranker.predict(VALID.X) == pytest.approx(by_lightgbm, abs=1e-10)


def test_scikit_learn_s_way_grows_the_trees_of_lightgbm(by_lightgbm: Array) -> None:
    ranker = TreeRanker("lambdarank:GAP", epochs=TREES, **settings_of_ranker())
    ranker.fit(TRAIN.X, TRAIN.grades, group=SIZES)
    assert ranker.predict(VALID.X) == pytest.approx(by_lightgbm, abs=1e-10)


def test_dask_grows_the_trees_of_lightgbm(clients: Callable[[int], Any], by_lightgbm: Array) -> None:
    settings = {"leaves": 5, "learning_rate": 0.2, "l2": 0.5}
    ranker = fit(clients(2), partitions_of(TRAIN, [70]), rounds=TREES, **settings)
    assert ranker.score(VALID) == pytest.approx(by_lightgbm, abs=1e-10)


def test_dask_grows_the_trees_of_xgboost(clients: Callable[[int], Any], by_xgboost: Array) -> None:
    settings = {"leaves": 5, "learning_rate": 0.2, "l2": 0.5}
    ranker = fit(clients(2), partitions_of(TRAIN, [70]), rounds=TREES, engine="xgboost", **settings)
    assert ranker.score(VALID) == pytest.approx(by_xgboost, abs=1e-5)


def test_trees_of_xgboost_are_those_of_lightgbm_at_half_the_rate(by_xgboost: Array) -> None:
    """Its doubled hessians halve what a leaf is worth, and what lambda is beside them: eta 0.2 is a rate of 0.1."""
    data = lightgbm.Dataset(TRAIN.X, TRAIN.grades, group=SIZES, params=BINS)
    changes = {"learning_rate": 0.1, "lambda_l2": 0.25, "objective": OBJECTIVE}
    scores = lightgbm.train({**LIGHTGBM, **changes}, data, TREES).predict(VALID.X)
    assert np.corrcoef(scores, by_xgboost)[0, 1] > 0.999
    assert np.std(scores) == pytest.approx(np.std(by_xgboost), rel=0.02)
