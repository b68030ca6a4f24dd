"""Which measures does no other beat? The rule, by brute force, and what the criteria say."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import Scores, discriminate, evaluate
from gradeval.studies.criteria import Criterion, power, tied, unbeaten
from gradeval.studies.significance.power_differences import power_differences


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
    discrimination = discriminate(scores, **options)  # type: ignore[arg-type]
    differences = power_differences(scores, resampled=20, **options)  # type: ignore[arg-type]
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


def test_without_resamples_power_is_compared_as_it_is(scores: Scores) -> None:
    discrimination = discriminate(scores, samples=100)
    told = power(discrimination)
    assert (told.beats() == (discrimination.power[:, None] > discrimination.power)).all()


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
