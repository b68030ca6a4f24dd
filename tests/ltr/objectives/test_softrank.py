"""Soft measures against their definitions, their limits and the mean over random scores."""

from __future__ import annotations

import math
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from gradeval import (
    AP,
    AWP,
    DCG,
    ERR,
    GAP,
    NDCNG,
    RBP,
    RR,
    Bpref,
    InputError,
    Measure,
    P,
    Q,
    eGAP,
    muAP,
    nDCG,
    nERR,
    xGAP,
)
from gradeval.formula.arithmetic import Array

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from gradeval.ltr import Batch, soft_measure

LEVELS = (0.0, 1.0, 2.0, 3.0)
PRECISION_LIKE = (AP, AP(rel=2), GAP, GAP(g=(0.2, 0.3, 0.5)), xGAP, eGAP, eGAP(renormalise=True), muAP)
BLENDED = (Q, Q(beta=10), AWP)
GAINS = (nDCG, nDCG(dcg="exp-log2"), nDCG(discount="letor"), DCG, NDCNG, RBP)
CUT = (nDCG @ 3, P @ 2, RBP(p=0.5) @ 4)
CASCADES = (ERR, nERR, RR)
CASES = [(measure, "plugin") for measure in PRECISION_LIKE + BLENDED + GAINS + CUT + CASCADES]
CASES += [(measure, "expected") for measure in PRECISION_LIKE + GAINS + CUT + CASCADES]
every_case = pytest.mark.parametrize(("measure", "estimator"), CASES, ids=lambda one: str(one))


def phi(x: float) -> float:
    return NormalDist().cdf(x)


def batch_of(queries: Any) -> Batch:
    return Batch.of(queries.grades, levels=LEVELS, mask=queries.mask, pool=queries.pool)


def random_scores(batch: Batch, seed: int = 0) -> Any:
    return torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@every_case
def test_without_uncertainty_it_is_the_measure(measure: Measure, estimator: Any, queries: Any) -> None:
    batch = batch_of(queries)
    kernel = batch.kernel(measure)
    assert kernel is not None
    scores = -torch.arange(12, dtype=torch.float64).expand(20, 12)
    soft = soft_measure(scores, batch, measure, 1e-3, estimator=estimator)
    np.testing.assert_allclose(soft, kernel.value(queries.level), atol=5e-6)


@every_case
def test_the_gradient_is_that_of_the_value(measure: Measure, estimator: Any, queries: Any) -> None:
    few = slice(1, 5), slice(6)
    batch = Batch.of(queries.grades[few], levels=LEVELS, mask=queries.mask[few], pool=queries.pool[1:5])
    scores = random_scores(batch).requires_grad_()
    assert torch.autograd.gradcheck(
        lambda s: soft_measure(s, batch, measure, 0.7, estimator=estimator), scores, atol=1e-7
    )


@every_case
def test_single_precision_comes_close_to_double(measure: Measure, estimator: Any, queries: Any) -> None:
    batch = batch_of(queries)
    scores = random_scores(batch)
    double = soft_measure(scores, batch, measure, estimator=estimator)
    single = soft_measure(scores.float(), batch, measure, estimator=estimator)
    assert single.dtype == torch.float32
    np.testing.assert_allclose(single, double, atol=1e-5 * float(double.max()))


@every_case
def test_moving_all_scores_changes_nothing(measure: Measure, estimator: Any, queries: Any) -> None:
    batch = batch_of(queries)
    scores = random_scores(batch).requires_grad_()
    value = soft_measure(scores, batch, measure, 0.5, estimator=estimator)
    value.sum().backward()
    moved = soft_measure(scores.detach() + 3, batch, measure, 0.5, estimator=estimator)
    np.testing.assert_allclose(moved, value.detach(), atol=1e-12)
    np.testing.assert_allclose(scores.grad.sum(1), 0, atol=1e-12)


@every_case
def test_queries_without_a_choice_have_a_gradient_of_0(measure: Measure, estimator: Any, queries: Any) -> None:
    batch = batch_of(queries)
    kernel = batch.kernel(measure)
    assert kernel is not None
    scores = random_scores(batch).requires_grad_()
    value = soft_measure(scores, batch, measure, estimator=estimator)
    value.sum().backward()
    assert (value[0], value[2]) == (0, 0)
    assert value[1].item() == pytest.approx(kernel.value(queries.level)[1], abs=1e-5)
    assert not scores.grad[:3].any()
    assert not scores.grad[~torch.tensor(queries.mask)].any()


def test_soft_gap_is_the_formula_of_its_paper() -> None:
    """PC_j = [G(r_j) + sum_m G(min(r_m, r_j)) pi_mj] / [1 + sum_m pi_mj], SoftGAP = sum_j PC_j / Z."""
    scores, grades, share, sigma = [0.3, -1.0, 0.8, 0.3], [2, 1, 0, 1], [0, 0.4, 1.0], 0.6
    total = 0.0
    for j, grade in enumerate(grades):
        others = [m for m in range(4) if m != j]
        pi = {m: phi((scores[m] - scores[j]) / (sigma * math.sqrt(2))) for m in others}
        credit = share[grade] + sum(share[min(grades[m], grade)] * pi[m] for m in others)
        total += credit / (1 + sum(pi.values()))
    value = soft_measure(torch.tensor([scores]).double(), [grades], GAP(g=(0.4, 0.6)), sigma, levels=(0, 1, 2))
    assert value.item() == pytest.approx(total / sum(share[grade] for grade in grades))


def rank_chances(scores: list[float], j: int, sigma: float) -> Array:
    """The distribution of the rank of document j when contests are independent, by all their outcomes."""
    others = [m for m in range(len(scores)) if m != j]
    pi = [phi((scores[m] - scores[j]) / (sigma * math.sqrt(2))) for m in others]
    chances = np.zeros(len(scores))
    for outcome in product((False, True), repeat=len(others)):
        chances[sum(outcome)] += math.prod(p if lost else 1 - p for p, lost in zip(pi, outcome, strict=True))
    return chances


@pytest.mark.parametrize("cutoff", [None, 2])
def test_soft_ndcg_is_the_mean_over_the_rank_distributions_of_its_paper(cutoff: int | None) -> None:
    scores, grades, sigma = [0.3, -1.0, 0.8, 0.3, 0.1], [2, 1, 0, 1, 3], 0.6
    discount = np.array([1 / math.log2(n + 1) if cutoff is None or n <= cutoff else 0 for n in range(1, 6)])
    total = sum(grade * (rank_chances(scores, j, sigma) @ discount) for j, grade in enumerate(grades))
    ideal = np.sort(grades)[::-1] @ discount
    measure = nDCG if cutoff is None else nDCG @ cutoff
    value = soft_measure(
        torch.tensor([scores]).double(), [grades], measure, sigma, levels=(0, 1, 2, 3), form="recursion"
    )
    assert value.item() == pytest.approx(total / ideal)


@pytest.mark.parametrize("measure", [AP, GAP, xGAP, nDCG, nDCG @ 3, ERR, RR], ids=str)
@pytest.mark.parametrize("sigma", [0.1, 1.0])
def test_the_expected_measure_is_the_mean_over_drawn_scores(measure: Measure, sigma: float) -> None:
    rng = np.random.default_rng(7)
    grades, scores = np.array([[2, 0, 0, 1, 0, 3, 0, 0, 1, 0, 0, 2]]), rng.normal(size=12)
    batch = Batch.of(grades, levels=LEVELS)
    kernel = batch.kernel(measure)
    assert kernel is not None
    order = np.argsort(-(scores + sigma * rng.normal(size=(40_000, 12))), axis=1)
    values = kernel.value(grades[0][order])
    expected = soft_measure(torch.tensor(scores[None]), batch, measure, sigma, estimator="expected")
    error = values.std() / math.sqrt(len(values))
    assert abs(expected.item() - values.mean()) < 4 * error + 1e-6


def test_the_plug_in_is_below_the_expectation_where_scores_are_uncertain() -> None:
    grades = [[2, 0, 0, 1, 0, 3, 0, 0, 1, 0, 0, 2]]
    plugin, expected = (
        soft_measure(torch.zeros(1, 12).double(), grades, GAP, 1.0, levels=LEVELS, estimator=estimator).item()
        for estimator in ("plugin", "expected")
    )
    assert plugin < expected - 0.03


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        (Bpref, {}, "Bpref has no soft form, since it has no kernel: train for it with lambda_loss"),
        (GAP @ 3, {}, "GAP@3 has no soft form of this kind"),
        (GAP @ 3, {"estimator": "expected"}, "GAP@3 has no soft form of this kind"),
        (Q, {"estimator": "expected"}, "Q has no soft form of this kind: .* differs by topic; take estimator='plugin'"),
        (ERR @ 3, {}, "ERR@3 has no soft form of this kind"),
        (nDCG @ 3, {"form": "exponential"}, "nDCG@3 has no soft form of this kind"),
        (GAP, {"form": "recursion"}, "a choice for measures of gain, as nDCG; GAP has one form"),
        (GAP, {"estimator": "exact"}, "estimator='exact', form=None: accepted are"),
        (GAP, {"form": "fast"}, "form='fast': accepted are"),
        (GAP, {"sigma": -1}, "sigma=-1 is not a number from 1e-06"),
        ("GAPP", {}, "unknown measure 'GAPP'"),
    ],
)
def test_what_cannot_be_softened_is_a_clear_error(measure: Measure, options: dict[str, Any], message: str) -> None:
    grades = [[0, 1, 2] * 10]
    with pytest.raises(InputError, match=message):
        soft_measure(torch.zeros(1, 30), grades, measure, levels=(0, 1, 2), **options)


def test_a_score_that_is_not_finite_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="query 0 of the batch has a score that is not finite"):
        soft_measure(torch.tensor([[0.0, torch.nan]]), [[0, 1]], GAP, levels=(0, 1))
