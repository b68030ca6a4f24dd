"""Any measure as a validation metric, called by the real engines: the values are those of evaluate."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, ObjectiveWarning, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, feval

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

LEVELS = (0, 1, 2)
TRAIN, VALID = graded_features(20), graded_features(15, seed=1, prefix="v")
MEASURES = ["GAP(g=[0.5,0.5])", "nDCG(dcg='exp-log2')@5", "AP(rel=2)", "ERR@10"]
EMPTY = ["zero", "one", "skip"]
LIGHT = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 2, "deterministic": True, "metric": "None"}
XGB = {"min_child_weight": 0, "nthread": 1, "disable_default_eval_metric": True}


def evaluated(features: Features, scores: Array, measure: str, empty: Any = "zero") -> float:
    """The mean that evaluate computes for a run with these scores."""
    qrels = features.qrels.with_levels(LEVELS)
    return float(evaluate(qrels, features.run(scores), measure, ties="expected", empty=empty).mean()[0, 0])


def sizes(features: Features) -> Array:
    return np.diff(features.offsets)


def light_data(features: Features, reference: Any = None) -> Any:
    return lightgbm.Dataset(features.X, features.grades, group=sizes(features), reference=reference)


def xgb_data(features: Features) -> Any:
    data = xgboost.DMatrix(features.X, features.grades)
    data.set_group(sizes(features))
    return data


def test_some_validation_topics_have_nothing_relevant() -> None:
    top = np.maximum.reduceat(VALID.grades, VALID.offsets[:-1])
    assert (top == 0).any() or (top < 2).any()  # so that empty="one" differs for AP(rel=2)


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("measure", MEASURES)
def test_lightgbm_is_told_evaluates_value_after_every_tree(measure: str, empty: Any) -> None:
    record: dict[str, Any] = {}
    data = light_data(TRAIN)
    model = lightgbm.train(
        {**LIGHT, "objective": LambdaObjective(measure, levels=LEVELS)},
        data,
        3,
        valid_sets=[data, light_data(VALID, data)],
        valid_names=["train", "valid"],
        feval=feval(measure, levels=LEVELS, empty=empty),
        callbacks=[lightgbm.record_evaluation(record)],
    )
    (name,) = record["valid"]
    for features, part in ((TRAIN, "train"), (VALID, "valid")):
        expected = [evaluated(features, model.predict(features.X, num_iteration=n), name, empty) for n in (1, 2, 3)]
        assert record[part][name] == pytest.approx(expected, rel=1e-14)


def test_lightgbm_stops_where_the_measure_stops_to_improve() -> None:
    data = light_data(graded_features(100))
    record: dict[str, Any] = {}
    model = lightgbm.train(
        {**LIGHT, "objective": LambdaObjective("GAP", levels=LEVELS), "learning_rate": 0.3},
        data,
        60,
        valid_sets=[light_data(VALID, data)],
        feval=feval("GAP"),
        callbacks=[lightgbm.early_stopping(5, verbose=False), lightgbm.record_evaluation(record)],
    )
    values = record["valid_0"]["GAP"]
    assert len(values) == model.best_iteration + 5 < 60
    assert model.best_iteration == np.argmax(values) + 1
    assert model.best_score["valid_0"]["GAP"] == max(values)


def test_lightgbms_ranker_takes_the_metric() -> None:
    ranker = lightgbm.LGBMRanker(
        objective=LambdaObjective("GAP", levels=LEVELS).ranker, n_estimators=3, min_child_samples=2, verbosity=-1
    )
    ranker.fit(
        TRAIN.X,
        TRAIN.grades,
        group=sizes(TRAIN),
        eval_X=VALID.X,
        eval_y=VALID.grades,
        eval_group=[sizes(VALID)],
        eval_metric=feval("GAP").ranker,
    )
    scores = ranker.booster_.predict(VALID.X)
    assert ranker.evals_result_["valid_0"]["GAP"][-1] == pytest.approx(evaluated(VALID, scores, "GAP"), rel=1e-14)


@pytest.mark.parametrize("measure", MEASURES)
def test_xgboost_is_told_evaluates_value_after_every_tree(measure: str) -> None:
    record: dict[str, Any] = {}
    data, valid = xgb_data(TRAIN), xgb_data(VALID)
    metric, told = feval(measure, levels=LEVELS), []

    def note_value(predictions: Array, matrix: Any) -> Any:
        told.append(metric(predictions, matrix))
        return told[-1]

    model = xgboost.train(
        XGB,
        data,
        3,
        evals=[(data, "train"), (valid, "valid")],
        obj=LambdaObjective(measure, levels=LEVELS),
        custom_metric=note_value,
        evals_result=record,
        verbose_eval=False,
    )
    expected = [
        evaluated(features, model.predict(matrix, iteration_range=(0, n), output_margin=True), measure)
        for n in (1, 2, 3)
        for features, matrix in ((TRAIN, data), (VALID, valid))
    ]
    assert [value for _, value in told] == pytest.approx(expected, rel=1e-14)
    (name,) = {name for name, _ in told}
    assert record["valid"][name] == pytest.approx(expected[1::2], abs=5.1e-7)  # XGBoost keeps six decimals


def test_xgboost_stops_where_the_measure_stops_to_improve() -> None:
    record: dict[str, Any] = {}
    model = xgboost.train(
        {**XGB, "eta": 0.5},
        xgb_data(TRAIN),
        60,
        evals=[(xgb_data(VALID), "valid")],
        obj=LambdaObjective("GAP", levels=LEVELS),
        custom_metric=feval("GAP"),
        evals_result=record,
        verbose_eval=False,
        callbacks=[xgboost.callback.EarlyStopping(rounds=5, maximize=True)],
    )
    values = record["valid"]["GAP"]
    assert len(values) < 60
    assert model.best_iteration == np.argmax(values)
    assert model.best_score == max(values)


def test_xgboosts_ranker_averages_by_the_number_of_documents() -> None:
    metric = feval("GAP", levels=LEVELS)
    ranker = xgboost.XGBRanker(n_estimators=2, eval_metric=metric.by_query, n_jobs=1)
    queries = np.repeat(np.arange(len(VALID.topics)), sizes(VALID))
    train_queries = np.repeat(np.arange(len(TRAIN.topics)), sizes(TRAIN))
    ranker.fit(
        TRAIN.X, TRAIN.grades, qid=train_queries, eval_set=[(VALID.X, VALID.grades)], eval_qid=[queries], verbose=False
    )
    qrels = VALID.qrels.with_levels(LEVELS)
    values = evaluate(qrels, VALID.run(ranker.predict(VALID.X)), "GAP", ties="expected").values[0, :, 0]
    recorded = ranker.evals_result()["validation_0"]["GAP"]
    assert recorded[-1] == pytest.approx(np.average(values, weights=sizes(VALID)), abs=5.1e-7)
    with pytest.raises(InputError, match="declare them"):
        feval("GAP").by_query(VALID.grades, VALID.grades)


def fit_xgboosts_ranker(**how: Any) -> Any:
    queries = [np.repeat(np.arange(len(each.topics)), sizes(each)) for each in (TRAIN, VALID)]
    ranker = xgboost.XGBRanker(
        n_estimators=30, learning_rate=0.5, eval_metric=feval("GAP", levels=LEVELS).by_query, n_jobs=1, **how
    )
    valid = {"eval_set": [(VALID.X, VALID.grades)], "eval_qid": [queries[1]], "verbose": False}
    return ranker.fit(TRAIN.X, TRAIN.grades, qid=queries[0], **valid)


def train_xgboost(**how: Any) -> Any:
    metric = {"custom_metric": feval("GAP", levels=LEVELS), "verbose_eval": False}
    return xgboost.train({**XGB, "eta": 0.5}, xgb_data(TRAIN), 30, evals=[(xgb_data(VALID), "valid")], **metric, **how)


@pytest.mark.parametrize("train", [fit_xgboosts_ranker, train_xgboost])
def test_xgboost_warns_once_before_it_stops_by_the_lowest_value(train: Any) -> None:
    with pytest.warns(ObjectiveWarning, match="maximize=True") as told:
        train(early_stopping_rounds=5)
    assert len(told) == 1


@pytest.mark.parametrize("train", [fit_xgboosts_ranker, train_xgboost])
def test_xgboost_keeps_the_best_value_where_it_is_told_to_maximise(train: Any) -> None:
    stops = xgboost.callback.EarlyStopping(rounds=5, maximize=True, save_best=True)
    model = train(callbacks=[stops])  # no warning, which would be an error
    values = next(iter(stops.stopping_history.values()))["GAP"]
    assert model.best_iteration == np.argmax(values)
    assert model.best_score == pytest.approx(max(values))


def test_levels_are_those_of_the_data_unless_declared() -> None:
    grades, offsets, scores = np.array([1.0, 0, 1]), np.array([0, 3]), np.array([0.1, 0.3, 0.2])
    assert feval("ERR").mean(scores, grades, offsets) != feval("ERR", levels=LEVELS).mean(scores, grades, offsets)


def test_a_copy_leaves_the_data_behind_and_gives_the_same_value() -> None:
    metric = feval("GAP")
    scores = VALID.X[:, 0]
    value = metric.mean(scores, VALID.grades, VALID.offsets)
    for copied in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert copied == metric
        assert copied._prepared == []
        assert copied.mean(scores, VALID.grades, VALID.offsets) == value


def test_errors_say_what_is_missing() -> None:
    metric = feval("GAP")
    booster = lightgbm.train({**LIGHT, "objective": "regression"}, lightgbm.Dataset(TRAIN.X, TRAIN.grades), 1)
    with pytest.raises(InputError, match="no groups"):
        metric(booster.predict(VALID.X), lightgbm.Dataset(VALID.X, VALID.grades).construct())
    with pytest.raises(InputError, match="no groups"):
        metric(VALID.grades, xgboost.DMatrix(VALID.X, VALID.grades))
    with pytest.raises(InputError, match=r"\.ranker"):
        metric(VALID.grades, VALID.grades)
    with pytest.raises(InputError, match="diverged"):
        metric.mean(np.full(len(VALID), np.nan), VALID.grades, VALID.offsets)
    with pytest.raises(InputError, match="one for each"):
        metric.mean(np.zeros(2), VALID.grades, VALID.offsets)
    with pytest.raises(InputError, match="empty='none'"):
        feval("GAP", empty="none")
