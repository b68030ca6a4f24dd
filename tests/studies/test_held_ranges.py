"""What docs/inference/ says of tests of pairs and of differences, held with few draws and fixed seeds.

The full counts are those of benchmarks/coverage; a bound here is theirs and three standard errors of the draws.
"""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import Scores, compare, correlation_differences, gate

from ..support.score_tables import scores_of

RUNS, TOPICS = 8, 20
CUTOFFS = " ".join(f"P@{cutoff}" for cutoff in range(1, 11))
"""Ten measures, whose values are drawn each for itself: a table of scores is ten draws."""


def least(share: float, draws: int) -> float:
    """What so many draws of a share seldom stay below."""
    return share - 3 * float(np.sqrt(share * (1 - share) / draws))


def equally_good(seed: int, kind: str) -> Scores:
    """Runs of one mean, with normal errors: independent, or in families of two that correlate by .9; ten draws."""
    rng = np.random.default_rng([7, seed])
    errors = rng.normal(size=(RUNS, TOPICS, 10))
    if kind == "families":
        errors = np.sqrt(0.9) * rng.normal(size=(RUNS // 2, TOPICS, 10)).repeat(2, axis=0) + np.sqrt(0.1) * errors
    return scores_of(errors + 3 * rng.normal(size=(TOPICS, 10)), CUTOFFS)  # topics of unequal difficulty


def wrongly_told_apart(kind: str, correction: str, draws: int) -> np.ndarray:
    """Of each draw of equally good runs whether any pair is significant."""
    found = [compare(equally_good(seed, kind), correction=correction).significant for seed in range(draws // 10)]
    wrong: np.ndarray = np.concatenate(found).any(axis=1)
    assert wrong.shape == (draws,)
    return wrong


@pytest.mark.parametrize("kind", ["independent", "families"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh"])
def test_no_pair_of_equal_runs_is_told_apart_but_with_probability_alpha(kind: str, correction: str) -> None:
    draws = 300
    wrong = wrongly_told_apart(kind, correction, draws)
    assert 1 - np.mean(wrong) >= least(0.95, draws)


def test_without_a_correction_there_is_a_wrong_one_in_many_draws() -> None:
    assert wrongly_told_apart("independent", "none", 100).mean() > 0.3


def versions(seed: int, loss: float) -> tuple[Scores, Scores]:
    """Two versions of a system by three measures that correlate, of which each loses as much."""
    rng = np.random.default_rng([13, seed])
    before = rng.random((1, TOPICS, 3))
    moved = 0.05 * (rng.normal(size=(1, TOPICS, 1)) + rng.normal(size=before.shape)) - loss
    return scores_of(before, "AP nDCG P@5"), scores_of(before + moved, "AP nDCG P@5")


def test_the_gate_fails_what_did_not_change_and_passes_what_lost_the_margin_but_with_probability_alpha() -> None:
    draws = 200
    unchanged = [gate(*versions(seed, 0.0)) for seed in range(draws)]
    assert np.mean([found.passed for found in unchanged]) >= least(0.95, draws)
    lost = [gate(*versions(seed, 0.02), fail_if="not-shown", margin=0.02) for seed in range(draws)]
    for measure in range(3):
        wrong = [[*found.verdicts.values()][measure] == "passed" for found in lost]
        assert 1 - np.mean(wrong) >= least(0.95, draws)
    assert np.mean([gate(*versions(seed, 0.1)).passed for seed in range(100)]) < 0.05  # a loss that it finds


def drawn_measures(seed: int, quality: np.ndarray) -> Scores:
    """Three measures of the same runs: the second is noisier than the first, the third is their reference."""
    rng = np.random.default_rng([11, seed])
    shared = 0.2 * rng.normal(size=(1, TOPICS, 1)) + 0.1 * rng.normal(size=(len(quality), TOPICS, 1))
    own = np.array([0.08, 0.3, 0.02]) * rng.normal(size=(len(quality), TOPICS, 3))
    return scores_of(quality[:, None, None] + shared + own, "AP nDCG P@5")


def test_intervals_of_differences_of_tau_hold_that_over_as_many_topics() -> None:
    quality = 0.1 * np.random.default_rng(1).normal(size=12)
    draws, others = 120, 600

    def difference(seed: int, samples: int) -> tuple[float, np.ndarray]:
        found = correlation_differences(drawn_measures(seed, quality), reference="P@5", samples=samples, seed=seed)
        return float(found.values[0, 0] - found.values[1, 0]), found.interval[0, 0]

    truth = np.mean([difference(seed, 2)[0] for seed in range(draws, draws + others)])
    bounds = np.array([difference(seed, 200)[1] for seed in range(draws)])
    held = (bounds[:, 0] <= truth) & (truth <= bounds[:, 1])
    assert least(0.9, draws) <= held.mean()
    assert truth > 0.05  # else an interval of whatever width would do
