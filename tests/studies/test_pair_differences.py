"""Which pairs of runs a bootstrap test tells apart."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval.formula.aggregation import draw
from gradeval.studies.pair_differences import PairDifferences
from gradeval.studies.significance import all_pairs, bootstrap_tests


@pytest.mark.parametrize("digits", [1, 16])  # rounded values tie with what was observed in many samples
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("samples", [1, 128, 300])
@pytest.mark.parametrize("size", [1.0, 1e-30, 1e20])
@pytest.mark.parametrize("nearness", [1.0, 1e-4, 1e-9])  # how much runs differ, as a share of what topics do
@pytest.mark.parametrize("repeated", [False, True])
def test_pairs_are_told_apart_as_by_the_levels_of_the_whole_test(
    samples: int, alpha: float, digits: int, size: float, nearness: float, repeated: bool
) -> None:
    rng = np.random.default_rng(3)
    own = np.round(rng.random((12, 9)) + np.linspace(0, 0.6, 9), digits)
    values = size * (own[:, :1] * (1 - nearness) + own * nearness)
    values[:, 1] = values[:, 0]  # nothing tells these apart
    values[:, 2] = values[:, 3] + nearness * size  # the same on each topic
    times = rng.multinomial(12, np.full(12, 1 / 12)) if repeated else np.ones(12, int)
    pairs, drawn = all_pairs(9), draw(12, samples, 4)
    expected = bootstrap_tests(values.repeat(times, axis=0), pairs, drawn, alpha)[0] < alpha
    assert samples == 1 or 0 < expected.sum() < len(pairs)
    found = PairDifferences.of(values, pairs).tell_apart(drawn, alpha, times if repeated else None)
    assert found.tolist() == expected.tolist()
    assert not PairDifferences.of(values[:, :2], all_pairs(2)).tell_apart(drawn, alpha).any()
