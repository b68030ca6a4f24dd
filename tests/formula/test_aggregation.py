from __future__ import annotations

from math import nan

import numpy as np
import pytest

from gradeval.formula.aggregation import blocks, draw, interval


def test_a_resample_holds_as_many_topics_and_each_as_often_as_any_other() -> None:
    drawn = draw(10, 20_000, 0)
    assert drawn.shape == (20_000, 10)
    assert set(drawn.sum(-1)) == {10}
    assert drawn.mean(0) == pytest.approx(np.ones(10), abs=0.03)
    # A topic is in a resample with probability 1 - (1 - 1/n)^n.
    assert (drawn > 0).mean() == pytest.approx(1 - 0.9**10, abs=0.005)


def test_the_first_resamples_do_not_depend_on_how_many_follow_or_on_what_else_is_drawn() -> None:
    assert np.array_equal(draw(7, 30, 4), draw(7, 500, 4)[:30])
    assert not np.array_equal(draw(7, 30, 4), draw(7, 30, 5))
    rng = np.random.default_rng(4)
    assert np.array_equal(draw(7, 30, rng), draw(7, 30, 4))
    assert not np.array_equal(draw(7, 30, rng), draw(7, 30, 4))


def test_an_interval_leaves_out_half_of_alpha_at_each_end() -> None:
    drawn = np.stack([np.arange(101.0), 2 * np.arange(101.0)], axis=-1)
    assert interval(drawn, 0.1).tolist() == pytest.approx(np.array([[5, 95], [10, 190]]))
    assert interval(drawn[::-1, 0], 0.5).tolist() == [25, 75]


def test_an_interval_around_a_value_has_its_median_there() -> None:
    drawn = np.array([1.0, 2.0, 3.0, 10.0, 20.0])
    assert interval(drawn, 0.5, around=7.0).tolist() == [2 + 7 - 3, 10 + 7 - 3]


def test_resamples_without_a_value_are_left_out_and_where_none_has_one_there_is_no_interval() -> None:
    drawn = np.array([[1.0, nan], [nan, nan], [3.0, nan], [5.0, nan]])
    assert interval(drawn, 0.5)[0].tolist() == [2, 4]
    assert np.isnan(interval(drawn, 0.5, around=np.array([0.0, 1.0]))[1]).all()


def test_blocks_cover_everything_once() -> None:
    assert [list(range(10))[block] for block in blocks(10, 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(blocks(0, 4)) == []
    assert len(list(blocks(3, 0))) == 3
