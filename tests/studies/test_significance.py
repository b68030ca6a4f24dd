from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gradeval.studies.significance import (
    CORRECTIONS,
    TESTS,
    every_sign,
    least_p,
    out_of_reach,
    samples_to_reach,
    skewness,
)


@pytest.mark.parametrize(("test", "topics", "samples"), [("bootstrap", 30, 40), ("permutation", 30, 99)])
def test_drawn_resamples_give_no_p_below_their_number(test: Any, topics: int, samples: int) -> None:
    always = np.full((1, topics), 0.5) + np.linspace(0, 1e-3, topics)  # as different as runs can be
    assert least_p(test, topics, samples) == 1 / (samples + 1)
    assert TESTS[test](always, samples, 0)[0] == pytest.approx(least_p(test, topics, samples))


@pytest.mark.parametrize("test", ["permutation", "sign", "wilcoxon"])
def test_exact_tests_give_no_p_below_that_of_all_wins(test: Any) -> None:
    always = np.full((1, 5), 0.5) + np.linspace(0, 1e-3, 5)
    assert least_p(test, 5, 1000) == 2 / 2**5
    assert TESTS[test](always, 1000, 0)[0] == pytest.approx(2 / 2**5)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("pairs", [1, 3, 15, 7875])
def test_the_samples_asked_for_are_the_fewest_that_suffice(correction: Any, pairs: int) -> None:
    needed = samples_to_reach("bootstrap", correction, 0.05, 50, pairs)
    assert needed is not None
    for samples, reached in ((needed, True), (needed - 1, False)):
        all_least = np.full(pairs, least_p("bootstrap", 50, samples))
        assert (CORRECTIONS[correction](all_least) < 0.05).any() == reached
        assert out_of_reach("bootstrap", correction, 0.05, 50, samples, pairs) != reached


def test_signs_of_many_topics_are_always_drawn() -> None:
    assert every_sign(20, 2**20)
    assert not every_sign(20, 2**20 - 1)
    assert not every_sign(30, 2**40)  # 30 GB of signs


def test_with_few_topics_no_number_of_samples_suffices() -> None:
    assert samples_to_reach("permutation", "holm", 0.05, 3, 1) is None  # 2 / 2^3
    assert samples_to_reach("sign", "holm", 0.05, 5, 3) is None
    assert samples_to_reach("permutation", "holm", 0.05, 20, 3) == 60


def test_shuffles_of_the_runs_give_no_p_below_their_number() -> None:
    assert least_p("tukey-hsd", 30, 99) == 1 / 100
    assert not out_of_reach("tukey-hsd", "none", 0.05, 30, 20, 7875)
    assert out_of_reach("tukey-hsd", "none", 0.05, 30, 19, 7875)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_other_tests_have_no_bound(test: Any) -> None:
    assert least_p(test, 51, 10) == 0
    assert not out_of_reach(test, "holm", 0.05, 51, 10, 7875)


def test_skewness_is_the_mean_of_that_of_all_pairs_from_the_run_that_varies_less_to_that_which_varies_more() -> None:
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
