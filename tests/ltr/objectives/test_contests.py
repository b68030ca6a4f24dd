"""The worth of ranks by contests, against all outcomes of the contests."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from gradeval.ltr.objectives import contests as convolution
from gradeval.ltr.objectives.contests import ByDistribution


def expected_weight(pi: list[float], weights: list[float]) -> float:
    """The mean of the weight of the rank, over all outcomes of the contests; 0 beyond the weights."""
    total = 0.0
    for outcome in product((False, True), repeat=len(pi)):
        chance = math.prod(p if lost else 1 - p for p, lost in zip(pi, outcome, strict=True))
        total += chance * (weights[sum(outcome)] if sum(outcome) < len(weights) else 0.0)
    return total


@pytest.mark.parametrize("short", [0, 20, 256], ids=["transforms", "both", "products"])
@pytest.mark.parametrize("documents", [1, 2, 3, 7, 9])
@pytest.mark.parametrize("ranks", [1, 2, 3, 9])
def test_the_distribution_of_the_rank_is_that_of_all_outcomes(
    documents: int, ranks: int, short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convolution, "SHORT", short)
    rng = np.random.default_rng(documents)
    pi = rng.random((2, documents, 2))
    pi[0, 0, 0], pi[1, -1, 1] = 0.0, 1.0
    weights, own = rng.normal(size=(2, min(ranks, documents))), rng.normal(size=(2, 2))
    contest = ByDistribution.of(torch.tensor(weights), documents)
    worth, slope = contest(torch.tensor(pi), torch.tensor(own))
    for query, column in product(range(2), repeat=2):
        beaten, by_rank = pi[query, :, column].tolist(), weights[query].tolist()
        expected = own[query, column] * expected_weight(beaten, by_rank)
        assert float(worth[query, column]) == pytest.approx(expected, abs=1e-14)
        for m in range(documents):
            first, last = (expected_weight([*beaten[:m], certain, *beaten[m + 1 :]], by_rank) for certain in (0.0, 1.0))
            step = own[query, column] * (last - first)  # linear in each probability
            assert float(slope[query, m, column]) == pytest.approx(step, abs=1e-13)


def test_many_documents_take_transforms_and_lose_no_digits() -> None:
    rng = np.random.default_rng(0)
    pi, documents = torch.tensor(rng.random((1, 300, 2))), 300
    weights = 1 / torch.log2(torch.arange(2.0, 302, dtype=torch.float64))[None]
    worth, _ = ByDistribution.of(weights, documents)(pi, torch.ones(1, 2, dtype=torch.float64))
    chances = np.ones((1, 2))
    for beaten in pi[0].numpy():  # one document after the other
        chances = np.concatenate([chances, np.zeros((1, 2))])
        chances[1:] = chances[1:] * (1 - beaten) + chances[:-1] * beaten
        chances[0] *= 1 - beaten
    expected = (chances[:300] * weights[0].numpy()[:, None]).sum(0)
    np.testing.assert_allclose(worth[0], expected, rtol=1e-13)
