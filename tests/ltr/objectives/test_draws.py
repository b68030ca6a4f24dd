"""Lambdas averaged over drawn rankings: against the definition, written out, and the laws of what is random in them."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from chance import drawn, ranked_by_chance
from scipy.integrate import quad
from scipy.stats import chisquare
from scipy.stats import norm as normal

from gradeval import AP, ERR, GAP, RR, Bpref, InputError, Measure, P, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.kernels import lookup as exact
from gradeval.ltr import LambdaObjective
from gradeval.ltr.data.graded_queries import GradedQueries, SwapLoss
from gradeval.ltr.objectives.draws import Draws, rank_by_chance
from gradeval.ltr.objectives.objective import Objective

LEVELS = (0.0, 1.0, 2.0, 3.0)


def weights(measure: Measure, grades: Array, ranking: Any, truncation: int) -> Array:
    """float64[document, document]: |dM| for each pair, in one ranking."""
    return stakes(measure, grades, np.argsort(-np.asarray(ranking), kind="stable"), truncation)


def stakes(measure: Measure, grades: Array, order: Array, truncation: int) -> Array:
    """The same for documents in an order."""
    pool = np.bincount(grades.astype(int), minlength=len(LEVELS))
    change = np.abs(exact.score_swaps(measure, grades[order].astype(int)[None], pool[None], LEVELS)[0])
    change[truncation:] = 0
    stake = np.zeros((len(grades), len(grades)))
    stake[np.ix_(order, order)] = np.triu(change, 1) + np.triu(change, 1).T
    return stake


def pulled(stake: Array, scores: Array, grades: Array, sigma: float, norm: bool) -> tuple[Array, Array]:
    """Gradient and hessian, pair by pair."""
    gradient, hessian, total = np.zeros(len(scores)), np.zeros(len(scores)), 0.0
    for i in range(len(scores)):
        for j in range(len(scores)):
            if grades[i] > grades[j]:
                ahead = scores[i] - scores[j]
                weight = stake[i, j] / (0.01 + abs(ahead)) if norm and np.ptp(scores) else stake[i, j]
                rho = 1 / (1 + math.exp(sigma * ahead))
                gradient[i] -= sigma * weight * rho
                gradient[j] += sigma * weight * rho
                hessian[[i, j]] += sigma**2 * weight * rho * (1 - rho)
                total += 2 * sigma * weight * rho
    factor = math.log2(1 + total) / total if norm else 1.0
    return gradient * factor, hessian * factor


def over(draws: Draws, measure: Measure, data: tuple[Any, Any, Any], **options: Any) -> tuple[Array, Array]:
    """The gradient and the hessian of pairs that are weighed over several rankings, as in losses."""
    scores, grades, offsets = map(np.asarray, data)
    return GradedQueries.of(measure, LEVELS, grades, offsets).gradients(scores, SwapLoss(draws=draws, **options), 1)


def query(documents: int, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=documents), rng.integers(0, 4, documents).astype(float), np.array([0, documents])


@pytest.mark.parametrize("measure", [GAP, AP, nDCG @ 3, ERR, RR, Bpref], ids=str)
@pytest.mark.parametrize(("noise", "spread"), [("gumbel", 1.0), ("gaussian", 0.4)])
@pytest.mark.parametrize(("truncation", "norm"), [(None, False), (4, True)])
def test_a_pair_weighs_the_mean_of_its_exchanges_in_the_drawn_rankings(
    measure: Measure, noise: Any, spread: float, truncation: int | None, norm: bool
) -> None:
    scores, grades, offsets = query(13)
    rankings = drawn(scores, grades, 6, noise, spread, 11)
    stake = np.mean([weights(measure, grades, one, truncation or 13) for one in rankings], axis=0)
    options: dict[str, Any] = {"sigma": 0.7, "truncation": truncation, "norm": norm}
    found = over(Draws(6, noise, spread, 11), measure, (scores, grades, offsets), **options)
    for ours, theirs in zip(found, pulled(stake, scores, grades, 0.7, norm), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    single = weights(measure, grades, rankings[0], truncation or 13)  # each tree takes one
    options |= {"noise": noise, "spread": spread, "seed": 11}
    for draws in (1, 6):
        objective = LambdaObjective(measure, LEVELS, draws=draws, **options)
        for ours, theirs in zip(
            objective.gradients(scores, grades, offsets), pulled(single, scores, grades, 0.7, norm), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


STILL = [*product((GAP, nDCG @ 3, ERR), (5, 12, 193, 400)), (Bpref, 12)]


@pytest.mark.parametrize(("measure", "documents"), STILL, ids=str)
@pytest.mark.parametrize("noise", ["gumbel", "gaussian"])
def test_without_noise_they_are_the_plain_lambdas(measure: Measure, documents: int, noise: Any) -> None:
    data = query(documents)
    plain = LambdaObjective(measure, LEVELS).gradients(*data)
    still = LambdaObjective(measure, LEVELS, draws=3, noise=noise, spread=1e-9).gradients(*data)
    np.testing.assert_allclose(still, plain, rtol=1e-11, atol=1e-16)


def test_gumbel_noise_draws_rankings_of_the_plackett_luce_model() -> None:
    """The chance of a ranking is the product of the chances to be the next of those that are left."""
    scores, grades, spread = np.array([0.3, -0.4, 1.1, 0.0]), np.array([2.0, 0.0, 1.0, 0.0]), 0.8
    stake, chances = np.zeros((4, 4)), 0.0
    for order in permutations(range(4)):
        worth = np.exp(scores[list(order)] / spread)
        chance = float(np.prod(worth / worth[::-1].cumsum()[::-1]))
        stake += chance * weights(ERR, grades, -np.argsort(order), 4)
        chances += chance
    assert chances == pytest.approx(1)
    expected, _ = pulled(stake, scores, grades, 1.0, False)
    found = [
        over(Draws(1000, spread=spread, seed=seed), ERR, (scores, grades, np.array([0, 4])))[0] for seed in range(40)
    ]
    error = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - expected) < 4 * error).all()
    assert (error < 0.001).all()


def test_gaussian_noise_is_normal() -> None:
    """By P@1 a pair weighs the chance that one of the two stands first."""
    scores, grades, spread = np.array([0.5, 0.0, -0.3]), np.array([1.0, 0.0, 0.0]), 0.6

    def first(place: int) -> float:
        others = [score for other, score in enumerate(scores) if other != place]
        return float(
            quad(
                lambda x: (
                    normal.pdf(x, scores[place], spread) * math.prod(normal.cdf(x, other, spread) for other in others)
                ),
                -6,
                6,
            )[0]
        )

    stake = np.zeros((3, 3))
    for other in (1, 2):
        stake[0, other] = first(0) + first(other)
    expected, _ = pulled(stake, scores, grades, 1.0, False)
    found = [
        over(Draws(1000, "gaussian", spread, seed), P @ 1, (scores, grades, np.array([0, 3])))[0] for seed in range(40)
    ]
    error = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - expected) < 4 * error).all()


def many(queries: int = 70) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(5)
    offsets = np.append(0, rng.integers(1, 30, queries).cumsum())
    return rng.normal(size=offsets[-1]), rng.integers(0, 4, offsets[-1]).astype(float), offsets


@pytest.mark.parametrize("noise", ["gumbel", "gaussian"])
def test_threads_and_other_queries_change_no_bit(noise: Any) -> None:
    scores, grades, offsets = many()
    objective = LambdaObjective(ERR, LEVELS, draws=5, noise=noise, threads=1)
    alone = objective.gradients(scores, grades, offsets)
    together = LambdaObjective(ERR, LEVELS, draws=5, noise=noise, threads=4).gradients(scores, grades, offsets)
    np.testing.assert_array_equal(alone, together)
    rows = slice(offsets[40], offsets[55])
    part = objective.gradients(scores[rows], grades[rows], offsets[40:56] - offsets[40])
    np.testing.assert_array_equal(part, np.array(alone)[:, rows])


def test_trees_see_other_rankings_one_after_another_whose_mean_is_that_of_many() -> None:
    """Scores that differ by less than matters, as from tree to tree, draw anew."""
    scores, grades, offsets = query(12)
    steps = scores + 1e-6 * np.arange(4000)[:, None]
    objective = LambdaObjective(GAP, LEVELS, norm=False, draws=5)
    by_tree = np.array([objective.gradients(one, grades, offsets)[0] for one in steps])
    many, _ = over(Draws(1000, seed=3), GAP, (scores, grades, offsets))
    error = by_tree.std(0, ddof=1) / math.sqrt(800)  # of the mean, and of that of 1000
    assert (np.abs(by_tree.mean(0) - many) < 4 * error).all()


def test_the_seed_and_the_scores_decide_the_draws() -> None:
    scores, grades, offsets = query(40)
    objective = LambdaObjective(ERR, LEVELS, draws=2)
    first, _ = objective.gradients(scores, grades, offsets)
    other, _ = LambdaObjective(ERR, LEVELS, draws=2, seed=1).gradients(scores, grades, offsets)
    assert np.abs(first - other).max() > 0.001
    near, _ = objective.gradients(np.nextafter(scores, 9), grades, offsets)  # as if summed in another order
    np.testing.assert_allclose(near, first, rtol=1e-9, atol=1e-15)
    moved, _ = objective.gradients(scores + 1e-3, grades, offsets)
    assert np.abs(first - moved).max() > 0.001
    zeros = np.zeros(40)
    np.testing.assert_array_equal(
        objective.gradients(zeros, grades, offsets), objective.gradients(-zeros, grades, offsets)
    )


def test_what_is_no_number_of_draws_is_an_error() -> None:
    with pytest.raises(InputError, match="draws='auto' is chosen by validation"):
        LambdaObjective(ERR, LEVELS, draws="auto")
    with pytest.raises(InputError, match="draws=-1 is not a whole number from 0 to 1000"):
        LambdaObjective(ERR, LEVELS, draws=-1)
    with pytest.raises(InputError, match="noise='normal'"):
        LambdaObjective(GAP, LEVELS, draws=1, noise="normal")
    with pytest.raises(InputError, match="spread=0 is not a number from"):
        LambdaObjective(GAP, LEVELS, draws=1, spread=0)
    with pytest.raises(InputError, match="draws is a choice of lambdarank and mixture; listnet has none"):
        Objective("listnet", draws=5)


def features(seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 5)).astype(np.float32)
    grades = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=600), [0.5, 1.5, 3]).astype(float)
    return X, grades, np.full(30, 20)


def test_lightgbm_goes_on_to_the_same_trees() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    X, grades, sizes = features()

    def train(trees: int, before: Any = None, threads: int = 1) -> Any:
        data = lightgbm.Dataset(X, grades, group=sizes, free_raw_data=False)
        objective = LambdaObjective(ERR, LEVELS, draws=5)
        settings = {"objective": objective, "verbosity": -1, "num_leaves": 5, "num_threads": threads, "seed": 1}
        return lightgbm.train(settings | {"deterministic": True}, data, trees, init_model=before)

    whole = train(12)
    np.testing.assert_array_equal(train(7, train(5)).predict(X), whole.predict(X))
    np.testing.assert_array_equal(train(12, threads=2).predict(X), whole.predict(X))


def test_xgboost_goes_on_to_the_same_trees() -> None:
    xgboost = pytest.importorskip("xgboost")
    X, grades, sizes = features()
    data = xgboost.DMatrix(X, grades, qid=np.repeat(np.arange(30), sizes))

    def train(trees: int, before: Any = None, threads: int = 1) -> Any:
        settings = {"min_child_weight": 0.001, "base_score": 0.0, "nthread": threads}
        return xgboost.train(settings, data, trees, obj=LambdaObjective(ERR, LEVELS, draws=5), xgb_model=before)

    whole = train(12).predict(data)
    np.testing.assert_array_equal(train(7, train(5)).predict(data), whole)
    np.testing.assert_array_equal(train(12, threads=2).predict(data), whole)


def test_cross_validation_of_lightgbm_trains_what_training_alone_does() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from gradeval.ltr import feval

    X, grades, sizes = features()
    objective = LambdaObjective(ERR, LEVELS, draws=5)
    settings = {"objective": objective, "verbosity": -1, "num_leaves": 5, "num_threads": 1, "metric": "None"}
    part = np.arange(600) // 300
    folds = [(np.flatnonzero(part != one), np.flatnonzero(part == one)) for one in (0, 1)]
    history = lightgbm.cv(
        settings, lightgbm.Dataset(X, grades, group=sizes), 6, folds=folds, feval=feval(ERR, levels=LEVELS)
    )
    found = []
    for train, test in folds:
        data = lightgbm.Dataset(X[train], grades[train], group=sizes[:15], reference=lightgbm.Dataset(X, grades))
        model = lightgbm.train(settings, data, 6)
        ranked = lightgbm.Dataset(X[test], grades[test], group=sizes[:15], reference=data).construct()
        found.append(feval(ERR, levels=LEVELS)(model.predict(X[test]), ranked)[1])
    assert history["valid ERR-mean"][-1] == pytest.approx(np.mean(found), rel=1e-12)


@pytest.mark.parametrize("measure", [GAP, AP, nDCG @ 3, ERR, RR, Bpref], ids=str)
@pytest.mark.parametrize(("documents", "values"), [(13, 1), (13, 4), (40, 2), (193, 1), (230, 20)])
@pytest.mark.parametrize(("truncation", "norm"), [(None, False), (4, True)])
def test_equal_scores_are_ranked_in_the_order_that_was_drawn(
    measure: Measure, documents: int, values: int, truncation: int | None, norm: bool
) -> None:
    if measure == Bpref and documents > 40:
        pytest.skip("every swapped list is scored")
    _, grades, offsets = query(documents)
    scores = np.random.default_rng(1).integers(0, values, documents) / 8
    stake = stakes(measure, grades, ranked_by_chance(scores, grades, 7), truncation or documents)
    objective = LambdaObjective(measure, LEVELS, sigma=0.7, truncation=truncation, norm=norm, seed=7)
    expected = pulled(stake, scores, grades, 0.7, norm)
    for ours, theirs in zip(objective.gradients(scores, grades, offsets), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("grades", list(permutations([0, 1, 2])), ids=str)
def test_among_equal_scores_every_order_is_as_likely_whatever_the_order_of_the_rows(grades: tuple[int, ...]) -> None:
    level = np.array([grades], np.int64)
    ranked = [level[0, rank_by_chance(np.zeros((1, 3)), level, seed)[0]] for seed in range(3000)]
    counts = np.unique(np.array(ranked) @ [9, 3, 1], return_counts=True)[1]
    assert len(counts) == 6
    assert chisquare(counts).pvalue > 0.001


def test_queries_and_rankings_have_orders_of_their_own() -> None:
    rng = np.random.default_rng(4)
    level = rng.integers(0, 3, (2000, 8))
    first = rank_by_chance(np.zeros((2000, 8)), level, 0)[:, 0]
    later = rank_by_chance((level == 9) + np.arange(8) // 4 * 0.5, level, 0)[:, 0] - 4
    assert chisquare(np.bincount(first)).pvalue > 0.001
    assert chisquare(np.bincount(later)).pvalue > 0.001
    assert chisquare(np.histogram2d(first % 4, later, 4)[0].ravel()).pvalue > 0.001


@pytest.mark.parametrize("change", [1e-3, 1 + 1e-13])
def test_the_order_of_equal_scores_hangs_on_no_digit_of_them(change: float) -> None:
    grades, offsets = np.array([0, 2, 1, 0, 3, 0, 1.0]), np.array([0, 7])
    scores = np.array([0.3, 0.1, 0.3, 0.3, 0.1, 0.7, 0.3])
    for sigma in (1.0, 2.0):
        near = LambdaObjective(GAP, LEVELS, sigma=sigma / change, norm=False).gradients(
            change * scores, grades, offsets
        )
        there = LambdaObjective(GAP, LEVELS, sigma=sigma, norm=False).gradients(scores, grades, offsets)
        np.testing.assert_allclose(change * near[0], there[0], rtol=1e-11)


def test_tensors_and_the_core_rank_equal_scores_alike() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 3, (20, 15)) / 4
    level = np.where(np.arange(15) < rng.integers(1, 16, (20, 1)), rng.integers(0, 4, (20, 15)), -1)
    ours = rank_by_chance(scores, level, 5)
    theirs = rank_by_chance(torch.tensor(scores), torch.tensor(level), 5).numpy()
    for query, documents in enumerate((level >= 0).sum(1)):
        np.testing.assert_array_equal(ours[query, :documents], theirs[query, :documents])
        expected = ranked_by_chance(scores[query, :documents], level[query, :documents], 5)
        np.testing.assert_array_equal(ours[query, :documents], expected)
