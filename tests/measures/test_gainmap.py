"""Gain maps, against the grades of a pool sorted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradeval import InputError, JudgedRankings
from gradeval.formula.parameters import ByGrade
from gradeval.measures.gainmap import exponential, gain_map

LEVELS = (0.0, 1.0, 2.0, 3.0)
POOL = [2, 3, 1, 2]


@pytest.mark.parametrize(
    ("gains", "dcg", "worth"),
    [
        (None, "log2", [0, 1, 2, 3]),
        (None, "exp-log2", [0, 1, 3, 7]),
        (ByGrade([(1, 5), (3, 2)]), "log2", [0, 5, 2, 2]),  # gains need not ascend
    ],
)
def test_the_ideal_list_is_the_pool_by_falling_gain(gains, dcg, worth: list[float]) -> None:
    made = gain_map(LEVELS, gains, dcg)
    by_hand = sorted((gain for gain, count in zip(worth, POOL, strict=True) for _ in range(count)), reverse=True)
    assert made.ideal_list(np.array(POOL), 10).tolist() == [*by_hand, *[0] * (10 - len(by_hand))]
    assert made.top == max(worth)
    judged = JudgedRankings.of([3, 1, None, 0, 2], pool=POOL, levels=LEVELS)
    met = [worth[3], worth[1], worth[0], worth[2]]
    assert made.of(judged)[..., :4].ravel().tolist() == met
    assert made.cumulated(judged)[..., :4].ravel().tolist() == np.cumsum(met).tolist()
    assert made.relevant(judged) == sum(POOL[1:])


def test_an_exponential_gain_is_exact_where_grades_are_small_and_ends_where_doubles_do() -> None:
    assert exponential(3) == 7
    assert exponential(1e-12) == pytest.approx(math.log(2) * 1e-12, rel=1e-11)
    assert exponential(5000) == exponential(1023) == 2.0**1023 - 1


def test_gains_of_other_grades_are_refused() -> None:
    with pytest.raises(InputError, match="names grade 7, the collection has the levels 0,1,2,3"):
        gain_map(LEVELS, ByGrade([(7, 1)]))
