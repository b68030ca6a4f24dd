"""Baselines against their formulas, written out document by document, and against finite differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from chance import ranked_by_chance
from graded_features import graded_features

from gradeval import InputError, evaluate, nDCG
from gradeval.ltr.data.graded_queries import GradedQueries, SwapLoss

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from gradeval.ltr import Batch, LambdaObjective, LinearRanker, Objective, TreeRanker, crossval, prepare_loss

LEVELS = (0.0, 1.0, 2.0, 3.0)
BASELINES = ("listnet", "queryrmse", "approxndcg", "lambdaloss")
EXPONENTIAL = nDCG(dcg="exp-log2")
every_baseline = pytest.mark.parametrize("name", BASELINES)


def loss_of(name: str, scores: Any, grades: Any, **parameters: Any) -> float:
    """The loss of a single query."""
    batch = Batch.of([grades], levels=LEVELS)
    tensor = torch.tensor([scores], dtype=torch.float64)
    return float(prepare_loss(Objective.parse(name, **parameters), batch, dtype=torch.float64)(tensor))


def gain(grade: float) -> float:
    return 2.0**grade - 1


def largest_dcg(grades: Any) -> float:
    return sum(gain(grade) / math.log2(1 + rank) for rank, grade in enumerate(sorted(grades, reverse=True), 1))


def literal_listnet(scores: Any, grades: Any) -> float:
    """Cao et al. (2007): the cross entropy of the top-one probabilities."""
    by_grade, by_score = sum(map(math.exp, grades)), sum(map(math.exp, scores))
    return -sum(
        math.exp(grade) / by_grade * math.log(math.exp(score) / by_score)
        for score, grade in zip(scores, grades, strict=True)
    )


def literal_queryrmse(scores: Any, grades: Any) -> float:
    """Half the squared error, less the mean error of the query."""
    errors = [score - grade for score, grade in zip(scores, grades, strict=True)]
    return sum((error - sum(errors) / len(errors)) ** 2 for error in errors) / 2


def literal_approxndcg(scores: Any, grades: Any, alpha: float) -> float:
    """Qin et al. (2010): nDCG at ranks 1 + sum of logistic functions, with the opposite sign."""
    total = 0.0
    for i, grade in enumerate(grades):
        rank = 1 + sum(1 / (1 + math.exp(alpha * (scores[i] - scores[j]))) for j in range(len(grades)) if j != i)
        total += gain(grade) / math.log2(1 + rank)
    return -total / largest_dcg(grades)


def literal_lambdaloss(scores: Any, grades: Any, sigma: float, mu: float = 10.0, truncation: float = math.inf) -> float:
    """Wang et al. (2018), NDCG-Loss2++, with the natural logarithm; of pairs with one of the first documents only."""
    rank = {document: place for place, document in enumerate(ranked_by_chance(scores, grades).tolist(), 1)}
    best, total = largest_dcg(grades), 0.0
    for i, better in enumerate(grades):
        for j, worse in enumerate(grades):
            if better <= worse or min(rank[i], rank[j]) > truncation:
                continue
            apart = abs(rank[i] - rank[j])
            rho = abs(1 / math.log2(1 + rank[i]) - 1 / math.log2(1 + rank[j]))
            delta = abs(1 / math.log2(1 + apart) - 1 / math.log2(2 + apart))
            weight = (rho + mu * delta) * abs(gain(better) - gain(worse)) / best
            total += weight * math.log(1 + math.exp(-sigma * (scores[i] - scores[j])))
    return total


def queries() -> list[tuple[list[float], list[int]]]:
    rng = np.random.default_rng(9)
    lists = []
    for length in (2, 3, 7, 12):
        grades = rng.integers(0, 4, length)
        grades[:2] = 0, 2
        lists.append((np.round(rng.normal(size=length), 1).tolist(), grades.tolist()))  # with ties
    return lists


@pytest.mark.parametrize(("scores", "grades"), queries())
def test_each_loss_is_its_formula(scores: list[float], grades: list[int]) -> None:
    assert loss_of("listnet", scores, grades) == pytest.approx(literal_listnet(scores, grades), rel=1e-12)
    assert loss_of("queryrmse", scores, grades) == pytest.approx(literal_queryrmse(scores, grades), rel=1e-12)
    for alpha in (1.0, 10.0):
        expected = literal_approxndcg(scores, grades, alpha)
        assert loss_of("approxndcg", scores, grades, sigma=alpha) == pytest.approx(expected, rel=1e-12)
    for sigma in (0.5, 1.0):
        expected = literal_lambdaloss(scores, grades, sigma)
        assert loss_of("lambdaloss", scores, grades, sigma=sigma) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [("listnet", 1.9503400864228189), ("approxndcg", -0.5474156659451964), ("lambdaloss", 6.706468710665792)],
)
def test_each_loss_has_the_value_of_allrank(name: str, value: float) -> None:
    """Printed by allRank 1.4.3: listNet, approxNDCGLoss(alpha=10) and lambdaLoss(weighing_scheme="ndcgLoss2PP_scheme",
    reduction_log="natural"), whose discounts are in single precision and which adds 1e-10 to chances."""
    assert loss_of(name, [0.3, -0.4, 0.9, 0.1, 0.7], [0, 2, 1, 3, 0]) == pytest.approx(value, rel=1e-7)


def test_the_defaults_are_those_of_other_tools() -> None:
    scores, grades = queries()[-1]
    assert loss_of("approxndcg", scores, grades) == pytest.approx(literal_approxndcg(scores, grades, 10.0))
    assert loss_of("lambdaloss", scores, grades) == pytest.approx(literal_lambdaloss(scores, grades, 1.0, 10.0))
    assert {Objective.parse(name).measure for name in BASELINES} == {EXPONENTIAL}


@every_baseline
def test_padding_and_empty_queries_change_nothing(name: str) -> None:
    scores, grades = queries()[2]
    padded = np.zeros((3, 9))
    padded[0, :7], padded[0, 7:] = scores, np.nan
    mask = np.zeros((3, 9), bool)
    mask[0, :7], mask[1, :3] = True, True  # the second query has one grade only, the third has no documents
    levels = np.zeros((3, 9))
    levels[0, :7] = grades
    tensor = torch.tensor(padded, requires_grad=True)
    value = prepare_loss(name, Batch.of(levels, levels=LEVELS, mask=mask), dtype=torch.float64)(tensor)
    value.backward()
    assert float(value.detach()) == pytest.approx(loss_of(name, scores, grades), rel=1e-12)
    assert tensor.grad is not None
    assert not tensor.grad[1:].any()
    assert not tensor.grad[0, 7:].any()


def test_the_compiled_loops_have_the_gradient_of_lambdaloss() -> None:
    rng = np.random.default_rng(4)
    grades = rng.choice(4, (6, 15), p=[0.5, 0.3, 0.15, 0.05])
    grades[:, 0], grades[:, 1] = 0, 1
    scores = np.round(rng.normal(size=(6, 15)), 1)
    tensor = torch.tensor(scores, requires_grad=True)
    prepare_loss(Objective.parse("lambdaloss", sigma=0.7), Batch.of(grades, levels=LEVELS), dtype=torch.float64)(
        tensor
    ).backward()
    offsets = np.arange(0, 91, 15)
    rows = GradedQueries.of(EXPONENTIAL, LEVELS, grades.ravel().astype(float), offsets)
    gradient, _ = rows.gradients(scores.ravel(), SwapLoss(0.7, mu=10.0), 1)
    np.testing.assert_allclose(gradient / 6, tensor.grad.ravel(), rtol=0, atol=1e-14)
    apart = rng.normal(size=90)  # without ties: the step must not change a rank
    step = 1e-7 * (np.arange(90) % 15 == 3)
    up, down = (rows.gradients(apart + sign * step, SwapLoss(0.7, mu=10.0), 1)[0] for sign in (1, -1))
    _, hessian = rows.gradients(apart, SwapLoss(0.7, mu=10.0), 1)
    np.testing.assert_allclose(((up - down) / 2e-7)[3::15], hessian[3::15], rtol=1e-5)


@pytest.mark.parametrize("truncation", [1, 3, 7])
def test_a_truncated_lambdaloss_has_the_gradient_of_its_pairs(truncation: int) -> None:
    rng = np.random.default_rng(7)
    scores, grades = rng.normal(size=9), np.array([0, 1, 0, 2, 3, 0, 1, 0, 2])
    rows = GradedQueries.of(EXPONENTIAL, LEVELS, grades.astype(float), np.array([0, 9]))
    gradient, _ = rows.gradients(scores, SwapLoss(1.0, truncation, mu=10.0), 1)
    for document in range(9):
        step = 1e-6 * (np.arange(9) == document)  # changes no rank
        up, down = (literal_lambdaloss(scores + sign * step, grades, 1.0, truncation=truncation) for sign in (1, -1))
        assert gradient[document] == pytest.approx((up - down) / 2e-6, abs=1e-7)


@every_baseline
def test_a_ranker_learns_by_its_name(name: str) -> None:
    train = graded_features(20)
    ranker = LinearRanker(name, epochs=40, learning_rate=0.05).fit(train)
    ranked, unranked = (
        evaluate(train.qrels, train.run(scores), EXPONENTIAL, ties="expected").mean()[0, 0]
        for scores in (ranker.score(train), np.zeros(len(train)))
    )
    assert ranked > unranked + 0.05
    assert ranker.curve[-1].objective > ranker.curve[0].objective
    assert str(ranker.objective) == name


@pytest.mark.parametrize("name", ["listnet", "queryrmse", "lambdaloss"])
def test_trees_learn_by_what_is_curved(name: str) -> None:
    pytest.importorskip("lightgbm")
    train = graded_features(30)
    ranker = TreeRanker(name, epochs=20, min_rows=3, learning_rate=0.2).fit(train)
    values = evaluate(train.qrels, train.run(ranker.score(train)), EXPONENTIAL, ties="expected").mean()
    unranked = evaluate(train.qrels, train.run(np.zeros(len(train))), EXPONENTIAL, ties="expected").mean()
    assert values[0, 0] > unranked[0, 0] + 0.1


def test_lambdarank_and_the_baselines_stand_beside_each_other_in_a_cross_validation() -> None:
    parts = [graded_features(6, seed=seed, prefix=f"p{seed}") for seed in range(3)]
    result = crossval(parts, ["lambdarank:nDCG", *BASELINES], "nDCG AP", "linear", epochs=3)
    assert result.objectives == ("lambdarank:nDCG", *BASELINES)
    assert (result.scores.mean() > 0).all()


def test_mu_is_lambdaloss_in_the_objective_of_the_engines() -> None:
    grades, offsets = np.array([0.0, 2, 1, 0, 3]), np.array([0, 5])
    plain, weighted = (
        LambdaObjective(EXPONENTIAL, levels=LEVELS, mu=mu).gradients(np.zeros(5), grades, offsets)[0] for mu in (0, 10)
    )
    assert not np.allclose(plain, weighted)
    with pytest.raises(InputError, match="mu: GAP is no sum of gains with one discount, as nDCG"):
        LambdaObjective("GAP", levels=LEVELS, mu=1).gradients(np.zeros(5), grades, offsets)


@pytest.mark.parametrize(
    ("text", "parameters", "message"),
    [
        ("listnet", {"sigma": 2.0}, "sigma is a choice of lambdarank and mixture and .*; listnet has none"),
        ("approxndcg", {"truncation": 3}, "truncation is a choice of lambdarank and mixture; approxndcg has none"),
        ("lambdaloss:AP", {}, r"lambdaloss trains for nDCG\(dcg='exp-log2'\) only: write 'lambdaloss', or"),
        ("listnets", {}, r"unknown measure 'listnets'.*as an objective.*or a baseline: listnet, queryrmse, approx"),
    ],
)
def test_what_a_baseline_does_not_take_is_refused(text: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Objective.parse(text, **parameters)


@every_baseline
def test_a_baseline_reads_back_from_its_parameters(name: str) -> None:
    objective = Objective.parse(name)
    assert Objective.parse(str(objective)) == objective
    assert Objective(**objective.parameters) == objective
