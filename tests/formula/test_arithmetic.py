"""Rounding decides nothing, however large the values of a measure are; each row lies in one part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from score_tables import scores_of

from gradeval.formula.arithmetic import part_of_row, rounded, tiny
from gradeval.scores.selection import Top
from gradeval.studies.compare import compare
from gradeval.studies.correlate import correlate
from gradeval.studies.correlation import is_constant
from gradeval.studies.discriminate import discriminate

SIZES = [1.0, 1e-6, 1e9]


def noisy(size: float) -> Any:
    """Scores of A and B that differ by the rounding of a sum, and of C, which is worse than both by chance."""
    values = np.random.default_rng(4).uniform(0.3, 0.6, 12) * size
    summed = (values * (1 + 1 / 3)) - values / 3
    assert (summed != values).any()
    worse = values - np.random.default_rng(5).uniform(0.0, 0.1, 12) * size
    return scores_of([values, summed, worse])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon", "sign"])
def test_runs_that_differ_by_rounding_are_tied_on_every_topic(test: Any, size: float) -> None:
    comparison = compare(noisy(size), test=test, samples=200)
    assert comparison.pairs[0].tolist() == [0, 1]
    assert (comparison.wins[0, 0], comparison.ties[0, 0], comparison.losses[0, 0]) == (0, 12, 0)
    assert (comparison.p[0, 0], comparison.effect[0, 0], comparison.difference[0, 0]) == (1, 0, 0)
    assert (comparison.wins[0, 1], comparison.ties[0, 1]) == (12, 0)
    assert comparison.p[0, 1] < 0.01


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("method", ["bootstrap", "tukey-hsd"])
def test_chance_always_makes_a_difference_as_large_as_rounding(method: Any, size: float) -> None:
    assert discriminate(noisy(size), method=method, samples=100).asl[0, 0] == 1


@pytest.mark.parametrize("size", SIZES)
def test_runs_that_differ_by_rounding_share_their_rank(size: float) -> None:
    scores = noisy(size)
    values = scores.values[..., 0]
    again = scores_of(np.stack([values, values[:, ::-1]], axis=-1), "AP nDCG")
    assert correlate(again, statistic="kendall-a", samples=0).of("AP", "nDCG") == pytest.approx(
        2 / 3
    )  # one of three pairs is tied
    swapped = scores_of(values[[1, 0, 2]])
    assert Top(1).runs(scores) == Top(1).runs(swapped) == ["A"]


def test_rounding_keeps_what_differs_by_more() -> None:
    values = np.array([[3.0, 3 + 4e-13, 3 + 9e-12, -2.0], [0.0, 0.0, 0.0, 0.0]]) * 1000
    assert len(set(rounded(values)[0].tolist())) == 3
    assert rounded(values) == pytest.approx(values, rel=1e-12)
    assert is_constant(rounded(values)).tolist() == [False, True]
    assert tiny(np.array([1e-13, -1e-13, 1e-11]), 1.0).tolist() == [True, True, False]


@pytest.mark.parametrize("sizes", [[], [0], [3], [2, 0, 1], [0, 4, 0]])
def test_each_row_lies_in_the_part_that_begins_last_before_it(sizes: list[int]) -> None:
    offsets = np.array([0, *np.cumsum(sizes)], np.int64)
    parts = [part for part, size in enumerate(sizes) for _ in range(size)]
    assert part_of_row(offsets).tolist() == parts
