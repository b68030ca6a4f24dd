"""Pair forms of measures, also of users' own measures, and refusals where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval import AP, GAP, RBP, JudgedRankings, MeannDCG, Measure, Q, Rprec, eGAP, muAP, nDCG, xGAP
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import parse_measure
from gradeval.kernels import lookup as exact
from gradeval.kernels.derived import TooManyLevels, ignores_level_0, pair_form
from gradeval.kernels.lookup import kernel_of
from gradeval.kernels.pairs import PairKernel, pool_of

LEVELS = (0.0, 1.0, 2.0)


@contextmanager
def registered(formula: Callable[..., Array]) -> Iterator[Measure]:
    """A user's measure, removed from the registry afterwards."""
    try:
        yield gradeval.measure(formula)
    finally:
        REGISTRY.pop(formula.__name__, None)


def graded_pairs(judged: JudgedRankings, *, cutoff: int | None = None) -> Array:
    """Moffat's graded average precision: sum_n (1/n) sum_{m<=n} r[m] r[n], as a share of the grades of the pool."""
    total = judged.pool @ np.array(judged.levels)
    return ratio((judged.grades * judged.grades.cumsum(-1) / judged.ranks).sum(-1), total)


def two_before(judged: JudgedRankings) -> Array:
    """1 for each relevant document with two relevant ones directly above it, beside 1 for each."""
    hit = judged.hits(1)
    return hit.sum(-1) + (hit[..., 2:] & hit[..., 1:-1] & hit[..., :-2]).sum(-1)


def saturating(judged: JudgedRankings) -> Array:
    """A sum of gains up to a bound."""
    return np.minimum((judged.grades / judged.ranks).sum(-1), 2.5)


def bonus_for_many(judged: JudgedRankings) -> Array:
    """A sum of gains whose discount depends on the pool."""
    exponent = np.where(judged.recall_base(1) > 2, 1.0, 0.5)[..., None]
    return (judged.grades * judged.ranks**-exponent).sum(-1)


def adjacent(judged: JudgedRankings) -> Array:
    """A relevant document gains only from the document directly above it."""
    hit = judged.hits(1)
    return hit.sum(-1) + (hit[..., 1:] & hit[..., :-1]).sum(-1)


def random_rankings(queries: int = 30, length: int = 9) -> tuple[Array, Array, Array]:
    """Rankings of levels (-1: padding), pools that may hold more, and lengths."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, length + 1, queries)
    level = rng.integers(0, len(LEVELS), (queries, length))
    level[np.arange(length) >= lengths[:, None]] = -1
    return level, pool_of(level, LEVELS) + rng.integers(0, 2, (queries, 1)), lengths


def test_the_kernel_of_a_users_measure_is_its_definition() -> None:
    level, pool, lengths = random_rankings()
    with registered(graded_pairs) as mine:
        kernel = kernel_of(mine, pool, LEVELS, lengths)
        assert isinstance(kernel, PairKernel)
        for query, length in enumerate(lengths):
            grades = level[query, :length]
            literal = sum(grades[m] * grades[n] / (n + 1) for n in range(length) for m in range(n + 1))
            total = pool[query] @ np.array(LEVELS)
            assert kernel.value(level)[query] == pytest.approx(literal / total if total else 0)
        np.testing.assert_allclose(kernel.swaps(level), exact.score_swaps(mine, level, pool, LEVELS), atol=1e-12)


def test_weights_that_depend_on_the_pool_are_each_querys_own() -> None:
    level, pool, lengths = random_rankings()
    with registered(bonus_for_many) as mine:
        kernel = kernel_of(mine, pool, LEVELS, lengths)
        assert kernel is not None
        assert len(kernel.weights) == len(pool)
        np.testing.assert_allclose(kernel.swaps(level), exact.score_swaps(mine, level, pool, LEVELS), atol=1e-12)


@pytest.mark.parametrize("formula", [two_before, saturating, adjacent], ids=lambda formula: formula.__name__)
def test_a_measure_that_is_not_a_sum_over_pairs_is_refused(formula: Any) -> None:
    """Rankings of one and of two documents do not show it; random rankings do."""
    with registered(formula) as mine:
        assert pair_form(mine, LEVELS) is None


@pytest.mark.parametrize(
    ("measure", "interacts", "one_table", "one_weighting"),
    [
        (AP, True, True, True),
        (GAP, True, True, True),
        (eGAP, True, False, True),
        (xGAP, True, False, True),
        (muAP, True, False, True),
        (Q, True, True, False),
        (nDCG, False, True, True),
        (RBP, False, True, True),
        (Rprec, False, True, False),
        (MeannDCG @ 5, False, True, False),
    ],
    ids=str,
)
def test_each_measure_shares_the_expected_tables_between_queries(
    measure: Measure, interacts: bool, one_table: bool, one_weighting: bool
) -> None:
    form = pair_form(measure, LEVELS)
    assert form is not None
    assert (form.interacts, form.one_table, form.one_weighting) == (interacts, one_table, one_weighting)


@pytest.mark.parametrize("measure", [AP, eGAP, Q, nDCG, MeannDCG @ 5], ids=str)
def test_the_form_of_a_kernel_does_not_depend_on_the_queries(measure: Measure) -> None:
    level, pool, lengths = random_rankings()
    whole = kernel_of(measure, pool, LEVELS, lengths)
    assert isinstance(whole, PairKernel)
    for query in range(len(pool)):
        alone = kernel_of(measure, pool[[query]], LEVELS, lengths[[query]], level.shape[1])
        assert isinstance(alone, PairKernel)
        assert (alone.pairs is None) == (whole.pairs is None)
        np.testing.assert_allclose(alone.value(level[[query]]), whole.value(level)[query], rtol=1e-13)


@pytest.mark.parametrize("size", [13, 40, 129, 1001])
@pytest.mark.parametrize("spelling", ["GAP", "eGAP", "xGAP", "muAP", "Q", "AWP", "AP(rel=5)", "nDCG@3", "Rprec", "ERR"])
def test_a_kernel_on_many_levels_is_exact(spelling: str, size: int) -> None:
    """On grades that are measurements, nearly all of their own, in queries with ties, without and with padding."""
    measure = parse_measure(spelling)
    rng = np.random.default_rng(size)
    levels = (0.0, *np.sort(rng.uniform(0, 10, size - 1)).tolist())
    level = rng.integers(0, size, (4, 6))
    level[0] = [0, 0, 1, size - 1, 1, size - 1]
    level[1] = 0
    level[2, 4:] = -1
    pool, lengths = pool_of(level, levels), np.array([6, 6, 4, 6])
    kernel = kernel_of(measure, pool, levels, lengths)
    assert kernel is not None
    ranks = np.where(level >= 0, np.arange(1.0, 7.0), np.inf)
    judged = JudgedRankings.full(np.array(levels)[level], pool, levels, ranks)
    np.testing.assert_allclose(kernel.value(level), measure(judged), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.swaps(level), exact.score_swaps(measure, level, pool, levels), atol=1e-12)


@pytest.mark.parametrize("spelling", ["AP", "AP(rel=3)@10", "P@5", "Rprec"])
def test_to_a_measure_with_a_threshold_there_are_two_levels(spelling: str) -> None:
    levels = (0.0, *np.linspace(0.5, 9, 10_000).tolist())
    kernel = kernel_of(parse_measure(spelling), np.ones((1, len(levels)), int), levels, np.array([20]))
    assert kernel is not None
    assert kernel.own.shape[-1] == 2


@pytest.mark.parametrize("measure", [GAP, eGAP, Q, muAP, nDCG, RBP], ids=str)
def test_tables_grow_with_the_documents_not_with_a_power_of_the_levels(measure: Measure) -> None:
    """50 queries of 20 documents with grades of their own each."""
    levels = tuple(map(float, range(1001)))
    pool = np.zeros((50, 1001), int)
    pool[np.repeat(np.arange(50), 20), np.arange(1, 1001)] = 1
    kernel = kernel_of(measure, pool, levels, np.full(50, 20))
    assert isinstance(kernel, PairKernel)
    sizes = [array.size for array in vars(kernel).values() if array is not None]
    assert max(sizes) <= 1001 * 50


def test_too_many_different_grades_for_pairs_of_grades_are_refused() -> None:
    levels = tuple(map(float, range(5001)))
    pool = np.ones((1, 5001), int)
    with pytest.raises(TooManyLevels, match=r"^GAP compares .* 5,001 different grades are too many for it: recode"):
        kernel_of(GAP, pool, levels, np.array([5001]))
    assert kernel_of(nDCG, pool, levels, np.array([5001])) is not None


def test_no_queries_have_an_empty_kernel() -> None:
    for measure in (AP, eGAP, Q):
        kernel = kernel_of(measure, np.zeros((0, 3), int), LEVELS, np.zeros(0, int))
        assert kernel is not None
        assert kernel.value(np.zeros((0, 4), int)).shape == (0,)


def test_a_judged_document_of_level_0_may_differ_from_one_that_nobody_judged() -> None:
    for measure, expected in ((AP, True), (nDCG, True), (RBP(gains={0: 1}), False), (AP(judged_only=True), False)):
        assert ignores_level_0(measure, LEVELS) is expected


@pytest.mark.parametrize(
    ("measure", "levels", "pool", "ranking"),
    [
        ("Q@3", 6, [0, 0, 0, 1, 0, 1], [5, 3]),
        ("AWP@3", 6, [0, 0, 0, 1, 0, 1], [5, 3]),
        ("AWP@2", 8, [0, 0, 1, 1, 0, 0, 0, 0], [3, 2]),
        ("Q(gains={1:1,2:3,3:3})@2", 4, [0, 1, 0, 1], [3, 1]),
        ("AWP(gains={1:0,2:0,3:0})@2", 5, [0, 0, 1, 0, 1], [2, 4]),
        ("Q(beta=0.3,gains={0:7.25,1:0},norm='min')@2", 2, [1, 2], [1, 0, 1]),
        ("NDCNG@3", 7, [0, 0, 0, 1, 0, 0, 1], [3, 6]),
    ],
)
def test_small_pools_of_few_levels_have_tables_of_their_own(
    measure: str, levels: int, pool: list[int], ranking: list[int]
) -> None:
    scale = tuple(map(float, range(levels)))
    form = kernel_of(measure, np.array([pool]), scale, np.array([len(ranking)]))
    assert form is not None
    judged = JudgedRankings.of([float(level) for level in ranking], pool=pool, levels=scale)
    assert form.value(np.array([ranking]))[0] == pytest.approx(parse_measure(measure)(judged)[0], abs=1e-12)


@pytest.mark.parametrize("levels", [6, 7, 13])
def test_finding_anything_of_the_best_grade_is_no_sum_over_pairs(levels: int) -> None:
    scale = tuple(map(float, range(levels)))
    pool = np.full((1, levels), 2)
    for cutoff in (3, 10, 30):
        assert kernel_of(f"Success(rel={levels - 1})@{cutoff}", pool, scale, np.array([2 * levels])) is None
