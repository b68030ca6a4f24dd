"""Trees of either engine: saved, they stay what they were, whatever data and parameters they were grown from."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import TEST, TRAIN, VALID, needs_catboost, ranker

from gradeval import Features, InputError
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LinearRanker, TreeRanker, load_ranker
from gradeval.ltr.rankers.forests import FORESTS, XGBoostForest
from gradeval.ltr.saving import describe_data

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

NUMBERS = ("informative", "missing", "constant", "few values", "zeros", "plain")
"""Kinds of columns. Whether a value is missing tells the grade where missing values are informative."""


def drawn(seed: int, kinds: tuple[str, ...]) -> tuple[Features, list[str], np.random.Generator]:
    """Features of drawn kinds, the names of those that are categories, and the generator for what else is drawn."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 16, 8)
    grades = rng.integers(0, 3, sizes.sum()).astype(float)
    chosen = rng.choice(kinds, rng.integers(1, 6)).tolist()
    names = [f"f{place}" for place in range(len(chosen))]
    X = np.column_stack([column_of(kind, grades, rng) for kind in chosen])
    data = Features.from_arrays(X, grades, sizes=sizes, columns=names)
    return data, [name for name, kind in zip(names, chosen, strict=True) if kind == "categories"], rng


def column_of(kind: str, grades: Array, rng: np.random.Generator) -> Array:
    noise = rng.normal(size=len(grades))
    made: dict[str, Callable[[], Array]] = {
        "informative": lambda: np.where(
            grades + 0.2 * noise > 1, np.nan, rng.choice([noise, np.ones_like(noise), np.zeros_like(noise)])
        ),
        "missing": lambda: np.where(rng.random(len(grades)) < 0.3, np.nan, grades + noise),
        "categories": lambda: np.where(rng.random(len(grades)) < 0.1, np.nan, rng.integers(0, 6, len(grades))),
        "constant": lambda: np.full(len(grades), rng.choice([0.0, 3.5])),
        "few values": lambda: grades - rng.integers(0, 2, len(grades)),
        "zeros": lambda: np.where(rng.random(len(grades)) < 0.5, 0.0, grades + noise),
        "plain": lambda: (grades + noise) * 10.0 ** rng.integers(-3, 4),
    }
    return made[kind]()


def by_lightgbm(seed: int) -> tuple[TreeRanker, Array] | None:
    """A trained ranker and its rows; None where the drawn data give no split."""
    train, categorical, rng = drawn(seed, (*NUMBERS, "categories"))
    settings: dict[str, Any] = {
        "epochs": int(rng.integers(1, 5)),
        "leaves": int(rng.integers(2, 9)),
        "min_rows": int(rng.choice([1, 5, 30])),
        "subsample": float(rng.choice([0.6, 1.0])),
        "learning_rate": float(rng.choice([0.1, 1.0])),
        "categorical": categorical,
        "engine_params": rng.choice(
            [{}, {"max_bin": 7}, {"zero_as_missing": True}, {"use_missing": False}, {"extra_trees": True}]
        ),
    }
    try:
        return TreeRanker("lambdarank:GAP", **settings).fit(train), train.X
    except InputError as error:
        if not str(error).endswith(("give more rows", "there is nothing to split by")):
            raise
        return None


def by_xgboost(seed: int) -> tuple[TreeRanker, Array]:
    """A ranker with trees of XGBoost, the first perhaps a single leaf, as of ``fit_dask``, and its rows."""
    train, _, rng = drawn(seed, NUMBERS)
    settings = {
        "base_score": 0.0,
        "max_depth": int(rng.integers(1, 5)),
        "min_child_weight": float(rng.choice([0.0, 5.0, 60.0])),
        "lambda": float(rng.choice([0.0, 1.0])),
        "nthread": 1,
    }
    booster = xgboost.train(settings, xgboost.QuantileDMatrix(train.X, train.grades), int(rng.integers(1, 5)))
    made = TreeRanker("lambdarank:GAP")
    described = made.describe(train.columns, train.levels, None, describe_data(train), None, engines=("xgboost",))
    return made.with_trees(XGBoostForest.of(booster), described), train.X


def beside(X: Array, seed: int) -> Array:
    """The rows, numbers right beside theirs, and some values missing."""
    sides = [np.nextafter(X, np.float32(side)) for side in (-np.inf, np.inf)]
    missing = np.random.default_rng(seed).random(X.shape) < 0.3
    return np.concatenate([X, *sides, np.where(missing, np.float32(np.nan), X)])


@pytest.mark.parametrize("maker", [by_lightgbm, by_xgboost])
def test_drawn_forests_score_and_explain_as_before_they_were_saved(maker: Any, tmp_path: Path) -> None:
    made = [(seed, *pair) for seed in range(100) if (pair := maker(seed)) is not None]
    assert len(made) > 75
    if maker is by_lightgbm:
        assert any(" inf" in trained.text or "=inf" in trained.text for _, trained, _ in made)  # missing, or there
        assert any("num_cat=1" in trained.text for _, trained, _ in made)
    else:
        assert any(not trained.forest.has_split for _, trained, _ in made)  # one leaf
    for seed, trained, rows in made:
        trained.save(tmp_path / str(seed))
        loaded = load_ranker(tmp_path / str(seed))
        assert isinstance(loaded, TreeRanker)
        X = beside(rows, seed)
        assert loaded.predict(X).tobytes() == trained.predict(X).tobytes()
        assert loaded.contributions(rows).tobytes() == trained.contributions(rows).tobytes()
        assert str(loaded.importances()) == str(trained.importances())
        assert (loaded.forest.serialize(), loaded.card) == (trained.forest.serialize(), trained.card)


def test_a_saved_model_is_what_it_was(tmp_path: Path) -> None:
    whole = ranker().fit(TRAIN, VALID)
    whole.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = TreeRanker.load(tmp_path / "model")
    assert (loaded.curve, loaded.best, loaded.card) == (whole.curve, whole.best, whole.card)
    np.testing.assert_array_equal(loaded.score(TEST), whole.score(TEST))
    with pytest.raises(InputError, match="a ranker of kind tree, not linear"):
        LinearRanker.load(tmp_path / "model")


@pytest.mark.parametrize("maker", [by_lightgbm, by_xgboost])
def test_what_a_ranker_tells_of_its_trees_is_what_the_engine_does(maker: Any) -> None:
    trained, rows = maker(1)
    X = beside(rows, 1)
    np.testing.assert_allclose(trained.contributions(X).sum(1), trained.predict(X), atol=1e-6)
    assert trained.best == trained.forest.trees
    splits = trained.importances()["split"]
    assert splits.shape == (rows.shape[1],)
    table = trained.booster.trees_to_dataframe()
    names = table["split_feature" if "split_feature" in table else "Feature"].dropna()
    places = [int(name.removeprefix("Column_").removeprefix("f")) for name in names if name != "Leaf"]
    assert splits.tolist() == np.bincount(places, minlength=len(splits)).tolist()


def test_lightgbm_scores_numbers_in_double_precision_as_the_ranker_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, other = (np.round(2 * rng.normal(size=(1000, 3)), 2) for _ in range(2))  # a middle of two is a number of others
    train = Features.from_arrays(X, np.digitize(X.sum(1), [0, 2]), sizes=[20] * 50)
    trained = TreeRanker("lambdarank:GAP", epochs=20, min_rows=5, leaves=15).fit(train)
    trained.save(tmp_path / "model")
    theirs = lightgbm.Booster(model_file=tmp_path / "model/trees.txt")
    for rows in (X, other, other.astype(np.float32)):
        assert theirs.predict(rows).tolist() == trained.predict(rows).tolist()


@pytest.mark.parametrize("maker", [by_lightgbm, by_xgboost])
def test_damaged_trees_never_reach_the_engine(maker: Any, tmp_path: Path) -> None:
    trained, _ = maker(1)
    trained.save(tmp_path / "model")
    place = tmp_path / "model" / trained.forest.file
    whole = place.read_bytes()
    middle = len(whole) // 2
    for damaged in (b"", whole[:middle], whole[:middle] + b"0" + whole[middle:], maker(3)[0].forest.serialize()):
        place.write_bytes(damaged)
        with pytest.raises(InputError, match=rf"{place.name}: not the weights that card\.json was written with"):
            load_ranker(tmp_path / "model")


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("trees.txt", b"not trees"),
        ("trees.json", b'{"version": [9, 0, 0]}'),
        ("trees.json", b'{"cut'),
        pytest.param("trees.cbm", b"CBM1cut", marks=needs_catboost),
    ],
)
def test_what_the_engine_cannot_read_is_an_error_in_one_line(file: str, data: bytes) -> None:
    with pytest.raises(
        InputError, match=rf"^model/{file}: \w+ cannot read these trees \(.*\); read them with the"
    ) as e:
        FORESTS[file].parse(data, f"model/{file}")
    assert "\n" not in str(e.value)


def test_what_only_lightgbm_does_is_refused_for_trees_of_xgboost(tmp_path: Path) -> None:
    trained, rows = by_xgboost(1)
    with pytest.raises(InputError, match=r"trees of XGBoost, which LightGBM's text cannot hold: ranker\.booster\.save"):
        _ = trained.text
    train = Features.from_arrays(rows, np.arange(len(rows)) % 2, sizes=[len(rows)], columns=trained.card.columns)
    with pytest.raises(
        InputError, match="init_model=TreeRanker has trees of XGBoost, and LightGBM goes on from its own"
    ):
        ranker().fit(train, init_model=trained)
    assert not any(tmp_path.iterdir())


def test_linear_leaves_are_refused() -> None:
    with pytest.raises(InputError, match="linear_tree is not passed on: leaves of a TreeRanker are constants"):
        ranker(engine_params={"linear_tree": True})


@pytest.mark.parametrize("maker", [by_lightgbm, by_xgboost])
def test_onnxmltools_sends_numbers_categories_and_missing_values_where_the_engine_does(maker: Any) -> None:
    onnxmltools = pytest.importorskip("onnxmltools")
    runtime = pytest.importorskip("onnxruntime")
    types = importlib.import_module("onnxmltools.convert.common.data_types")
    seen = 0
    for seed in range(25):
        pair = maker(seed)
        if pair is None or (pair[0].engine_params or {}).get("zero_as_missing"):
            continue  # docs/learning-to-rank/onnx.md says that these differ
        trained, rows = pair
        convert = onnxmltools.convert_lightgbm if maker is by_lightgbm else onnxmltools.convert_xgboost
        zipmap = {"zipmap": False} if maker is by_lightgbm else {}
        inputs = [("features", types.FloatTensorType([None, rows.shape[1]]))]
        model = convert(trained.booster, initial_types=inputs, **zipmap)
        session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        X = beside(rows, seed)
        coded = [trained.require_trained().columns.index(name) for name in trained.categorical]
        X[:, coded] = np.rint(X[:, coded])  # categories are whole numbers, of which ONNX cuts no fraction off
        (scores,) = session.run(None, {"features": X})
        np.testing.assert_allclose(scores.ravel(), trained.predict(X), rtol=1e-5, atol=1e-5, err_msg=str(seed))
        seen += 1
    assert seen > 10
