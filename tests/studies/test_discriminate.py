"""Discriminative power: golden values with explicit resamples, the definition pair by pair, and its corners."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from score_tables import drawn_scores, scores_of

from gradeval import InputError
from gradeval.formula.aggregation import draw
from gradeval.formula.arithmetic import Array
from gradeval.scores.scores import Scores
from gradeval.studies.discriminate import discriminate
from gradeval.studies.significance import (
    all_pairs,
    bootstrap_levels,
    bootstrap_tests,
    largest_required,
    shuffles,
    tukey_spreads,
    tukey_tests,
)


def count_draws(indices: Array, topics: int) -> Array:
    """float64[sample, topic]: how often each topic is among indices[sample, draw]."""
    return np.array([np.bincount(each, minlength=topics) for each in indices], float)


def t_of(sample: Array) -> float:
    """The mean over its standard error; 0 where all are 0, infinite where all are the same otherwise."""
    mean, spread = sample.mean(), sample.std(ddof=1)
    if spread <= 1e-12 * np.abs(sample).max(initial=1e-300):
        return 0.0 if abs(mean) <= 1e-12 else math.copysign(math.inf, mean)
    return float(mean / (spread / math.sqrt(len(sample))))


def literal_bootstrap(z: Array, indices: Array | list[Array], alpha: float) -> tuple[float, float]:
    """ASL and required difference of one pair, as Sakai (2006) describes them."""
    w = np.round(z - z.mean(), 12)  # what is 0 but for rounding is 0
    taken = sorted(((abs(t_of(w[index])), abs(w[index].mean())) for index in indices), reverse=True)
    asl = sum(t >= abs(t_of(z)) - 1e-9 for t, _ in taken) / len(indices)
    return asl, taken[math.ceil(Fraction(str(alpha)) * len(indices)) - 1][1]  # 0.07 * 100 is above 7 in doubles


def test_golden_values(golden: dict[str, Any]) -> None:
    case = golden["discriminative_power"]
    values = np.array(case["scores"])
    pairs = all_pairs(values.shape[1])
    drawn = count_draws(np.array(case["bootstrap_indices"]), len(values))
    asl, required = bootstrap_tests(values, pairs, drawn, case["alpha"])
    names = [f"{i}-{j}" for i, j in pairs]
    assert asl.tolist() == [case["paired_bootstrap"][name]["asl"] for name in names]
    assert required == pytest.approx([case["paired_bootstrap"][name]["delta"] for name in names], abs=1e-12)
    assert (asl < case["alpha"]).mean() == case["discriminative_power"]
    assert required.max() == pytest.approx(case["delta"], abs=1e-12)
    spreads = tukey_spreads(values, [np.array(case["permutations"])])
    assert tukey_tests(values, pairs, spreads) == pytest.approx([case["tukey_p"][name] for name in names], abs=1e-12)


@pytest.mark.parametrize("digits", [1, 16])  # rounded values tie with what was observed in many samples
@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize("samples", [1, 128, 300])
def test_who_asks_for_less_than_all_of_a_test_gets_the_same_answer(samples: int, alpha: float, digits: int) -> None:
    rng = np.random.default_rng(3)
    values = np.round(rng.random((12, 9)) + np.linspace(0, 0.6, 9), digits)
    values[:, 1] = values[:, 0]  # nothing tells these apart
    pairs, drawn = all_pairs(9), draw(12, samples, 4)
    levels, required = bootstrap_tests(values, pairs, drawn, alpha)
    assert bootstrap_levels(values, pairs, drawn).tolist() == levels.tolist()
    assert largest_required(values, drawn, alpha) == required.max()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["real", "tenths"]))
def test_each_pair_is_tested_as_the_definition_says(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random((7, 4)) if kind == "real" else rng.integers(0, 11, (7, 4)) / 10
    indices = rng.integers(0, 7, (60, 7))
    pairs = all_pairs(4)
    asl, required = bootstrap_tests(values, pairs, count_draws(indices, 7), 0.1)
    for place, (i, j) in enumerate(pairs):
        expected_asl, expected_required = literal_bootstrap(values[:, i] - values[:, j], indices, 0.1)
        assert asl[place] == pytest.approx(expected_asl)
        if kind == "real":  # where several t are equal, the largest difference among them is taken
            assert required[place] == pytest.approx(expected_required)
        else:
            assert required[place] >= expected_required - 1e-12


def test_the_golden_difference_is_required(golden: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    case = golden["discriminative_power"]
    drawn = count_draws(np.array(case["bootstrap_indices"]), len(case["scores"]))
    monkeypatch.setattr("gradeval.studies.discriminate.draw", lambda *_: drawn)
    discrimination = discriminate(scores_of(np.array(case["scores"]).T), samples=len(drawn), alpha=case["alpha"])
    assert discrimination.required == pytest.approx([case["delta"]], abs=1e-12)
    assert discrimination.power == pytest.approx([case["discriminative_power"]])


@pytest.mark.parametrize(("alpha", "samples"), [(0.05, 200), (0.11, 200), (0.07, 100)])
def test_the_required_difference_is_that_of_the_pair_that_needs_most(alpha: float, samples: int) -> None:
    values = np.random.default_rng(6).random((5, 8))
    indices = [np.arange(8).repeat(often) for often in draw(8, samples, 3).astype(int)]
    needed = [literal_bootstrap(values[i] - values[j], indices, alpha)[1] for i, j in combinations(range(5), 2)]
    assert discriminate(scores_of(values), samples=samples, alpha=alpha, seed=3).required == pytest.approx(
        [max(needed)]
    )


@pytest.mark.parametrize(("alpha", "beyond"), [(0.05, 4), (0.11, 8), (1 / 70, 1)])
def test_the_difference_that_tukey_requires_is_a_range_that_few_shuffles_reach(alpha: float, beyond: int) -> None:
    """ceil(alpha * 70) of 70 shuffles reach it."""
    values = np.random.default_rng(1).random((4, 10))
    orders = np.concatenate(list(shuffles((10, 4), 70, seed=3)))
    ranges = [np.ptp([np.mean([values[order[t, run], t] for t in range(10)]) for run in range(4)]) for order in orders]
    discrimination = discriminate(scores_of(values), method="tukey-hsd", samples=70, alpha=alpha, seed=3)
    assert discrimination.required == pytest.approx([sorted(ranges, reverse=True)[beyond - 1]])


@pytest.mark.parametrize("runs", [2, 90])
def test_the_largest_required_difference_is_found_among_many_pairs(runs: int) -> None:
    rng = np.random.default_rng(8)
    values = rng.random((12, runs)) * rng.uniform(0.2, 1, runs)  # some runs vary more than others
    pairs, drawn = all_pairs(runs), draw(12, 1000, 1)
    levels, required = bootstrap_tests(values, pairs, drawn, 0.05)
    assert largest_required(values, drawn, 0.05) == pytest.approx(required.max(), rel=1e-12)
    assert bootstrap_levels(values, pairs, drawn).tolist() == levels.tolist()


def test_constant_scores_have_no_discriminative_power() -> None:
    scores = scores_of(np.full((4, 6), 0.3))
    for method in ("bootstrap", "tukey-hsd"):
        result = discriminate(scores, method=method)
        assert result.asl.tolist() == [[1.0] * 6]
        assert result.power.tolist() == [0.0]


def test_equal_runs_are_never_told_apart() -> None:
    values = np.random.default_rng(2).random((3, 12))
    values[2] = values[0]
    result = discriminate(scores_of(values))
    assert result.asl[0, result.pairs.tolist().index([0, 2])] == 1


@pytest.mark.parametrize("step", [0.1, 0.3, 1 / 3])
def test_a_difference_that_is_the_same_on_all_topics_is_significant(step: float) -> None:
    base = np.random.default_rng(0).random(9)
    result = discriminate(scores_of([base, base + step]))
    assert result.asl.tolist() == [[0.0]]


def test_a_single_topic_that_differs_proves_nothing() -> None:
    base = np.random.default_rng(0).random(20)
    better = base.copy()
    better[3] += 0.5
    asl = discriminate(scores_of([base, better])).asl[0, 0]
    # t(z) = 1; a sample without the topic (about 1/e of them) has w all equal, so t is infinite.
    assert asl > (1 - 1 / 20) ** 20 - 0.05


def test_power_counts_pairs_below_alpha_and_the_curve_descends() -> None:
    scores = drawn_scores(runs=10, topics=25)
    result = discriminate(scores, alpha=0.05)
    assert result.asl.shape == (2, 45)
    assert result.power == pytest.approx([(row < 0.05).sum() / 45 for row in result.asl])
    curve = result.curve("nDCG")
    assert (np.diff(curve) <= 0).all()
    assert sorted(curve) == sorted(result.asl[1])


def test_all_measures_share_their_resamples() -> None:
    scores = drawn_scores(runs=6)
    alone = discriminate(scores.sel(measures="nDCG"), seed=4)
    assert np.array_equal(discriminate(scores, seed=4).asl[1], alone.asl[0])


def test_the_same_seed_gives_the_same_answer_however_the_work_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn_scores()
    for method in ("bootstrap", "tukey-hsd"):
        monkeypatch.undo()
        one = discriminate(scores, method=method, samples=100, seed=1)
        monkeypatch.setattr("gradeval.studies.significance.RESAMPLES_AT_ONCE", 700)
        monkeypatch.setattr("gradeval.studies.parallel.SMALL", 500)
        again = discriminate(scores, method=method, samples=100, seed=1, threads=1)
        assert np.array_equal(one.asl, again.asl)
        assert one.required == pytest.approx(again.required, rel=1e-12)
        other = discriminate(scores, method=method, samples=100, seed=2)
        assert not np.array_equal(one.asl, other.asl)


def test_the_tukey_p_value_is_the_share_of_ranges_that_reach_the_difference() -> None:
    values = np.random.default_rng(1).random((10, 4))
    orders = np.concatenate(list(shuffles(values.shape, 70, seed=3)))
    assert (np.sort(orders, axis=-1) == np.arange(4)).all()
    ranges = [np.ptp([np.mean([values[t, order[t, run]] for t in range(10)]) for run in range(4)]) for order in orders]
    spreads = tukey_spreads(values, [orders])
    assert spreads == pytest.approx(ranges)
    means = values.mean(0)
    expected = [np.mean([r >= abs(means[i] - means[j]) for r in ranges]) for i, j in combinations(range(4), 2)]
    assert tukey_tests(values, all_pairs(4), spreads) == pytest.approx(expected)


def test_differences_of_a_geometric_mean_are_those_of_logarithms() -> None:
    values = np.random.default_rng(1).uniform(0.1, 1, (4, 15))
    geometric = discriminate(scores_of(values, "gmAP"))
    logarithms = discriminate(scores_of(np.log(values)))
    assert np.array_equal(geometric.asl, logarithms.asl)


def test_topics_that_are_empty_for_a_measure_are_left_out_of_it() -> None:
    values = np.random.default_rng(1).random((4, 10, 2))
    vacant = np.zeros((10, 2), bool)
    vacant[:3, 1] = True
    result = discriminate(scores_of(values, "AP nDCG", vacant=vacant, empty="skip"))
    assert np.array_equal(result.asl[1], discriminate(scores_of(values[:, 3:, 1])).asl[0])


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (drawn_scores(topics=2), {}, "AP: only 2 topics"),
        (
            scores_of(np.ones((2, 3)), present=[[1, 1, 1], [1, 0, 1]], missing="skip"),
            {},
            "run 'B' misses topic '2', so runs cannot be paired topic by topic with missing='skip'; count it as 0 "
            "or leave the run out; or say missing='common': all runs have 2 of the 3 topics",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(scores: Scores, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        discriminate(scores, **options)


@pytest.mark.slow
def test_p_values_are_uniform_under_a_global_null() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 400))  # 400 runs that do not differ, in 200 disjoint pairs
    pairs = np.arange(400).reshape(200, 2)
    asl, _ = bootstrap_tests(values, pairs, draw(30, 2000, 0), 0.05)
    assert stats.kstest(asl, "uniform").pvalue > 0.01
    family = [
        tukey_tests(sample, all_pairs(5), tukey_spreads(sample, shuffles(sample.shape, 200, seed))).min()
        for seed, sample in enumerate(rng.normal(size=(200, 12, 5)))
    ]
    assert stats.kstest(family, "uniform").pvalue > 0.01
