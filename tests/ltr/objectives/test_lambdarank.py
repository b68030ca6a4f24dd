"""LambdaRank in PyTorch against its definition, written out for every pair of documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from chance import ranked_by_chance

from gradeval import AP, ERR, GAP, RR, Bpref, InputError, Measure, P, Q, eGAP, muAP, nDCG, xGAP
from gradeval.formula.arithmetic import Array
from gradeval.kernels import lookup as exact
from gradeval.kernels.lookup import kernel_of

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from gradeval.ltr import Batch, lambda_loss

MEASURES = (AP, GAP, GAP(g=(0.2, 0.3, 0.5)) @ 3, eGAP, xGAP, muAP, Q, nDCG @ 5, nDCG(dcg="exp-log2"), P @ 2, ERR, RR)
LEVELS = (0.0, 1.0, 2.0, 3.0)


def literal(scores: Array, grades: Array, measure: Measure, pool: Array, sigma: float, truncation: int) -> float:
    """The loss of one query, pair by pair, from the lists with two documents exchanged."""
    order = ranked_by_chance(scores, grades)
    change = exact.score_swaps(measure, grades[order][None], pool[None], LEVELS)[0]
    place = np.argsort(order)
    total = 0.0
    for i in range(len(scores)):
        for j in range(len(scores)):
            a, b = sorted((place[i], place[j]))
            if grades[i] > grades[j] and a < truncation:
                total += abs(change[a, b]) * math.log(1 + math.exp(-sigma * (scores[i] - scores[j])))
    return total


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("truncation", [None, 1, 4])
def test_the_loss_is_the_sum_over_pairs_of_the_stake_times_the_logistic_loss(
    measure: Measure, truncation: int | None, queries: Any
) -> None:
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal(size=queries.grades.shape), 1)  # with ties
    loss = lambda_loss(
        torch.tensor(scores), queries.grades, measure, sigma=0.7, truncation=truncation,
        levels=LEVELS, mask=queries.mask, pool=queries.pool,
    )  # fmt: skip
    for q, mask in enumerate(queries.mask):
        expected = literal(scores[q][mask], queries.grades[q][mask], measure, queries.pool[q], 0.7, truncation or 12)
        assert loss[q].item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_tensors_know_the_swaps_of_the_kernel(measure: Measure, queries: Any) -> None:
    from gradeval.ltr.objectives.lambdarank import swaps_of

    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask, pool=queries.pool)
    kernel = kernel_of(measure, queries.pool, LEVELS, batch.lengths)
    assert kernel is not None
    level = torch.tensor(queries.level)
    for dtype, tolerance in ((torch.float64, 1e-13), (torch.float32, 1e-6)):
        changes = swaps_of(batch, measure, torch.zeros(1, dtype=dtype))(level, 5)
        np.testing.assert_allclose(changes, kernel.swaps(queries.level, top=5), atol=tolerance)


def test_the_gradient_is_that_of_burges_lambdas() -> None:
    """lambda = sigma |dM| / (1 + exp(sigma (s_i - s_j))) moves i up and j down, here for two documents."""
    scores = torch.tensor([[0.3, 1.0]], dtype=torch.float64, requires_grad=True)
    lambda_loss(scores, [[1, 0]], AP, levels=(0, 1), sigma=2.0).sum().backward()
    gradient = 2 * (1 - 1 / 2) / (1 + math.exp(2 * (0.3 - 1.0)))
    assert scores.grad[0].tolist() == pytest.approx([-gradient, gradient])


def test_the_gradient_holds_the_stakes_constant(queries: Any) -> None:
    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask)
    scores = torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.autograd.gradcheck(lambda s: lambda_loss(s, batch, GAP), scores.requires_grad_())


def test_queries_without_anything_to_learn_have_loss_and_gradient_0(queries: Any) -> None:
    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask)
    for measure in (*MEASURES, Bpref):
        scores = torch.zeros(batch.level.shape, requires_grad=True)
        loss = lambda_loss(scores, batch, measure)
        loss.sum().backward()
        assert not loss[:3].any()
        assert not scores.grad[:3].any()
        assert torch.isfinite(scores.grad).all()


def test_measures_without_a_kernel_are_scored_for_every_swap(queries: Any) -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=queries.grades.shape)
    loss = lambda_loss(torch.tensor(scores), queries.grades, Bpref, levels=LEVELS, mask=queries.mask)
    mask = queries.mask[3]
    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask)
    expected = literal(scores[3][mask], queries.grades[3][mask], Bpref, batch.pool[3], 1.0, 12)
    assert loss[3].item() == pytest.approx(expected, abs=1e-12)


def test_scores_in_the_padding_do_not_matter_and_get_no_gradient(queries: Any) -> None:
    scores = torch.randn(queries.grades.shape)
    mask = torch.tensor(queries.mask)
    other = scores.masked_fill(~mask, torch.nan).requires_grad_()
    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask)
    loss = lambda_loss(other, batch, nDCG)
    assert torch.equal(loss, lambda_loss(scores, batch, nDCG))
    loss.sum().backward()
    assert not other.grad[~mask].any()


def test_half_precision_is_worked_in_single_precision(queries: Any) -> None:
    batch = Batch.of(queries.grades, levels=LEVELS, mask=queries.mask)
    scores = torch.randn(queries.grades.shape).half()
    assert torch.equal(lambda_loss(scores, batch, GAP), lambda_loss(scores.float(), batch, GAP))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": None}, "levels: give the grades of the collection"),
        ({"levels": (0, 1)}, "grade 2 is not one of the levels 0,1"),
        ({"grades": [[0, -1, 2]]}, "grade -1 is not one of the levels"),
        ({"grades": [[0, float("nan"), 2]]}, "grade nan is not one of the levels"),
        ({"grades": [0, 1, 2]}, "grades have 1 axes, not two"),
        ({"mask": [[True, False]]}, "give a bool for each grade"),
        ({"mask": [[1, 1, 0]]}, "give a bool for each grade"),
        ({"pool": [[0, 0, 1]]}, "at least as many as the lists hold"),
        ({"sigma": 0}, "sigma=0 is not a number from 1e-06"),
        ({"truncation": 0}, "truncation=0 is not a whole number from 1"),
        ({"truncation": 2.5}, "truncation=2.5 is not a whole number from 1"),
        ({"sigma": "1"}, "sigma='1' is not a number from 1e-06"),
        ({"measure": "GAPP"}, "unknown measure 'GAPP'"),
        ({"scores": [[0.0, 1.0]]}, r"scores are \[1, 2\], the batch is \[1, 3\]"),
        ({"scores": [[0, 1, 2]]}, "give floating-point scores"),
        ({"scores": [[0.0, float("nan"), 1.0]]}, "query 0 of the batch has a score that is not finite"),
        ({"measure": GAP(g=(1.0,))}, "g has 1 probabilities, the collection has 2"),
    ],
)
def test_what_does_not_fit_is_a_clear_error(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "scores": [[0.0, 2.0, 1.0]],
        "grades": [[0, 1, 2]],
        "measure": GAP,
        "levels": (0, 1, 2),
    }
    arguments |= change
    scores = torch.tensor(arguments.pop("scores"))
    with pytest.raises(InputError, match=message):
        lambda_loss(scores, arguments.pop("grades"), arguments.pop("measure"), **arguments)


@pytest.mark.parametrize("truncation", [None, 3])
def test_equal_scores_of_long_lists_are_ranked_by_chance(truncation: int | None) -> None:
    grades = np.random.default_rng(6).integers(0, 4, (1, 64))
    pool = np.bincount(grades[0], minlength=4)
    loss = lambda_loss(torch.zeros(1, 64, dtype=torch.float64), grades, AP, truncation=truncation, levels=LEVELS)
    assert loss.item() == pytest.approx(literal(np.zeros(64), grades[0], AP, pool, 1.0, truncation or 64), rel=1e-12)
