"""Symmetric trees of CatBoost: their leaves are Newton's, their splits the best, for any objective."""

from __future__ import annotations

import itertools
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_trees import GAP, TEST, TRAIN, VALID, ranker

from gradeval import Features, FeaturesWarning, InputError, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import Objective, TreeRanker, feature_importance, load_ranker
from gradeval.ltr.objectives.objective import METHODS

catboost = pytest.importorskip("catboost")
pytest.importorskip("lightgbm")


def symmetric(**changes: Any) -> TreeRanker:
    return ranker(shape="symmetric", **changes)


def whole_numbers(seed: int, queries: int = 15) -> Features:
    """Features with six values each, or none, so that all borders are known: between them, and below for NaN."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (20 * queries, 4)).astype(np.float32)
    grades = np.clip(np.round(X[:, 0] / 2 - X[:, 1] / 3 + rng.normal(size=len(X))), 0, 2)
    X[rng.random(X.shape) < 0.1] = np.nan
    return Features.from_arrays(X, grades, sizes=[20] * queries)


def newton(train: Features, objective: Any, trained: TreeRanker, weights: Any) -> Array:
    """The scores of the training rows by the literal definition: each level takes the border, of all features, that
    makes the sum over leaves of G^2 / (H + l2) the largest; NaN is below all numbers."""
    X, scores = np.nan_to_num(train.X, nan=-1.0), np.zeros(len(train))
    borders = [*itertools.product(range(X.shape[1]), np.arange(-0.5, 5))]
    depth = (trained.leaves or 16).bit_length() - 1
    for _ in range(trained.best):
        (g, h), _ = objective.gradients_and_values(scores, train.grades, train.offsets, weights)
        l2 = 3 * h.mean() if trained.l2 is None else trained.l2
        leaf = np.zeros(len(X), int)
        for _ in range(depth):
            tried = [2 * leaf + (X[:, feature] > border) for feature, border in borders]
            leaf = max(tried, key=lambda leaf: _sums(leaf, g, h, l2, 2**depth)[1])
        scores -= trained.learning_rate * _sums(leaf, g, h, l2, 2**depth)[0][leaf]
    return scores


def _sums(leaf: Array, g: Array, h: Array, l2: float, leaves: int) -> tuple[Array, float]:
    """G / (H + l2) of each leaf, and the sum of G^2 / (H + l2)."""
    G, H = np.bincount(leaf, g, leaves), np.bincount(leaf, h, leaves)
    ratio = np.divide(G, H + l2, out=np.zeros(leaves), where=H + l2 > 0)
    return ratio, float((G * ratio).sum())


@pytest.mark.parametrize(
    ("objective", "settings"),
    [
        ("lambdarank:GAP", {"epochs": 1}),
        ("lambdarank:GAP", {"epochs": 4}),
        (Objective.parse("lambdarank:ERR", draws=5, sigma=4.0), {"epochs": 1, "l2": 0.01}),
        ("lambdarank:nDCG@5", {"epochs": 4, "norm": True, "l2": 0.5, "learning_rate": 1.0}),
        ("listnet", {"epochs": 3, "leaves": 4}),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_trees_are_newtons(objective: Any, settings: dict[str, Any], weighted: bool) -> None:
    train, parsed = whole_numbers(3), Objective.parse(objective)
    weights = np.random.default_rng(1).integers(0, 3, len(train)).astype(float) if weighted else None  # some are 0
    trained = symmetric(objective=objective, subsample=1.0, **settings).fit(train, sample_weight=weights)
    boosting = import_module(str(METHODS[parsed.method].trees))
    expected = newton(train, boosting.boost(parsed, train.levels, trained.norm, 1), trained, weights)
    single = 1e-8 if settings["epochs"] == 1 else 1e-7  # CatBoost keeps weights and targets in single precision
    np.testing.assert_allclose(trained.score(train), expected, rtol=0, atol=single * max(1, np.abs(expected).max()))


def test_a_level_has_one_split_and_a_tree_so_many_leaves(tmp_path: Path) -> None:
    for leaves, most in ((None, 16), (8, 8), (15, 8), (2, 2)):
        trained = symmetric(leaves=leaves, epochs=2).fit(TRAIN)
        trained.booster.save_model(tmp_path / "trees.json", format="json")
        for tree in json.loads((tmp_path / "trees.json").read_text())["oblivious_trees"]:
            assert len(tree["leaf_values"]) == 2 ** len(tree["splits"]) == most


def test_missing_values_are_below_all_numbers_or_above() -> None:
    train = whole_numbers(5)
    low = symmetric(epochs=5).fit(train)
    high = symmetric(epochs=5, engine_params={"nan_mode": "Max"}).fit(train)
    filled = [
        Features.from_arrays(np.nan_to_num(train.X, nan=value), train.grades, sizes=[20] * 15) for value in (-9, 9)
    ]
    for trained, one in zip((low, high), filled, strict=True):
        np.testing.assert_allclose(symmetric(epochs=5).fit(one).score(one), trained.score(train), atol=1e-12)
    never = symmetric(epochs=3).fit(TRAIN)  # no value is missing there
    assert np.isfinite(never.predict(np.full((2, 6), np.nan))).all()


def test_scores_rise_where_they_must() -> None:
    rising = symmetric(engine_params={"monotone_constraints": [1, -1, 1, 0, 0, 0]}).fit(TRAIN)
    for column, sign in ((0, 1), (1, -1), (2, 1)):
        X = np.repeat(TEST.X[:50], 40, axis=0)
        X[:, column] = np.tile(np.linspace(-3, 3, 40), 50)
        assert (sign * np.diff(rising.predict(X).reshape(50, 40), axis=1) >= 0).all()


def test_a_saved_model_is_catboosts_own_and_what_it_was(tmp_path: Path) -> None:
    trained = symmetric().fit(TRAIN, VALID)
    trained.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["card.json", "trees.cbm"]
    loaded, theirs = load_ranker(tmp_path / "model"), catboost.CatBoost().load_model(tmp_path / "model/trees.cbm")
    assert isinstance(loaded, TreeRanker)
    assert (loaded.curve, loaded.best, loaded.card) == (trained.curve, trained.best, trained.card)
    assert theirs.tree_count_ == trained.best < len(trained.curve)
    for scores in (loaded.score(TEST), theirs.predict(TEST.X)):
        np.testing.assert_array_equal(scores, trained.score(TEST))
    assert loaded.contributions(TEST).tobytes() == trained.contributions(TEST).tobytes()
    assert str(loaded.importances()) == str(trained.importances())
    assert trained.card is not None
    assert "catboost" in trained.card.versions
    assert "lightgbm" not in trained.card.versions


def test_what_it_looks_at_is_told() -> None:
    trained = symmetric(subsample=1.0).fit(TRAIN, VALID)
    np.testing.assert_allclose(trained.contributions(TEST).sum(1), trained.score(TEST), atol=1e-10)
    importances = trained.importances()
    assert importances["split"].sum() == 3 * trained.best  # eight leaves
    assert importances["change"].sum() == pytest.approx(100)
    assert set(np.argsort(-importances["change"])[:2]) == {0, 1}  # the grades follow them
    table = str(feature_importance(trained, TEST, samples=2))
    assert all(word in table for word in ("change", "split", "mean |SHAP|", "lost"))


def test_a_feature_that_no_split_takes_has_no_importance() -> None:
    X = np.column_stack([TRAIN.X[:, :2], np.ones(len(TRAIN)), np.full(len(TRAIN), np.nan)])
    trained = symmetric(epochs=3).fit(Features.from_arrays(X, TRAIN.grades, sizes=[20] * 12))
    assert [kind[2:].tolist() for kind in trained.importances().values()] == [[0, 0], [0, 0]]


def test_clicks_are_corrected_by_position() -> None:
    shown = np.tile(np.arange(1, 21), 12)
    clicks = TRAIN.with_grades((TRAIN.grades > 0) & (np.random.default_rng(0).random(len(TRAIN)) < 1 / shown))
    plain, corrected = (symmetric(objective="lambdarank:AP").fit(clicks, position=at) for at in (None, shown))
    assert not np.array_equal(plain.score(TEST), corrected.score(TEST))


def test_numbers_that_single_precision_does_not_hold_are_told() -> None:
    X = np.column_stack([1_514_764_800.0 + np.arange(240), TRAIN.X[:, 0]])
    with pytest.warns(FeaturesWarning, match="CatBoost computes in single precision, where 240 values of feature 1"):
        symmetric(epochs=2).fit(Features.from_arrays(X, TRAIN.grades, sizes=[20] * 12))


def test_features_that_differ_between_queries_alone_give_no_split() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 2)), 20, axis=0)
    with pytest.raises(InputError, match=r"no split improves GAP.*: do the features not differ within a query\?"):
        symmetric().fit(Features.from_arrays(X, TRAIN.grades, sizes=[20] * 12))


def test_categories_are_refused_with_what_to_do() -> None:
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "blue"] * 120), "number": TRAIN.X[:, 0]})
    with pytest.raises(InputError, match="colour is a category, and symmetric trees take numbers; encode it, or train"):
        symmetric().fit(frame, TRAIN.grades, group=[20] * 12)


def test_trees_of_another_shape_are_not_gone_on_from() -> None:
    leaf_wise = ranker(epochs=2).fit(TRAIN)
    both = symmetric(epochs=2).fit(TRAIN)
    with pytest.raises(
        InputError, match="init_model=TreeRanker has trees of LightGBM, and CatBoost goes on from its own"
    ):
        symmetric(epochs=2).fit(TRAIN, init_model=leaf_wise)
    with pytest.raises(
        InputError, match="init_model=TreeRanker has trees of CatBoost, and LightGBM goes on from its own"
    ):
        ranker(epochs=2).fit(TRAIN, init_model=both)
    with pytest.raises(InputError, match=r"these are trees of CatBoost, which LightGBM's text cannot hold"):
        _ = both.text


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"monotone_constraints": [1] * 9}, r"monotone_constraints=\["),
        ({"border_count": 0}, "border_count=0: "),
        ({"rsm": 2.0, "nan_mode": "Min"}, "rsm=2.0"),
    ],
)
def test_what_catboost_refuses_is_named(params: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match="^engine_params: CatBoost does not take .*" + named) as error:
        symmetric(engine_params=params).fit(TRAIN)
    assert "\n" not in str(error.value)


def test_chance_differs_from_tree_to_tree_and_goes_on_after_an_interruption(tmp_path: Path) -> None:
    def interrupt(epoch: Any) -> None:
        if epoch.number == 4:
            raise KeyboardInterrupt

    def by_chance() -> TreeRanker:
        return symmetric(epochs=9, engine_params={"rsm": 0.3, "random_strength": 1.0})

    whole = by_chance().fit(TRAIN, VALID)
    with pytest.raises(KeyboardInterrupt):
        by_chance().fit(TRAIN, VALID, checkpoint=tmp_path / "c", progress=interrupt)
    resumed = by_chance().fit(TRAIN, VALID, checkpoint=tmp_path / "c", resume=True)
    assert (resumed.curve, resumed._serialize_weights()) == (whole.curve, whole._serialize_weights())
    assert (whole.importances()["split"] > 0).sum() > 3


def test_draws_and_norm_are_chosen_by_validation_as_for_other_trees() -> None:
    chosen = symmetric(objective=Objective.parse(GAP, draws="auto")).fit(TRAIN, VALID)
    alone = [symmetric(objective=Objective.parse(GAP, draws=draws)).fit(TRAIN, VALID) for draws in (0, 5)]
    best = max(alone, key=lambda one: one.curve[one.best - 1].valid or 0.0)
    assert chosen._serialize_weights() == best._serialize_weights()
    value = evaluate(VALID.qrels, [VALID.run(chosen.score(VALID))], GAP.partition(":")[2], ties="expected").mean()[0, 0]
    assert value == pytest.approx(chosen.curve[chosen.best - 1].valid, abs=1e-12)
