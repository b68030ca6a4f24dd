"""Parameters of LightGBM that a TreeRanker passes on: they act, and those that would break its promises are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Features, InputError

lightgbm = pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from gradeval.ltr import LambdaObjective, TreeRanker, load_ranker


def ranker(**params: Any) -> TreeRanker:
    return TreeRanker(
        "lambdarank:GAP", epochs=8, min_rows=2, leaves=4, subsample=1.0, learning_rate=0.2, engine_params=params
    )


def test_the_trees_are_those_of_the_engine_with_these_parameters() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    grades = np.digitize(X[:, 0] + rng.normal(size=400), [0, 1]).astype(float)  # something to learn in every query
    train = Features.from_arrays(X, grades, sizes=np.full(20, 20))
    params: dict[str, Any] = {"feature_fraction": 0.5, "max_bin": 15, "lambda_l1": 0.0001, "max_depth": 2, "seed": 0}
    shape = {"learning_rate": 0.2, "num_leaves": 4, "min_data_in_leaf": 2, "verbosity": -1, "deterministic": True}
    bins = {"min_data_in_bin": 1, "feature_pre_filter": False, "verbosity": -1, "max_bin": 15}
    data = lightgbm.Dataset(train.X[:], train.grades, group=np.diff(train.offsets), params=bins)
    objective = LambdaObjective("GAP", train.levels)
    plain = lightgbm.train({**shape, **params, "objective": objective, "force_row_wise": True}, data, 8)
    del params["seed"]
    ours = ranker(**params).fit(train)
    np.testing.assert_allclose(ours.score(train), plain.predict(train.X[:]), atol=1e-10)
    assert not np.array_equal(ours.score(train), ranker().fit(train).score(train))
    np.testing.assert_array_equal(ours.booster.predict(train.X[:]), ours.score(train))


def test_scores_rise_where_they_must(train: Features) -> None:
    columns = len(train.columns)
    rising = ranker(monotone_constraints=[1] * columns).fit(train)
    X = np.repeat(np.median(train.X[:], axis=0)[None], 50, axis=0)
    for column in range(columns):
        moved = X.copy()
        moved[:, column] = np.linspace(train.X[:, column].min(), train.X[:, column].max(), 50)
        assert (np.diff(rising.booster.predict(moved)) >= 0).all()


def test_a_saved_model_knows_them(train: Features, tmp_path: Path) -> None:
    ranker(reg_alpha=0.01).fit(train).save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert isinstance(loaded, TreeRanker)
    assert loaded.engine_params == {"lambda_l1": 0.01}
    assert loaded.booster.num_trees() == 8


def test_a_training_goes_on_to_the_same_trees_unless_there_is_chance(train: Features, tmp_path: Path) -> None:
    def interrupt(epoch: Any) -> None:
        if epoch.number == 3:
            raise KeyboardInterrupt

    for params, place in (({"max_bin": 15}, tmp_path / "a"), ({"feature_fraction": 0.5}, tmp_path / "b")):
        with pytest.raises(KeyboardInterrupt):
            ranker(**params).fit(train, checkpoint=place, progress=interrupt)
    resumed = ranker(max_bin=15).fit(train, checkpoint=tmp_path / "a", resume=True)
    assert resumed.text == ranker(max_bin=15).fit(train).text
    with pytest.raises(InputError, match="with feature_fraction a resumed training would grow other trees"):
        ranker(feature_fraction=0.5).fit(train, checkpoint=tmp_path / "b", resume=True)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"eta": 0.1}, "eta is learning_rate of a TreeRanker: give that"),
        ({"max_leaves": 3}, "max_leaves is leaves of a TreeRanker"),
        ({"boosting": "dart"}, "boosting is not passed on: a TreeRanker adds trees"),
        ({"feature_fractoin": 0.5}, "LightGBM has no parameter 'feature_fractoin'"),
        ({"monotone_constraints": np.array([1, 0])}, "engine_params: give numbers, words"),
    ],
)
def test_what_is_not_passed_on_is_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ranker(**params)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"max_bin": 1}, r"max_bin=1: Check failed: \(max_bin\) > \(1\)$"),
        ({"monotone_constraints": [1], "lambda_l1": 0.1}, r"monotone_constraints=\[1\]: "),
        ({"max_depth": "abc"}, "max_depth='abc': Parameter max_depth should be of type int"),
        ({"feature_fraction": 2.0, "max_depth": 3}, "feature_fraction=2.0: "),
        ({"tree_learner": "foo", "max_depth": 3}, "tree_learner='foo', max_depth=3: Unknown tree learner type foo"),
    ],
)
def test_what_the_engine_refuses_is_named(train: Features, params: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match="^engine_params: LightGBM does not take " + named):
        ranker(**params).fit(train)


def test_what_are_no_parameters_is_refused() -> None:
    with pytest.raises(InputError, match="are not parameters by name"):
        TreeRanker("lambdarank:GAP", engine_params=[1])
    with pytest.raises(InputError, match="is not trained"):
        _ = ranker().booster
