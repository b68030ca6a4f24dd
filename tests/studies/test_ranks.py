"""Rank sets against a literal step-down procedure, and what they must say of clear and of equal runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from gradeval import InputError, compare
from gradeval.studies.best import find_best_runs
from gradeval.studies.discriminate import discriminate
from gradeval.studies.ranks import ranks
from gradeval.studies.sign_flips import draw_signs, flip_signs
from gradeval.studies.topic_set_size import topic_set_size

from ..support.score_tables import scores_of


@pytest.mark.parametrize("topics", [3, 4, 5, 6, 10])
def test_two_runs_that_differ_by_the_same_amount_on_all_topics_are_told_apart_by_their_signs(topics: int) -> None:
    values = np.linspace(0.1, 0.3, topics)
    sets = ranks(scores_of(np.stack([values, values + 0.5])))
    p = 2.0 ** (1 - topics)
    assert sets.p[0].tolist() == pytest.approx([p, 1.0])
    assert sets.may_be_best[0].tolist() == [p >= 0.05, True]
    assert (sets.upper - sets.lower)[0].tolist() == ([1, 1] if p >= 0.05 else [0, 0])


def literal_sets(values: np.ndarray, samples: int, alpha: float, seed: int) -> list[tuple[int, int]]:
    """The intervals, pair by pair, as the step-down method is told: t of every draw is computed anew."""
    topics, runs = values.shape
    signs = draw_signs(topics, samples, seed)
    pairs = list(itertools.combinations(range(runs), 2))

    def t(d: np.ndarray) -> np.ndarray:
        return np.asarray(d.mean(-1) / d.std(-1, ddof=1) * np.sqrt(topics))

    observed = {(j, k): float(t(values[:, j] - values[:, k])) for j, k in pairs}
    drawn = {(j, k): np.abs(t(signs * (values[:, j] - values[:, k]))) for j, k in pairs}
    critical_of_best = find_best_runs(flip_signs(values, samples, seed), alpha).critical
    left, before = set(pairs), set()
    while left:
        largest = np.max([drawn[pair] for pair in left], axis=0)
        found = set()
        for j, k in left:
            first, second = (j, k) if observed[j, k] > 0 else (k, j)
            p = (1 + np.sum(largest >= abs(observed[j, k]) * (1 - 1e-9))) / (1 + len(signs))
            if p < alpha and abs(observed[j, k]) > critical_of_best[second]:
                before.add((first, second))
                found.add((j, k))
        if not found:
            break
        left -= found
    return [
        (1 + sum((j, run) in before for j in range(runs)), runs - sum((run, k) in before for k in range(runs)))
        for run in range(runs)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_literal_procedure(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics, runs = int(rng.integers(6, 30)), int(rng.integers(2, 8))
    values = rng.random((topics, 1)) * 0.3 + rng.random((topics, runs)) * 0.4 + np.linspace(0, 0.3, runs)
    rank_sets = ranks(scores_of(values.T), samples=200, alpha=0.1, seed=seed)
    assert list(zip(rank_sets.lower[0].tolist(), rank_sets.upper[0].tolist(), strict=True)) == literal_sets(
        values, 200, 0.1, seed
    )


def test_clear_runs_have_one_rank_each_and_equal_runs_all_ranks() -> None:
    rng = np.random.default_rng(0)
    clear = rng.random((30, 1)) * 0.1 + np.array([0.5, 0.3, 0.1]) + rng.random((30, 3)) * 0.01
    rank_sets = ranks(scores_of(clear.T))
    assert rank_sets.lower[0].tolist() == rank_sets.upper[0].tolist() == rank_sets.rank[0].tolist() == [1, 2, 3]
    assert rank_sets.best("AP") == ["A"]
    same = np.repeat(rng.random((30, 1)), 4, axis=1)
    rank_sets = ranks(scores_of(same.T))
    assert rank_sets.rank[0].tolist() == [1, 1, 1, 1]
    assert rank_sets.lower[0].tolist() == [1] * 4
    assert rank_sets.upper[0].tolist() == [4] * 4
    assert "4 of 4 runs may be the best" in rank_sets.answer("AP")


def test_a_constant_difference_is_certain() -> None:
    values = np.random.default_rng(0).random((10, 1)) * 0.5 + np.array([0.0, 0.25])
    assert ranks(scores_of(values.T)).best("AP") == ["B"]


def test_every_interval_holds_the_rank_of_the_means() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((25, 1)) * 0.3 + rng.random((25, 12)) * 0.5
    rank_sets = ranks(scores_of(values.T), samples=300)
    assert (rank_sets.lower <= rank_sets.rank).all()
    assert (rank_sets.rank <= rank_sets.upper).all()


@pytest.mark.parametrize(("topics", "runs", "shared"), [(10, 30, 0.0), (10, 10, 0.9), (20, 30, 0.9)])
def test_some_interval_misses_no_more_often_than_alpha(topics: int, runs: int, shared: float) -> None:
    """Equal runs: every true rank interval is that of all ranks, so any other one is a miss. Binomial limit at 5 %."""
    misses, half = 0, runs // 2
    for seed in range(300):
        rng = np.random.default_rng(seed)
        families = rng.normal(size=(topics, 2)).repeat(half, axis=1)
        errors = np.sqrt(shared) * families + np.sqrt(1 - shared) * rng.normal(size=(topics, runs))
        values = rng.random((topics, 1)) + errors * np.linspace(0.5, 1.5, runs)
        rank_sets = ranks(scores_of(values.T), samples=300, seed=seed, threads=1)
        misses += bool((rank_sets.lower > 1).any() or (rank_sets.upper < runs).any())
    assert misses <= stats.binom.isf(1e-3, 300, 0.05)


def test_correlated_runs_are_ordered_where_bonferroni_orders_fewer() -> None:
    rng = np.random.default_rng(0)
    families = rng.normal(size=(20, 4)).repeat(5, axis=1)
    values = 0.95 * families + 0.3 * rng.normal(size=(20, 20)) + np.linspace(0, 3, 20)
    pairs = itertools.combinations(range(20), 2)
    by_t = sum(stats.ttest_rel(values[:, j], values[:, k]).pvalue < 0.05 / 190 for j, k in pairs)
    assert (ranks(scores_of(values.T)).lower - 1).sum() > by_t


def test_few_topics_take_bonferronis_t() -> None:
    values = np.random.default_rng(1).normal(size=(5, 3)) * 0.1 + np.array([0, 1, 9])
    rank_sets = ranks(scores_of(values.T))
    assert rank_sets.lower[0].tolist() == [3, 2, 1]
    assert "Bonferroni's t" in rank_sets.description


def test_a_note_says_that_skewed_errors_of_unequal_spread_defeat_the_intervals() -> None:
    rng = np.random.default_rng(0)
    spread = np.linspace(0.2, 2, 20)
    skewed, symmetric = rng.exponential(size=(30, 20)) * spread, rng.normal(size=(30, 20)) * spread
    assert any("skewed" in str(note) for note in ranks(scores_of(skewed.T)).notes)
    assert not any("skewed" in str(note) for note in ranks(scores_of(symmetric.T)).notes)


def test_means_are_those_of_compare() -> None:
    scores = scores_of(np.array([[0.184, 0.853, 0.506, 0.480], [0.330, 0.959, 0.648, 0.646], [0.4, 0.9, 0.7, 0.7]]))
    assert [f"{mean:.4f}" for mean in ranks(scores).mean[0]] == ["0.5058", "0.6458", "0.6750"]  # 0.50575 and 0.64575
    assert ranks(scores).mean[0].tolist() == scores.mean()[:, 0].tolist() == compare(scores).means[:, 0].tolist()


def test_records_count_the_topics_of_each_measure() -> None:
    rng = np.random.default_rng(0)
    vacant = np.zeros((12, 2), bool)
    vacant[:3, 1] = True
    scores = scores_of(rng.random((3, 12, 2)), "AP nDCG", vacant=vacant, empty="skip")
    for result in (ranks(scores), discriminate(scores, samples=100), topic_set_size(scores)):
        frame = result.to_frame()
        by_measure = dict(zip(frame.column("measure").to_pylist(), frame.column("topics").to_pylist(), strict=True))
        assert by_measure == {"AP": 12, "nDCG": 9}


def test_the_table_names_the_best_and_its_records_are_exact() -> None:
    values = np.random.default_rng(0).random((30, 1)) * 0.1 + np.array([0.1, 0.5])
    rank_sets = ranks(scores_of(values.T))
    text = str(rank_sets.table())
    assert text.index("B") < text.index("A")
    frame = rank_sets.to_frame()
    assert frame.column("lower").to_pylist() == [2, 1]
    assert frame.column("best").to_pylist() == [False, True]


def test_too_few_samples_for_alpha_are_refused() -> None:
    values = np.random.default_rng(0).random((2, 12))
    with pytest.raises(InputError, match=r"samples=100 cannot resolve alpha=0\.001; give 1000 or more"):
        ranks(scores_of(values), alpha=0.001, samples=100)


def test_least_gaps_hold_for_all_runs_at_once_and_say_so_beside_those_of_compare() -> None:
    rng = np.random.default_rng(0)
    scores = scores_of(rng.normal(0.5, 0.1, (8, 40)) + np.linspace(0, 0.2, 8)[:, None], "AP")
    found, alone = ranks(scores), -compare(scores, baseline="best").interval[0, :, 1]
    out = ~found.may_be_best[0]
    assert out.sum() > 2
    assert (found.behind[0, out] < alone[out]).all()
    assert found.table().grids[0].head[-1] == "behind the best by at least"
    assert "the intervals of compare hold for each run alone" in found.description


def test_a_run_that_is_out_though_its_gap_is_0_is_explained_below_the_table() -> None:
    rng = np.random.default_rng(0)
    several = [scores_of(rng.normal(0.5, 0.1, (6, 30)) + np.linspace(0, 0.08, 6)[:, None], "AP") for _ in range(20)]
    explained = 0
    for found in map(ranks, several):
        close = bool((~found.may_be_best[0] & (found.behind[0] <= 0)).any())
        assert close == ("no, though behind by at least 0: this run's own test rejects it" in str(found))
        explained += close
    assert 0 < explained < 20
