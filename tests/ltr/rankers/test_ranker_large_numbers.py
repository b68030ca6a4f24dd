"""Times, dates and ids as features: rankers keep them apart, or say that they compute in single precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from gradeval import Features, FeaturesWarning, evaluate, write_letor
from gradeval.ltr import LinearRanker, NeuralRanker, TreeRanker, crossval, load_ranker

KINDS = {
    "unix time": 1_514_764_800.0 + np.arange(30),
    "milliseconds": 1_514_764_800_000.0 + np.arange(30),
    "dates": 20180101.0 + np.arange(30),
    "ids": 9_000_000_019.0 + np.arange(30),
}


def later_is_better(kind: str, seed: int = 0) -> Features:
    """Queries whose documents are the better the later they are, within what single precision cannot tell apart."""
    rng = np.random.default_rng(seed)
    place = np.concatenate([rng.permutation(30) for _ in range(12)])
    X = np.column_stack([KINDS[kind][place], rng.normal(size=360)])
    return Features.from_arrays(X, place // 10, topics=np.repeat([f"{seed}-{query}" for query in range(12)], 30))


def value_of(ranker: Any, test: Features) -> float:
    return float(evaluate(test.qrels, test.run(ranker.score(test)), "GAP", ties="expected").mean()[0, 0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "ranker",
    [
        TreeRanker("GAP", epochs=20, min_rows=5, learning_rate=0.3),
        LinearRanker("GAP", epochs=40),
        NeuralRanker("GAP", epochs=40, scaling="min-max"),
    ],
    ids=lambda ranker: ranker.kind,
)
def test_rankers_learn_from_them_and_score_so_when_saved(ranker: Any, kind: str, tmp_path: Path) -> None:
    train, test = later_is_better(kind), later_is_better(kind, seed=1)
    ranker.fit(train)
    assert value_of(ranker, test) > 0.95
    ranker.save(tmp_path / "model")
    np.testing.assert_array_equal(load_ranker(tmp_path / "model").score(test), ranker.score(test))
    alone = [test.select(topic) for topic in test.topics]
    np.testing.assert_allclose(np.concatenate([ranker.score(one) for one in alone]), ranker.score(test), rtol=1e-12)


def test_scores_do_not_depend_on_the_other_rows_of_a_file() -> None:
    """A row alone may be one whose date single precision holds, or one that it does not."""
    ranker = TreeRanker("GAP", epochs=20, min_rows=5, learning_rate=0.3).fit(later_is_better("dates"))
    rows = np.column_stack([KINDS["dates"], np.linspace(-2, 2, 30) / 3])
    one_by_one = [ranker.predict(row[None])[0] for row in rows]
    np.testing.assert_array_equal(one_by_one, ranker.predict(rows))
    assert len({*one_by_one}) > 3


def test_who_computes_in_single_precision_says_so(tmp_path: Path) -> None:
    features = later_is_better("unix time")
    said = "in single precision, where 30 values of feature 1 become"
    with pytest.warns(FeaturesWarning, match=f"a network computes {said}"):
        LinearRanker("GAP", scaling=None, epochs=1, learning_rate=1e-12).fit(features)
    pytest.importorskip("xgboost")
    with pytest.warns(FeaturesWarning, match=f"XGBoost computes {said}"):
        crossval(features, ["xgboost:rank:ndcg"], "GAP", "tree", folds=3, epochs=2)


def test_training_goes_on_from_trees_on_them(tmp_path: Path) -> None:
    features = later_is_better("unix time")
    write_letor(features, tmp_path / "x.txt")
    first = TreeRanker("GAP", epochs=5, min_rows=5, learning_rate=0.3).fit(features)
    more = TreeRanker("GAP", epochs=5, min_rows=5, learning_rate=0.3).fit(features, init_model=first)
    assert value_of(more, features) >= value_of(first, features)
