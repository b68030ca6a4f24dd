"""Missing values and categories: trees take them as LightGBM does, other rankers say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gradeval import Features, InputError, evaluate, read_letor, write_letor
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LinearRanker, NeuralRanker, TreeRanker, load_ranker

COLOURS = ["blue", "green", "lime", "ochre", "red", "teal", "umber", "white"]
WORTH = np.array([0, 2, 0, 2, 0, 2, 0, 2])
"""The grade that a colour means: by their codes no comparison of numbers tells it."""


def coloured(seed: int, queries: int = 30) -> tuple[Array, Array, Array, Array]:
    """Noise, the code of a colour, the grade that it mostly means, and the query of each row; a tenth is missing."""
    rng = np.random.default_rng(seed)
    rows = 20 * queries
    code = rng.integers(0, 8, rows)
    noise = rng.normal(size=rows)
    grades = np.where(rng.random(rows) < 0.9, WORTH[code], 1).astype(float)
    colour = np.where(rng.random(rows) < 0.1, np.nan, code)
    return noise, colour, grades, np.repeat(np.arange(queries), 20)


def features(seed: int) -> Features:
    noise, colour, grades, ids = coloured(seed)
    return Features.from_arrays(np.column_stack([noise, colour]), grades, topics=ids, columns=["noise", "colour"])


def frame(seed: int, colours: list[str] = COLOURS) -> tuple[pd.DataFrame, Array]:
    noise, colour, grades, ids = coloured(seed)
    names = [None if np.isnan(code) else COLOURS[int(code)] for code in colour]
    table = pd.DataFrame({"noise": noise, "colour": pd.Categorical(names, categories=colours), "qid": ids})
    return table, grades


SETTINGS: dict[str, Any] = {"epochs": 3, "min_rows": 5, "leaves": 3, "learning_rate": 0.3}


def test_a_split_by_categories_tells_what_codes_do_not() -> None:
    train, test = features(1), features(2)
    means = {}
    for name, categorical in {"numbers": [], "categories": ["colour"]}.items():
        ranker = TreeRanker("lambdarank:GAP", epochs=1, min_rows=5, leaves=2, categorical=categorical).fit(train)
        means[name] = evaluate(test.qrels, test.run(ranker.score(test)), "GAP", ties="expected").mean()[0, 0]
    assert means["categories"] > means["numbers"] + 0.1


@pytest.mark.parametrize("polars", [False, True])
def test_categories_of_frames_are_those_of_the_codes(polars: bool) -> None:
    table, grades = frame(1)
    expected = TreeRanker("lambdarank:GAP", categorical=["colour"], **SETTINGS).fit(features(1))
    given = pl.from_pandas(table) if polars else table
    ranker = TreeRanker("lambdarank:GAP", **SETTINGS).fit(given, grades)
    assert ranker.card is not None
    assert sorted(ranker.card.categories["colour"]) == COLOURS
    test, _ = frame(2)
    np.testing.assert_allclose(ranker.predict(test), expected.score(features(2)), rtol=1e-12)


def test_a_saved_model_knows_its_categories_by_value(tmp_path: Path) -> None:
    table, grades = frame(1)
    ranker = TreeRanker("lambdarank:GAP", **SETTINGS).fit(table, grades)
    ranker.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    same, _ = frame(2)
    other, _ = frame(2, [*COLOURS[::-1], "puce"])  # the same values under other codes
    np.testing.assert_array_equal(loaded.predict(same), ranker.predict(same))
    np.testing.assert_array_equal(loaded.predict(other), ranker.predict(same))
    unseen = same.assign(colour=pd.Categorical(["puce"] * len(same)))
    missing = same.assign(colour=pd.Categorical([None] * len(same), categories=COLOURS))
    np.testing.assert_array_equal(loaded.predict(unseen), loaded.predict(missing))


def test_trees_take_missing_values_and_send_them_where_lightgbm_does() -> None:
    noise, _, grades, ids = coloured(3)
    X = np.column_stack([np.where(noise > 1, np.nan, noise), grades + 0.1 * noise])
    train = Features.from_arrays(X, grades, topics=ids)
    ranker = TreeRanker("lambdarank:GAP", **SETTINGS).fit(train)
    np.testing.assert_array_equal(ranker.score(train), ranker.booster.predict(X.astype(np.float32)))
    all_missing = Features.from_arrays(np.full((2, 2), np.nan), None, sizes=[2])
    assert np.isfinite(ranker.score(all_missing)).all()


def test_missing_values_survive_a_file(tmp_path: Path) -> None:
    train = features(1)
    plain = Features.from_arrays(train.X, train.grades, topics=np.repeat(train.topics, 20).tolist())
    write_letor(plain, tmp_path / "train.txt")
    again = read_letor(tmp_path / "train.txt")
    np.testing.assert_array_equal(again.X, plain.X)
    assert np.isnan(again.X).any()


@pytest.mark.parametrize("kind", [LinearRanker, NeuralRanker])
def test_other_rankers_name_imputation_and_encoding(kind: Any) -> None:
    train = features(1)
    with pytest.raises(InputError, match=rf"feature colour is NaN.*a {kind.__name__} takes none: impute.*TreeRanker"):
        kind("lambdarank:GAP", epochs=1).fit(train)
    whole = Features.from_arrays(np.nan_to_num(train.X), train.grades, topics=np.repeat(train.topics, 20).tolist())
    ranker = kind("lambdarank:GAP", epochs=1, scaling=None).fit(whole)
    with pytest.raises(InputError, match="impute them"):
        ranker.predict(train.X)
    with pytest.raises(InputError, match="impute them"):
        kind("lambdarank:GAP", epochs=1).fit(whole, Features.from_arrays(train.X, train.grades, sizes=[len(train)]))
    table, grades = frame(1)
    with pytest.raises(InputError, match=r"colour is a category.*encode it \(scikit-learn's OneHotEncoder\)"):
        kind("lambdarank:GAP", epochs=1).fit(table.assign(colour=table.colour.fillna("red")), grades)


@pytest.mark.parametrize(
    ("categorical", "code", "said"),
    [
        (["hue"], 1.0, "no feature 'hue' to be a category"),
        ("colour", 1.0, "not a list of names"),
        ([1], 1.0, "not a list of names"),
        (["colour", "colour"], 1.0, "names a feature twice"),
        (["colour"], -1.0, "row 0: feature colour is a category, and -1 is no code"),
        (["colour"], 0.5, "0.5 is no code; codes are whole numbers from 0"),
    ],
)
def test_categories_that_are_none_are_refused(categorical: Any, code: float, said: str) -> None:
    train = features(1)
    train.X[0, 1] = code
    with pytest.raises(InputError, match=said):
        TreeRanker("lambdarank:GAP", categorical=categorical, **SETTINGS).fit(train)


def test_training_needs_grades_and_ranking_does_not() -> None:
    train = features(1)
    bare = Features.from_arrays(train.X, None, topics=np.repeat(train.topics, 20).tolist(), columns=train.columns)
    ranker = TreeRanker("lambdarank:GAP", **SETTINGS)
    with pytest.raises(InputError, match="600 of 600 documents have no grade; training data need one for each"):
        ranker.fit(bare)
    with pytest.raises(InputError, match="validation data need one for each"):
        ranker.fit(train, bare)
    np.testing.assert_array_equal(ranker.fit(train).score(bare), ranker.score(train))
