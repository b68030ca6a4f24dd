"""The order of rows within queries teaches nothing: rows best first, worst first or shuffled train rankers as good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradeval import Features, evaluate
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, LinearRanker, TreeRanker, crossval, feval

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

DOCUMENTS, LEVELS = 20, (0, 1, 2)
ROUNDS = 60
ORDERS = ("best first", "worst first", "shuffled")


def drawn(seed: int, queries: int, order: str, *, features: int = 4, missing: float = 0.0) -> Features:
    """Queries whose grades depend on up to three features, with noise, and whose rows stand in an order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * DOCUMENTS, features))
    merit = X[:, :3] @ np.array([1, 0.7, 0.3])[:features] + rng.normal(size=len(X))
    grades = np.digitize(merit, [1, 2]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    key = {"best first": -grades, "worst first": grades, "shuffled": np.zeros(len(X))}[order]
    rows = np.lexsort((rng.random(len(X)), key, np.arange(len(X)) // DOCUMENTS))
    return Features.from_arrays(X[rows], grades[rows], sizes=[DOCUMENTS] * queries)


def mean(features: Features, scores: Array, measure: str) -> float:
    return float(evaluate(features.qrels, features.run(scores), measure, ties="expected").mean()[0, 0])


def queries_of(features: Features) -> Array:
    return np.repeat(np.arange(len(features.topics)), np.diff(features.offsets))


def by_ranker(train: Features, valid: Features, measure: str, seed: int) -> tuple[Callable[[Array], Array], int]:
    settings: dict[str, Any] = {"epochs": ROUNDS, "patience": 25, "leaves": 3, "learning_rate": 0.1, "min_rows": 20}
    ranker = TreeRanker(f"lambdarank:{measure}", seed=seed, **settings).fit(train, valid)
    return ranker.predict, ranker.best


def by_lightgbm(train: Features, valid: Features, measure: str, seed: int) -> tuple[Callable[[Array], Array], int]:
    data = lightgbm.Dataset(train.X, train.grades, group=np.diff(train.offsets))
    held_out = lightgbm.Dataset(valid.X, valid.grades, group=np.diff(valid.offsets), reference=data)
    settings = {"num_leaves": 3, "verbosity": -1, "num_threads": 1, "metric": "None", "deterministic": True}
    booster = lightgbm.train(
        {**settings, "objective": LambdaObjective(measure, LEVELS, seed=seed, threads=1)},
        data,
        ROUNDS,
        valid_sets=[held_out],
        feval=feval(measure, levels=LEVELS),
        callbacks=[lightgbm.early_stopping(25, verbose=False)],
    )
    return booster.predict, booster.best_iteration


def by_xgboost(train: Features, valid: Features, measure: str, seed: int) -> tuple[Callable[[Array], Array], int]:
    data, held_out = (xgboost.DMatrix(each.X, each.grades, qid=queries_of(each)) for each in (train, valid))
    booster = xgboost.train(
        {"max_depth": 2, "eta": 0.2, "min_child_weight": 0.01, "nthread": 1, "disable_default_eval_metric": True},
        data,
        ROUNDS,
        evals=[(held_out, "valid")],
        obj=LambdaObjective(measure, LEVELS, seed=seed, threads=1),
        custom_metric=feval(measure, levels=LEVELS),
        callbacks=[xgboost.callback.EarlyStopping(rounds=25, maximize=True, save_best=True)],
        verbose_eval=False,
    )
    return booster.inplace_predict, booster.num_boosted_rounds()


CASES: list[tuple[Any, str, dict[str, Any]]] = [
    (by_ranker, "GAP", {}),
    (by_ranker, "nDCG", {"missing": 0.3}),
    (by_ranker, "AP", {"features": 2}),
    (by_ranker, "ERR", {"features": 6}),
    (by_lightgbm, "GAP", {"missing": 0.2}),
    (by_xgboost, "GAP", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("trained", "measure", "kind"), CASES)
def test_rankers_are_as_good_whatever_the_order_of_their_rows(trained: Any, measure: str, kind: dict[str, Any]) -> None:
    tests = [drawn(100 * seed + 2, 300, "shuffled", **kind) for seed in range(5)]
    values, kept = {}, {}
    for order in ORDERS:
        each = []
        for seed, test in enumerate(tests):
            train, valid = (drawn(100 * seed + part, size, order, **kind) for part, size in enumerate((150, 100)))
            predict, best = trained(train, valid, measure, seed)
            each.append((mean(test, predict(test.X), measure), best))
        values[order], kept[order] = np.mean([value for value, _ in each]), [best for _, best in each]
    assert max(values.values()) - min(values.values()) < 0.01, values
    for order in ORDERS:
        early = [10 * best < other for best, other in zip(kept[order], kept["shuffled"], strict=True)]
        assert not any(early), kept
        assert np.mean(kept[order]) > np.mean(kept["shuffled"]) / 2, kept


def test_rows_best_first_stop_no_training_at_its_first_tree() -> None:
    parts = [drawn(seed, 40, "best first") for seed in range(3)]
    none = mean(parts[2], np.zeros(len(parts[2])), "GAP")
    for trained in (by_ranker, by_lightgbm, by_xgboost):
        predict, best = trained(parts[0], parts[1], "GAP", 0)
        assert best > 5
        assert mean(parts[2], predict(parts[2].X), "GAP") > none + 0.2
    model = lightgbm.LGBMRanker(
        objective=LambdaObjective("GAP", LEVELS).ranker, n_estimators=60, num_leaves=3, verbosity=-1, metric="None"
    )
    model.fit(
        parts[0].X,
        parts[0].grades,
        group=np.diff(parts[0].offsets),
        eval_X=parts[1].X,
        eval_y=parts[1].grades,
        eval_group=[np.diff(parts[1].offsets)],
        eval_metric=feval("GAP", levels=LEVELS).ranker,
        callbacks=[lightgbm.early_stopping(15, verbose=False)],
    )
    assert model.best_iteration_ > 5
    whole = drawn(3, 60, "best first")
    found = crossval(whole, ["GAP", "lightgbm:lambdarank"], "GAP", epochs=20, leaves=3, min_rows=10, learning_rate=0.1)
    assert min(training.best for training in found.trainings) > 2
    assert (found.scores.mean() > none + 0.15).all()


def test_a_descent_does_not_see_the_order_of_rows() -> None:
    """Its scores do not tie, and the first values of validation are those of the scores alone."""
    curves = []
    for order in ("best first", "worst first"):
        train, valid = (drawn(seed, 20, order) for seed in (0, 1))
        flat = Features.from_arrays(np.zeros_like(valid.X), valid.grades, sizes=[DOCUMENTS] * 20)
        ranker = LinearRanker("lambdarank:GAP", epochs=2, patience=9).fit(train, flat)
        curves.append([epoch.valid for epoch in ranker.curve])
    np.testing.assert_allclose(*curves, rtol=1e-12)
    np.testing.assert_allclose(curves[0], mean(flat, np.zeros(len(flat)), "GAP"), rtol=1e-12)
