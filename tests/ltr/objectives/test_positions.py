"""Learning from clicks: corrections by the propensities of positions, against their definitions and known truth."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import Killed, killed_after

from gradeval import GAP, InputError, judge_arrays
from gradeval.formula.arithmetic import Array
from gradeval.kernels import lookup as exact
from gradeval.ltr import LambdaObjective
from gradeval.ltr.objectives.positions import Positions

LEVELS = (0.0, 1.0)
THETA = np.array([1.0, 0.5, 0.2, 0.1])


def gradient_of(
    compared: Array, clicks: Array, importance: Array, measure: str = "AP", sigma: float = 0.7
) -> tuple[Array, Array]:
    """Gradient and hessian of one query, pair by pair."""
    order = np.argsort(-compared, kind="stable")
    pool = np.bincount(clicks.astype(int), minlength=2)
    from gradeval.formula.spelling import parse_measure

    change = np.abs(exact.score_swaps(parse_measure(measure), clicks[order].astype(int)[None], pool[None], LEVELS)[0])
    place = np.argsort(order)
    gradient, hessian = np.zeros(len(clicks)), np.zeros(len(clicks))
    for i in np.flatnonzero(clicks == 1):
        for j in np.flatnonzero(clicks == 0):
            a, b = sorted((place[i], place[j]))
            weight = change[a, b] * importance[i]
            rho = 1 / (1 + math.exp(sigma * (compared[i] - compared[j])))
            gradient[i] -= sigma * weight * rho
            gradient[j] += sigma * weight * rho
            hessian[[i, j]] += sigma**2 * weight * rho * (1 - rho)
    return gradient, hessian


def one_query() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(3)
    clicks = np.array([0, 1, 0, 0, 1, 0, 0, 1, 0], float)
    return rng.normal(size=9), clicks, rng.integers(1, 5, 9)


@pytest.mark.parametrize("measure", ["AP", "ERR", "nDCG@4", "Bpref"])
def test_offsets_compare_scores_plus_the_logarithms_of_propensities(measure: str) -> None:
    scores, clicks, position = one_query()
    objective = LambdaObjective(measure, LEVELS, sigma=0.7, norm=False, position=position, propensities=THETA)
    expected = gradient_of(scores + np.log(THETA[position - 1]) / 0.7, clicks, np.ones(9), measure)
    np.testing.assert_allclose(objective.gradients(scores, clicks, [0, 9]), expected, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("measure", ["AP", "ERR", "nDCG@4", "Bpref"])
@pytest.mark.parametrize("clip", [1.0, 4.0, 100.0])
def test_weights_are_clipped_inverse_propensities_of_the_clicked_document(measure: str, clip: float) -> None:
    scores, clicks, position = one_query()
    options: dict[str, Any] = {"correction": "weights", "clip": clip, "position": position, "propensities": THETA}
    objective = LambdaObjective(measure, LEVELS, sigma=0.7, norm=False, **options)
    expected = gradient_of(scores, clicks, np.minimum(clip, 1 / THETA)[position - 1], measure)
    np.testing.assert_allclose(objective.gradients(scores, clicks, [0, 9]), expected, rtol=1e-12, atol=1e-16)


def test_equal_propensities_change_nothing() -> None:
    scores, clicks, position = one_query()
    plain = LambdaObjective("AP", LEVELS).gradients(scores, clicks, [0, 9])
    for correction in ("offsets", "weights"):
        alike: dict[str, Any] = {"position": position, "propensities": [0.3] * 4, "correction": correction}
        np.testing.assert_allclose(
            LambdaObjective("AP", LEVELS, **alike).gradients(scores, clicks, [0, 9]), plain, atol=1e-15
        )


def logged(queries: int, seed: int, strength: float = 1.0) -> tuple[Array, Array, Array, Array]:
    """Features, true grades, clicks and positions from 1: ten documents a query, shown in the order of a ranker that
    depends on the first feature by ``strength``; rank r is looked at with the probability r ** -1.5."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * queries, 4))
    grades = np.digitize(X[:, 0] + X[:, 1] ** 2 + np.sin(2 * X[:, 2]) + 0.5 * rng.normal(size=len(X)), [1, 2, 3, 4])
    shown = (strength * X[:, 0] + rng.normal(size=len(X))).reshape(queries, 10)
    position = np.argsort(np.argsort(-shown, axis=1), axis=1).ravel() + 1
    clicked = rng.random(len(X)) < (0.05 + 0.95 * (2.0**grades - 1) / 15) * position**-1.5
    return X, grades.astype(float), clicked.astype(float), position


def test_offsets_begin_at_those_of_the_scores_where_these_are_relevance() -> None:
    """Where clicks are rare, and scores the logarithms of their chances if looked at, whatever was shown where."""
    rng, queries, theta = np.random.default_rng(0), 300_000, np.array([1.0, 0.7, 0.5, 0.35, 0.25])
    attraction = rng.uniform(0.002, 0.02, 5 * queries)
    shown = (100 * attraction + rng.normal(size=5 * queries)).reshape(queries, 5)
    position = np.argsort(np.argsort(-shown, axis=1), axis=1).ravel() + 1
    clicks = (rng.random(5 * queries) < attraction * theta[position - 1]).astype(float)
    objective, offsets = LambdaObjective("AP", LEVELS, norm=False, threads=1), np.arange(0, 5 * queries + 1, 5)
    offset = Positions.of(position, None, "offsets", 10).begin(
        np.log(attraction), 1.0, lambda at: objective.gradients(at, clicks, offsets)
    )
    np.testing.assert_allclose(np.exp(offset), theta, rtol=0.15)


def quality(objective: Any, clicks: Array, X: Array, **data: Any) -> float:
    """GAP by the true grades of other queries."""
    import lightgbm

    known = lightgbm.Dataset(X, clicks, group=np.full(len(X) // 10, 10), **data)
    settings = {"objective": objective, "num_leaves": 7, "verbosity": -1, "num_threads": 1, "deterministic": True}
    model = lightgbm.train(settings, known, 40)
    test, grades, _, _ = logged(500, 99)
    return float(GAP(judge_arrays(grades, model.predict(test), group=np.full(500, 10), levels=(0, 1, 2, 3, 4))).mean())


def test_clicks_are_learnt_from_as_lightgbm_s_own_does() -> None:
    pytest.importorskip("lightgbm")
    X, grades, clicks, position = logged(3000, 1)
    fooled = quality(LambdaObjective("AP", LEVELS), clicks, X)
    oracle = quality(LambdaObjective("GAP", (0, 1, 2, 3, 4)), grades, X)
    own = quality("lambdarank", clicks, X, position=position)
    theta = np.arange(1, 11) ** -1.5
    by_dataset = quality(LambdaObjective("AP", LEVELS), clicks, X, position=position)
    estimated = quality(LambdaObjective("AP", LEVELS, position=position), clicks, X)
    given = quality(LambdaObjective("AP", LEVELS, position=position, propensities=theta), clicks, X)
    weighted = quality(
        LambdaObjective("AP", LEVELS, position=position, propensities=theta, correction="weights"), clicks, X
    )
    assert by_dataset == estimated
    assert fooled + 0.03 < min(estimated, given) <= oracle
    assert fooled + 0.01 < weighted <= oracle
    assert min(estimated, given) > own - 0.02


@pytest.mark.parametrize("weighted", [False, True])
def test_offsets_of_ndcg_are_learnt_as_lightgbm_learns_its_own(weighted: bool) -> None:
    """To the rounding of LightGBM's table of the logistic function, of a million steps."""
    lightgbm = pytest.importorskip("lightgbm")
    X, _, clicks, position = logged(1000, 4)
    start = np.random.default_rng(1).normal(size=len(X))  # without ties, which we rank by chance
    data = {"group": np.full(1000, 10), "position": position, "init_score": start}
    if weighted:
        data["weight"] = np.repeat(np.random.default_rng(0).choice([0.05, 1, 3], 1000), 10)
    settings = {"num_leaves": 7, "verbosity": -1, "num_threads": 1, "deterministic": True}
    objective = LambdaObjective('nDCG(dcg="exp-log2")', LEVELS, norm=True, position=position)
    objective.learnt.offset = np.zeros(10)  # where LightGBM begins

    def ours(scores: Array, dataset: Any) -> Any:
        return objective(scores, dataset)

    first, other = (
        lightgbm.train(settings | {"objective": each}, lightgbm.Dataset(X, clicks, **data), 20).predict(X)
        for each in (ours, "lambdarank")
    )
    assert np.ptp(other) > 1
    np.testing.assert_allclose(first, other, atol=1e-3)


def test_a_training_begins_where_its_first_scores_come_again() -> None:
    scores, clicks, position = one_query()
    objective, none = LambdaObjective("AP", LEVELS, sigma=0.7, position=position), np.zeros(9)
    first, other = (objective.gradients(each, clicks, [0, 9]) for each in (none, scores))
    assert not np.array_equal(objective.gradients(scores, clicks, [0, 9]), other)  # a step further
    again = [objective.gradients(each, clicks, [0, 9]) for each in (none, scores)]
    np.testing.assert_array_equal(again, [first, other])
    np.testing.assert_array_equal(first, LambdaObjective("AP", LEVELS, sigma=0.7).gradients(none, clicks, [0, 9]))


def test_xgboost_and_copies_take_the_positions_of_the_objective() -> None:
    xgboost = pytest.importorskip("xgboost")
    X, _, clicks, position = logged(100, 2)
    data = xgboost.DMatrix(X, clicks, qid=np.repeat(np.arange(100), 10))
    settings = {"min_child_weight": 0.001, "nthread": 1}
    plain = LambdaObjective("AP", LEVELS)
    corrected = LambdaObjective("AP", LEVELS, position=position)
    first, other = (xgboost.train(settings, data, 5, obj=each).predict(data) for each in (plain, corrected))
    assert np.abs(first - other).max() > 0.01
    again = xgboost.train(settings, data, 5, obj=copy.deepcopy(corrected)).predict(data)
    np.testing.assert_array_equal(again, other)
    half = xgboost.train(settings, data, 3, obj=corrected)
    whole = xgboost.train(settings, data, 2, obj=corrected, xgb_model=half).predict(data)
    np.testing.assert_array_equal(whole, other)


def test_positions_that_do_not_fit_are_errors() -> None:
    scores, clicks, position = one_query()
    with pytest.raises(InputError, match="position has 3 entries for 9 rows"):
        LambdaObjective("AP", LEVELS, position=position[:3]).gradients(scores, clicks, [0, 9])
    with pytest.raises(InputError, match="position: give a whole number from 1 for each row"):
        LambdaObjective("AP", LEVELS, position=position - 1, propensities=THETA)
    with pytest.raises(InputError, match="position 4 has no propensity: 2 are given"):
        LambdaObjective("AP", LEVELS, position=np.array([1, 4]), propensities=THETA[:2])
    with pytest.raises(InputError, match="propensities: give for each position from 1 a number above 0"):
        LambdaObjective("AP", LEVELS, position=position, propensities=[1, 0, 0.1, 0.1])
    with pytest.raises(InputError, match="correction='ips'"):
        LambdaObjective("AP", LEVELS, correction="ips")
    with pytest.raises(InputError, match=r"clip=0\.5 is not a number from 1"):
        LambdaObjective("AP", LEVELS, clip=0.5)
    lightgbm = pytest.importorskip("lightgbm")
    X, _, clicks, position = logged(20, 0)
    data = lightgbm.Dataset(X, clicks, group=np.full(20, 10), position=position)
    with pytest.raises(InputError, match="no position= to the Dataset; LightGBM renumbers"):
        lightgbm.train({"objective": LambdaObjective("AP", LEVELS, propensities=THETA), "verbosity": -1}, data, 1)


def test_tree_ranker_takes_positions() -> None:
    pytest.importorskip("lightgbm")
    from gradeval import Features
    from gradeval.ltr import LinearRanker, TreeRanker

    X, _, clicks, position = logged(300, 4)
    train = Features.from_arrays(X, clicks, sizes=np.full(300, 10))
    test, grades, _, _ = logged(300, 5)
    known = Features.from_arrays(test, grades, sizes=np.full(300, 10))

    def value(**how: Any) -> float:
        ranker = TreeRanker("lambdarank:AP", epochs=40, min_rows=5).fit(train, **how)
        return float(GAP(judge_arrays(grades, ranker.score(known), group=np.full(300, 10), levels=range(5))).mean())

    assert value(position=position) > value() + 0.02
    with pytest.raises(InputError, match="position is for a TreeRanker"):
        LinearRanker("lambdarank:AP").fit(train, position=position)
    with pytest.raises(InputError, match=r"position\[5\] for 3000 rows"):
        TreeRanker("lambdarank:AP").fit(train, position=position[:5])


def test_a_training_on_clicks_that_is_killed_goes_on_to_the_very_same_trees(tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    from gradeval import Features
    from gradeval.ltr import TreeRanker

    X, _, clicks, position = logged(60, 5)
    features = Features.from_arrays(X, clicks, sizes=np.full(60, 10))

    def fit(**more: Any) -> Any:
        return TreeRanker("lambdarank:AP", epochs=8, min_rows=3).fit(features, position=position, **more)

    for number in (1, 5):
        with pytest.raises(Killed):
            fit(checkpoint=tmp_path / str(number), progress=killed_after(number))
        assert fit(checkpoint=tmp_path / str(number), resume=True)._serialize_weights() == fit()._serialize_weights()
    with pytest.raises(InputError, match="of a training with other position"):
        TreeRanker("lambdarank:AP", epochs=8, min_rows=3).fit(features, checkpoint=tmp_path / "1", resume=True)
