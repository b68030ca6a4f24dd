"""Weights of queries and rows go with their rows into the training part of each fold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import CrossValidation, LinearRanker, Ranker, TreeRanker, crossval

pytest.importorskip("lightgbm")

PARTS = [graded_features(8, seed=seed, prefix=f"p{seed}-") for seed in range(4)]
ROWS = np.random.default_rng(8).integers(0, 4, sum(map(len, PARTS))).astype(float)
QUERIES = np.random.default_rng(9).integers(0, 4, 32).astype(float)
OBJECTIVE = "lambdarank:GAP(g=[0.5,0.5])"
TREES = {"epochs": 8, "patience": 4, "min_rows": 3, "learning_rate": 0.2}
KINDS: list[tuple[type[Ranker], dict[str, Any]]] = [(TreeRanker, TREES), (LinearRanker, {"epochs": 4, "queries": 3})]


def run(weights: object, ranker: type[Ranker] = TreeRanker, **changes: Any) -> CrossValidation:
    settings = {**(TREES if ranker is TreeRanker else {}), **changes}
    return crossval(PARTS, OBJECTIVE, "AP", ranker, sample_weight=weights, **settings)


def by_part(weights: Array) -> list[Array]:
    """Weights of all queries or rows, cut into those of the parts."""
    sizes = [len(part.topics) if len(weights) == 32 else len(part) for part in PARTS]
    return np.split(weights, np.cumsum(sizes)[:-1])


@pytest.mark.parametrize(("ranker", "settings"), KINDS, ids=lambda value: getattr(value, "kind", ""))
@pytest.mark.parametrize("weights", [ROWS, QUERIES], ids=["rows", "queries"])
def test_each_fold_is_trained_with_the_weights_of_its_rows(
    ranker: type[Ranker], settings: dict[str, Any], weights: Array
) -> None:
    result = run(weights, ranker, **settings)
    plain = run(None, ranker, **settings)
    own = by_part(weights)
    ends = np.cumsum([0, *map(len, PARTS)])
    for train, valid, test in (((0, 1), 2, 3), ((1, 2), 3, 0), ((2, 3), 0, 1), ((3, 0), 1, 2)):
        joined = Features.concat([PARTS[place] for place in train])
        trained = ranker(OBJECTIVE, seed=0, **settings).fit(
            joined, PARTS[valid], sample_weight=np.concatenate([own[place] for place in train])
        )
        rows = slice(ends[test], ends[test + 1])
        np.testing.assert_array_equal(result.predictions[0, 0, rows], trained.score(PARTS[test]))
        assert (result.predictions[0, 0, rows] != plain.predictions[0, 0, rows]).any()


def test_validation_and_tests_are_not_weighted() -> None:
    result = run(QUERIES)
    tested = evaluate(result.features.qrels, result.features.run(result.predictions[0, 0]), "AP", ties="expected")
    np.testing.assert_array_equal(result.scores.values[0], tested.values[0])
    first = result.trainings[0]
    ranker = TreeRanker(OBJECTIVE, **{**TREES, "epochs": first.best})
    ranker.fit(Features.concat(PARTS[:2]), sample_weight=QUERIES[:16])
    run_ = PARTS[2].run(ranker.score(PARTS[2]))
    valid = evaluate(PARTS[2].qrels, run_, "GAP(g=[0.5,0.5])", ties="expected").mean()[0, 0]
    assert first.curve[first.best - 1].valid == pytest.approx(valid)


def test_kept_trainings_are_those_of_their_weights(tmp_path: Path) -> None:
    plain, weighted = run(None, work=tmp_path), run(ROWS, work=tmp_path)
    assert len(list(tmp_path.iterdir())) == 8
    np.testing.assert_array_equal(run(None, work=tmp_path).predictions, plain.predictions)
    np.testing.assert_array_equal(run(ROWS, work=tmp_path).predictions, weighted.predictions)
    assert len(list(tmp_path.iterdir())) == 8
    changed = ROWS.copy()
    changed[0] += 1  # a row of part 0: folds 1 and 4 train on it
    run(changed, work=tmp_path)
    assert len(list(tmp_path.iterdir())) == 10


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0] * 8, r"sample_weight\[8\] for .* rows of 32 queries; give one for each row, or one for each query"),
        ([1.0] * 31 + [-2.0], r"sample_weight\[31\] is -2; weights are finite, 0 or more"),
        ([0.0] * 16 + [1.0] * 16, r"fold 1, lambdarank:GAP.*, seed 0: .*weights are finite, 0 or more, and not all 0"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights: list[float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(weights)


def test_weights_of_one_table_stay_with_their_rows_when_it_is_split() -> None:
    whole = Features.concat(PARTS)
    settings: dict[str, Any] = {"folds": 3, **TREES}
    found = crossval(whole, OBJECTIVE, "AP", sample_weight=ROWS, **settings)
    parts = list(whole.split(1 / 3, 1 / 3, 1 / 3, seed=0))
    by_topic = dict(zip(whole.topics, np.split(ROWS, whole.offsets[1:-1]), strict=True))
    weights = np.concatenate([by_topic[topic] for part in parts for topic in part.topics])
    np.testing.assert_array_equal(
        found.predictions, crossval(parts, OBJECTIVE, "AP", sample_weight=weights, **TREES).predictions
    )
