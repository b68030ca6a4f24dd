"""Which measures does no other beat? The rule, by brute force, and what the criteria say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gradeval import Scores, discriminate, evaluate
from gradeval.studies.measure_criteria import Criterion, power, robust_until, tied, unbeaten
from gradeval.studies.power_differences import power_differences


@pytest.fixture(scope="module")
def scores() -> Scores:
    rng = np.random.default_rng(3)
    qrels = {str(topic): {f"d{place}": int(rng.integers(0, 3)) for place in range(12)} for topic in range(12)}
    runs = {
        f"r{skill}": {
            topic: {document: grade * skill / 4 + float(rng.normal()) for document, grade in grades.items()}
            for topic, grades in qrels.items()
        }
        for skill in range(6)
    }
    return evaluate(qrels, runs, "AP P@1 nDCG")


def criterion(values: list[float], half: float, higher: bool) -> Criterion:
    """Values with intervals of this half width."""
    centre = np.array(values)
    return Criterion("name", "merit", centre, np.stack([centre - half, centre + half], axis=-1), higher, ".2f")


def test_a_measure_is_beaten_only_by_one_that_is_better_by_every_criterion_beyond_the_intervals() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.integers(0, 6, (2, 4)).astype(float).tolist()
        criteria = [criterion(values[0], 0.6, True), criterion(values[1], 0.6, False)]
        beaten = {
            loser
            for loser in range(4)
            for winner in range(4)
            if values[0][winner] - values[0][loser] > 1.2 and values[1][loser] - values[1][winner] > 1.2
        }
        assert unbeaten(criteria) == sorted(set(range(4)) - beaten)


def test_power_beats_where_the_interval_of_the_difference_leaves_out_0(scores: Scores) -> None:
    options = {"samples": 100, "seed": 1}
    discrimination = discriminate(scores, **options)
    differences = power_differences(scores, resamples=20, **options)
    told = power(discrimination, differences)
    beats = told.beats()
    for (first, second), (low, high) in zip(
        differences.pairs.tolist(), differences.interval[:, 0].tolist(), strict=True
    ):
        assert [beats[first, second], beats[second, first]] == [low > 0, high < 0]
    assert not beats.diagonal().any()
    assert beats.any()  # P@1 tells fewer pairs apart
    assert (told.intervals[:, 0] <= told.values).all()
    assert (told.values <= told.intervals[:, 1]).all()
    assert (told.intervals[:, 0] < told.intervals[:, 1]).any()


def test_without_resamples_no_power_is_told_from_another(scores: Scores) -> None:
    discrimination = discriminate(scores, samples=100)
    assert np.ptp(discrimination.power) > 0
    told = power(discrimination)
    assert not told.beats().any()
    assert not told.wins()


def test_the_best_wins_only_beyond_the_intervals_of_all_others() -> None:
    assert criterion([0.2, 0.9, 0.5], 0.1, True).wins()
    assert not criterion([0.2, 0.9, 0.75], 0.1, True).wins()
    assert criterion([0.2, 0.9, 0.75], 0.1, False).wins()
    assert criterion([np.nan, 0.9, 0.5], 0.1, True).wins()  # nothing is known of the first
    assert not criterion([np.nan, 0.9, np.nan], 0.1, True).wins()  # there is nothing to win against


def test_ties_are_pairs_of_runs_with_equal_values_on_a_topic(scores: Scores) -> None:
    values = scores.credited
    runs = range(len(scores.runs))
    for measure, share in enumerate(tied(scores).values.tolist()):
        equal = [
            values[a, topic, measure] == values[b, topic, measure]
            for topic in range(len(scores.topics))
            for a in runs
            for b in runs
            if a != b
        ]
        assert share == pytest.approx(np.mean(equal))


def test_judgments_needed_are_read_between_two_rates_and_their_interval_from_the_samples() -> None:
    """tau at 100, 50 and 10% of the judgments, in two samples of four measures."""
    falls_late, falls_early = [1.0, 0.95, 0.7], [1.0, 0.85, 0.7]
    at_once, never, exactly = [0.8, 0.7, 0.6], [1.0, 0.99, 0.9], [1.0, 0.9, 0.9]
    samples = [[falls_late, at_once, never, exactly], [falls_early, at_once, never, exactly]]
    values = np.array(samples).transpose(2, 0, 1)
    study: Any = SimpleNamespace(
        values=values, judged_share=np.array([[1.0, 1.0], [0.5, 0.5], [0.1, 0.1]]), mean=lambda: values.mean(1)
    )
    told = robust_until(study)
    # late: .9 lies a fifth of the way from .5 to .1; early: two thirds from 1 to .5; their mean is .9 at .5
    late, early = 0.5 - 0.4 * 0.05 / 0.25, 1 - 0.5 * 0.1 / 0.15
    assert told.values.tolist() == pytest.approx([0.5, 1.0, 0.1, 0.1])
    assert told.intervals[0].tolist() == pytest.approx([late, early])
    assert told.intervals[1].tolist() == [1.0, 1.0]
