"""Importances: those of the model against LightGBM's own dump, those by a measure against a literal permutation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate
from gradeval.ltr import LinearRanker, NeuralRanker, TreeRanker, feature_importance

TRAIN, TEST = graded_features(30), graded_features(15, seed=1, prefix="t")
TREES = TreeRanker("lambdarank:GAP", epochs=8, min_rows=5).fit(TRAIN)
LINEAR = LinearRanker("lambdarank:GAP", epochs=5).fit(TRAIN)
NEURAL = NeuralRanker("lambdarank:GAP", epochs=20, hidden=3, learning_rate=0.05).fit(TRAIN)


def splits(node: dict[str, Any]) -> list[tuple[int, float]]:
    """The feature and the gain of each split below a node of LightGBM's dump."""
    if "split_feature" not in node:
        return []
    own = (node["split_feature"], node["split_gain"])
    return [own, *splits(node["left_child"]), *splits(node["right_child"])]


def test_progress_is_told_for_every_permutation_of_a_feature() -> None:
    calls: list[tuple[int, int]] = []
    feature_importance(LINEAR, TEST, "AP", samples=2, progress=lambda *call: calls.append(call))
    assert calls == [(done, 8) for done in range(1, 9)]


def test_the_documents_of_the_training_are_recognised() -> None:
    assert feature_importance(LINEAR, TRAIN, "AP", samples=1).seen
    assert "learnt by heart" in str(feature_importance(LINEAR, TRAIN, "AP", samples=1).table().notes)
    other = feature_importance(LINEAR, TEST, "AP", samples=1)
    assert not other.seen
    assert "learnt by heart" not in str(other.table().notes)


def test_gain_and_split_are_those_of_the_trees() -> None:
    found = [split for tree in TREES.booster.dump_model()["tree_info"] for split in splits(tree["tree_structure"])]
    gain, count = np.zeros(4), np.zeros(4)
    for feature, improvement in found:
        gain[feature] += improvement
        count[feature] += 1
    importances = TREES.importances()
    np.testing.assert_allclose(importances["gain"], gain, rtol=1e-5)
    np.testing.assert_array_equal(importances["split"], count)
    np.testing.assert_allclose(TREES.feature_importances_, gain / gain.sum(), rtol=1e-5)


def test_shap_values_of_a_document_sum_to_its_score() -> None:
    values = TREES.contributions(TEST)
    assert values.shape == (len(TEST), 5)
    np.testing.assert_allclose(values.sum(1), TREES.score(TEST), rtol=1e-9)
    np.testing.assert_array_equal(TREES.contributions(TEST.X), values)
    with pytest.raises(InputError, match="trained on 4"):
        TREES.contributions(graded_features(2, columns=5))


def test_the_slope_of_a_network_bounds_its_derivatives() -> None:
    slope = NEURAL.importances()["slope"]
    assert NEURAL.scaler is not None
    step, X = 1e-3, TEST.X.astype(float)
    for place in range(4):
        moved = X.copy()
        moved[:, place] += step * NEURAL.scaler.width[place]
        change = np.abs(NEURAL.predict(moved) - NEURAL.predict(X)) / step
        assert 0 < change.max() <= slope[place] * 1.01


def test_the_weights_of_a_linear_ranker_are_its_importance() -> None:
    np.testing.assert_array_equal(LINEAR.importances()["weight"], LINEAR.coefficients)
    total = np.abs(LINEAR.coefficients).sum()
    np.testing.assert_allclose(LINEAR.feature_importances_, np.abs(LINEAR.coefficients) / total, rtol=1e-6)


@pytest.mark.parametrize("ranker", [TREES, LINEAR, NEURAL], ids=lambda ranker: ranker.kind)
def test_what_a_measure_loses_is_that_of_permuted_columns(ranker: Any) -> None:
    explained = feature_importance(ranker, TEST, "nDCG@5", samples=2, seed=4)
    rng = np.random.default_rng(4)

    def value(X: Any) -> float:
        scores = ranker.predict(X)
        return float(evaluate(TEST.qrels, TEST.run(scores), "nDCG@5", ties="expected").mean()[0, 0])

    for sample in range(2):
        order = np.arange(len(TEST))
        for begin, end in zip(TEST.offsets[:-1], TEST.offsets[1:], strict=True):
            order[begin:end] = begin + rng.permutation(end - begin)
        for place in range(4):
            X = TEST.X.copy()
            X[:, place] = TEST.X[order, place]
            assert explained.drops[sample, place] == pytest.approx(value(TEST.X) - value(X), abs=1e-12)
    assert explained.value == value(TEST.X)
    assert "within each query; mean and standard deviation of 2 permutations" in str(explained)
    assert explained.drops.mean(0)[:2].min() > explained.drops.mean(0)[2:].max()  # the features that grades depend on


def test_a_feature_that_is_the_same_throughout_a_query_is_worth_nothing_to_a_measure() -> None:
    by_query = np.repeat(np.arange(len(TRAIN.topics)), np.diff(TRAIN.offsets))[:, None]
    train = Features.from_arrays(np.hstack([TRAIN.X, by_query]), TRAIN.grades, topics=by_query[:, 0].tolist())
    ranker = TreeRanker("lambdarank:GAP", epochs=5, min_rows=5).fit(train)
    assert (feature_importance(ranker, train).drops[:, 4] == 0).all()


def test_the_table_has_a_row_for_each_feature_and_exact_records() -> None:
    text = str(feature_importance(TREES, TEST))
    assert text.splitlines()[0].split("  ")[0] == "feature"
    assert all(word in text for word in ("gain", "split", "mean |SHAP|", "GAP lost", "±", "tree ranker"))
    records = feature_importance(TREES, TEST, samples=3).to_pandas()
    assert records.kind.value_counts().to_dict() == {"gain": 4, "split": 4, "shap": 4, "permutation": 4}
    assert set(records[records.kind == "permutation"].samples) == {3}
    assert len(feature_importance(LINEAR).to_pandas()) == 4


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(InputError, match="not trained"):
        feature_importance(LinearRanker("lambdarank:GAP"))
    with pytest.raises(InputError, match="is measured on data"):
        feature_importance(LINEAR, measure="AP")
    with pytest.raises(InputError, match="features=ndarray: give Features with grades"):
        feature_importance(LINEAR, np.zeros((2, 4)))
    with pytest.raises(InputError, match="no grade"):
        feature_importance(LINEAR, Features.from_arrays(TEST.X, None, sizes=[len(TEST)]))
    with pytest.raises(InputError, match="samples=0"):
        feature_importance(LINEAR, TEST, samples=0)
    assert not hasattr(LinearRanker("lambdarank:GAP"), "feature_importances_")
