"""Weights of queries and of rows: a query of weight 2 trains as two copies of it, one of weight 0 as none."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LinearRanker, NeuralRanker, Ranker, TreeRanker

TRAIN, VALID = graded_features(12), graded_features(10, seed=1, prefix="v")
TIMES = np.array([2, 1, 0, 3, 1, 1, 2, 0, 1, 1, 1, 2])
BATCH: dict[str, Any] = {"queries": 1000, "epochs": 5, "scaling": None}
RANKERS: dict[str, Ranker] = {
    "linear": LinearRanker("lambdarank:GAP", **BATCH),
    "linear-soft": LinearRanker("softrank:GAP", **BATCH),
    "neural": NeuralRanker("lambdarank:nDCG", hidden=3, **BATCH),
    # l2 makes leaves of few rows worthless, as copies are rows for min_rows, and weights are not
    "tree": TreeRanker("lambdarank:GAP", epochs=5, min_rows=1, subsample=1, l2=1, leaves=4),
    "tree-norm": TreeRanker("lambdarank:GAP", epochs=5, min_rows=1, subsample=1, l2=1, leaves=4, norm=True),
}


def repeated(features: Features, times: Array) -> Features:
    """The queries, each so many times, under new names."""
    rows, topics = [], []
    for place, count in enumerate(times.tolist()):
        for copy in range(count):
            own = np.arange(features.offsets[place], features.offsets[place + 1])
            rows.append(own)
            topics += [f"{features.topics[place]}-{copy}"] * len(own)
    taken = np.concatenate(rows)
    return Features.from_arrays(features.X[taken], features.grades[taken], topics=topics)


@pytest.mark.parametrize("kind", RANKERS)
@pytest.mark.parametrize("by", ["query", "row"])
def test_a_query_of_weight_two_is_two_copies_of_it(kind: str, by: str) -> None:
    ranker = RANKERS[kind]
    weights = TIMES if by == "query" else np.repeat(TIMES, np.diff(TRAIN.offsets))
    weighted = ranker.fit(TRAIN, sample_weight=weights).score(VALID)
    copied = ranker.fit(repeated(TRAIN, TIMES)).score(VALID)
    plain = ranker.fit(TRAIN).score(VALID)
    np.testing.assert_allclose(weighted, copied, rtol=2e-5, atol=1e-6)
    assert np.abs(plain - copied).max() > 10 * np.abs(weighted - copied).max()


@pytest.mark.parametrize("kind", ["linear", "linear-soft", "neural"])
def test_only_the_proportions_of_weights_matter_to_a_descent(kind: str) -> None:
    ranker = RANKERS[kind]
    scores = ranker.fit(TRAIN, sample_weight=TIMES).score(VALID)
    np.testing.assert_allclose(ranker.fit(TRAIN, sample_weight=8.0 * TIMES).score(VALID), scores, rtol=1e-6)


def test_a_row_of_weight_zero_moves_no_score_by_itself() -> None:
    """Of two documents, the one has a feature alone: where its weight is 0, its feature has no gradient."""
    features = Features.from_arrays(np.eye(2), [1, 0], sizes=[2])
    ranker = LinearRanker("lambdarank:AP", epochs=1, scaling=None)
    start = ranker._initialize(2)["input"]
    moved = ranker.fit(features, sample_weight=[1, 0]).coefficients - start
    assert moved[0] > 0
    assert moved[1] == pytest.approx(0, abs=1e-7)


def test_weights_of_trees_are_those_of_lightgbm() -> None:
    """The first tree by gradient and hessian of each row, multiplied as LightGBM's own objectives multiply them."""
    import lightgbm

    from gradeval.ltr import LambdaObjective

    weights = np.random.default_rng(3).uniform(0.5, 2, len(TRAIN))
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5, subsample=1, learning_rate=0.1)
    ours = ranker.fit(TRAIN, sample_weight=weights).score(VALID)
    assert all(np.ptp(TRAIN.grades[a:b]) > 0 for a, b in pairwise(TRAIN.offsets.tolist()))  # ours leaves none out
    settings = {
        "objective": LambdaObjective("GAP", levels=TRAIN.levels),
        "learning_rate": 0.1,
        "num_leaves": 7,  # of leaf-wise trees
        "min_data_in_leaf": 5,
        "min_sum_hessian_in_leaf": 1e-3,
        "verbosity": -1,
        "deterministic": True,
        "force_row_wise": True,
    }
    data = lightgbm.Dataset(
        TRAIN.X,
        TRAIN.grades,
        group=np.diff(TRAIN.offsets),
        weight=weights,
        params={"min_data_in_bin": 1, "feature_pre_filter": False, "verbosity": -1},
    )
    np.testing.assert_allclose(lightgbm.train(settings, data, 3).predict(VALID.X), ours, rtol=1e-6)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0] * 5, r"sample_weight\[5\] for .* rows of 12 queries; give one for each row, or one for each query"),
        ([-1.0, *[1.0] * 11], r"sample_weight\[0\] is -1; weights are finite, 0 or more, and not all 0"),
        ([1.0, np.nan, *[1.0] * 10], r"sample_weight\[1\] is nan"),
        ([0.0] * 12, "not all 0"),
        (["a"] * 12, "sample_weight: <U1 are not numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        LinearRanker("lambdarank:GAP", epochs=1).fit(TRAIN, sample_weight=weights)


def test_a_checkpoint_belongs_to_its_weights(tmp_path: Any) -> None:
    place = tmp_path / "checkpoint"
    LinearRanker("lambdarank:GAP", epochs=2).fit(TRAIN, sample_weight=TIMES, checkpoint=place)
    ranker = LinearRanker("lambdarank:GAP", epochs=4).fit(TRAIN, sample_weight=TIMES, checkpoint=place, resume=True)
    whole = LinearRanker("lambdarank:GAP", epochs=4).fit(TRAIN, sample_weight=TIMES)
    np.testing.assert_array_equal(ranker.coefficients, whole.coefficients)
    with pytest.raises(InputError, match="other weights"):
        LinearRanker("lambdarank:GAP", epochs=6).fit(TRAIN, checkpoint=place, resume=True)


@pytest.mark.parametrize("name", ["linear", "tree"])
def test_weights_whose_sum_overflows_are_refused_as_such(name: str) -> None:
    with pytest.raises(
        InputError, match=r"^sample_weight\[0\] is 1e\+308; weights are finite, .* at most 1e"
    ) as caught:
        RANKERS[name].fit(TRAIN, VALID, sample_weight=[1e308] * 12)
    assert caught.value.__context__ is None
