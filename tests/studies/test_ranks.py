"""Rank sets against a literal step-down procedure, and what they must say of clear and of equal runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from gradeval import InputError
from gradeval.formula.aggregation import draw
from gradeval.studies import ranks as module
from gradeval.studies.ranks import ranks

from ..support.score_tables import scores_of


def literal_sets(values: np.ndarray, samples: int, alpha: float, seed: int) -> list[tuple[int, int]]:
    """The intervals, hypothesis by hypothesis, as the step-down method is told."""
    topics, runs = values.shape
    weights = draw(topics, samples, seed)
    hypotheses = list(itertools.permutations(range(runs), 2))  # (j, k): mean_j <= mean_k
    t, drawn = {}, {}
    for j, k in hypotheses:
        d = values[:, j] - values[:, k]
        error = d.std(ddof=1) / np.sqrt(topics)
        t[j, k] = d.mean() / error
        drawn[j, k] = [np.sqrt(topics / (topics - 1)) * (w @ d / topics - d.mean()) / error for w in weights]
    left, rejected = set(hypotheses), set()
    while True:
        largest = np.sort(np.max([drawn[h] for h in left], axis=0))
        normal = largest[samples - int(np.ceil(alpha * samples))]
        critical = stats.t.isf(stats.norm.sf(normal), topics - 1)
        new = {h for h in left if t[h] > critical}
        if not new:
            break
        rejected |= new
        left -= new
    return [
        (1 + sum((j, run) in rejected for j in range(runs)), runs - sum((run, k) in rejected for k in range(runs)))
        for run in range(runs)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_literal_procedure(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics, runs = int(rng.integers(8, 30)), int(rng.integers(2, 8))
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
    assert "4 of 4 runs cannot be told from the best" in rank_sets.answer("AP")


def test_a_constant_difference_is_certain() -> None:
    values = np.random.default_rng(0).random((10, 1)) * 0.5 + np.array([0.0, 0.25])
    assert ranks(scores_of(values.T)).best("AP") == ["B"]


def test_every_interval_holds_the_rank_of_the_means() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((25, 1)) * 0.3 + rng.random((25, 12)) * 0.5
    rank_sets = ranks(scores_of(values.T), samples=300)
    assert (rank_sets.lower <= rank_sets.rank).all()
    assert (rank_sets.rank <= rank_sets.upper).all()


def test_some_interval_misses_about_as_often_as_alpha() -> None:
    """Eight equal runs: every true rank interval is 1 to 8, so any rejection is a miss. Binomial limits at 5 %."""
    misses = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.random((50, 1)) + rng.normal(0, 0.2, (50, 8))
        rank_sets = ranks(scores_of(values.T), samples=200, seed=seed, threads=1)
        misses += bool((rank_sets.lower > 1).any() or (rank_sets.upper < 8).any())
    assert misses <= stats.binom.isf(1e-4, 200, 0.05)


def test_the_seed_decides_and_threads_do_not() -> None:
    values = np.random.default_rng(1).random((12, 6))
    one, two = (ranks(scores_of(values.T), samples=200, seed=7, threads=threads) for threads in (1, 2))
    assert (one.lower == two.lower).all()
    assert (one.upper == two.upper).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"samples": 3}, "samples"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_values_are_one_line(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        ranks(scores_of(np.random.default_rng(0).random((5, 3)).T), **options)
    assert "\n" not in str(error.value)


def test_the_table_names_the_best_and_its_records_are_exact() -> None:
    values = np.random.default_rng(0).random((30, 1)) * 0.1 + np.array([0.1, 0.5])
    rank_sets = ranks(scores_of(values.T))
    text = str(rank_sets.table())
    assert text.index("B") < text.index("A")
    frame = rank_sets.to_frame()
    assert frame.column("lower").to_pylist() == [2, 1]
    assert frame.column("best").to_pylist() == [False, True]


def test_of_a_rejected_direction_the_other_one_is_left() -> None:
    """T of every hypothesis that is left, one after the other; some directions of two pairs have been rejected."""
    drawn = np.array([[5.0, -1], [0, 2], [1, 1], [4, -3]])  # [run, sample], the means less the true ones
    pairs, error = np.array([[0, 1], [2, 3]]), np.array([2.0, 1.0])
    for rejected in ([1, -1], [1, 1], [-1, -1], [0, 1], [0, 0]):
        left = [
            sign * (drawn[first] - drawn[second]) / scale
            for (first, second), scale, found in zip(pairs, error, rejected, strict=True)
            for sign in (1, -1)
            if sign != found
        ]
        largest = module._largest(drawn, pairs, error, np.array(rejected))
        np.testing.assert_allclose(largest, np.maximum(0, np.max(left, axis=0)))
