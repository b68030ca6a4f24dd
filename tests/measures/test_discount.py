"""Discounts of ranks, against their formulas rank by rank."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradeval import InputError
from gradeval.measures.discount import cumulated_discounts, discounts, powers, reach

FORMULAS = {
    "ms": lambda n, b: 1 / math.log(n + 1, b),
    "jk": lambda n, b: 1 if n < b else 1 / math.log(n, b),
    "letor": lambda n, _: 1 if n < 2 else 1 / math.log2(n),
    "linear": lambda n, _: 1 / n,
}


@pytest.mark.parametrize(("kind", "base"), [("ms", 2), ("ms", 10), ("jk", 2), ("jk", 3.5), ("letor", 2), ("linear", 2)])
def test_a_table_holds_the_discount_of_each_rank_and_their_sums(kind, base: float) -> None:
    worth = [0.0, *(FORMULAS[kind](n, base) for n in range(1, 50))]
    assert discounts(kind, base, 50) == pytest.approx(worth, rel=1e-14)
    assert cumulated_discounts(kind, base, 50) == pytest.approx(np.cumsum(worth), rel=1e-14)


def test_powers_are_the_probabilities_of_going_on() -> None:
    assert powers(0.8, 4) == pytest.approx([0, 1, 0.8, 0.64])


@pytest.mark.parametrize("rank", [1, 2, 3, 100, 1024])
def test_tables_reach_beyond_the_rank_and_are_of_few_lengths(rank: int) -> None:
    assert rank < reach(rank) <= 2 * rank
    assert math.log2(reach(rank)).is_integer()


@pytest.mark.parametrize("kind", ["letor", "linear"])
def test_a_base_that_changes_nothing_is_refused(kind) -> None:
    with pytest.raises(InputError, match=f"base=10 with discount='{kind}'"):
        discounts(kind, 10, 5)
