"""Data, options and scores that LambdaMART's objective refuses, in a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import GAP, InputError, SetP
from gradeval.ltr import LambdaObjective

GRADES = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("grades", "offsets", "message"),
    [
        ([0, -1, 1], [0, 3], "grade -1 is not one of the levels 0,1: declare"),
        ([0, float("nan"), 1], [0, 3], "the label of row 1 is nan: give a grade"),
        ([0, 1, 1], [0, 2], "the queries have 2 rows, the data has 3"),
        ([0, 1, 1], [0, 3, 2, 3], "offsets must ascend from 0"),
        ([0, 1, 1], [1, 3], "offsets must ascend from 0"),
        ([0, 0, 0], [0, 3], "nothing to learn: no exchange of two documents of a query changes GAP"),
        ([0, 1, 2], [0, 1, 2, 3], "nothing to learn"),
    ],
)
@pytest.mark.filterwarnings("ignore::gradeval.ltr.InferredLevelsWarning")
def test_data_without_anything_to_learn_is_a_clear_error(grades: list[float], offsets: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LambdaObjective(GAP).gradients(np.zeros(3), np.array(grades), np.array(offsets))


@pytest.mark.parametrize("truncation", [None, 1])
@pytest.mark.parametrize("measure", [GAP, "Bpref"])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_so_far_apart_that_hessians_underflow_are_no_lack_of_something_to_learn(
    sign: int, measure: Any, truncation: int | None
) -> None:
    scores, grades = sign * np.array([2e4, 1e4, 0.0]), np.array([2, 1, 0])
    objective = LambdaObjective(measure, levels=GRADES, truncation=truncation)
    gradient, hessian = objective.gradients(scores, grades, np.array([0, 3]))
    assert not hessian.any()
    assert gradient.any() == (sign < 0)  # pairs in the right order push no more, those in the wrong one do


def test_a_measure_of_sets_cannot_be_learnt() -> None:
    with pytest.raises(InputError, match="nothing to learn: no exchange of two documents of a query changes SetP"):
        LambdaObjective(SetP, levels=GRADES).gradients(np.zeros(3), np.array([0, 1, 2]), np.array([0, 3]))


def test_options_and_scores_that_make_no_sense_are_clear_errors() -> None:
    with pytest.raises(InputError, match="norm='yes' is not True or False"):
        LambdaObjective(GAP, norm="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown measure 'GAPP'"):
        LambdaObjective("GAPP")
    data = np.array([0.0, 1.0, 2.0]), np.array([0, 3])
    with pytest.raises(InputError, match="the score of row 1 is nan"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.array([0, np.nan, 1]), *data)
    with pytest.raises(InputError, match="give one of each for a row"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.zeros(2), *data)
    with pytest.raises(InputError, match="grade 2 is not one of the levels 0,1"):
        LambdaObjective(GAP, levels=(0, 1)).gradients(np.zeros(3), *data)


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
