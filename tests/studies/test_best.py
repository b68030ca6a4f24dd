"""Comparisons with the best: against all signs written out, as laws, by their coverage, and across commands."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gradeval import InputError, Scores, compare, evaluate, ranks, report
from gradeval.studies.best import BestRuns, find_best_runs
from gradeval.studies.sign_flips import flip_signs

from ..support.score_tables import scores_of


def best_of(values: np.ndarray, alpha: float = 0.05, samples: int = 2000) -> BestRuns:
    return find_best_runs(flip_signs(values, samples, 0), alpha)


def literal_p(values: np.ndarray, run: int) -> float:
    """The share of all signs with which some |t| against this run is as large as the largest t that was observed."""
    topics, runs = values.shape
    others = [values[:, other] - values[:, run] for other in range(runs) if other != run]

    def t(d: np.ndarray) -> float:
        return float(d.mean() / d.std(ddof=1) * np.sqrt(topics))

    observed = max(map(t, others))
    if observed <= 0:
        return 1.0
    by_t = min(1.0, 2 * len(others) * stats.t.sf(observed, topics - 1))
    shares = []
    for drawn in (others, [d - d.mean() for d in others]):
        reached = [
            max(abs(np.dot(signs, d)) / np.sqrt(topics * np.dot(d, d)) for d in drawn)
            >= observed / np.sqrt(topics - 1 + observed**2) * (1 - 1e-9)
            for signs in itertools.product([1, -1], repeat=topics)
            if abs(sum(signs)) < topics
        ]
        shares.append((1 + sum(reached) / 2) / 2 ** (topics - 1))
    return max(shares[0], min(shares[1], by_t))


@pytest.mark.parametrize("seed", range(4))
def test_p_is_the_share_of_all_signs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random((8, 4)) + np.array([0.0, 0.1, 0.2, 0.4])
    assert best_of(values).p == pytest.approx([literal_p(values, run) for run in range(4)])


@pytest.mark.parametrize("runs", [2, 3])
@pytest.mark.parametrize("topics", range(3, 10))
def test_runs_that_are_behind_by_the_same_on_all_topics_have_no_interval_until_signs_exclude_one(
    topics: int, runs: int
) -> None:
    """Of 2^n signs two are as far as those seen, for each other run: rarer than 0.05, or no distance is excluded."""
    values = np.linspace(0, 0.25, topics)[:, None] + np.array([0.5, 0.25, 0.0])[:runs]
    as_far = sum(abs(sum(signs)) == topics for signs in itertools.product([1, -1], repeat=topics)) / 2**topics
    shown = as_far * (runs - 1) < 0.05
    found = ranks(scores_of(values.T))
    behind = np.array([0, 0.25, 0.5])[:runs]
    expected = np.stack([-behind, -behind], axis=-1) if shown else np.full((runs, 2), np.nan)
    np.testing.assert_allclose(found.from_best[0], expected)
    assert found.behind[0] == pytest.approx(behind if as_far * runs * (runs - 1) / 2 < 0.05 else 0 * behind)
    compared = compare(scores_of(values.T), baseline="best")
    np.testing.assert_allclose(compared.interval[0], expected)
    assert ("no interval" in str(compared.notes), "none" in str(compared)) == (not shown, not shown)
    assert "nan" not in str(found) + str(compared)


def test_two_runs_are_told_apart_as_by_a_two_sided_test() -> None:
    rng = np.random.default_rng(1)
    for shift in (0.3, 0.5, 0.7):
        scores = scores_of((rng.random((12, 2)) + np.array([0, shift])).T)
        p = float(compare(scores, test="permutation").p[0, 0])
        t = float(compare(scores).p[0, 0])
        found = float(ranks(scores, samples=4096).p[0].min())
        assert p - 1e-12 <= found <= max(p, t) + 1e-12


@pytest.mark.parametrize("topics", [4, 7, 15, 40])
def test_what_is_said_of_a_run_agrees(topics: int) -> None:
    rng = np.random.default_rng(topics)
    for runs in (2, 5, 12):
        values = rng.random((topics, 1)) + rng.normal(0, 0.2, (topics, runs)) + np.linspace(0, 0.6, runs)
        found, mean = best_of(values), values.mean(0)
        distance = mean.max() - mean
        assert found.inside[mean.argmax()]
        assert (found.inside == (found.p >= 0.05)).all()
        assert (found.inside == (found.lower == 0)).all()
        assert (found.behind <= found.lower).all()
        assert ((found.lower <= distance) & (distance <= found.upper)).all()
        moved = best_of((values * 7 + rng.random((topics, 1)))[:, ::-1])
        assert moved.p[::-1] == pytest.approx(found.p)


def test_a_smaller_alpha_leaves_more_runs_and_p_is_where_a_run_leaves() -> None:
    values = np.random.default_rng(3).normal(size=(20, 6)) + np.linspace(0, 1.5, 6)
    levels = [level for level in best_of(values).p.tolist() if level < 0.9]
    assert len(set(levels)) > 2
    for level in levels:
        assert best_of(values, level + 1e-6).inside.sum() < best_of(values, level).inside.sum()


def test_few_topics_take_the_t_of_bonferroni() -> None:
    values = np.random.default_rng(0).normal(size=(4, 3)) + np.array([0, 3, 6])
    t = max(stats.ttest_rel(values[:, run], values[:, 0]).statistic for run in (1, 2))
    assert best_of(values).p[0] == pytest.approx(min(1, 2 * 2 * stats.t.sf(t, 3)))


def test_equal_runs_may_all_be_the_best_and_a_constant_difference_is_certain() -> None:
    same = np.repeat(np.random.default_rng(0).random((10, 1)), 3, axis=1)
    found = best_of(same)
    assert found.inside.all()
    assert found.p.tolist() == [1, 1, 1]
    assert found.upper.tolist() == [0, 0, 0]
    apart = best_of(same + np.array([0, 0.25, 0.25]))
    assert apart.inside.tolist() == [False, True, True]
    assert np.isfinite([apart.lower, apart.upper, apart.behind]).all()


def misses(draw: Callable[[np.random.Generator], np.ndarray], truth: np.ndarray) -> np.ndarray:
    """[3]: of 300 collections, in how many the best run is not in the set, the interval of a run's distance (the worst
    run) does not hold, and not all lower bounds do."""
    best, distance = int(truth.argmax()), truth.max() - truth
    out, between, together = 0, np.zeros(len(truth)), 0
    for seed in range(300):
        found = best_of(draw(np.random.default_rng(seed)), samples=300)
        out += not found.inside[best]
        between += (found.lower > distance + 1e-9) | (found.upper < distance - 1e-9)
        together += bool((found.behind > distance + 1e-9).any())
    return np.array([out, between.max(), together])


@pytest.mark.parametrize(
    ("topics", "truth"),
    [(10, np.zeros(20)), (10, np.append(np.zeros(14), 3.0)), (10, np.append(np.full(14, 3.0), 0.0)), (25, np.zeros(8))],
)
def test_the_best_run_is_in_the_set_and_the_bounds_hold(topics: int, truth: np.ndarray) -> None:
    """Correlated normal errors of unequal spread; binomial limits of 300 collections at 5 % (of the worst of 20)."""
    runs = len(truth)
    spread = np.linspace(0.5, 1.5, runs)

    def draw(rng: np.random.Generator) -> np.ndarray:
        family = rng.normal(size=(topics, -(-runs // 4))).repeat(4, axis=1)[:, :runs]
        return rng.normal(size=(topics, 1)) + truth + spread * (0.8 * family + 0.6 * rng.normal(size=(topics, runs)))

    assert (misses(draw, truth) <= stats.binom.isf([1e-3, 1e-3 / 20, 1e-3], 300, 0.05)).all()


def agree(scores: Scores) -> None:
    """Do ``ranks`` and ``compare`` name the same runs, with the same p?"""
    sets, comparison = ranks(scores), compare(scores, baseline="best")
    assert (sets.may_be_best == ~comparison.significant).all()
    assert (sets.p == comparison.corrected).all()
    assert (comparison.significant == (comparison.interval[..., 1] < 0)).all()
    assert (sets.lower[sets.may_be_best] == 1).all()
    for place, verdicts in enumerate(zip(*comparison.verdicts_by_run().values(), strict=True)):
        assert [verdict == "worse" for verdict in verdicts] == (~sets.may_be_best[place]).tolist()


def test_ranks_and_compare_name_the_same_runs() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values = rng.random((1, 20, 2)) * 0.3 + rng.random((9, 20, 2)) * 0.5 + np.linspace(0, 0.4, 9)[:, None, None]
        agree(scores_of(values, "AP nDCG"))


@pytest.mark.realdata
def test_ranks_compare_and_report_agree_on_trec_2021(data: Callable[[str], Path]) -> None:
    folder = data("trec-dl21-passage")
    scores = evaluate(folder / "qrels.txt", folder / "runs", "nDCG@10 AP")
    agree(scores)
    best = ranks(scores).best("nDCG@10")
    assert f"{len(best)} of {len(scores.runs)} runs" in report(scores, studies="none").sections[0].answer


def test_the_best_stands_alone_and_takes_no_correction() -> None:
    scores = scores_of(np.random.default_rng(0).random((3, 9)))
    with pytest.raises(InputError, match="stands alone"):
        compare(scores, baseline=["best", "A"])
    with pytest.raises(InputError, match="correction=holm: "):
        compare(scores, baseline="best", correction="holm")


def test_the_best_of_each_measure_is_compared() -> None:
    values = np.random.default_rng(0).random((3, 12, 2)) * 0.1
    values[0, :, 0] += 0.5
    values[2, :, 1] += 0.5
    comparison = compare(scores_of(values, "AP nDCG"), baseline="best")
    assert comparison.verdicts_by_run() == {
        "A": ["not told apart", "worse"],
        "B": ["worse", "worse"],
        "C": ["worse", "not told apart"],
    }
    assert set(comparison.to_frame().column("other").to_pylist()) == {"best"}
    assert comparison.difference[1, 0] == pytest.approx(values[0, :, 1].mean() - values[2, :, 1].mean())
