"""LambdaMART's objective in LightGBM and XGBoost, and against the engines' own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradeval import AP, ERR, GAP, InputError, Measure, Q, nDCG, xGAP
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

EXPONENTIAL = nDCG(dcg="exp-log2")
GRADES = (0, 1, 2, 3)


def small(seed: int = 0) -> tuple[Array, Array, Array]:
    """Features, grades and query sizes of a small problem."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(400, 6))
    grades = np.clip(np.round(features[:, 0] - features[:, 1] + rng.normal(size=400)), 0, 3)
    return features, grades, np.full(20, 20)


def mean(measure: Measure, scores: Array, grades: Array) -> float:
    from gradeval.kernels.lookup import kernel_of
    from gradeval.kernels.pairs import pool_of

    order = np.argsort(-scores.reshape(20, 20), axis=1, kind="stable")
    level = np.take_along_axis(grades.reshape(20, 20), order, 1).astype(int)
    levels = (0.0, 1.0, 2.0, 3.0)
    kernel = kernel_of(measure, pool_of(level, levels), levels, np.full(20, 20))
    assert kernel is not None
    return float(kernel.value(level).mean())


def gradient_by_default_in_lightgbm(scores: Array, grades: Array) -> Array:
    """The gradient of LightGBM's lambdarank for one list, with its defaults: truncation level 30, normalised."""
    order = np.argsort(-scores, kind="stable")
    grade, ranked, listed = grades[order], scores[order], len(scores)
    gain, discount = 2.0**grade - 1, 1 / np.log2(2 + np.arange(listed))
    ideal = (np.sort(gain)[::-1] * discount)[:30].sum()
    gradient, total = np.zeros(listed), 0.0
    for a in range(min(30, listed - 1)):
        for b in np.flatnonzero(grade[a + 1 :] != grade[a]) + a + 1:
            high, low = (a, b) if grade[a] > grade[b] else (b, a)
            gap = ranked[high] - ranked[low]
            change = (gain[high] - gain[low]) * abs(discount[high] - discount[low]) / ideal / (0.01 + abs(gap))
            force = change / (1 + np.exp(gap))
            gradient[order[high]] -= force
            gradient[order[low]] += force
            total += 2 * force
    return gradient * np.log2(1 + total) / total


@pytest.mark.parametrize(("listed", "least", "most"), [(30, 1, 1), (440, 0.83, 0.91), (1000, 0.77, 0.84)])
def test_how_far_long_lists_are_from_the_defaults_of_lightgbm(listed: int, least: float, most: float) -> None:
    rng = np.random.default_rng(0)
    objective = LambdaObjective(EXPONENTIAL, levels=range(5), norm=True, truncation=30)
    for _ in range(3):
        grades, scores = rng.choice(5, listed, p=(0.5, 0.3, 0.14, 0.04, 0.02)).astype(float), rng.normal(size=listed)
        theirs = gradient_by_default_in_lightgbm(scores, grades)
        ours, _ = objective.gradients(scores, grades, np.array([0, listed]))
        assert least - 1e-9 <= np.linalg.norm(ours) / np.linalg.norm(theirs) <= most + 1e-9
        assert np.corrcoef(ours, theirs)[0, 1] > 1 - 1e-12


def test_the_ranker_of_lightgbm_takes_the_objective() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    pytest.importorskip("sklearn")
    features, grades, sizes = small()
    ranker = lightgbm.LGBMRanker(
        objective=LambdaObjective(GAP, levels=GRADES).ranker, n_estimators=20, verbose=-1, n_jobs=1
    )
    ranker.fit(features, grades, group=sizes)
    trained = lightgbm.train(
        {"objective": LambdaObjective(GAP, levels=GRADES), "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(features, grades, group=sizes),
        20,
    )
    np.testing.assert_allclose(ranker.predict(features), trained.predict(features), atol=1e-12)


def test_where_labels_come_first_the_error_names_the_form_for_it() -> None:
    with pytest.raises(InputError, match=r"as in LGBMRanker\(objective=...\), give LambdaObjective\(...\)\.ranker"):
        LambdaObjective(GAP, levels=GRADES)(np.array([0, 1]), np.zeros(2))


@pytest.mark.parametrize("measure", [GAP, xGAP, Q, ERR], ids=str)
def test_xgboost_learns_any_measure(measure: Measure) -> None:
    xgboost = pytest.importorskip("xgboost")
    features, grades, sizes = small()
    data = xgboost.DMatrix(features, grades, qid=np.repeat(np.arange(20), sizes))
    parameters = {"base_score": 0.0, "min_child_weight": 0, "nthread": 1}
    trained = xgboost.train(parameters, data, 20, obj=LambdaObjective(measure, levels=GRADES, norm=False))
    assert mean(measure, trained.predict(data), grades) > mean(measure, np.zeros(400), grades) + 0.2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "measure"), [("rank:ndcg", EXPONENTIAL), ("rank:map", AP)])
def test_xgboost_grows_its_own_trees_by_the_objective(name: str, measure: Measure, weighted: bool) -> None:
    xgboost = pytest.importorskip("xgboost")
    features, grades, sizes = small()
    weights = np.random.default_rng(0).random(len(sizes)) if weighted else None
    labels = (grades > 0).astype(float) if name == "rank:map" else grades
    start = np.random.default_rng(1).normal(size=len(labels))  # without ties, which we rank by chance
    data = xgboost.DMatrix(features, labels, qid=np.repeat(np.arange(20), sizes), weight=weights, base_margin=start)
    parameters = {"base_score": 0.0, "min_child_weight": 0.01, "nthread": 1, "max_depth": 3}
    pairs = {"lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": 10**6}
    norms = {"lambdarank_normalization": False, "lambdarank_score_normalization": False}
    built_in = xgboost.train(parameters | pairs | norms | {"objective": name}, data, 10)
    custom = xgboost.train(parameters, data, 10, obj=LambdaObjective(measure, levels=GRADES, norm=False))
    np.testing.assert_allclose(custom.predict(data), built_in.predict(data), atol=1e-6)


def letor(folder: Path, parts: tuple[str, ...]) -> tuple[Array, Array, Array]:
    """Features, grades and query sizes of some parts, read as plainly as can be."""
    lines = [line.split("#")[0].split() for part in parts for line in (folder / part).read_text().splitlines()]
    queries = [fields[1] for fields in lines]
    starts = [row for row in range(len(lines)) if row == 0 or queries[row] != queries[row - 1]]
    features = [[float(item.split(":")[1]) for item in fields[2:]] for fields in lines]
    return np.array(features), np.array([float(fields[0]) for fields in lines]), np.diff([*starts, len(lines)])


@pytest.fixture(scope="module")
def ohsumed(data: Callable[[str], Path]) -> tuple[Array, Array, Array]:
    return letor(data("ohsumed-letor3"), ("S1.txt", "S2.txt", "S3.txt"))


@pytest.mark.realdata
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("norm", [False, True])
def test_trees_for_ndcg_are_those_of_lightgbm(ohsumed: tuple[Array, Array, Array], weighted: bool, norm: bool) -> None:
    """LightGBM looks the logistic function up in a table, hence 1e-3 on scores of about 1."""
    lightgbm = pytest.importorskip("lightgbm")
    features, grades, sizes = ohsumed
    weights = np.random.default_rng(0).random(len(grades)) if weighted else None
    parameters = {"verbose": -1, "num_threads": 1, "deterministic": True, "min_sum_hessian_in_leaf": 1e-3}
    own = {"objective": "lambdarank", "lambdarank_norm": norm, "lambdarank_truncation_level": 10**6}
    ours = {"objective": LambdaObjective(EXPONENTIAL, levels=GRADES, norm=norm, threads=1)}
    start = np.random.default_rng(1).normal(size=len(grades))  # without ties, which we rank by chance
    data = {"group": sizes, "weight": weights, "init_score": start}
    built_in, custom = (
        lightgbm.train(parameters | objective, lightgbm.Dataset(features, grades, **data), 10)
        for objective in (own, ours)
    )
    np.testing.assert_allclose(custom.predict(features), built_in.predict(features), atol=1e-3)


@pytest.mark.realdata
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize(("name", "measure"), [("rank:ndcg", EXPONENTIAL), ("rank:map", AP)])
def test_trees_for_ndcg_and_ap_are_those_of_xgboost(
    ohsumed: tuple[Array, Array, Array], name: str, measure: Measure, norm: bool, weighted: bool
) -> None:
    xgboost = pytest.importorskip("xgboost")
    features, grades, sizes = ohsumed
    weights = np.random.default_rng(0).random(len(sizes)) if weighted else None
    labels = (grades > 0).astype(float) if name == "rank:map" else grades
    start = np.random.default_rng(1).normal(size=len(labels))  # without ties, which we rank by chance
    data = xgboost.DMatrix(
        features, labels, qid=np.repeat(np.arange(len(sizes)), sizes), weight=weights, base_margin=start
    )
    parameters = {"base_score": 0.0, "min_child_weight": 0, "nthread": 1, "max_depth": 5}
    pairs = {"lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": 10**6}
    norms = {"lambdarank_normalization": norm, "lambdarank_score_normalization": norm}
    built_in = xgboost.train(parameters | pairs | norms | {"objective": name}, data, 10)
    custom = xgboost.train(parameters, data, 10, obj=LambdaObjective(measure, levels=GRADES, norm=norm, threads=1))
    np.testing.assert_allclose(custom.predict(data), built_in.predict(data), atol=1e-6)
