"""How skewed differences between runs are, and how often a run has one and the same value, by plain definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from gradeval.studies.skewed_differences import share_alike, skewness


def test_skewness_is_the_mean_over_pairs_from_the_run_that_varies_less_to_the_run_that_varies_more() -> None:
    rng = np.random.default_rng(0)
    values = rng.exponential(size=(12, 6)) * np.linspace(0.2, 2, 6) + rng.normal(size=(12, 1))
    values[:, 5] = values[:, 4] + 0.25  # which differ by the same amount on all topics
    own = (values - values.mean(1, keepdims=True)).std(0)
    found = [
        stats.skew(values[:, one] - values[:, two]) * (1 if own[one] > own[two] else -1)
        for one, two in combinations(range(6), 2)
        if (one, two) != (4, 5)
    ]
    assert skewness(values) == pytest.approx(abs(np.mean(found)), rel=1e-9)
    assert skewness(np.ones((5, 3))) == 0


def test_the_share_alike_is_how_often_a_run_has_its_most_frequent_value() -> None:
    values = np.array([[1.0, 0.5], [1.0, 0.25], [0.2, 0.25], [1.0, 0.25], [0.1 + 0.2, 0.0]])
    assert share_alike(values) == pytest.approx((3 / 5 + 3 / 5) / 2)
    assert share_alike(np.array([[0.1 + 0.2], [0.3]])) == 1  # they differ by rounding alone
