"""The levels of the collection: declared, or taken from labels with a warning, and never from a part of them."""

from __future__ import annotations

import sys
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import AP, ERR, GAP, RBP, InputError, Measure, P, eGAP
from gradeval.ltr import InferredLevelsWarning, LambdaObjective, LinearRanker, TreeRanker

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


@pytest.mark.parametrize(("measure", "kept"), [(AP, 1.0), (AP(rel=2), 2.0), (P @ 5, 1.0)], ids=str)
def test_measurements_are_to_a_measure_with_a_threshold_what_it_makes_of_them(measure: Measure, kept: float) -> None:
    """3,000 grades of their own: by the measure, those from its threshold on are relevant, and the others are not."""
    rng = np.random.default_rng(0)
    grades, scores, offsets = rng.gamma(1.5, size=3000), rng.normal(size=3000), np.arange(0, 3001, 30)
    levels = (0.0, *np.sort(grades).tolist())
    binary = LambdaObjective(measure, levels=(0, kept))
    two = binary.gradients(scores, kept * (grades >= kept), offsets)
    many = LambdaObjective(measure, levels=levels).gradients(scores, grades, offsets)
    for mine, theirs in zip(many, two, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)


def test_ndcg_of_measurements_is_lightgbms_pairs_by_the_definition() -> None:
    """Places as labels: every document of its own grade; the swap of each pair is written out."""
    rng = np.random.default_rng(1)
    grades, scores = rng.permutation(2000)[:40].astype(float) / 7, rng.normal(size=40)
    gradient, _ = LambdaObjective("nDCG", levels=(0, *np.unique(grades[grades > 0])), norm=False).gradients(
        scores, grades, np.array([0, 40])
    )
    rank = np.argsort(np.argsort(-scores)) + 1
    discount = 1 / np.log2(1 + rank)
    ideal = float((np.sort(grades)[::-1] / np.log2(np.arange(2, 42))).sum())
    expected = np.zeros(40)
    for i, j in product(range(40), range(40)):
        if grades[i] > grades[j]:
            change = abs((grades[i] - grades[j]) * (discount[i] - discount[j])) / ideal
            push = change / (1 + np.exp(scores[i] - scores[j]))
            expected[i] -= push
            expected[j] += push
    np.testing.assert_allclose(gradient, expected, rtol=1e-10)


@pytest.mark.parametrize("ranker", [TreeRanker, LinearRanker], ids=lambda kind: kind.__name__)
def test_too_many_grades_for_a_training_are_named_with_what_helps(ranker: type[TreeRanker | LinearRanker]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 2)), rng.gamma(1.5, size=4000)
    with pytest.raises(InputError, match=r"^training data: GAP compares .* 4,001 different grades .* recode .* nDCG$"):
        ranker("GAP", epochs=1).fit(X, y, group=[40] * 100)
    assert ranker("AP", epochs=1).fit(X, y, group=[40] * 100).predict(X).shape == (4000,)


def test_many_levels_are_shown_by_their_ends() -> None:
    with pytest.warns(InferredLevelsWarning, match=r"taken to be 0,0\.\S+,\.\.\.,\S+ \(2,001 in all\), from"):
        LambdaObjective("nDCG").gradients(np.zeros(2000), np.random.default_rng(0).random(2000), np.array([0, 2000]))
