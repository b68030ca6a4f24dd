"""The losses by the compiled core are those by tensors, and so are their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import Features
from gradeval.formula.arithmetic import Array

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from gradeval.ltr import Batch, LinearRanker, Objective, lambda_loss, prepare_loss
from gradeval.ltr.data.graded_queries import GradedQueries
from gradeval.ltr.objectives.loss import LossByQuery, prepare_rows
from gradeval.ltr.rankers.training import CompiledBatch, Dataset

LEVELS = (0.0, 1.0, 2.0, 3.0)
MEASURES = "AP(rel=2) GAP(g=[0.2,0.3,0.5]) xGAP muAP Q nDCG@3 NDCNG P@2 RBP(p=0.5)@4 ERR RR".split()
SOFT = "GAP(g=[0.2,0.3,0.5]) muAP nDCG nDCG(discount='letor') nDCG@3 NDCNG RBP ERR".split()
OBJECTIVES = [
    *(Objective.parse(f"lambdarank:{measure}") for measure in MEASURES),
    Objective.parse("lambdarank:GAP", truncation=3, sigma=0.3),
    Objective.parse("lambdarank:ERR@3", truncation=4),
    Objective.parse("lambdarank:Bpref"),
    Objective.parse("lambdarank:ERR", draws=3),
    Objective.parse("lambdarank:GAP", draws=3, noise="gaussian", spread=0.5, truncation=3, sigma=0.3),
    Objective.parse("lambdarank:Bpref", draws=2),
    *(
        Objective.parse(f"softrank:{measure}", estimator=estimator)
        for estimator in ("plugin", "expected")
        for measure in SOFT
    ),
    Objective.parse("softrank:Q", sigma=0.3),
    *map(Objective.parse, ("listnet", "queryrmse", "lambdaloss", "approxndcg")),
]
every_objective = pytest.mark.parametrize(
    "objective", OBJECTIVES, ids=lambda one: f"{one}{'' if one.estimator == 'plugin' else ' expected'} {one.draws}"
)


def batch_of(kind: str) -> Batch:
    """Lists of one length; or padded in places, one of them empty, with relevant documents that are in no list; or with
    grades that are measurements, each of its own."""
    rng = np.random.default_rng(3)
    if kind == "measurements":
        grades = np.round(rng.gamma(1.5, size=(6, 23)), 3)
        grades[grades < 0.2] = 0
        return Batch.of(grades, levels=np.unique(np.append(grades, 0)).tolist(), mask=rng.random(grades.shape) < 0.7)
    grades = rng.choice(4, (6, 23), p=[0.5, 0.3, 0.15, 0.05])
    if kind == "full":
        return Batch.of(grades, levels=LEVELS)
    mask = rng.random(grades.shape) < 0.7
    mask[2] = False
    listed = np.stack([np.bincount(row[some], minlength=4) for row, some in zip(grades, mask, strict=True)])
    return Batch.of(grades, levels=LEVELS, mask=mask, pool=listed + rng.integers(0, 3, listed.shape))


def scores_of(batch: Batch, scale: float) -> Array:
    """Single precision, with ties."""
    drawn = np.random.default_rng(4).normal(size=batch.level.shape)
    return (np.round(drawn, 1) * scale).astype(np.float32).astype(float)


def differentiate(loss: Any, scores: Array, dtype: Any = torch.float64) -> tuple[Array, Array]:
    """The loss of each query, and the gradient of a weighted sum of them."""
    given = torch.tensor(scores, dtype=dtype, requires_grad=True)
    values = loss(given)
    assert values.dtype == dtype
    (values * torch.arange(1, len(values) + 1)).sum().backward()
    return values.detach().double().numpy(), given.grad.double().numpy()


def by_query(objective: Objective, batch: Batch) -> LossByQuery:
    loss = prepare_loss(objective, batch, dtype=torch.float64).by_query
    assert isinstance(loss, LossByQuery)
    assert loss.rows is not None
    return loss


@every_objective
@pytest.mark.parametrize("kind", ["full", "padded"])
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0, 2000.0])
def test_they_are_those_by_tensors(objective: Objective, kind: str, scale: float) -> None:
    batch = batch_of(kind)
    loss, scores = by_query(objective, batch), scores_of(batch, scale)
    (value, gradient), (expected, slope) = differentiate(loss, scores), differentiate(loss.tensors, scores)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(gradient, slope, rtol=1e-12, atol=1e-12 * np.abs(slope).max())
    single, rounded = differentiate(loss, scores, torch.float32)
    np.testing.assert_allclose(single, expected, rtol=1e-6, atol=1e-37)
    np.testing.assert_allclose(rounded, slope, rtol=1e-6, atol=max(1e-37, 1e-12 * np.abs(slope).max()))


@pytest.mark.parametrize("text", ["AP", "GAP", "xGAP", "muAP", "Q", "nDCG@3", "NDCNG", "ERR", "P@2"])
@pytest.mark.parametrize("draws", [0, 3])
def test_so_they_are_on_many_levels(text: str, draws: int) -> None:
    batch = batch_of("measurements")
    loss, scores = by_query(Objective.parse(f"lambdarank:{text}", draws=draws), batch), scores_of(batch, 1.0)
    for fast, slow in zip(differentiate(loss, scores), differentiate(loss.tensors, scores), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("text", ["GAP", "muAP", "nDCG", "NDCNG", "ERR"])
def test_soft_measures_are_on_many_levels(text: str) -> None:
    batch = batch_of("measurements")
    loss, scores = by_query(Objective.parse(f"softrank:{text}"), batch), scores_of(batch, 1.0)
    for fast, slow in zip(differentiate(loss, scores), differentiate(loss.tensors, scores), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("documents", [1, 2, 7, 8, 9, 64, 191, 192, 193, 400])
@pytest.mark.parametrize(
    "text", ["lambdarank:GAP", "listnet", "softrank:GAP", "softrank:nDCG", "softrank:nDCG@7", "approxndcg"]
)
def test_lists_of_any_length_are_worked_out(documents: int, text: str) -> None:
    """Eight numbers are worked on at a time, and long lists are sorted in another way."""
    rng = np.random.default_rng(documents)
    batch = Batch.of(rng.integers(0, 4, (2, documents)), levels=LEVELS)
    loss, scores = by_query(Objective.parse(text), batch), scores_of(batch, 1.0)
    for fast, slow in zip(differentiate(loss, scores), differentiate(loss.tensors, scores), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)


@every_objective
def test_threads_change_no_bit(objective: Objective) -> None:
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 30, 80))])
    grades = rng.choice(4, offsets[-1], p=[0.5, 0.3, 0.15, 0.05]).astype(float)
    rows = prepare_rows(objective, GradedQueries.of(objective.measure, LEVELS, grades, offsets))
    assert rows is not None
    scores = rng.normal(size=len(grades))
    (value, gradient), (other, slope) = rows(scores, 1), rows(scores, 3)
    assert value is not None
    assert np.array_equal(value, other)
    assert np.array_equal(gradient, slope)


@pytest.mark.parametrize(
    "text", ["lambdarank:GAP", "lambdarank:Bpref", "listnet", "softrank:GAP", "softrank:nDCG@3", "approxndcg"]
)
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_query_with_a_score_that_is_not_finite_has_no_finite_loss(text: str, wrong: float) -> None:
    batch = batch_of("full")
    scores = scores_of(batch, 1.0)
    scores[1, 3] = wrong
    value, gradient = differentiate(by_query(Objective.parse(text), batch), scores)
    assert np.isfinite(value).tolist() == [True, False, True, True, True, True]
    assert np.isnan(gradient[1]).any()
    assert np.isfinite(np.delete(gradient, 1, 0)).all()


def test_the_gradient_is_one_for_functions_of_functions_too() -> None:
    batch = batch_of("padded")
    scores = torch.tensor(scores_of(batch, 1.0), requires_grad=True)
    lambda_loss(scores, batch, "GAP").sum().backward()
    gradient = torch.func.grad(lambda given: lambda_loss(given, batch, "GAP").sum())(scores.detach())
    assert torch.equal(gradient, scores.grad)


def test_there_are_no_second_derivatives() -> None:
    batch = batch_of("full")
    scores = torch.tensor(scores_of(batch, 1.0), requires_grad=True)
    (gradient,) = torch.autograd.grad(lambda_loss(scores, batch, "GAP").sum(), scores, create_graph=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        gradient.sum().backward()


@every_objective
def test_rankers_train_by_them(objective: Objective) -> None:
    """The batches of a training have the gradient of the mean over their queries."""
    rng = np.random.default_rng(9)
    table = rng.normal(size=(180, 3))
    features = Features.from_arrays(table, np.repeat([0, 1, 2, 3], 45)[rng.permutation(180)], sizes=[20] * 9)
    for batch in Dataset.of(features, features.levels, objective, 4, "cpu", 1).batches:
        assert isinstance(batch, CompiledBatch)
        scores = torch.linspace(-1, 1, len(batch.X))
        value, gradient = batch.loss(scores.double().numpy(), 1)
        loss, by_row = batch.backward(scores)
        assert value is not None
        assert loss is None or float(loss) == pytest.approx(value.mean())
        np.testing.assert_allclose(by_row, gradient / batch.queries, rtol=1e-6)
    LinearRanker(objective, epochs=1).fit(features)
