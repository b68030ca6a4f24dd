"""A measure that a user defines is trained for in every way, without a word beyond its formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import JudgedRankings, Measure, evaluate, measure
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import REGISTRY

torch = pytest.importorskip("torch")

from gradeval.ltr import Batch, LambdaObjective, LinearRanker, lambda_loss, soft_measure

LEVELS = (0.0, 1.0, 2.0, 3.0)


@pytest.fixture
def squares() -> Iterator[Measure]:
    """Pairs of grades, multiplied: sum_n (1/n) sum_{m<=n} r[m] r[n] / sum r."""

    def SquareAP(judged: JudgedRankings) -> Array:
        total = judged.pool @ np.array(judged.levels)
        return ratio((judged.grades * judged.grades.cumsum(-1) / judged.ranks).sum(-1), total)

    yield measure(SquareAP)
    del REGISTRY["SquareAP"]


def test_its_soft_form_is_its_definition_and_becomes_the_measure(squares: Measure) -> None:
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 4, 8), rng.normal(size=8)
    batch = Batch.of(grades[None], levels=LEVELS)
    scores_tensor = torch.tensor(scores[None])
    expected = 0.0
    for n in range(8):
        beats = [0.5 * (1 + float(torch.erf(torch.tensor((scores[m] - scores[n]) / 2)))) for m in range(8)]
        credit = grades[n] ** 2 + sum(beats[m] * grades[m] * grades[n] for m in range(8) if m != n)
        expected += credit / (1 + sum(beats[m] for m in range(8) if m != n))
    assert float(soft_measure(scores_tensor, batch, squares)[0]) == pytest.approx(expected / grades.sum(), abs=1e-6)
    ranked = JudgedRankings.of(grades[np.argsort(-scores)].tolist(), levels=LEVELS)
    assert float(soft_measure(scores_tensor, batch, squares, 1e-5)[0]) == pytest.approx(squares(ranked)[0], abs=1e-9)


def test_its_loss_and_its_trees_have_the_same_gradient(squares: Measure, queries: Any) -> None:
    scores = torch.tensor(np.random.default_rng(1).normal(size=queries.grades.shape), requires_grad=True)
    lambda_loss(scores, queries.grades, squares, levels=LEVELS, mask=queries.mask).sum().backward()
    assert scores.grad is not None
    offsets = np.append(0, queries.mask.sum(1).cumsum())
    data = scores.detach().numpy()[queries.mask], queries.grades[queries.mask].astype(float), offsets
    gradient, _ = LambdaObjective(squares, levels=LEVELS, norm=False).gradients(*data)
    np.testing.assert_allclose(gradient, scores.grad.numpy()[queries.mask], atol=1e-12)


@pytest.mark.parametrize("method", ["lambdarank", "softrank"])
def test_a_ranker_learns_it_by_name(squares: Measure, method: str) -> None:
    data = graded_features(20)
    ranker = LinearRanker(f"{method}:SquareAP", epochs=30).fit(data)
    untrained, trained = (
        evaluate(data.qrels, data.run(scores), squares, ties="expected").mean()[0, 0]
        for scores in (np.zeros(len(data)), ranker.score(data))
    )
    assert trained > untrained + 0.1
