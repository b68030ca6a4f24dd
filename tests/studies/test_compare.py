"""Comparing runs: SciPy and statsmodels as oracles, corners where nothing or everything differs, errors."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from score_tables import drawn_scores, scores_of

from gradeval import InputError
from gradeval.formula.aggregation import draw
from gradeval.scores.scores import Scores
from gradeval.studies.compare import FOUND, compare
from gradeval.studies.discriminate import discriminate
from gradeval.studies.significance import CORRECTIONS, shuffles, tukey_spreads, wilcoxon_test

TESTS = ["t", "permutation", "bootstrap", "wilcoxon", "sign", "tukey-hsd"]


def differences(scores: Scores, pairs: Any, measure: int) -> list[Any]:
    return [scores.values[a, :, measure] - scores.values[b, :, measure] for a, b in pairs]


def test_a_baseline_is_compared_with_every_other_run() -> None:
    scores = drawn_scores(runs=4)
    result = compare(scores, baseline="C")
    assert result.pairs.tolist() == [[0, 2], [1, 2], [3, 2]]
    means = scores.mean()
    assert result.difference[1] == pytest.approx(means[[0, 1, 3], 1] - means[2, 1])


def test_without_a_baseline_all_pairs_are_compared() -> None:
    assert compare(drawn_scores(runs=4)).pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_t_is_that_of_scipy_with_its_interval() -> None:
    scores = drawn_scores(runs=5)
    result = compare(scores, alpha=0.1)
    for place, (a, b) in enumerate(result.pairs):
        expected = stats.ttest_rel(scores.values[a, :, 1], scores.values[b, :, 1])
        assert result.p[1, place] == pytest.approx(expected.pvalue)
        assert result.interval[1, place] == pytest.approx(list(expected.confidence_interval(0.9)))


def test_wilcoxon_is_that_of_scipy() -> None:
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


def test_bootstrap_is_that_of_discriminative_power() -> None:
    scores = drawn_scores(runs=5)
    result = compare(scores, test="bootstrap", samples=500, seed=8)
    level = discriminate(scores, samples=500, seed=8).asl
    assert result.p == pytest.approx((level * 500 + 1) / 501)


def test_tukey_is_that_of_discriminative_power_with_simultaneous_intervals() -> None:
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


@pytest.mark.parametrize(("name", "method"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")])
def test_corrections_are_those_of_statsmodels(name: str, method: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(1)
    p = np.concatenate([rng.random((6, 9)) ** 3, np.full((1, 9), 0.01), [[0, 0, 1, 1, 0.2, 0.2, 0.2, 0.9, 0.01]]])
    expected = [multitest.multipletests(row, method=method)[1] for row in p]
    assert CORRECTIONS[name](p) == pytest.approx(np.array(expected))


def test_the_pairs_of_one_measure_are_the_family() -> None:
    scores = drawn_scores(runs=4)
    result = compare(scores, correction="bonferroni")
    assert result.corrected == pytest.approx(np.minimum(1, result.p * 6))
    assert compare(scores).correction == "holm"
    assert np.array_equal(result.significant, result.corrected < 0.05)


@pytest.mark.parametrize("test", TESTS)
def test_equal_runs_do_not_differ(test: Any) -> None:
    values = np.random.default_rng(0).random(12)
    result = compare(scores_of([values, values]), test=test, samples=200)
    assert result.p.tolist() == [[1.0]]
    assert result.effect.tolist() == [[0.0]]
    assert (result.wins[0, 0], result.ties[0, 0], result.losses[0, 0]) == (0, 12, 0)
    if test != "tukey-hsd":
        assert result.interval.tolist() == [[[0.0, 0.0]]]


@pytest.mark.parametrize("test", TESTS[:-1])
@pytest.mark.parametrize("step", [0.1, 1 / 3])
def test_the_same_difference_on_all_topics_is_as_significant_as_can_be(test: Any, step: float) -> None:
    values = np.random.default_rng(0).random(12)
    result = compare(scores_of([values + step, values]), test=test, samples=5000)
    smallest = {"t": 0, "bootstrap": 1 / 5001, "permutation": 2 / 2**12, "sign": 2 / 2**12, "wilcoxon": 2 / 2**12}
    if test == "permutation":
        assert result.p[0, 0] == pytest.approx(smallest[test])
    elif test == "wilcoxon":  # all ranks are tied, so SciPy takes the normal approximation
        assert result.p[0, 0] < 0.01
    else:
        assert result.p[0, 0] == pytest.approx(smallest[test], abs=1e-12)
    assert result.effect[0, 0] == np.inf
    assert result.interval[0, 0] == pytest.approx([step, step])


def ordered() -> Scores:
    """A is better than B on every topic, B than C by the same amount; D differs from B by chance."""
    base = np.random.default_rng(2).uniform(0.3, 0.5, 20)
    noise = np.random.default_rng(3).normal(0, 0.01, (2, 20))
    return scores_of([base + 0.2 + noise[0], base, base - 0.25, base + noise[1]])


def test_a_verdict_is_about_the_first_run_of_the_pair() -> None:
    against_b, against_a = (compare(ordered(), baseline=baseline) for baseline in "BA")
    assert [against_b.verdict(0, pair) for pair in range(3)] == ["better", "worse", "not told apart"]  # A, C, D
    assert against_a.verdict(0, 0) == "worse"  # B, the same pair the other way round
    pairs = compare(ordered())
    assert {pairs.verdict(0, pair) for pair, (first, _) in enumerate(pairs.pairs) if first == 0} == {"better"}


def test_the_effect_of_a_constant_loss_is_infinitely_negative() -> None:
    better, worse = (compare(ordered(), baseline=baseline, correction="none").effect for baseline in "CB")
    assert better[0, 1] == np.inf
    assert worse[0, 1] == -np.inf


@pytest.mark.parametrize("test", TESTS)
def test_what_is_random_follows_the_seed_alone(test: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn_scores()
    one = compare(scores, test=test, samples=200, seed=1)
    monkeypatch.setattr("gradeval.studies.significance.MEANS_AT_ONCE", 1000)
    monkeypatch.setattr("gradeval.studies.parallel.COLUMNS", 30)
    again = compare(scores, test=test, samples=200, seed=1, threads=1)
    assert np.array_equal(one.p, again.p)
    assert one.interval == pytest.approx(again.interval, abs=1e-12)
    assert (one.samples, one.seed) == ((None, None) if test == "t" else (200, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "Z"}, "no run 'Z' to compare with; the runs are A, "),
        ({"baseline": 3}, "baseline=3 is not a name"),
        ({"baseline": ["A", None]}, "baseline=None is not a name"),
        ({"test": "tukey-hsd", "correction": "holm"}, "tukey-hsd corrects for the number of pairs by itself"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(drawn_scores(), **options)


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS[:4])
def test_p_values_are_uniform_under_a_global_null(test: Any) -> None:
    rng = np.random.default_rng(3)
    p = [compare(scores_of(rng.normal(size=(2, 25))), test=test, samples=400, seed=s).p[0, 0] for s in range(300)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "tukey-hsd"])
def test_a_note_says_that_skewed_differences_defeat_tests_of_means(test: Any) -> None:
    rng = np.random.default_rng(0)
    spread = np.linspace(0.2, 2, 20)
    skewed, symmetric = rng.exponential(size=(30, 20)) * spread, rng.normal(size=(30, 20)) * spread
    both = scores_of(np.stack([skewed.T, symmetric.T], axis=-1), "DCG CG")

    def said(scores: Scores, **options: Any) -> list[str]:
        return [
            str(note) for note in compare(scores, test=test, samples=1000, **options).notes if "skewed" in str(note)
        ]

    (note,) = said(both)
    assert note.startswith("DCG: ")
    assert said(both, baseline="A") == [note]
    assert not said(both, baseline="best")  # of which the set of the best runs held
    assert not said(scores_of(skewed[:, [0, 19]].T, "DCG"))  # of one pair chance says as much as the errors
    (few,) = said(scores_of(symmetric[:19].T, "CG"))
    assert few.startswith("CG: fewer than 20 topics may not show that differences are skewed; where they are, test ")
    assert few.partition("test ")[2] == note.partition("test ")[2]


@pytest.mark.parametrize(("test", "asks"), [("wilcoxon", "symmetric"), ("sign", "wins")])
@pytest.mark.parametrize("baseline", [None, "A", "best"])
def test_a_note_says_what_tests_of_ranks_and_signs_ask(test: Any, asks: str, baseline: str | None) -> None:
    notes = [str(note) for note in compare(drawn_scores(runs=4), test=test, baseline=baseline).notes]
    assert [asks in note for note in notes if "not whether means are equal" in note] == [True]
    assert not any("means are equal" in str(note) for note in compare(drawn_scores(runs=4), baseline=baseline).notes)


INFERENCE = Path(__file__).resolve().parents[2] / "docs" / "inference"


def test_what_notes_say_of_skewed_differences_is_what_was_counted() -> None:
    def rows(page: str) -> list[list[str]]:
        return [line.strip("| ").split(" | ") for line in (INFERENCE / page).read_text(encoding="utf-8").splitlines()]

    worst: dict[str, list[str]] = {"t": [row[3] for row in rows("skewed-pairs.md") if row[0] == "t, holm"]}
    worst |= {
        row[0].removesuffix(", holm"): [row[2], row[6]]
        for row in rows("pairs.md")
        if row[0] in ("permutation, holm", "bootstrap, holm", "tukey-hsd")
    }
    for test, said in FOUND.items():
        counted = [round(100 * float(cell.split()[0])) for cell in worst[test]]
        shown = [int(share) for share in re.findall(r"(\d+)%", said)]
        assert shown == [share for share in counted if share]  # a test that cannot find anything finds nothing false
