"""LambdaMART's objective: against the loss in PyTorch, against its definition, and against the engines' own."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gradeval import AP, ERR, GAP, RBP, RR, Bpref, InputError, Measure, P, Q, RMeasure, SetP, eGAP, muAP, nDCG, xGAP
from gradeval.formula.arithmetic import Array
from gradeval.ltr import InferredLevelsWarning, LambdaObjective

MEASURES = (AP, GAP, GAP(g=(0.2, 0.3, 0.5)) @ 3, eGAP, xGAP, muAP, Q, nDCG @ 5, nDCG(dcg="exp-log2"), P @ 2, ERR, RR)
EXPONENTIAL = nDCG(dcg="exp-log2")
GRADES = (0, 1, 2, 3)


def rows(queries: Any) -> tuple[Array, Array]:
    """Grades of all documents, row after row, and where each query begins."""
    return queries.grades[queries.mask].astype(float), np.append(0, queries.mask.sum(1).cumsum())


def some_scores(queries: Any, seed: int = 0) -> Array:
    """Scores with ties."""
    return np.round(np.random.default_rng(seed).normal(size=queries.mask.sum()), 1)


@pytest.mark.parametrize("measure", [*MEASURES, RMeasure, Bpref], ids=str)
@pytest.mark.parametrize("truncation", [None, 1, 4])
def test_the_gradient_is_that_of_the_loss_in_pytorch(measure: Measure, truncation: int | None, queries: Any) -> None:
    torch = pytest.importorskip("torch")
    from gradeval.ltr import lambda_loss

    grades, offsets = rows(queries)
    scores = some_scores(queries)
    padded = torch.zeros(queries.grades.shape, dtype=torch.float64)
    padded[torch.tensor(queries.mask)] = torch.tensor(scores)
    padded.requires_grad_()
    options: dict[str, Any] = {"sigma": 0.7, "truncation": truncation, "levels": queries.levels}
    lambda_loss(padded, queries.grades, measure, mask=queries.mask, **options).sum().backward()
    gradient, _ = LambdaObjective(measure, **options).gradients(scores, grades, offsets)
    np.testing.assert_allclose(gradient, padded.grad[torch.tensor(queries.mask)], atol=1e-13)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_hessian_is_how_fast_the_gradient_grows(measure: Measure, queries: Any) -> None:
    """As long as no documents change places the stakes stay, and the hessian is the derivative of the gradient."""
    grades, offsets = rows(queries)
    scores = np.random.default_rng(1).normal(size=len(grades))
    objective = LambdaObjective(measure, sigma=1.3, levels=queries.levels)
    _, hessian = objective.gradients(scores, grades, offsets)
    step = 1e-6
    for row in range(0, len(grades), 7):
        moved = scores.copy()
        moved[row] += step
        up, _ = objective.gradients(moved, grades, offsets)
        moved[row] -= 2 * step
        down, _ = objective.gradients(moved, grades, offsets)
        assert hessian[row] == pytest.approx((up[row] - down[row]) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("measure", [GAP, Q, nDCG, ERR], ids=str)
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("scale", [1, 1e4])
def test_the_core_does_what_the_exact_way_does(
    measure: Measure, norm: bool, scale: float, queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grades, offsets = rows(queries)
    scores = some_scores(queries) * scale
    options: dict[str, Any] = {"sigma": 0.7, "truncation": 4, "norm": norm, "levels": queries.levels}
    fast = LambdaObjective(measure, **options).gradients(scores, grades, offsets)
    monkeypatch.setattr("gradeval.ltr.data.lambda_queries.kernel_of", lambda *_: None)
    slow = LambdaObjective(measure, **options).gradients(scores, grades, offsets)
    np.testing.assert_allclose(fast, slow, atol=1e-13, rtol=1e-10)


def test_the_number_of_threads_changes_nothing(queries: Any) -> None:
    grades, offsets = rows(queries)
    many = np.concatenate([grades] * 20)
    starts = np.append(0, np.concatenate([np.diff(offsets)] * 20).cumsum())
    scores = np.random.default_rng(2).normal(size=len(many))
    one, four = (
        LambdaObjective(GAP, levels=GRADES, threads=threads).gradients(scores, many, starts) for threads in (1, 4)
    )
    np.testing.assert_array_equal(one, four)


def test_many_queries_are_prepared_in_parts() -> None:
    """The ranks of Q are worth something else in each query, so its tables are made for 2,048 queries at a time."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 6, 4500)
    offsets = np.append(0, sizes.cumsum())
    grades, scores = rng.integers(0, 3, offsets[-1]), rng.normal(size=offsets[-1])
    gradient, _ = LambdaObjective(Q, levels=(0, 1, 2)).gradients(scores, grades, offsets)
    for query in (0, 2047, 2048, 4499):
        own = slice(offsets[query], offsets[query + 1])
        if len(set(grades[own])) > 1:
            alone, _ = LambdaObjective(Q, levels=(0, 1, 2)).gradients(
                scores[own], grades[own], np.array([0, sizes[query]])
            )
            np.testing.assert_allclose(gradient[own], alone, atol=1e-14)


def test_an_objective_may_go_from_one_data_set_to_another() -> None:
    objective = LambdaObjective(GAP, levels=(0, 1, 2))
    first = objective.gradients(np.zeros(3), np.array([0, 2, 1]), np.array([0, 3]))
    objective.gradients(np.zeros(4), np.array([0, 0, 1, 1]), np.array([0, 2, 4])[[0, 2]])
    again = objective.gradients(np.zeros(3), np.array([0, 2, 1]), np.array([0, 3]))
    np.testing.assert_array_equal(first, again)


def test_a_measure_may_be_spelled() -> None:
    data = np.array([0.1, 0.3, 0.2]), np.array([0, 2, 1]), np.array([0, 3])
    spelled, measure = (LambdaObjective(one, levels=GRADES) for one in ("nDCG@2", nDCG @ 2))
    assert spelled == measure
    np.testing.assert_array_equal(spelled.gradients(*data), measure.gradients(*data))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_an_objective_can_be_copied(copied: Callable[[Any], Any]) -> None:
    objective = LambdaObjective(GAP(g=(0.3, 0.7)) @ 5, levels=(0, 1, 2), truncation=3)
    data = np.zeros(3), np.array([0, 2, 1]), np.array([0, 3])
    expected = objective.gradients(*data)
    assert copied(objective) == objective
    fresh = LambdaObjective(GAP(g=(0.3, 0.7)) @ 5, levels=(0, 1, 2), truncation=3)
    assert len(pickle.dumps(objective)) == len(pickle.dumps(fresh))
    np.testing.assert_array_equal(copied(objective).gradients(*data), expected)


# The engines


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


@pytest.mark.parametrize("measure", [GAP, xGAP, Q, ERR], ids=str)
def test_lightgbm_learns_any_measure(measure: Measure) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    features, grades, sizes = small()
    data = lightgbm.Dataset(features, grades, group=sizes)
    trained = lightgbm.train(
        {"objective": LambdaObjective(measure, levels=GRADES), "verbose": -1, "num_threads": 1}, data, 20
    )
    assert mean(measure, trained.predict(features), grades) > mean(measure, np.zeros(400), grades) + 0.2


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
    trained = xgboost.train(parameters, data, 20, obj=LambdaObjective(measure, levels=GRADES))
    assert mean(measure, trained.predict(data), grades) > mean(measure, np.zeros(400), grades) + 0.2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "measure"), [("rank:ndcg", EXPONENTIAL), ("rank:map", AP)])
def test_xgboost_grows_its_own_trees_by_the_objective(name: str, measure: Measure, weighted: bool) -> None:
    xgboost = pytest.importorskip("xgboost")
    features, grades, sizes = small()
    weights = np.random.default_rng(0).random(len(sizes)) if weighted else None
    labels = (grades > 0).astype(float) if name == "rank:map" else grades
    data = xgboost.DMatrix(features, labels, qid=np.repeat(np.arange(20), sizes), weight=weights)
    parameters = {"base_score": 0.0, "min_child_weight": 0.01, "nthread": 1, "max_depth": 3}
    pairs = {"lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": 10**6}
    norms = {"lambdarank_normalization": False, "lambdarank_score_normalization": False}
    built_in = xgboost.train(parameters | pairs | norms | {"objective": name}, data, 10)
    custom = xgboost.train(parameters, data, 10, obj=LambdaObjective(measure, levels=GRADES))
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
    """LightGBM looks the logistic function up in a table, hence 1e-4 on scores of about 1."""
    lightgbm = pytest.importorskip("lightgbm")
    features, grades, sizes = ohsumed
    weights = np.random.default_rng(0).random(len(grades)) if weighted else None
    parameters = {"verbose": -1, "num_threads": 1, "deterministic": True, "min_sum_hessian_in_leaf": 1e-3}
    own = {"objective": "lambdarank", "lambdarank_norm": norm, "lambdarank_truncation_level": 10**6}
    ours = {"objective": LambdaObjective(EXPONENTIAL, levels=GRADES, norm=norm, threads=1)}
    built_in, custom = (
        lightgbm.train(parameters | objective, lightgbm.Dataset(features, grades, group=sizes, weight=weights), 10)
        for objective in (own, ours)
    )
    np.testing.assert_allclose(custom.predict(features), built_in.predict(features), atol=1e-4)


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
    data = xgboost.DMatrix(features, labels, qid=np.repeat(np.arange(len(sizes)), sizes), weight=weights)
    parameters = {"base_score": 0.0, "min_child_weight": 0, "nthread": 1, "max_depth": 5}
    pairs = {"lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": 10**6}
    norms = {"lambdarank_normalization": norm, "lambdarank_score_normalization": norm}
    built_in = xgboost.train(parameters | pairs | norms | {"objective": name}, data, 10)
    custom = xgboost.train(parameters, data, 10, obj=LambdaObjective(measure, levels=GRADES, norm=norm, threads=1))
    np.testing.assert_allclose(custom.predict(data), built_in.predict(data), atol=1e-6)


# The levels of the collection

WHOLE = np.array([0, 2, 1, 0, 1, 4, 0, 3]), np.array([0, 4, 8])
"""Two queries of a collection with the grades 0 to 4; the first has nothing above 2."""


@pytest.mark.parametrize("measure", [ERR, GAP, RBP, eGAP], ids=str)
def test_a_part_without_the_best_grade_has_the_gradients_of_the_whole(measure: Measure) -> None:
    grades, offsets = WHOLE
    scores = np.random.default_rng(0).normal(size=8)
    objective = LambdaObjective(measure, levels=range(5))
    whole, _ = objective.gradients(scores, grades, offsets)
    part, _ = objective.gradients(scores[:4], grades[:4], offsets[:2])
    np.testing.assert_allclose(part, whole[:4], rtol=1e-12)


def test_levels_taken_from_labels_that_lack_the_best_grade_mislead_and_are_warned_of() -> None:
    grades, offsets = WHOLE
    scores = np.random.default_rng(0).normal(size=8)
    declared, _ = LambdaObjective(ERR, levels=range(5)).gradients(scores[:4], grades[:4], offsets[:2])
    with pytest.warns(
        InferredLevelsWarning, match=r"taken to be 0,1,2, .* as in LambdaObjective\(ERR, levels=\(0,1,2\)\)"
    ):
        inferred, _ = LambdaObjective(ERR).gradients(scores[:4], grades[:4], offsets[:2])
    assert np.abs(inferred).max() > 2 * np.abs(declared).max()


def test_levels_are_warned_of_once_for_a_training() -> None:
    objective = LambdaObjective(ERR)
    with pytest.warns(InferredLevelsWarning):
        objective.gradients(np.zeros(8), *WHOLE)
    objective.gradients(np.ones(8), *WHOLE)  # a second warning would be an error here


def test_levels_must_be_declared_where_xgboost_trains_on_several_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    xgboost = pytest.importorskip("xgboost")
    monkeypatch.setattr(xgboost.collective, "get_world_size", lambda: 2)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR).gradients(np.zeros(8), *WHOLE)
    LambdaObjective(ERR, levels=range(5)).gradients(np.zeros(8), *WHOLE)


@pytest.mark.parametrize("parameters", [{"num_machines": 2}, {"machines": "a:1,b:1"}], ids=str)
def test_levels_must_be_declared_where_lightgbm_trains_on_several_machines(parameters: dict[str, Any]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    features, grades, sizes = small()
    data = lightgbm.Dataset(features, grades, group=sizes, params=parameters)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR)(np.zeros(len(grades)), data)


def test_levels_of_a_single_machine_are_warned_of_only() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    features, grades, sizes = small()
    data = lightgbm.Dataset(features, grades, group=sizes, params={"num_machines": 1, "machines": ""})
    with pytest.warns(InferredLevelsWarning):
        LambdaObjective(ERR)(np.zeros(len(grades)), data.construct())


def test_levels_must_be_declared_on_a_dask_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """LightGBM's rankers for Dask call the objective without their data set."""
    grades, offsets = WHOLE
    dask = SimpleNamespace(get_worker=lambda: "a worker")
    monkeypatch.setitem(sys.modules, "distributed", dask)
    with pytest.raises(InputError, match="levels: in distributed training a worker sees a part of the labels"):
        LambdaObjective(ERR).ranker(grades, np.zeros(8), None, np.diff(offsets))


# What does not fit


@pytest.mark.parametrize(
    ("grades", "offsets", "message"),
    [
        ([0, -1, 1], [0, 3], "grade -1 is not one of the levels 0,1: declare"),
        ([0, float("nan"), 1], [0, 3], "the label of row 1 is nan: give a grade"),
        ([0, 1, 1], [0, 2], "the queries have 2 rows, the data has 3"),
        ([0, 1, 1], [0, 3, 2, 3], "offsets must ascend from 0"),
        ([0, 1, 1], [1, 3], "offsets must ascend from 0"),
        ([0, 0, 0], [0, 3], "nothing to learn: no exchange of two documents of a query changes GAP"),
        ([0, 1, 2], [0, 1, 2, 3], "nothing to learn"),
    ],
)
@pytest.mark.filterwarnings("ignore::gradeval.ltr.InferredLevelsWarning")
def test_data_without_anything_to_learn_is_a_clear_error(grades: list[float], offsets: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LambdaObjective(GAP).gradients(np.zeros(3), np.array(grades), np.array(offsets))


@pytest.mark.parametrize("truncation", [None, 1])
@pytest.mark.parametrize("measure", [GAP, "Bpref"])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_so_far_apart_that_hessians_underflow_are_no_lack_of_something_to_learn(
    sign: int, measure: Any, truncation: int | None
) -> None:
    scores, grades = sign * np.array([2e4, 1e4, 0.0]), np.array([2, 1, 0])
    objective = LambdaObjective(measure, levels=GRADES, truncation=truncation)
    gradient, hessian = objective.gradients(scores, grades, np.array([0, 3]))
    assert not hessian.any()
    assert gradient.any() == (sign < 0)  # pairs in the right order push no more, those in the wrong one do


def test_a_measure_of_sets_cannot_be_learnt() -> None:
    with pytest.raises(InputError, match="nothing to learn: no exchange of two documents of a query changes SetP"):
        LambdaObjective(SetP, levels=GRADES).gradients(np.zeros(3), np.array([0, 1, 2]), np.array([0, 3]))


def test_options_and_scores_that_make_no_sense_are_clear_errors() -> None:
    with pytest.raises(InputError, match="sigma=0 is not a number from 1e-06"):
        LambdaObjective(GAP, sigma=0)
    for truncation in (0, 2.5, "3"):
        with pytest.raises(InputError, match=f"truncation={truncation!r} is not a whole number from 1"):
            LambdaObjective(GAP, truncation=truncation)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="norm='yes' is not True or False"):
        LambdaObjective(GAP, norm="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads=-1 is not a whole number from 0"):
        LambdaObjective(GAP, threads=-1)
    with pytest.raises(InputError, match="unknown measure 'GAPP'"):
        LambdaObjective("GAPP")
    data = np.array([0.0, 1.0, 2.0]), np.array([0, 3])
    with pytest.raises(InputError, match="the score of row 1 is nan"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.array([0, np.nan, 1]), *data)
    with pytest.raises(InputError, match="give one of each for a row"):
        LambdaObjective(GAP, levels=GRADES).gradients(np.zeros(2), *data)
    with pytest.raises(InputError, match="grade 2 is not one of the levels 0,1"):
        LambdaObjective(GAP, levels=(0, 1)).gradients(np.zeros(3), *data)


def test_data_sets_without_queries_are_clear_errors() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    features, grades, _ = small()
    with pytest.raises(InputError, match="the LightGBM Dataset has no groups"):
        lightgbm.train(
            {"objective": LambdaObjective(GAP, levels=GRADES), "verbose": -1}, lightgbm.Dataset(features, grades), 1
        )
    with pytest.raises(InputError, match="the XGBoost DMatrix has no groups"):
        xgboost.train({"nthread": 1}, xgboost.DMatrix(features, grades), 1, obj=LambdaObjective(GAP, levels=GRADES))
