"""Tests of differences, against SciPy and statsmodels: p, intervals, effects, corrections, and what they can reach."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from score_tables import drawn_scores, scores_of

from gradeval.formula.aggregation import draw
from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare
from gradeval.studies.discriminate import discriminate
from gradeval.studies.significance import (
    CORRECTIONS,
    TESTS,
    every_sign,
    infer_means,
    least_p,
    name_correction,
    out_of_reach,
    rarest,
    samples_to_reach,
    shuffles,
    t_of_signs,
    t_test,
    tukey_spreads,
    wilcoxon_test,
)

NAMES = ["t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey-hsd"]


def differences(scores: Scores, pairs: Any, measure: int) -> list[Any]:
    return [scores.values[a, :, measure] - scores.values[b, :, measure] for a, b in pairs]


def test_t_has_the_p_and_the_interval_of_scipy() -> None:
    scores = drawn_scores(runs=5)
    result = compare(scores, alpha=0.1)
    for place, (a, b) in enumerate(result.pairs):
        expected = stats.ttest_rel(scores.values[a, :, 1], scores.values[b, :, 1])
        assert result.p[1, place] == pytest.approx(expected.pvalue)
        assert result.interval[1, place] == pytest.approx(list(expected.confidence_interval(0.9)))


def test_wilcoxon_has_the_p_of_scipy() -> None:
    rng = np.random.default_rng(5)
    scores = scores_of(rng.integers(0, 11, (5, 30)) / 10)
    result = compare(scores, test="wilcoxon")
    for place, z in enumerate(differences(scores, result.pairs, 0)):
        steady = np.round(z, 12)
        assert result.p[0, place] == pytest.approx(stats.wilcoxon(steady[steady != 0]).pvalue)


def test_wilcoxon_of_a_pair_does_not_depend_on_the_other_pairs() -> None:
    rng = np.random.default_rng(3)
    alone = rng.normal(0.2, 1.0, (1, 20))
    tied = np.repeat(rng.normal(size=(1, 10)), 2, axis=-1)
    assert wilcoxon_test(np.concatenate([alone, tied])).tolist() == [
        stats.wilcoxon(np.round(alone[0], 12)).pvalue,
        stats.wilcoxon(np.round(tied[0], 12)).pvalue,
    ]


def test_sign_is_the_binomial_test_of_scipy() -> None:
    rng = np.random.default_rng(5)
    scores = scores_of(rng.integers(0, 5, (5, 30)) / 10)
    result = compare(scores, test="sign")
    for place, z in enumerate(differences(scores, result.pairs, 0)):
        wins, losses = int((z > 1e-9).sum()), int((z < -1e-9).sum())
        assert (result.wins[0, place], result.losses[0, place]) == (wins, losses)
        assert result.ties[0, place] == 30 - wins - losses
        assert result.p[0, place] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_permutation_of_few_topics_takes_every_assignment_of_signs() -> None:
    rng = np.random.default_rng(5)
    scores = scores_of(rng.integers(0, 11, (4, 8)) / 10)
    result = compare(scores, test="permutation")
    for place, z in enumerate(differences(scores, result.pairs, 0)):
        sums = [abs(sum(s * d for s, d in zip(signs, z, strict=True))) for signs in product([1, -1], repeat=8)]
        assert result.p[0, place] == pytest.approx(np.mean(np.array(sums) >= abs(z.sum()) - 1e-9))


def test_permutation_of_many_topics_draws_them_near_the_exact_p() -> None:
    scores = drawn_scores(runs=3, topics=14, spread=0.03)
    exact = compare(scores, test="permutation", samples=2**14).p
    drawn = compare(scores, test="permutation", samples=2**14 - 1, seed=3).p
    assert drawn == pytest.approx(exact, abs=0.02)
    assert not np.array_equal(drawn, exact)
    assert (drawn * 2**14 == np.round(drawn * 2**14)).all()  # (count + 1) / (samples + 1)


def test_bootstrap_has_the_p_of_discriminative_power() -> None:
    scores = drawn_scores(runs=5)
    result = compare(scores, test="bootstrap", samples=500, seed=8)
    level = discriminate(scores, samples=500, seed=8).asl
    assert result.p == pytest.approx((level * 500 + 1) / 501)


def test_tukey_has_the_p_of_discriminative_power_and_simultaneous_intervals() -> None:
    scores = drawn_scores(runs=5)
    result = compare(scores, test="tukey-hsd", samples=500, seed=8)
    level = discriminate(scores, method="tukey-hsd", samples=500, seed=8).asl
    assert result.p == pytest.approx((level * 500 + 1) / 501)
    assert np.array_equal(result.p, result.corrected)
    values = scores.values[..., 0].T
    reach = np.sort(tukey_spreads(values, shuffles(values.shape, 500, 8)))[-25]
    assert result.interval[0] == pytest.approx(result.difference[0][:, None] + [-reach, reach])


def test_no_test_of_resamples_says_that_p_is_zero() -> None:
    scores = drawn_scores(runs=4)
    scores.values[0] += 100  # no shuffle reaches such differences
    for test in ("permutation", "bootstrap", "tukey-hsd"):
        result = compare(scores, baseline=drawn_scores(runs=4).runs[0], test=test, samples=40)
        assert result.p.min() == pytest.approx(1 / 41)


def test_other_intervals_are_percentiles_of_resampled_means() -> None:
    scores = drawn_scores(runs=3)
    result = compare(scores, test="sign", samples=300, seed=2)
    drawn = draw(20, 300, 2)
    for place, z in enumerate(differences(scores, result.pairs, 0)):
        means = [np.average(z, weights=weights) for weights in drawn]
        assert result.interval[0, place] == pytest.approx(np.quantile(means, [0.025, 0.975]))


def test_effect_is_the_mean_over_the_standard_deviation() -> None:
    scores = drawn_scores(runs=3)
    result = compare(scores)
    expected = [z.mean() / z.std(ddof=1) for z in differences(scores, result.pairs, 0)]
    assert result.effect[0] == pytest.approx(expected)


def test_every_correction_has_a_name_in_words() -> None:
    names = {name_correction(name) for name in CORRECTIONS}
    assert len(names) == len(CORRECTIONS)
    assert all("correction" in name for name in names)


@pytest.mark.parametrize(("name", "method"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")])
def test_corrections_agree_with_statsmodels(name: str, method: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.random((6, 9)) ** 3, np.full((1, 9), 0.01), [[0, 0, 1, 1, 0.2, 0.2, 0.2, 0.9, 0.01]]])
    expected = [multitest.multipletests(row, method=method)[1] for row in p]
    assert CORRECTIONS[name](p) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("test", NAMES)
def test_equal_runs_do_not_differ(test: Any) -> None:
    values = np.random.default_rng(0).random(12)
    result = compare(scores_of([values, values]), test=test, samples=200)
    assert result.p.tolist() == [[1.0]]
    assert result.effect.tolist() == [[0.0]]
    assert (result.wins[0, 0], result.ties[0, 0], result.losses[0, 0]) == (0, 12, 0)
    if test != "tukey-hsd":
        assert result.interval.tolist() == [[[0.0, 0.0]]]


@pytest.mark.parametrize("test", NAMES[:-1])
@pytest.mark.parametrize("step", [0.1, 1 / 3])
def test_the_same_difference_on_all_topics_is_as_significant_as_can_be(test: Any, step: float) -> None:
    values = np.random.default_rng(0).random(12)
    result = compare(scores_of([values, values + step]), test=test, samples=5000)  # the second run less the first
    smallest = {"t": 2 / 2**12, "bootstrap": 2 / 2**12, "permutation": 2 / 2**12, "sign": 2 / 2**12}
    if test == "wilcoxon":  # all ranks are tied, so SciPy takes the normal approximation
        assert 2 / 2**12 <= result.p[0, 0] < 0.01
    else:
        assert result.p[0, 0] == pytest.approx(smallest[test], abs=1e-12)
    assert result.effect[0, 0] == np.inf
    assert result.interval[0, 0] == pytest.approx([step, step])


@pytest.mark.parametrize("topics", range(2, 12))
def test_where_all_topics_differ_by_the_same_amount_p_is_the_share_of_signs_that_are_as_extreme(topics: int) -> None:
    """All signs are gone through: of 2^n means, how many are as far from 0, and how many as low?"""
    for amount in (0.25, -0.1, 1 / 3):
        same = np.full(topics, amount)
        means = [np.dot(signs, same) / topics for signs in product([1, -1], repeat=topics)]
        far = sum(abs(mean) >= abs(amount) - 1e-12 for mean in means) / 2**topics
        assert t_test(same[None]).tolist() == [far]
        lower = sum(mean <= amount + 1e-12 for mean in means if mean < abs(amount) - 1e-12) / 2**topics
        assert infer_means(same[None], 0.05, "less").p.tolist() == [lower]
        assert t_test(np.zeros((1, topics))).tolist() == [1.0]


@pytest.mark.parametrize("alpha", [0.05, 0.125, 0.3])
def test_an_interval_has_the_means_that_the_signs_do_not_exclude(alpha: float) -> None:
    """Of the differences from another mean all signs agree: any is excluded where so many coins seldom do, or none."""
    for topics in range(2, 12):
        same = np.full((1, topics), 0.25)
        excluded = [
            sum(abs(sum(signs)) == topics for signs in product([1, -1], repeat=topics)) / 2**topics < alpha
            for other in (-0.3, 0.0, 0.2)
        ]
        expected = [0.25, 0.25] if all(excluded) else [np.nan, np.nan]
        np.testing.assert_array_equal(infer_means(same, alpha).interval, [expected])
        result = compare(
            scores_of([np.linspace(0, 0.5, topics + 1), np.linspace(0, 0.5, topics + 1) + 0.25]), alpha=alpha
        )
        assert np.isnan(result.interval).all() == (result.p >= alpha).all()
        assert ("no interval" in str(result.notes)) == np.isnan(result.interval).any()


@pytest.mark.parametrize("test", NAMES[:-1])
@pytest.mark.parametrize("topics", range(3, 10))
def test_no_test_of_pairs_finds_more_than_the_signs_where_all_topics_differ_alike(test: Any, topics: int) -> None:
    base = np.linspace(0, 0.5, topics)
    result = compare(scores_of([base, base + 0.25]), test=test, samples=4000)
    far = sum(abs(sum(signs)) == topics for signs in product([1, -1], repeat=topics)) / 2**topics
    assert result.p[0, 0] == pytest.approx(far)
    assert np.isnan(result.interval).all() == (far >= 0.05)
    assert ("no interval" in str(result.notes)) == (far >= 0.05)


def test_ranks_with_ties_are_no_rarer_than_all_signs_alike() -> None:
    """Of 5 topics that win, two pairs by the same: the normal distribution gives 0.04, 2 of 2^5 signs are as far."""
    for tied in ([0.1, 0.1, 0.2, 0.2, 0.3], [0.1, 0.1, 0.2, 0.2, 0.0], [0.5, 0.5, 0.5, 0.0, 0.0]):
        number = np.count_nonzero(tied)
        assert wilcoxon_test(np.array([tied])).tolist() == [2 / 2**number]


def test_the_t_of_signs_has_their_p() -> None:
    for topics in (2, 3, 6, 30, 200):
        assert 2 * stats.t.sf(t_of_signs(topics), topics - 1) == pytest.approx(rarest(topics))
    assert t_of_signs(2000) == np.inf  # its p is smaller than any number


def test_the_effect_of_a_constant_loss_is_infinitely_negative() -> None:
    values = np.random.default_rng(2).uniform(0.3, 0.5, 20)
    scores = scores_of([values, values - 0.25])
    assert compare(scores, baseline="B").effect.tolist() == [[np.inf]]
    assert compare(scores, baseline="A").effect.tolist() == [[-np.inf]]


@pytest.mark.parametrize("test", NAMES)
def test_what_is_random_follows_the_seed_alone(test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn_scores()
    one = compare(scores, test=test, samples=200, seed=1)
    monkeypatch.setattr("gradeval.studies.significance.MEANS_AT_ONCE", 1000)
    monkeypatch.setattr("gradeval.studies.parallel.COLUMNS", 30)
    again = compare(scores, test=test, samples=200, seed=1, threads=1)
    assert np.array_equal(one.p, again.p)
    assert one.interval == pytest.approx(again.interval, abs=1e-12)
    assert (one.samples, one.seed) == ((None, None) if test == "t" else (200, 1))


@pytest.mark.slow
@pytest.mark.parametrize("test", NAMES[:4])
def test_p_values_are_uniform_under_a_global_null(test: Any) -> None:
    rng = np.random.default_rng(3)
    cutoffs = " ".join(f"P@{cutoff}" for cutoff in range(1, 11))  # the values of each are drawn for themselves
    drawn = [scores_of(rng.normal(size=(2, 25, 10)), cutoffs) for _ in range(30)]
    p = np.concatenate([compare(one, test=test, samples=400, seed=s).p[:, 0] for s, one in enumerate(drawn)])
    assert p.shape == (300,)
    assert stats.kstest(p, "uniform").pvalue > 0.01


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


def test_the_t_test_has_no_bound() -> None:
    assert least_p("t", 51, 10) == 0
    assert not out_of_reach("t", "holm", 0.05, 51, 10, 7875)
