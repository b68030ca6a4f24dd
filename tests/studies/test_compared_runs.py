"""Verdicts, and the tables that show them, against the means."""

from __future__ import annotations

import numpy as np
from score_tables import scores_of

from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare


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
