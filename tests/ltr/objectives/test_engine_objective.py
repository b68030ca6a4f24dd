"""What LightGBM and XGBoost hand to an objective: refused, honoured or warned of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import GAP, InputError
from gradeval.ltr import LambdaObjective, feval
from gradeval.warning_categories import ObjectiveWarning

GRADES = (0, 1, 2, 3)


def test_data_sets_without_queries_are_clear_errors() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    train = graded_features(20)
    features, grades = train.X, train.grades
    with pytest.raises(InputError, match="the LightGBM Dataset has no groups"):
        lightgbm.train(
            {"objective": LambdaObjective(GAP, levels=GRADES), "verbose": -1}, lightgbm.Dataset(features, grades), 1
        )
    with pytest.raises(InputError, match="the XGBoost DMatrix has no groups"):
        xgboost.train({"nthread": 1}, xgboost.DMatrix(features, grades), 1, obj=LambdaObjective(GAP, levels=GRADES))


def small_dataset(lightgbm: Any, **fields: Any) -> Any:
    train = graded_features(20)
    return lightgbm.Dataset(train.X, train.grades, group=np.diff(train.offsets), **fields)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"lambdarank_truncation_level": 10}, r"truncation= to the LambdaObjective"),
        ({"lambdarank_norm": False}, "norm= to the LambdaObjective"),
        ({"sigmoid": 2.0}, "sigma= to the LambdaObjective"),
        ({"label_gain": [0, 1, 3, 7]}, "label_gain is of LightGBM's own"),
        ({"lambdarank_position_bias_regularization": 0.5}, "with position="),
    ],
)
def test_parameters_of_lightgbm_s_own_ranking_are_not_passed_over(parameters: dict[str, Any], said: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    settings = {"objective": LambdaObjective(GAP, levels=GRADES), "verbose": -1, **parameters}
    with pytest.raises(InputError, match=said):
        lightgbm.train(settings, small_dataset(lightgbm), 1)


def test_gains_of_lightgbm_s_metric_are_not_those_of_the_objective() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    settings = {"objective": LambdaObjective(GAP, levels=GRADES), "verbose": -1}
    data = small_dataset(lightgbm)
    lightgbm.train({**settings, "label_gain": [0, 1, 3, 7], "metric": "ndcg"}, data, 1)


@pytest.mark.parametrize("field", ["label_lower_bound", "label_upper_bound"])
def test_bounds_of_labels_are_not_passed_over(field: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    train = graded_features(20)
    data = xgboost.DMatrix(train.X, train.grades, qid=np.repeat(np.arange(20), np.diff(train.offsets)))
    data.set_info(**{field: train.grades})
    with pytest.raises(InputError, match=f"has {field}=, which no ranking objective honours"):
        xgboost.train({"nthread": 1}, data, 1, obj=LambdaObjective(GAP, levels=GRADES))


@pytest.mark.parametrize("field", ["init_score", "base_margin"])
def test_start_values_are_honoured(field: str) -> None:
    train, seen = graded_features(20), []

    class Watching(LambdaObjective):
        def gradients(self, scores: Any, *others: Any) -> Any:
            seen.append(np.array(scores))
            return super().gradients(scores, *others)

    objective, start = Watching(GAP, levels=GRADES), np.linspace(0, 1, len(train))
    if field == "init_score":
        lightgbm = pytest.importorskip("lightgbm")
        lightgbm.train({"objective": objective, "verbose": -1}, small_dataset(lightgbm, init_score=start), 1)
    else:
        xgboost = pytest.importorskip("xgboost")
        data = xgboost.DMatrix(train.X, train.grades, qid=np.repeat(np.arange(20), np.diff(train.offsets)))
        data.set_base_margin(start)
        xgboost.train({"nthread": 1}, data, 1, obj=objective)
    np.testing.assert_allclose(seen[0], start, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "stops", "warned"),
    [({}, True, True), ({"metric": "None"}, True, False), ({"metric": "ndcg"}, True, False), ({}, False, False)],
)
def test_lgbmranker_that_stops_by_its_own_ndcg_is_warned_of(given: dict[str, str], stops: bool, warned: bool) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    X, y, sizes = rng.normal(size=(200, 2)), rng.integers(0, 3, 200), [20] * 10
    model = lightgbm.LGBMRanker(
        objective=LambdaObjective("GAP", (0, 1, 2)).ranker, n_estimators=4, verbosity=-1, num_threads=1, **given
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(
            X,
            y,
            group=sizes,
            eval_X=X,
            eval_y=y,
            eval_group=[sizes],
            eval_metric=feval("GAP", levels=(0, 1, 2)).ranker,
            callbacks=[lightgbm.early_stopping(2, verbose=False)] if stops else [],
        )
    found = [str(one.message) for one in said if one.category is ObjectiveWarning]
    assert len(found) == warned
    assert all("stops early by LightGBM's own ndcg, too" in one for one in found)
    names = set(next(iter(model.evals_result_.values())))
    assert ("GAP" in names, len(names) > 1) == (True, given.get("metric") != "None")
