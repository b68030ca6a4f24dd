"""Weighted sums of measures as objectives, against the same sum as one measure, every exchange of which is scored."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import ERR, GAP, Features, InputError, JudgedRankings, Measure, evaluate, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.ltr import LambdaObjective, LinearRanker, MixedObjective, Objective, TreeRanker, load_ranker

LEVELS = (0.0, 1.0, 2.0)


def data() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(4)
    return rng.normal(size=60), rng.integers(0, 3, 60).astype(float), np.arange(0, 61, 10)


@pytest.fixture
def as_one_measure() -> Any:
    """0.25 GAP + 0.75 nDCG@5 as a measure of its own."""
    from gradeval import measure

    @measure
    def Blend(judged: JudgedRankings) -> Array:
        """A quarter of GAP and three quarters of nDCG@5."""
        return 0.25 * GAP(judged) + 0.75 * (nDCG @ 5)(judged)

    yield Blend
    del REGISTRY["Blend"]


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_gradients_are_those_of_the_sum_as_one_measure(as_one_measure: Any, sigma: float) -> None:
    scores, grades, offsets = data()
    mixed = MixedObjective("0.25*GAP + 0.75*nDCG@5", LEVELS, balance="none", norm=False, sigma=sigma)
    expected = LambdaObjective(as_one_measure, LEVELS, sigma=sigma, norm=False).gradients(scores, grades, offsets)
    np.testing.assert_allclose(mixed.gradients(scores, grades, offsets), expected, rtol=1e-10, atol=1e-14)


def literal(measure: Measure, scores: Array, grades: Array, offsets: Array) -> tuple[Array, Array]:
    """LambdaRank's gradient and hessian: every list with two documents exchanged is scored by the measure."""
    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    for first, end in pairwise(offsets):
        order = first + np.argsort(-scores[first:end])
        pool = np.bincount(grades[first:end].astype(int), minlength=len(LEVELS))
        value = measure(JudgedRankings.of(grades[order].tolist(), pool=pool.tolist(), levels=LEVELS))
        for a, b in combinations(range(end - first), 2):
            exchanged = grades[order].tolist()
            exchanged[a], exchanged[b] = exchanged[b], exchanged[a]
            change = abs(measure(JudgedRankings.of(exchanged, pool=pool.tolist(), levels=LEVELS)) - value)
            better, worse = (a, b) if grades[order[a]] > grades[order[b]] else (b, a)
            rho = 1 / (1 + math.exp(scores[order[better]] - scores[order[worse]]))
            gradient[order[better]] -= change.item() * rho
            gradient[order[worse]] += change.item() * rho
            hessian[order[[a, b]]] += change.item() * rho * (1 - rho)
    return gradient, hessian


def test_each_measure_is_divided_by_the_mean_size_of_its_gradients() -> None:
    scores, grades, offsets = data()
    expected = np.zeros((2, 60))
    for weight, measure in ((2.0, GAP), (1.0, nDCG @ 5), (0.5, ERR)):
        pair = np.array(literal(measure, scores, grades, offsets))
        expected += weight * pair / (sum(abs(one) for one in pair[0]) / 60)
    mixed = MixedObjective("2*GAP + nDCG@5 + 0.5*ERR", LEVELS, norm=False)
    np.testing.assert_allclose(mixed.gradients(scores, grades, offsets), expected, rtol=1e-10, atol=1e-12)
    (found, values) = mixed.gradients_and_values(scores, grades, offsets, np.arange(60.0))
    by_row = np.zeros((2, 60))
    for weight, measure in ((2.0, GAP), (1.0, nDCG @ 5), (0.5, ERR)):
        pair = np.array(literal(measure, scores, grades, offsets)) * np.arange(60)
        by_row += weight * pair / np.mean(np.abs(pair[0]))
    np.testing.assert_allclose(found, by_row, rtol=1e-10, atol=1e-12)
    alone = LambdaObjective(GAP, LEVELS).gradients_and_values(scores, grades, offsets)[1]
    assert np.array_equal(values, alone)


@pytest.mark.parametrize("text", ["GAP + 2*queryrmse", "2*queryrmse + GAP"])
def test_squared_error_is_a_term_like_a_measure(text: str) -> None:
    scores, grades, offsets = data()
    first = np.array(literal(GAP, scores, grades, offsets))
    second = np.zeros((2, 60))
    for begin in range(0, 60, 10):
        error = scores[begin : begin + 10] - grades[begin : begin + 10]
        second[:, begin : begin + 10] = error - sum(error) / 10, np.full(10, 0.9)
    expected = sum(w * one / (sum(abs(one[0])) / 60) for w, one in ((1, first), (2, second)))
    mixed = MixedObjective(text, LEVELS, norm=False)
    (found, values) = mixed.gradients_and_values(scores, grades, offsets)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert np.array_equal(values, LambdaObjective(GAP, LEVELS).gradients_and_values(scores, grades, offsets)[1])
    assert Objective.parse(text).measure == GAP
    with pytest.raises(InputError, match="a sum needs a measure, which validates"):
        Objective.parse("queryrmse + 2*queryrmse")


@pytest.mark.parametrize("text", ["GAP + AP", "GAP + queryrmse", "queryrmse + GAP"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scores": np.zeros(59)}, r"scores are \[59\], grades \[60\]: give one of each for a row"),
        ({"scores": np.zeros((1, 60))}, r"scores are \[1, 60\], grades \[60\]"),
        ({"scores": np.full(60, np.inf)}, "the score of row 0 is inf"),
        ({"scores": "text"}, "scores: <U4 are not numbers"),
        ({"offsets": np.arange(0, 60, 10)}, "offsets: the queries have 50 rows, the data has 60"),
        ({"offsets": np.array([0, 40, 20, 60])}, "offsets must ascend from 0"),
        ({"offsets": None}, "offsets: object.* is not a list of whole numbers"),
        ({"weights": np.ones(6)}, r"weights are \[6\], labels \[60\]: give one for each row"),
        ({"weights": -np.ones(60)}, r"weights\[0\] is -1; weights are finite, 0 or more"),
    ],
)
def test_rows_that_do_not_fit_are_clear_errors_whichever_term_comes_first(
    text: str, wrong: dict[str, Any], message: str
) -> None:
    scores, grades, offsets = data()
    with pytest.raises(InputError, match=message):
        MixedObjective(text, LEVELS).gradients(**{"scores": scores, "grades": grades, "offsets": offsets, **wrong})


@pytest.fixture
def rescaled() -> Any:
    """A thousandth of GAP as a measure of its own."""
    from gradeval import measure

    @measure
    def Thousandth(judged: JudgedRankings) -> Array:
        """GAP by a thousand."""
        return GAP(judged) / 1000

    yield Thousandth
    del REGISTRY["Thousandth"]


def test_a_measure_that_is_rescaled_and_queries_in_another_order_give_the_same_mixture(rescaled: Any) -> None:
    scores, grades, offsets = data()
    expected = np.array(MixedObjective("GAP + 3*ERR", LEVELS, norm=False, draws=2).gradients(scores, grades, offsets))
    found = MixedObjective(f"{rescaled} + 3*ERR", LEVELS, norm=False, draws=2).gradients(scores, grades, offsets)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    order = np.arange(60).reshape(6, 10)[[3, 0, 5, 1, 4, 2]].ravel()
    moved = MixedObjective("GAP + 3*ERR", LEVELS, norm=False, draws=2).gradients(scores[order], grades[order], offsets)
    np.testing.assert_allclose(moved, expected[:, order], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("balance", ["gradients", "none"])
def test_a_sum_of_one_is_that_measure(balance: Any) -> None:
    scores, grades, offsets = data()
    alone = np.array(LambdaObjective("ERR", LEVELS, draws=3).gradients(scores, grades, offsets))
    size = np.abs(alone[0]).mean() if balance == "gradients" else 1
    one, twice = (
        MixedObjective(text, LEVELS, balance=balance, draws=3).gradients(scores, grades, offsets)
        for text in ("ERR", "2*ERR")
    )
    np.testing.assert_allclose(one, alone / size, rtol=1e-12)
    np.testing.assert_allclose(twice, 2 * alone / size, rtol=1e-12)


@pytest.mark.parametrize("text", ["GAP + ERR", "GAP + queryrmse"])
def test_engines_are_given_the_same_mixture(text: str) -> None:
    """LightGBM's arguments and a matrix of XGBoost, whose hessians are doubled."""
    xgboost = pytest.importorskip("xgboost")
    scores, grades, offsets = data()
    mixed = MixedObjective(text, LEVELS, draws=1)
    first, second = mixed.gradients(scores, grades, offsets)
    np.testing.assert_allclose(mixed.ranker(grades, scores, None, np.diff(offsets)), (first, second), rtol=1e-5)
    matrix = xgboost.DMatrix(np.zeros((60, 1)), grades, qid=np.repeat(np.arange(6), 10))
    np.testing.assert_allclose(mixed(scores, matrix), (first, 2 * second), rtol=1e-5)


def test_several_machines_do_not_know_the_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    scores, grades, _ = data()
    spread = lightgbm.Dataset(np.zeros((60, 1)), grades, group=[10] * 6, params={"num_machines": 2})
    matrix = xgboost.DMatrix(np.zeros((60, 1)), grades, qid=np.repeat(np.arange(6), 10))
    monkeypatch.setattr(xgboost.collective, "get_world_size", lambda: 2)
    for table in (spread, matrix):
        with pytest.raises(InputError, match="balance: needs the gradients of all rows"):
            MixedObjective("GAP + AP", LEVELS)(scores, table)
    assert len(MixedObjective("GAP + AP", LEVELS, balance="none")(scores, matrix)[0]) == 60


def test_engines_train_for_a_sum() -> None:
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    grades = np.digitize(X[:, 0] + rng.normal(size=600), [0.5, 1.5]).astype(float)
    sizes = np.full(60, 10)
    objective = MixedObjective("0.5*GAP + 0.5*ERR", LEVELS, draws=5)
    settings = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5, "objective": objective}
    model = lightgbm.train(settings, lightgbm.Dataset(X, grades, group=sizes), 10)
    assert abs(np.corrcoef(model.predict(X), X[:, 0])[0, 1]) > 0.8
    same = copy.deepcopy(objective)
    matrix = xgboost.DMatrix(X, grades, qid=np.repeat(np.arange(60), 10))
    grown = xgboost.train({"min_child_weight": 0, "nthread": 1}, matrix, 10, obj=same)
    assert abs(np.corrcoef(grown.predict(matrix), X[:, 0])[0, 1]) > 0.8


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("GAP + nDCG + ERR", "mixture:GAP + nDCG + ERR"),
        ("lambdarank:GAP+ 2 * nDCG(dcg='exp-log2')@10", "mixture:GAP + 2*nDCG(dcg='exp-log2')@10"),
        ("mixture:GAP(g=[0.1,0.9])+5e-1*AP", "mixture:GAP(g=[0.1,0.9]) + 0.5*AP"),
        ("0.1*GAP", "mixture:0.1*GAP"),
        ("1e30*GAP + 1e-7*AP", "mixture:1e30*GAP + 1e-07*AP"),
        ("0.5*queryrmse+GAP", "mixture:0.5*queryrmse + GAP"),
    ],
)
def test_a_sum_reads_back_from_its_text(text: str, shown: str) -> None:
    objective = Objective.parse(text, draws=2, balance="none")
    assert str(objective) == shown
    assert Objective.parse(shown, draws=2, balance="none") == objective == Objective(**objective.parameters)
    assert replace(objective, draws=3).mixture == objective.mixture
    assert MixedObjective(shown.removeprefix("mixture:"), LEVELS).measures == objective.mixture
    assert replace(objective, draws="auto").candidates[0] == replace(objective, draws=0)


def test_trees_learn_by_a_sum_and_go_on_after_an_interruption(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    train = graded_features(30)

    def ranker(**changed: Any) -> TreeRanker:
        return TreeRanker("GAP + nDCG + 0.5*ERR", epochs=12, min_rows=3, **changed)

    whole = ranker().fit(train)
    assert str(whole.objective) == "mixture:GAP + nDCG + 0.5*ERR"
    reached = evaluate(train.qrels, train.run(whole.score(train)), GAP, ties="expected").mean()[0, 0]
    assert reached > evaluate(train.qrels, train.run(np.zeros(len(train))), GAP, ties="expected").mean()[0, 0] + 0.1
    whole.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert loaded.objective == whole.objective
    assert np.array_equal(loaded.score(train), whole.score(train))

    def stop(epoch: Any) -> None:
        if epoch.number == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ranker().fit(train, checkpoint=tmp_path / "half", progress=stop)
    resumed = ranker().fit(train, checkpoint=tmp_path / "half", resume=True)
    assert np.array_equal(resumed.score(train), whole.score(train))
    assert not np.array_equal(ranker(norm=False).fit(train).score(train), whole.score(train))

    direct = lightgbm.train(
        {"objective": MixedObjective("GAP + nDCG + 0.5*ERR", train.levels), "num_leaves": 7, "min_data_in_leaf": 3}
        | {"learning_rate": 0.05, "verbosity": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True},
        lightgbm.Dataset(train.X, train.grades, group=np.diff(train.offsets), params={"min_data_in_bin": 1}),
        12,
    )
    same = ranker(subsample=1.0).fit(train)
    np.testing.assert_allclose(same.score(train), direct.predict(train.X), rtol=1e-5)


@pytest.mark.parametrize("other", ["GAP", "queryrmse"])
def test_queries_are_learnt_from_that_the_first_measure_alone_would_leave_out(other: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    low = graded_features(20)
    low = replace(low, grades=np.minimum(low.grades, 1), levels=LEVELS, topics=[f"low {each}" for each in low.topics])
    train = Features.concat([replace(graded_features(10), levels=LEVELS), low])
    train = train.select([topic for topic in train.topics if len({*train.select(topic).grades}) > 1])
    scores = [
        TreeRanker(text, epochs=5, min_rows=3).fit(train).score(train)
        for text in (f"AP(rel=2) + {other}", f"{other} + AP(rel=2)")
    ]
    assert np.array_equal(*scores)
    settings = {"objective": MixedObjective(f"AP(rel=2) + {other}", LEVELS), "num_leaves": 7, "min_data_in_leaf": 3}
    settings |= {"learning_rate": 0.05, "verbosity": -1, "num_threads": 1, "deterministic": True}
    rows = lightgbm.Dataset(train.X, train.grades, group=np.diff(train.offsets), params={"min_data_in_bin": 1})
    same = TreeRanker(f"AP(rel=2) + {other}", epochs=5, min_rows=3, subsample=1.0).fit(train)
    np.testing.assert_allclose(same.score(train), lightgbm.train(settings, rows, 5).predict(train.X), rtol=1e-5)


def test_spellings() -> None:
    assert str(MixedObjective("GAP(g=[0.1,0.9])+ 2 * nDCG(dcg='exp-log2')@10", LEVELS).measures) == (
        "GAP(g=[0.1,0.9]) + 2*nDCG(dcg='exp-log2')@10"
    )
    assert [(weight, part.measure) for weight, part in MixedObjective("0.5*GAP+5e-1*ERR", LEVELS, draws=1).parts] == [
        (0.5, GAP),
        (0.5, ERR),
    ]
    for text, message in (
        ("0.5*GAP + ", r"cannot read '' in '0.5\*GAP \+ ?'"),
        ("0*GAP + ERR", r"cannot read '0\*GAP' in"),
        ("0.5*", r"cannot read the measure '0.5\*'"),
        ("0.5*GAPX + AP", "unknown measure 'GAPX'"),
        ("GAP + querymse", "unknown measure 'querymse'.*in a sum, .* a TERM is a measure or queryrmse"),
        ("GAP + ", "write WEIGHT.TERM . WEIGHT.TERM; a TERM is a measure or queryrmse"),
        ("GAP + queryrmse + queryrmse", r"queryrmse stands there twice; write 'GAP \+ 2\*queryrmse'"),
        ("0.5*AP + GAP + 0.25*AP", r"AP stands there twice; write '0\.75\*AP \+ GAP'"),
        ("queryrmse + nDCG@5 + 2*queryrmse + nDCG@5", r"write '3\*queryrmse \+ 2\*nDCG@5'"),
        ("GAP + P@5 + map + AP", r"AP stands there twice; write 'GAP \+ P@5 \+ 2\*AP'"),
        ("1e999*GAP + AP", "cannot read '1e999.GAP' in"),
    ):
        with pytest.raises(InputError, match=message):
            MixedObjective(text, LEVELS)
        with pytest.raises(InputError, match=message):
            Objective.parse(text)
    with pytest.raises(InputError, match="position= is no option of a MixedObjective"):
        MixedObjective("GAP + AP", LEVELS, position=[1, 2])
    with pytest.raises(InputError, match="balance='both' is not 'gradients' or 'none'"):
        MixedObjective("GAP + AP", LEVELS, balance="both")
    with pytest.raises(InputError, match="softrank is for a single measure; a sum is learnt by lambdarank: write 'GAP"):
        Objective.parse("softrank:GAP + AP")
    with pytest.raises(InputError, match="linear and neural rankers do not learn by a mixture, as its measures are"):
        LinearRanker("GAP + AP")
