"""Draws of the signs of topics, against a literal enumeration of all signs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gradeval.studies.sign_flips import count_draws, draw_signs, flip_signs, p_values, reaches

VALUES = np.array([[0.1, 0.4, 0.3], [0.5, 0.2, 0.9], [0.7, 0.8, 0.1], [0.3, 0.6, 0.65], [0.2, 0.9, 0.4]])


def literal_u(first: int, second: int, signs: tuple[int, ...]) -> float:
    differences = [sign * (row[first] - row[second]) for sign, row in zip(signs, VALUES, strict=True)]
    return float(abs(sum(differences)) / np.sqrt(len(VALUES) * sum(d * d for d in differences)))


def test_few_topics_have_all_their_signs_once_opposite_ones_as_one() -> None:
    assert count_draws(5, 2000) == 2**4 - 1
    drawn = {tuple(map(int, signs)) for signs in draw_signs(5, 2000, 0)}
    opposite = {tuple(-sign for sign in signs) for signs in drawn}
    assert len(drawn) == 15
    assert drawn | opposite == {*product((1, -1), repeat=5)} - {(1,) * 5, (-1,) * 5}


def test_the_largest_of_each_run_and_its_p_equal_the_enumeration() -> None:
    flipped = flip_signs(VALUES, 2000, 0)
    drawn = [tuple(map(int, signs)) for signs in flipped.signs]
    for run in range(3):
        others = [other for other in range(3) if other != run]
        largest = [max(literal_u(run, other, signs) for other in others) for signs in drawn]
        assert flipped.plain[run] == pytest.approx(largest)
        observed = max(literal_u(run, other, (1,) * 5) for other in others)
        p = (1 + sum(one >= observed * (1 - 1e-9) for one in largest)) / 16
        assert p_values(np.array(observed), flipped.plain[run]) == pytest.approx(p)


def test_a_rank_among_too_few_draws_cannot_be_rare() -> None:
    assert [reaches(draws, 0.05) for draws in (19, 20)] == [False, True]
