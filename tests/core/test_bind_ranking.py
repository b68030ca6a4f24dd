"""The core's orders of documents, sums over them and rectangles, beside NumPy's or loops."""

from __future__ import annotations

import numpy as np
import pytest

import gradeval._core as _core
from gradeval import JudgedRankings
from gradeval.formula.arithmetic import along, largest_from, look_up, running_sums
from gradeval.formula.ranking import take_in_order

SHAPES = [(7,), (3, 5), (2, 3, 4), (3, 0), (0, 4)]


def rankings(rows: int, width: int, seed: int = 0) -> JudgedRankings:
    """Rankings with gaps in their ranks and padding behind."""
    rng = np.random.default_rng(seed)
    ranks = np.cumsum(rng.integers(1, 4, (rows, width)), -1).astype(float)
    ranks[np.arange(width) >= rng.integers(0, width + 1, rows)[:, None]] = np.inf
    grades = np.where(np.isfinite(ranks), rng.integers(0, 3, (rows, width)), 0).astype(float)
    return JudgedRankings.full(grades, np.full((rows, 3), width), (0.0, 1.0, 2.0), ranks)


@pytest.mark.parametrize("shape", SHAPES)
def test_running_sums_are_those_of_numpy_to_the_last_bit(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    terms, flags = rng.normal(size=shape), rng.random(shape) < 0.5
    np.testing.assert_array_equal(running_sums(terms), np.cumsum(terms, -1))
    np.testing.assert_array_equal(running_sums(terms.T), np.cumsum(terms.T, -1))
    np.testing.assert_array_equal(running_sums(flags), np.cumsum(flags, -1))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_largest_from_each_place_on(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).normal(size=shape)
    expected = np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]
    np.testing.assert_array_equal(largest_from(values), expected)


def test_entries_along_the_last_axis_broadcast() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2, 1, 5))
    for place in (rng.integers(0, 5, (3, 4)), rng.integers(0, 5, 4), rng.integers(0, 5, (2, 3, 4))):
        leading = np.broadcast_shapes((2, 1), place.shape[:-1])
        whole = [np.broadcast_to(values, (*leading, values.shape[-1])) for values in (table, place)]
        np.testing.assert_array_equal(along(table, place), np.take_along_axis(whole[0], whole[1], -1))


@pytest.mark.parametrize("flags", [False, True])
@pytest.mark.parametrize("shape", [(), (6,), (1,), (4, 1), (3, 6), (2, 1, 6)])
def test_a_total_down_to_a_depth_adds_the_documents_at_these_ranks(shape: tuple[int, ...], flags: bool) -> None:
    judged = rankings(6, 8)
    rng = np.random.default_rng(1)
    terms = judged.grades > 1 if flags else judged.grades * rng.random(judged.grades.shape)
    depth = rng.integers(0, 20, shape)
    expected = np.zeros(np.broadcast_shapes(shape, (6,)))
    depths = np.broadcast_to(depth, expected.shape)
    for place in np.ndindex(*expected.shape):
        for term, rank in zip(terms[place[-1]].tolist(), judged.ranks[place[-1]].tolist(), strict=True):
            expected[place] += term if rank <= depths[place] else 0
    np.testing.assert_array_equal(judged.total(terms, depth), expected)
    if not shape:
        np.testing.assert_array_equal(judged.total(terms, int(depth)), expected)


def test_a_total_over_the_whole_ranking() -> None:
    judged = rankings(6, 8)
    np.testing.assert_array_equal(judged.total(judged.grades), judged.grades.sum(-1))
    np.testing.assert_array_equal(judged.total(judged.grades, 1000), judged.grades.sum(-1))
    one = JudgedRankings.full(judged.grades, judged.pool, judged.levels)  # all share their ranks
    np.testing.assert_array_equal(one.total(one.grades, np.array([[2], [5]]))[1], one.grades[:, :5].sum(-1))


def test_a_weighted_total_takes_the_weight_at_each_rank() -> None:
    judged = rankings(6, 8)
    weights = np.random.default_rng(2).random(64)
    at_rank = np.where(judged.pooled, weights[np.where(judged.pooled, judged.ranks, 0).astype(int)], 0.0)
    for depth in (5, 1000, np.array([[3], [0], [30]])):
        expected = judged.total(judged.grades * at_rank, depth)
        np.testing.assert_array_equal(judged.weighted_total(judged.grades, weights, depth), expected)
    np.testing.assert_array_equal(look_up(weights, judged.ranks)[judged.pooled], at_rank[judged.pooled])
    beyond = look_up(weights, np.array([63.0, 64.0, np.inf, np.nan, -1.0]))
    np.testing.assert_array_equal(beyond, np.full(5, weights[-1]))


def test_a_sum_of_precisions_down_to_a_depth() -> None:
    judged = rankings(6, 8)
    hits = judged.hits(2)
    precision = np.cumsum(hits, -1) / judged.ranks * hits
    np.testing.assert_allclose(judged.summed_precision(2), precision.sum(-1), rtol=1e-15)
    depths = np.array([[3], [0], [30]])
    within = precision * (judged.ranks <= depths[..., None])
    np.testing.assert_allclose(judged.summed_precision(2, depths), within.sum(-1), rtol=1e-15)
    np.testing.assert_array_equal(judged.summed_precision(2, depths)[2], judged.summed_precision(2))


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "i2", "i4", "i8"])
def test_grades_are_counted_by_level(kind: str) -> None:
    rng = np.random.default_rng(0)
    grades, there = rng.integers(0, 4, (2, 5, 7)).astype(kind), rng.random((2, 5, 7)) < 0.5
    for mask in (None, there):
        counts = np.empty((2, 5, 6), np.int64)
        kept = np.ones(grades.shape, bool) if mask is None else mask
        assert _core.count_levels(grades, mask, counts) == grades[kept].max()
        expected = np.stack([((grades == level) & kept).sum(-1) for level in range(6)], -1)
        np.testing.assert_array_equal(counts, expected)
    assert _core.count_levels(grades, None, counts[..., :3].copy()) == -1
    assert _core.count_levels(np.where(there, grades, -1).astype(kind), None, counts) == -1
    assert _core.count_levels(np.where(there, grades, -1).astype(kind), there, counts) == grades[there].max()


@pytest.mark.parametrize("grade", [0.5, 2.0, 1e300, np.nan, np.inf, -1.0])
def test_a_grade_that_is_no_level_is_not_counted(grade: float) -> None:
    assert _core.count_levels(np.array([[0.0, grade]]), None, np.zeros((1, 2), np.int64)) == -1


def test_wrong_arrays_are_refused() -> None:
    values, order = np.zeros((2, 3)), np.zeros((2, 3), np.int32)
    with pytest.raises(ValueError, match="places of documents"):
        take_in_order(values, order + 3)
    with pytest.raises(ValueError, match="places of documents"):
        take_in_order(values, order - 1)
    with pytest.raises(ValueError, match="same shape"):
        _core.running_sums(values, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="same rows"):
        _core.count_levels(np.array([[0, 2]]), None, np.zeros((3, 2), np.int64))
    with pytest.raises(ValueError, match="ranks must have"):
        _core.sum_down_to(values, np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="axes of the rankings"):
        _core.sum_down_to(values, values, np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(TypeError, match="another type"):
        _core.count_levels(np.zeros((1, 2), "u2"), None, np.zeros((1, 2), np.int64))
    with pytest.raises(TypeError, match="another type"):
        _core.pack_places(np.zeros((1, 2), int), np.zeros((1, 2), np.int64))
    with pytest.raises(ValueError, match="needs an entry"):
        look_up(np.zeros(0), values)
    with pytest.raises(ValueError, match="needs an entry"):
        _core.sum_weighted_down_to(values, values, None, np.zeros(2), np.zeros(0))
    assert not _core.unpack_places(np.full((2, 3), 3), values, values, order)  # places that nobody packed


@pytest.mark.parametrize(
    ("begin", "end", "document"), [(-1, 1, 0), (0, 3, 0), (1, 0, 0), (0, 1, 3), (0, 1, 5), (0, 1, -2)]
)
def test_rows_outside_the_documents_are_refused(begin: int, end: int, document: int) -> None:
    shape = (1, 4)
    with pytest.raises(ValueError, match="inside"):
        _core.lay_out_rows(
            np.ones(2),
            np.full(2, document, np.int32),
            np.ones(3),
            np.ones(3, bool),
            np.array([begin]),
            np.array([end]),
            np.zeros(1, np.int64),
            np.empty(shape),
            np.empty(shape),
            np.empty(shape, bool),
            np.empty(shape, np.int32),
        )
