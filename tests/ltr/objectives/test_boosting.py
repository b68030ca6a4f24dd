"""LambdaMART's objective: against the loss in PyTorch, and against its definition."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradeval import AP, ERR, GAP, RR, Bpref, Measure, P, Q, RMeasure, eGAP, muAP, nDCG, xGAP
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

MEASURES = (AP, GAP, GAP(g=(0.2, 0.3, 0.5)) @ 3, eGAP, xGAP, muAP, Q, nDCG @ 5, nDCG(dcg="exp-log2"), P @ 2, ERR, RR)
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
    gradient, _ = LambdaObjective(measure, norm=False, **options).gradients(scores, grades, offsets)
    np.testing.assert_allclose(gradient, padded.grad[torch.tensor(queries.mask)], atol=1e-13)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_hessian_is_how_fast_the_gradient_grows(measure: Measure, queries: Any) -> None:
    """As long as no documents change places the stakes stay, and the hessian is the derivative of the gradient."""
    grades, offsets = rows(queries)
    scores = np.random.default_rng(1).normal(size=len(grades))
    objective = LambdaObjective(measure, sigma=1.3, levels=queries.levels, norm=False)
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
    monkeypatch.setattr("gradeval.ltr.data.graded_queries.kernel_of", lambda *_: None)
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


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_an_objective_can_be_copied(copied: Callable[[Any], Any]) -> None:
    objective = LambdaObjective(GAP(g=(0.3, 0.7)) @ 5, levels=(0, 1, 2), truncation=3)
    data = np.zeros(3), np.array([0, 2, 1]), np.array([0, 3])
    expected = objective.gradients(*data)
    assert copied(objective) == objective
    fresh = LambdaObjective(GAP(g=(0.3, 0.7)) @ 5, levels=(0, 1, 2), truncation=3)
    assert len(pickle.dumps(objective)) == len(pickle.dumps(fresh))
    np.testing.assert_array_equal(copied(objective).gradients(*data), expected)
