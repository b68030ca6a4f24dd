"""The levels of the collection: declared, or taken from labels with a warning, and never from a part of them."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import ERR, GAP, RBP, InputError, Measure, eGAP
from gradeval.ltr import InferredLevelsWarning, LambdaObjective

WHOLE = np.array([0, 2, 1, 0, 1, 4, 0, 3]), np.array([0, 4, 8])
"""Two queries of a collection with the grades 0 to 4; the first has nothing above 2."""


@pytest.mark.parametrize("measure", [ERR, GAP, RBP, eGAP], ids=str)
def test_a_part_without_the_best_grade_has_the_gradients_of_the_whole(measure: Measure) -> None:
    grades, offsets = WHOLE
    scores = np.random.default_rng(0).normal(size=8)
    objective = LambdaObjective(measure, levels=range(5))
    whole, _ = objective.gradients(scores, grades, offsets)
    part, _ = objective.gradients(scores[:4], grades[:4], offsets[:2])
    np.testing.assert_allclose(part, whole[:4], rtol=1e-12)


def test_levels_taken_from_labels_that_lack_the_best_grade_mislead_and_are_warned_of() -> None:
    grades, offsets = WHOLE
    scores = np.random.default_rng(0).normal(size=8)
    declared, _ = LambdaObjective(ERR, levels=range(5)).gradients(scores[:4], grades[:4], offsets[:2])
    with pytest.warns(
        InferredLevelsWarning, match=r"taken to be 0,1,2, .* as in LambdaObjective\(ERR, levels=\(0,1,2\)\)"
    ):
        inferred, _ = LambdaObjective(ERR).gradients(scores[:4], grades[:4], offsets[:2])
    assert np.abs(inferred).max() > 2 * np.abs(declared).max()


def test_levels_are_warned_of_once_for_a_training() -> None:
    objective = LambdaObjective(ERR)
    with pytest.warns(InferredLevelsWarning):
        objective.gradients(np.zeros(8), *WHOLE)
    objective.gradients(np.ones(8), *WHOLE)  # a second warning would be an error here


def test_levels_must_be_declared_where_xgboost_trains_on_several_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    xgboost = pytest.importorskip("xgboost")
    monkeypatch.setattr(xgboost.collective, "get_world_size", lambda: 2)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR).gradients(np.zeros(8), *WHOLE)
    LambdaObjective(ERR, levels=range(5)).gradients(np.zeros(8), *WHOLE)


@pytest.mark.parametrize("parameters", [{"num_machines": 2}, {"machines": "a:1,b:1"}], ids=str)
def test_levels_must_be_declared_where_lightgbm_trains_on_several_machines(parameters: dict[str, Any]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train = graded_features(20)
    features, grades, sizes = train.X, train.grades, np.diff(train.offsets)
    data = lightgbm.Dataset(features, grades, group=sizes, params=parameters)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR)(np.zeros(len(grades)), data)


def test_levels_of_a_single_machine_are_warned_of_only() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train = graded_features(20)
    features, grades, sizes = train.X, train.grades, np.diff(train.offsets)
    data = lightgbm.Dataset(features, grades, group=sizes, params={"num_machines": 1, "machines": ""})
    with pytest.warns(InferredLevelsWarning):
        LambdaObjective(ERR)(np.zeros(len(grades)), data.construct())


def test_levels_must_be_declared_on_a_dask_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """LightGBM's rankers for Dask call the objective without their data set."""
    grades, offsets = WHOLE
    dask = SimpleNamespace(get_worker=lambda: "a worker")
    monkeypatch.setitem(sys.modules, "distributed", dask)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR).ranker(grades, np.zeros(8), None, np.diff(offsets))
