"""Cascades whose worth and stop probability differ, and the registration of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradeval import JudgedRankings, Measure, measure
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.kernels import lookup as exact
from gradeval.kernels.cascade import CASCADES, CascadeKernel, kernel
from gradeval.kernels.lookup import kernel_of
from gradeval.kernels.pairs import pool_of
from gradeval.ltr import LambdaObjective
from gradeval.measures.blended import ideal_cumulated
from gradeval.measures.gainmap import gain_map

LEVELS = (0.0, 1.0, 2.0)


@pytest.fixture
def o_measure() -> Iterator[Measure]:
    """Sakai's O-measure: the blended ratio at the first relevant document; and its cascade, which stops there."""

    def RatioAtFirst(judged: JudgedRankings, *, cutoff: int | None = None) -> Array:
        best = judged.ranks + ideal_cumulated(judged, gain_map(judged.levels, None))
        first = judged.hits(1) & (judged.counts(1) == 1)
        return ((1 + judged.grades) / best * first).sum(-1)

    o_measure = measure(RatioAtFirst)

    @kernel(o_measure)
    def _cascade(judged: JudgedRankings) -> CascadeKernel:
        grades = np.array(judged.levels)[None]
        hit = (grades > 0).astype(float)
        best = judged.ranks + ideal_cumulated(judged, gain_map(judged.levels, None))
        return CascadeKernel(hit * (1 + grades), hit, 1 / best, np.ones(len(judged.pool)))

    yield o_measure
    del REGISTRY["RatioAtFirst"], CASCADES[o_measure.definition.formula]


def test_the_worked_value_of_the_o_measure(o_measure: Measure) -> None:
    judged = JudgedRankings.of([0, 1, 2], pool=[5, 1, 1], levels=LEVELS)
    assert o_measure(judged)[0] == (1 + 1) / (2 + (2 + 1))  # gain 1 at rank 2, where the ideal has 2 + 1


@pytest.mark.parametrize("cutoff", [None, 3])
def test_a_registered_cascade_has_the_values_and_swaps_of_its_measure(o_measure: Measure, cutoff: int | None) -> None:
    configured = o_measure if cutoff is None else o_measure @ cutoff
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, (20, 7))
    pool = pool_of(level, LEVELS) + rng.integers(0, 2, (20, 3))
    its_kernel = kernel_of(configured, pool, LEVELS, np.full(20, 7))
    assert isinstance(its_kernel, CascadeKernel)
    judged = JudgedRankings.full(level.astype(float), pool, LEVELS)
    np.testing.assert_allclose(its_kernel.value(level), configured(judged), atol=1e-12)
    np.testing.assert_allclose(its_kernel.swaps(level), exact.score_swaps(configured, level, pool, LEVELS), atol=1e-12)


def literal(own: Array, stop: Array, weights: Array, ranking: Array) -> float:
    value, arrived = 0.0, 1.0
    for n, level in enumerate(ranking):
        value += weights[n] * own[level] * arrived
        arrived *= 1 - stop[level]
    return value


def test_any_worth_and_stop_probability_give_the_change_by_every_swap() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        levels, length = int(rng.integers(2, 5)), int(rng.integers(2, 10))
        own, stop, weights = rng.normal(size=levels), rng.random(levels), rng.normal(size=length)
        its_kernel = CascadeKernel(own[None], stop[None], weights[None], np.ones(1))
        ranking = rng.integers(0, levels, length)
        before = literal(own, stop, weights, ranking)
        assert its_kernel.value(ranking[None])[0] == pytest.approx(before, abs=1e-12)
        change = its_kernel.swaps(ranking[None])[0]
        for a in range(length):
            for b in range(a + 1, length):
                swapped = ranking.copy()
                swapped[[a, b]] = swapped[[b, a]]
                assert change[a, b] == pytest.approx(literal(own, stop, weights, swapped) - before, abs=1e-11)


def test_the_core_learns_from_a_cascade_as_from_the_scores_of_all_swaps(
    o_measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    grades, scores = rng.integers(0, 3, 60).astype(float), rng.normal(size=60)
    offsets = np.array([0, 10, 25, 60])
    compiled = LambdaObjective(o_measure, levels=LEVELS).gradients(scores, grades, offsets)
    monkeypatch.setattr("gradeval.ltr.data.graded_queries.kernel_of", lambda *_: None)
    slow = LambdaObjective(o_measure, levels=LEVELS).gradients(scores, grades, offsets)
    np.testing.assert_allclose(compiled, slow, atol=1e-13, rtol=1e-10)
