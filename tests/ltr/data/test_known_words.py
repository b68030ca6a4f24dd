"""Words of categories are known by the codes of the training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import FeaturesWarning, InputError, cache_features, features_from_frame, features_to_frame
from gradeval.ltr import TreeRanker, crossval, load_ranker

pd = pytest.importorskip("pandas")
pytest.importorskip("lightgbm")

rng = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "query_id": np.repeat(np.arange(30), 10),
        "relevance": rng.integers(0, 3, 300),
        "price": rng.normal(size=300),
        "color": rng.choice(["red", "blue", "green", "teal"], 300),
    }
)
FRAME.loc[FRAME["color"].isin(["red", "teal"]), "relevance"] += 1
SETTINGS: dict[str, Any] = {"epochs": 4, "min_rows": 5}
COLUMNS = {"query": "query_id", "label": "relevance"}


def by_hand(colors: Any) -> Any:
    """The codes of colors in the order of the alphabet; NaN for others."""
    return colors.map({"blue": 0, "green": 1, "red": 2, "teal": 3})


def test_words_train_the_trees_of_their_codes(tmp_path: Path) -> None:
    coded = FRAME.assign(color=by_hand(FRAME["color"]))
    by_code = TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(coded, **COLUMNS)
    by_word = TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(FRAME, **COLUMNS)
    of_features = TreeRanker("GAP", **SETTINGS).fit(features_from_frame(FRAME, doc_id=None, categorical=["color"]))
    expected = by_code.predict(coded)
    assert len(set(expected)) > 4
    assert (by_word.predict(FRAME) == expected).all()
    assert (of_features.predict(FRAME) == expected).all()
    of_features.save(tmp_path / "model")
    few = FRAME[FRAME["color"] == "teal"]  # whose only word has code 0 by itself
    read = features_from_frame(few, doc_id=None, categorical=["color"])
    assert (load_ranker(tmp_path / "model").score(read) == expected[few.index]).all()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_column_of_type_category_need_not_be_named(tmp_path: Path, kind: str) -> None:
    color = FRAME["color"].where(FRAME.index % 7 > 0)  # some are missing
    frame = FRAME.assign(color=color.astype("category"))
    if kind == "polars":
        pl = pytest.importorskip("polars")
        frame = pl.from_pandas(FRAME.assign(color=color)).with_columns(pl.col("color").cast(pl.Categorical))
    typed = features_from_frame(frame, doc_id=None)
    coded = features_from_frame(FRAME.assign(color=by_hand(color)), doc_id=None)
    assert np.array_equal(typed.X, coded.X, equal_nan=True)
    assert dict(typed.categories) == {"color": ["blue", "green", "red", "teal"]}
    expected = TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(coded).score(coded)
    ranker = TreeRanker("GAP", **SETTINGS).fit(typed)
    assert (ranker.score(typed) == expected).all()
    ranker.save(tmp_path / "model")
    assert (load_ranker(tmp_path / "model").predict(frame) == expected).all()
    back = features_from_frame(features_to_frame(typed), doc_id=None, features=typed.columns)
    assert np.array_equal(back.X, typed.X, equal_nan=True)
    assert dict(back.categories) == dict(typed.categories)
    assert typed.to_dict()["color"] == [word if isinstance(word, str) else None for word in color]


def test_an_id_of_type_category_is_told_without_an_option_that_nobody_gave() -> None:
    frame = FRAME.assign(title=pd.Series([f"inn {row}" for row in range(300)]).astype("category"))
    with pytest.raises(InputError) as refused:
        TreeRanker("GAP", **SETTINGS).fit(features_from_frame(frame.drop(columns="color"), doc_id=None))
    assert str(refused.value) == (
        "features: category 'title' has another value in nearly each row, as ids do: leave it out: "
        "frame.drop(columns='title')"
    )


def test_a_cache_refuses_words(tmp_path: Path) -> None:
    FRAME.assign(color=FRAME["color"].astype("category")).to_parquet(tmp_path / "f.parquet", index=False)
    with pytest.raises(InputError, match="'color' is a category of words, and a cache holds numbers alone"):
        cache_features(tmp_path / "f.parquet", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_word_that_training_did_not_have_is_missing_and_named() -> None:
    ranker = TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(FRAME, **COLUMNS)
    new = FRAME.assign(color=FRAME["color"].replace("red", "pink"))
    missing = FRAME.assign(color=FRAME["color"].replace("red", None))
    rows = (FRAME["color"] == "red").sum()
    said = rf"color has 1 value that training did not have \('pink'\), in {rows} rows: missing there"
    with pytest.warns(FeaturesWarning, match=said):
        scores = ranker.predict(new)
    assert (scores == ranker.predict(missing)).all()
    with pytest.warns(FeaturesWarning, match=said):
        ranker.score(features_from_frame(new, doc_id=None, categorical=["color"]))


def test_words_of_validation_data_have_the_codes_of_the_training() -> None:
    train, valid = FRAME[FRAME["query_id"] < 20], FRAME[(FRAME["query_id"] >= 20) & (FRAME["color"] != "blue")]
    by_word = TreeRanker("GAP", **SETTINGS).fit(
        *(features_from_frame(one, doc_id=None, categorical=["color"]) for one in (train, valid))
    )
    coded = [features_from_frame(one.assign(color=by_hand(one["color"])), doc_id=None) for one in (train, valid)]
    by_code = TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(*coded)
    assert [epoch.valid for epoch in by_word.curve] == [epoch.valid for epoch in by_code.curve]


def test_words_are_cross_validated_as_their_codes() -> None:
    coded = FRAME.assign(color=by_hand(FRAME["color"]))
    how: dict[str, Any] = {"ranker": "tree", "measures": "GAP", "folds": 3, "jobs": 1, **SETTINGS, **COLUMNS}
    by_word, by_code = (crossval(frame, "GAP", categorical=["color"], **how) for frame in (FRAME, coded))
    assert (by_word.predictions == by_code.predictions).all()
    parts = [
        features_from_frame(FRAME[FRAME["query_id"] % 3 == part], doc_id=None, categorical=["color"], name=f"p{part}")
        for part in range(3)
    ]
    again = [
        features_from_frame(coded[coded["query_id"] % 3 == part], doc_id=None, name=f"p{part}") for part in range(3)
    ]
    how = {"ranker": "tree", "measures": "GAP", "jobs": 1, **SETTINGS}
    assert (
        crossval(parts, "GAP", **how).predictions == crossval(again, "GAP", categorical=["color"], **how).predictions
    ).all()


def test_words_of_what_was_numbers_are_refused() -> None:
    coded = features_from_frame(FRAME.assign(color=by_hand(FRAME["color"])), doc_id=None)
    words = features_from_frame(FRAME, doc_id=None, categorical=["color"])
    with pytest.raises(InputError, match="color holds words, and the ranker was trained on numbers; write these"):
        TreeRanker("GAP", **SETTINGS).fit(coded).score(words)
    with pytest.raises(InputError, match="color holds words, and the ranker was trained on codes; write these"):
        TreeRanker("GAP", categorical=["color"], **SETTINGS).fit(coded).score(words)
    with pytest.raises(InputError, match=r"color holds numbers, and .* words of a category; write all in one way"):
        TreeRanker("GAP", **SETTINGS).fit(words, coded)


def test_columns_of_words_that_repeat_are_said_to_be_categories_perhaps() -> None:
    with pytest.raises(InputError) as refused:
        features_from_frame(FRAME.assign(title=[f"inn {row}" for row in range(300)]), doc_id=None)
    assert (
        "leave them out: frame.drop(columns=['color', 'title']); or, if 'color' is a category: "
        "features_from_frame(frame.drop(columns=['title']), categorical=['color']); or write"
    ) in str(refused.value)
    with pytest.raises(InputError, match=r"if 'color' is a category: TreeRanker\(categorical=\['color'\]\)"):
        TreeRanker("GAP", **SETTINGS).fit(FRAME, **COLUMNS)
