"""Trees learn any measure."""

from __future__ import annotations

import numpy as np
import pytest
from small_trees import SHAPES, TEST, TRAIN, VALID, needs_catboost, ranker

from gradeval import InputError, evaluate

pytest.importorskip("lightgbm")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "GAP(g=[0.5,0.5])", "xGAP", "eGAP", "Q", "ERR", "RBP"])
def test_trees_learn_any_measure(shape: str, measure: str) -> None:
    trained = ranker(shape=shape, objective=f"lambdarank:{measure}").fit(TRAIN, VALID)
    runs = [TEST.run(trained.score(TEST), name="trained"), TEST.run(np.zeros(len(TEST)), name="file order")]
    trained_mean, random_mean = evaluate(TEST.qrels, runs, measure, ties="expected").mean()[:, 0]
    assert trained_mean > random_mean + 0.1


EVERY = [{"l2": 1.0}, {"norm": False}, {"learning_rate": 0.1}, {"seed": 1}, {"subsample": 1.0}]
OF_LEAF_WISE = [{"leaves": 3}, {"min_rows": 40}, {"engine_params": {"max_bin": 7}}]
OF_SYMMETRIC = [{"leaves": 4}, {"engine_params": {"border_count": 7}}, {"engine_params": {"rsm": 0.5}}]


@pytest.mark.parametrize(
    ("shape", "changes"),
    [("leaf-wise", changes) for changes in [*EVERY, *OF_LEAF_WISE]]
    + [pytest.param("symmetric", changes, marks=needs_catboost) for changes in [*EVERY, *OF_SYMMETRIC]],
)
def test_every_parameter_acts(shape: str, changes: dict[str, object]) -> None:
    plain, changed = ranker(shape=shape), ranker(shape=shape, **changes)
    assert not np.array_equal(changed.fit(TRAIN, VALID).score(TEST), plain.fit(TRAIN, VALID).score(TEST))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": "softrank:AP"}, "trees do not learn by softrank, as .* positive; write 'lambdarank:AP'"),
        ({"leaves": 200_000}, "leaves=200000 is not a whole number from 2 to 131072"),
        ({"norm": "yes"}, "norm='yes' is not True or False"),
        ({"shape": "oblivious"}, "shape='oblivious' is not 'leaf-wise' or 'symmetric'"),
        ({"shape": "symmetric", "min_rows": 5}, "min_rows=5 is for leaf-wise trees: leave it out; l2 smooths leaves"),
        ({"shape": "symmetric", "leaves": 100_000}, "leaves=100000 is more than the 65,536 of a symmetric tree"),
        ({"shape": "symmetric", "categorical": ["1"]}, "categorical: symmetric trees take numbers"),
        (
            {"shape": "symmetric", "engine_params": {"depth": 3}},
            "engine_params: symmetric trees take no 'depth'; of CatBoost's they take border_count, ",
        ),
        ({"subsample": 1.5}, "subsample=1.5 is not a number above 0, up to 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ranker(**changes)
