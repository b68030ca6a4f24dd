"""What a measure does not look at costs nothing and changes nothing: pairs beyond a cutoff; and values come with the
gradients."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gradeval import AP, ERR, GAP, RR, Measure, P, judge_arrays, nDCG
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective

LEVELS = (0.0, 1.0, 2.0, 3.0)


def rows(sizes: list[int], seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    documents = sum(sizes)
    return rng.normal(size=documents), rng.integers(0, 4, documents).astype(float), np.append(0, np.cumsum(sizes))


@pytest.mark.parametrize("measure", [nDCG @ 5, GAP @ 5, ERR @ 5, P @ 5, RR @ 5], ids=str)
@pytest.mark.parametrize("norm", [False, True])
def test_pairs_beyond_the_cutoff_weigh_nothing(measure: Measure, norm: bool) -> None:
    data = rows([3, 5, 6, 40, 300])
    all_pairs = LambdaObjective(measure, LEVELS, norm=norm).gradients(*data)
    to_the_cutoff = LambdaObjective(measure, LEVELS, norm=norm, truncation=5).gradients(*data)
    np.testing.assert_array_equal(all_pairs, to_the_cutoff)


def test_the_distance_of_ranks_weighs_pairs_beyond_a_cutoff_too() -> None:
    data = rows([40])
    options: dict[str, Any] = {"levels": LEVELS, "mu": 10}
    whole, _ = LambdaObjective(nDCG @ 5, **options).gradients(*data)
    cut, _ = LambdaObjective(nDCG @ 5, truncation=5, **options).gradients(*data)
    assert np.abs(whole - cut).max() > 1e-6


@pytest.mark.parametrize("measure", [AP, GAP, nDCG @ 3, ERR, RR], ids=str)
@pytest.mark.parametrize("draws", [0, 3])
def test_the_values_that_come_with_gradients_are_those_of_the_measure(measure: Measure, draws: int) -> None:
    scores, grades, offsets = rows([1, 7, 250, 2])
    grades[offsets[3] :] = [0, 0]  # nothing relevant
    grades[: offsets[1]] = 3  # all alike
    objective = LambdaObjective(measure, LEVELS, draws=draws)
    gradients, values = objective.gradients_and_values(scores, grades, offsets)
    judged = judge_arrays(grades, scores, group=np.diff(offsets), levels=LEVELS)
    np.testing.assert_allclose(values, measure(judged), rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(gradients, objective.gradients(scores, grades, offsets))


@pytest.mark.parametrize("documents", [1, 2, 9, 64, 500])
@pytest.mark.parametrize("truncation", [None, 1, 7])
def test_a_cascade_is_that_of_every_exchange(documents: int, truncation: int | None) -> None:
    """Gains of the highest grade that stop every user leave nothing below; others pass hundreds of documents."""
    scores, grades, offsets = rows([documents, 2], seed=documents)
    for gains in ({0: 0, 1: 0.001, 2: 0.01, 3: 0.02}, {0: 0, 1: 1, 2: 3, 3: 7}):
        scale = LambdaObjective(ERR(gains=gains), LEVELS, truncation=truncation, norm=False)
        gradient, hessian = scale.gradients(scores, grades, offsets)
        expected, bend = by_every_exchange(ERR(gains=gains), scores, grades, offsets, truncation)
        np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(hessian, bend, rtol=1e-10, atol=1e-14)


def by_every_exchange(
    measure: Measure, scores: Array, grades: Array, offsets: Array, truncation: int | None
) -> tuple[Array, Array]:
    """Gradient and hessian with the changes that the kernel tells for every pair."""
    from gradeval.kernels.lookup import kernel_of

    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    for first, end in pairwise(offsets):
        order = first + np.argsort(-scores[first:end], kind="stable")
        level = grades[order].astype(int)[None]
        kernel = kernel_of(measure, np.bincount(level[0], minlength=4)[None], LEVELS, np.array([end - first]))
        assert kernel is not None
        change = np.abs(kernel.swaps(level)[0])
        change[truncation or len(change) :] = 0
        better = np.sign(level[0][:, None] - level[0])
        ahead = better * (scores[order][:, None] - scores[order])
        rho = 1 / (1 + np.exp(ahead))
        pull, bend = change * rho * np.abs(better), change * rho * (1 - rho) * np.abs(better)
        gradient[order] += (better * pull).sum(0) - (better * pull).sum(1)
        hessian[order] += bend.sum(0) + bend.sum(1)
    return gradient, hessian
