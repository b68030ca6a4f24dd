from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other


from gradeval.ltr.objectives.listnet import ListNetObjective


def literal_listnet(scores: Any, grades: Any) -> float:
    """Cao et al. (2007): the cross entropy of the top-one probabilities."""
    by_grade, by_score = sum(map(math.exp, grades)), sum(map(math.exp, scores))
    return -sum(
        math.exp(grade) / by_grade * math.log(math.exp(score) / by_score)
        for score, grade in zip(scores, grades, strict=True)
    )


def test_listnet_for_trees_has_the_gradient_and_the_curvature_of_the_loss() -> None:
    sizes = [4, 0, 3, 1]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    grades = np.array([0, 2, 1, 0, 3, 0, 0, 1.0])
    scores = np.random.default_rng(2).normal(size=8)
    gradient, hessian = ListNetObjective().gradients(scores, grades, offsets)

    def total(moved: Any) -> float:
        parts = [(moved[a:b].tolist(), grades[a:b].tolist()) for a, b in pairwise(offsets)]
        return sum(literal_listnet(*part) for part in parts if part[0])

    for row in range(8):
        step = 1e-4 * (np.arange(8) == row)
        up, here, down = total(scores + step), total(scores), total(scores - step)
        assert gradient[row] == pytest.approx((up - down) / 2e-4, abs=1e-7)
        assert hessian[row] == pytest.approx((up - 2 * here + down) / 1e-8, abs=1e-5)


def test_listnet_for_trees_depends_on_differences_of_scores_however_large_they_are() -> None:
    grades, offsets = np.array([0, 2, 1, 0, 3, 0.0]), np.array([0, 4, 6])
    scores = np.array([0.5, 0.25, -1.0, 0.0, 2.0, 1.5])
    here = ListNetObjective().gradients(scores, grades, offsets)
    for shift in (1000.0, -1000.0):  # e^1000 is no double
        np.testing.assert_allclose(ListNetObjective().gradients(scores + shift, grades, offsets), here, rtol=1e-12)
