"""Kernels against the measures that they stand for, and swaps against scoring every swapped list."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from random_levels import LENGTHS, LEVEL, LEVELS, POOL, TOLERANCE, at_a_place

from gradeval import (
    AP,
    AWP,
    BR,
    DCG,
    ERR,
    GAP,
    NDCNG,
    RBP,
    RR,
    InputError,
    JudgedRankings,
    MeannDCG,
    Measure,
    Q,
    Rprec,
    eGAP,
    muAP,
    nDCG,
    xGAP,
)
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.kernels import lookup as exact
from gradeval.kernels.cascade import CascadeKernel
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import PairKernel, level_of

KERNELS = (
    "AP gmAP muAP GAP eGAP xGAP Q AWP CG gP gR DCG nDCG MeannDCG NDCNG MeanNDCNG RnDCG RBP P RelP R F Hits Rprec RWP "
    "RMeasure BR SR ERR nERR RR NumRelRet NumNonRelRet SetP SetR SetF SetAP SetRelP Judged"
).split()
"""Measures that must have a kernel; whatever else in the registry has one is tested like them."""


def configured() -> Iterator[Measure]:
    """Every measure with a kernel, plain, cut off and with parameters."""
    for measure in map(at_a_place, list(REGISTRY.values())):
        if measure.name in KERNELS or kernel_of(measure, POOL, LEVELS, LENGTHS) is not None:
            yield measure
            if measure.definition.at == "cutoff":
                yield measure(cutoff=2)
                yield measure(cutoff=20)
    yield from (AP(rel=2, norm="min") @ 3, muAP(levels="global"), GAP(g=(0.2, 0.3, 0.5)), GAP(g={2: 1}, norm="min") @ 4)
    yield from (eGAP(renormalise=True), xGAP(g=(0.6, 0.2, 0.2), renormalise=True), ERR(gains={3: 1}), RR(rel=2))
    yield from (Q(beta=10), Q(beta=0.1, gains={1: 0, 2: 5}), Q(norm="min") @ 2, AWP(gains={0: 0.5}), BR(beta=3))
    yield from (Rprec(multiple=0.4), nDCG(discount="linear"), DCG(dcg="exp-log2", discount="linear") @ 3)
    yield from (nDCG(dcg="exp-log2", discount="letor"), nDCG(gains={0: 1, 3: 0.5}), NDCNG(scale_max=5), MeannDCG @ 9)
    yield from (RBP(p=0.5, rel=2), RBP(p=0), GAP(judged_only=True))


every_kernel = pytest.mark.parametrize("measure", list(dict.fromkeys(configured())), ids=str)


def kernel(measure: Measure) -> Kernel:
    kernel = kernel_of(measure, POOL, LEVELS, LENGTHS)
    assert kernel is not None
    return kernel


@every_kernel
def test_the_value_of_a_kernel_is_that_of_its_measure(measure: Measure) -> None:
    lists = [[int(grade) for grade in ranking if grade >= 0] for ranking in LEVEL]
    scored = [
        measure(JudgedRankings.of(ranking, pool=list(pool), levels=LEVELS))[0]
        for ranking, pool in zip(lists, POOL, strict=True)
    ]
    np.testing.assert_allclose(kernel(measure).value(LEVEL), scored, atol=TOLERANCE)


@every_kernel
def test_the_change_by_a_swap_is_that_of_scoring_the_swapped_list(measure: Measure) -> None:
    swaps = kernel(measure).swaps(LEVEL)
    np.testing.assert_allclose(swaps, exact.score_swaps(measure, LEVEL, POOL, LEVELS), atol=TOLERANCE)


@every_kernel
def test_the_swaps_with_the_first_ranks_are_a_part_of_all_swaps(measure: Measure) -> None:
    np.testing.assert_array_equal(kernel(measure).swaps(LEVEL, top=5), kernel(measure).swaps(LEVEL)[:, :5])


def literal(pairs: Array, own: Array, weights: Array, ranking: Array) -> float:
    return float(
        sum(
            weights[n] * (own[ranking[n]] + sum(pairs[ranking[m], ranking[n]] for m in range(n)))
            for n in range(len(ranking))
        )
    )


def test_any_asymmetric_kernel_with_any_weights_gives_the_change_by_every_swap() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        levels, length = int(rng.integers(2, 5)), int(rng.integers(2, 10))
        pairs, own, weights = rng.normal(size=(levels, levels)), rng.normal(size=levels), rng.normal(size=length)
        pair_kernel = PairKernel(own[None], pairs[None], weights[None], np.ones(1))
        ranking = rng.integers(0, levels, length)
        before = literal(pairs, own, weights, ranking)
        assert pair_kernel.value(ranking[None])[0] == pytest.approx(before, abs=TOLERANCE)
        change = pair_kernel.swaps(ranking[None])[0]
        for a in range(length):
            for b in range(a + 1, length):
                swapped = ranking.copy()
                swapped[[a, b]] = swapped[[b, a]]
                assert change[a, b] == pytest.approx(literal(pairs, own, weights, swapped) - before, abs=1e-11)


def test_a_document_that_always_stops_the_user_hides_all_below() -> None:
    stop = np.array([[0.0, 1.0]])
    always = CascadeKernel(stop, stop, 1 / np.arange(1.0, 5)[None], np.ones(1))
    change = always.swaps(np.array([[0, 1, 0, 1]]))[0]
    assert change[0, 1] == pytest.approx(1 - 1 / 2)
    assert change[0, 3] == pytest.approx(1 - 1 / 2)
    assert change[1, 2] == pytest.approx(1 / 3 - 1 / 2)
    assert change[2, 3] == 0


def test_a_query_without_relevant_documents_is_worth_nothing_and_changes_by_nothing() -> None:
    for measure in (AP, GAP, xGAP, Q, nDCG, ERR):
        pair_kernel = kernel_of(measure, np.array([[4, 0, 0, 0]]), LEVELS, np.array([4]))
        assert pair_kernel is not None
        level = np.zeros((1, 4), int)
        assert pair_kernel.value(level) == 0
        assert not pair_kernel.swaps(level).any()


def test_grades_become_levels_and_others_are_an_error() -> None:
    assert level_of(np.array([0.0, 2.5, 1.0]), (0.0, 1.0, 2.5)).tolist() == [0, 2, 1]
    for wrong in (-1.0, 0.5, 4.0, np.nan):
        with pytest.raises(InputError, match="not one of the levels 0,1,2; declare"):
            level_of(np.array([0.0, wrong]), (0.0, 1.0, 2.0))
