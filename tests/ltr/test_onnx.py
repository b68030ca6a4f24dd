"""ONNX files of rankers: onnxruntime gives the ranker's scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError
from gradeval.ltr import LinearRanker, NeuralRanker, TreeRanker, export_onnx, load_ranker

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

TEST = graded_features(15, seed=1, prefix="t")


def train_features() -> Features:
    """Features of very different sizes, one of them constant, as a scale must bear."""
    train = graded_features(20)
    train.X[:] *= np.array([1, 1e4, 1e-3, 0], np.float32)
    return train


RANKERS = {
    "linear": LinearRanker("lambdarank:GAP", epochs=5),
    "linear, min-max": LinearRanker("lambdarank:GAP", epochs=5, scaling="min-max"),
    "linear, not scaled": LinearRanker("lambdarank:GAP", epochs=5, scaling=None),
    "tanh": NeuralRanker("softrank:GAP", epochs=5, hidden=4),
    "two layers": NeuralRanker("lambdarank:GAP", epochs=4, hidden=(5, 3)),
    "relu": NeuralRanker("lambdarank:GAP", epochs=5, hidden=4, activation="relu", scaling="min-max"),
    "tanh, not scaled": NeuralRanker("lambdarank:GAP", epochs=2, scaling=None),
    "trees": TreeRanker("lambdarank:GAP", epochs=30, min_rows=5),
    "trees, scaled": TreeRanker("lambdarank:GAP", epochs=10, min_rows=5, scaling="z-score"),
}


@pytest.mark.parametrize("kind", RANKERS)
def test_onnxruntime_gives_the_same_scores(kind: str, tmp_path: Path) -> None:
    ranker = RANKERS[kind].fit(train_features())
    export_onnx(ranker, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    for features in (train_features(), TEST):
        (scores,) = session.run(["score"], {"features": features.X})
        assert scores.dtype == np.float32
        np.testing.assert_allclose(scores, ranker.score(features), rtol=1e-6, atol=1e-6)
    (one,) = session.run(None, {"features": TEST.X[:1]})
    assert one.shape == (1,)


@pytest.mark.parametrize("missing_in_training", [True, False])
def test_missing_values_take_the_way_they_take_in_lightgbm(missing_in_training: bool, tmp_path: Path) -> None:
    lacking, rng = graded_features(15, seed=1, prefix="t"), np.random.default_rng(2)
    lacking.X[:] -= np.float32(0.5)
    lacking.X[rng.random(lacking.X.shape) < 0.3] = np.nan
    train = graded_features(20)
    train.X[:] -= np.float32(0.5)
    if missing_in_training:
        train.X[rng.random(train.X.shape) < 0.3] = np.nan
    ranker = TreeRanker("lambdarank:GAP", epochs=20, min_rows=5).fit(train)
    export_onnx(ranker, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    (scores,) = session.run(["score"], {"features": lacking.X})
    np.testing.assert_allclose(scores, ranker.booster.predict(lacking.X), rtol=1e-6, atol=1e-6)


def test_trees_with_categories_are_refused(tmp_path: Path) -> None:
    train = graded_features(20)
    train.X[:, 1] = np.arange(len(train)) % 5
    train.X[:, [0, 2, 3]] = 0
    train = replace(train, grades=(train.X[:, 1] % 2).astype(float))
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5, categorical=["2"]).fit(train)
    with pytest.raises(InputError, match="trees with categories are not written as ONNX"):
        export_onnx(ranker, tmp_path / "model.onnx")


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    ranker = LinearRanker("lambdarank:GAP", epochs=1).fit(graded_features(10))
    ranker.save(tmp_path / "model")
    export_onnx(load_ranker(tmp_path / "model"), tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    described = {entry.key: entry.value for entry in model.metadata_props}
    assert described["objective"] == "lambdarank:GAP"
    assert json.loads(described["features"]) == ["1", "2", "3", "4"]
    assert model.producer_name == "gradeval"


@pytest.mark.parametrize(
    ("ranker", "said"),
    [
        (LinearRanker("lambdarank:GAP"), "not trained"),
        ("model", r"export_onnx takes a ranker, not a str; load_ranker\(folder\) gives one"),
        (TreeRanker("lambdarank:GAP"), "not trained"),
    ],
)
def test_what_is_not_written_leaves_the_file_as_it_was(ranker: Any, said: str, tmp_path: Path) -> None:
    place = tmp_path / "model.onnx"
    place.write_bytes(b"before")
    with pytest.raises(InputError, match=said):
        export_onnx(ranker, place)
    assert place.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
