"""Columns that may say that a row is not relevant."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from gradeval.files.denials import MOST_CELLS, cells_of_rows, find_cells, find_denial, find_denying


@pytest.mark.parametrize(
    ("cells", "denial"),
    [
        (["1", "0", "1"], "0"),
        ([2, 1, -1], "-1"),
        (["0,0", "1,0"], "0,0"),
        ([True, False], "False"),
        (["yes", "NO "], "NO "),
        (["like", "Dislike"], "Dislike"),
        (["relevant", "not relevant"], "not relevant"),
        (["Y", "N"], "N"),
        (["up", "down"], "down"),
        (["thumbs_up", "thumbs_down"], "thumbs_down"),
        (["love", "hate"], "hate"),
        (["play", "abandoned"], "abandoned"),
        (["view", "remove_from_cart"], "remove_from_cart"),
        ([1, 2, 5], ""),
        ([*range(MOST_CELLS + 1)], ""),
        ([True], ""),
        ([0.5, -7.99e-10, float("nan")], ""),
        (["view", "cart", "purchase"], ""),
        (["Nottingham", "Norway", "Ireland", "Disney", "Unilever", "Downton", "Hateley Inc", "Badger"], ""),
        (["0", "x"], ""),
        ([], ""),
    ],
)
def test_what_denies(cells: list[Any], denial: str) -> None:
    assert find_denial(cells) == denial


ROWS = [["u", "a", "3", ""], ["u", "b", "3", None], ["v", "c", "0", ["x"]], ["short"]]


def test_cells_are_the_different_ones_that_say_something() -> None:
    assert cells_of_rows(lambda: ROWS)([0, 2, 3]) == {0: {"u", "v"}, 2: {"3", "0"}, 3: set()}
    many = find_cells(lambda: [[number] for number in range(10 * MOST_CELLS)], [0])
    assert many == {0: {*range(MOST_CELLS + 1)}}


def test_the_first_column_that_denies_is_named() -> None:
    names = ["user", "item", "bought", "note"]
    assert find_denying(names, [0, 2, 3], lambda: ROWS) == ("bought", "0")
    assert find_denying(names, [0, 3], lambda: ROWS) is None
    assert find_denying(names, [], lambda: ROWS) is None


@pytest.mark.parametrize(
    ("cells", "said"), [(["1", "0", "-1"], "-1"), ([0, -1, 1], "-1"), (["dislike", "Bad", "good"], "Bad"), ([2, 1], "")]
)
def test_the_same_cell_is_named_in_whatever_order_cells_come(cells: list[object], said: str) -> None:
    assert {find_denial(order) for order in permutations(cells)} == {said}
