from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import DCG, NDCNG, RBP, Measure, nDCG
from gradeval.ltr.objectives.contests import fit_exponentials

torch = pytest.importorskip("torch")

torch.set_num_threads(1)  # such small tensors only wait for each other


from gradeval.ltr import Batch, soft_measure

LEVELS = (0.0, 1.0, 2.0, 3.0)

GAINS = (nDCG, nDCG(dcg="exp-log2"), nDCG(discount="letor"), DCG, NDCNG, RBP)


def batch_of(queries: Any) -> Batch:
    return Batch.of(queries.grades, levels=LEVELS, mask=queries.mask, pool=queries.pool)


def random_scores(batch: Batch, seed: int = 0) -> Any:
    return torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("measure", GAINS, ids=str)
@pytest.mark.parametrize("estimator", ["plugin", "expected"])
@pytest.mark.parametrize("sigma", [0.01, 0.5, 20])
def test_the_two_forms_of_a_gain_measure_agree(measure: Measure, estimator: Any, sigma: float, queries: Any) -> None:
    batch = batch_of(queries)
    values, gradients = [], []
    for form in ("recursion", "exponential"):
        scores = random_scores(batch, 1).requires_grad_()
        value = soft_measure(scores, batch, measure, sigma, estimator=estimator, form=form)
        value.sum().backward()
        values.append(value.detach())
        gradients.append(scores.grad)
    np.testing.assert_allclose(*values, atol=1e-5)
    np.testing.assert_allclose(*gradients, atol=1e-5 / sigma)


@pytest.mark.parametrize("spread", [0.1, 1.0, 100.0])
def test_the_two_forms_agree_where_the_first_rank_is_off_the_curve(spread: float) -> None:
    rng = np.random.default_rng(3)
    batch = Batch.of(rng.integers(0, 4, (1, 45)), levels=LEVELS)  # of this length the fit takes the base 0
    values, gradients = [], []
    for form in ("recursion", "exponential"):
        scores = torch.tensor(spread * np.random.default_rng(4).normal(size=(1, 45))).requires_grad_()
        value = soft_measure(scores, batch, nDCG(discount="letor"), form=form)
        value.sum().backward()
        values.append(value.detach())
        gradients.append(scores.grad)
    np.testing.assert_allclose(*values, atol=1e-6)
    np.testing.assert_allclose(*gradients, atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 7, 60, 150, 320, 1000])
def test_smooth_discounts_are_sums_of_few_exponentials_and_cutoffs_are_not(length: int) -> None:
    rank = np.arange(1.0, length + 1)
    for weights in (1 / rank, 1 / np.log2(rank + 1), 1 / np.maximum(1, np.log2(rank)), 0.8 ** (rank - 1), rank**0):
        fitted = fit_exponentials(weights[None])
        assert fitted is not None
        bases, coefficients = fitted
        terms = coefficients[0] @ bases[:, None] ** (rank - 1)
        np.testing.assert_allclose(terms, weights, atol=1e-6)
    if length >= 60:
        assert fit_exponentials((rank <= 10)[None] / rank) is None


def test_a_geometric_discount_is_one_exponential_however_long_the_list() -> None:
    fitted = fit_exponentials(0.8 ** np.arange(5000.0)[None])  # from 3,300 on these are numbers of few digits, then 0
    assert fitted is not None
    assert fitted[0].tolist() == [0.8]
