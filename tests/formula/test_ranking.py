from __future__ import annotations

import numpy as np
import pytest

from gradeval.formula.ranking import rank_by_scores


def in_order(scores: np.ndarray) -> np.ndarray:
    return np.argsort(-scores, axis=-1, kind="stable")


@pytest.mark.parametrize("scale", [1.0, 1e300, 5e-324])
def test_an_order_is_that_of_a_stable_sort(scale: float) -> None:
    rng = np.random.default_rng(0)
    scores = np.round(rng.normal(size=(20, 30)) * 5) * scale
    scores[:, 3], scores[:, 4], scores[:, 7] = 0.0, -0.0, -np.inf
    np.testing.assert_array_equal(rank_by_scores(scores, scores)[0], in_order(scores))
    np.testing.assert_array_equal(rank_by_scores(scores.T, scores.T)[0], in_order(scores.T))


def test_scores_that_differ_in_their_last_bits_alone_are_ordered() -> None:
    scores = np.nextafter(np.ones((1, 40)), np.arange(40) % 3)
    np.testing.assert_array_equal(rank_by_scores(scores, scores)[0], in_order(scores))


@pytest.mark.parametrize("grade", ["f2", "f4", "f8", ">f8", "g", "i1", "i2", "i4", "i8", ">i4", "u2", "?"])
@pytest.mark.parametrize("score", ["f2", "f4", "f8", ">f8", "g"])
def test_grades_come_in_the_order_of_the_scores_whatever_their_types(grade: str, score: str) -> None:
    rng = np.random.default_rng(0)
    scores, grades = rng.integers(-9, 9, (2, 5, 7)).astype(score), rng.integers(0, 2, (2, 5, 7)).astype(grade)
    order, ranked, _ = rank_by_scores(scores, grades)
    np.testing.assert_array_equal(order, in_order(scores))
    np.testing.assert_array_equal(ranked, np.take_along_axis(grades, order.astype(int), -1).astype(float))
    assert (order.dtype, ranked.dtype) == (np.int32, np.float64)


def test_many_rows_are_ranked_some_at_a_time() -> None:
    scores = np.random.default_rng(0).permutation(120_000).reshape(3, 400, 100).astype(float)
    order, ranked, _ = rank_by_scores(scores, scores)
    np.testing.assert_array_equal(order, in_order(scores))
    np.testing.assert_array_equal(ranked, -np.sort(-scores, axis=-1))


@pytest.mark.parametrize("score", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["f4", "f8", "g"])
def test_scores_that_are_not_finite_are_noticed(score: float, kind: str) -> None:
    scores = np.array([[1e30, -1e-30, 0.0], [1.0, 2.0, 3.0]], kind)
    assert rank_by_scores(scores, scores)[2]
    scores[1, 1] = score
    assert not rank_by_scores(scores, scores)[2]
