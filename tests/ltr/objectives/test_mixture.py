"""Weighted sums of measures as objectives, against the same sum as one measure, every exchange of which is scored."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from gradeval import ERR, GAP, InputError, JudgedRankings, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.ltr import LambdaObjective, MixedObjective

LEVELS = (0.0, 1.0, 2.0)


def data() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(4)
    return rng.normal(size=60), rng.integers(0, 3, 60).astype(float), np.arange(0, 61, 10)


@pytest.fixture
def as_one_measure() -> Any:
    """0.25 GAP + 0.75 nDCG@5 as a measure of its own."""
    from gradeval import measure

    @measure
    def Blend(judged: JudgedRankings) -> Array:
        """A quarter of GAP and three quarters of nDCG@5."""
        return 0.25 * GAP(judged) + 0.75 * (nDCG @ 5)(judged)

    yield Blend
    del REGISTRY["Blend"]


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_gradients_are_those_of_the_sum_as_one_measure(as_one_measure: Any, sigma: float) -> None:
    scores, grades, offsets = data()
    mixed = MixedObjective("0.25*GAP + 0.75*nDCG@5", LEVELS, sigma=sigma)
    expected = LambdaObjective(as_one_measure, LEVELS, sigma=sigma).gradients(scores, grades, offsets)
    np.testing.assert_allclose(mixed.gradients(scores, grades, offsets), expected, rtol=1e-10, atol=1e-14)


def test_a_sum_of_one_is_that_measure() -> None:
    scores, grades, offsets = data()
    alone = LambdaObjective("ERR", LEVELS, draws=3).gradients(scores, grades, offsets)
    assert np.array_equal(MixedObjective("ERR", LEVELS, draws=3).gradients(scores, grades, offsets), alone)
    twice = MixedObjective("1.5*ERR + .5*ERR", LEVELS, draws=3).gradients(scores, grades, offsets)
    np.testing.assert_allclose(twice, 2 * np.array(alone), rtol=1e-12)


def test_engines_train_for_a_sum() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    grades = np.digitize(X[:, 0] + rng.normal(size=600), [0.5, 1.5]).astype(float)
    sizes = np.full(60, 10)
    objective = MixedObjective("0.5*GAP + 0.5*ERR", LEVELS, draws=5)
    settings = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5, "objective": objective}
    model = lightgbm.train(settings, lightgbm.Dataset(X, grades, group=sizes), 10)
    assert abs(np.corrcoef(model.predict(X), X[:, 0])[0, 1]) > 0.8
    same = copy.deepcopy(objective)
    matrix = xgboost.DMatrix(X, grades, qid=np.repeat(np.arange(60), 10))
    grown = xgboost.train({"min_child_weight": 0, "nthread": 1}, matrix, 10, obj=same)
    assert abs(np.corrcoef(grown.predict(matrix), X[:, 0])[0, 1]) > 0.8


def test_spellings() -> None:
    assert str(MixedObjective("GAP(g=[0.1,0.9])+ 2 * nDCG(dcg='exp-log2')@10", LEVELS).measures) == (
        "1*GAP(g=[0.1,0.9]) + 2*nDCG(dcg='exp-log2')@10"
    )
    assert [(weight, part.measure) for weight, part in MixedObjective("0.5*GAP+5e-1*ERR", LEVELS, draws=1).parts] == [
        (0.5, GAP),
        (0.5, ERR),
    ]
    for text, message in (
        ("0.5*GAP + ", "cannot read '' in '0.5.GAP . '"),
        ("0*GAP + ERR", r"cannot read '0\*GAP' in"),
        ("0.5*", r"cannot read the measure '0.5\*'"),
        ("0.5*GAPX + AP", "unknown measure 'GAPX'"),
    ):
        with pytest.raises(InputError, match=message):
            MixedObjective(text, LEVELS)
    with pytest.raises(InputError, match="position= is no option of a MixedObjective"):
        MixedObjective("GAP + AP", LEVELS, position=[1, 2])
