"""Which measures does no other beat? The rule, by brute force, and what the criteria say."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gradeval
from gradeval import InputError, Scores, discriminate, evaluate
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.spelling import parse_measure
from gradeval.studies.grade_weights import GradeWeights, grade_weights
from gradeval.studies.power_differences import power_differences
from gradeval.studies.report_results import (
    Criterion,
    Overview,
    power,
    robust_until,
    stretches,
    tied,
    triangle,
    unbeaten,
)


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


def collection(seed: int, grades: int) -> JudgedRuns:
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(30)]
    qrels = {f"t{topic}": {name: int(rng.integers(0, grades + 1)) for name in documents} for topic in range(3)}
    runs = [
        {
            topic: dict(zip(rng.permutation(documents)[:20].tolist(), rng.random(20).tolist(), strict=True))
            for topic in qrels
        }
        for _ in range(12)
    ]
    return gradeval.judge(qrels, [gradeval.Run.from_dict(run, f"r{place}") for place, run in enumerate(runs)])


def form_of(seed: int, grades: int, measure: str = "GAP") -> GradeWeights:
    form = grade_weights(collection(seed, grades), parse_measure(measure))
    assert form is not None
    return form


@pytest.mark.parametrize("measure", ["GAP", "eGAP", "nDCG@10"])
@pytest.mark.parametrize("seed", range(4))
def test_the_strip_is_what_brute_force_finds(seed: int, measure: str) -> None:
    form = form_of(seed, 2, measure)
    strip = stretches(form)
    assert strip[0].low == 0
    assert strip[-1].high == 1
    assert all(one.high == other.low and one.run != other.run for one, other in itertools.pairwise(strip))
    for place in np.linspace(0, 1, 401):
        best = form.runs[int(form.mean([place, 1 - place]).argmax())]
        assert best in {part.run for part in strip if part.low <= place <= part.high}


def test_leaders_change_in_these_collections() -> None:
    """Else the test above tests nothing."""
    assert sum(len(stretches(form_of(seed, 2))) > 1 for seed in range(4)) >= 2


def test_at_a_change_both_runs_have_the_same_mean() -> None:
    for seed in range(4):
        form = form_of(seed, 2)
        strip = stretches(form)
        for one, other in itertools.pairwise(strip):
            means = dict(zip(form.runs, form.mean([one.high, 1 - one.high]).tolist(), strict=True))
            assert means[one.run] == pytest.approx(means[other.run], abs=1e-12)


def test_the_triangle_holds_the_leader_of_every_point() -> None:
    form = form_of(0, 3)
    points, leaders = triangle(form, 10)
    assert points.shape == (66, 3)
    np.testing.assert_allclose(points.sum(1), 1)
    for point, leader in zip(points, leaders, strict=True):
        means = dict(zip(form.runs, form.mean(point).tolist(), strict=True))
        assert means[leader] == max(means.values())


def test_other_numbers_of_grades_are_errors() -> None:
    with pytest.raises(InputError, match="two positive grades"):
        stretches(form_of(0, 3))
    with pytest.raises(InputError, match="three positive grades"):
        triangle(form_of(0, 2))


def test_a_grade_that_topics_lack_does_not_outweigh_what_they_have() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 2}}
    runs = [{"1": {"a": 2.0, "b": 1.0}}, {"2": {"b": 2.0, "a": 1.0}}]
    form = grade_weights(gradeval.judge(qrels, runs), parse_measure("GAP"))
    assert form is not None
    tiny = 1e-309
    assert form.mean([tiny, 1.0]).tolist() == [0.5, 0.5]
    assert all(np.isfinite(part.high) for part in stretches(form))


@pytest.mark.parametrize(
    ("measure", "levels", "grade"),
    [
        ("GAP", (0, 1, 2), 1),
        ("GAP", (0, 1 / 3, 1, 2), 1),  # means of raters: AP and others begin at 1
        ("GAP", (0, 0.2, 1.5), 1.5),
        ("GAP", (0, 0.2, 0.8), 0.2),
        ("GAP", (0, 2, 4), 2),
        ("GAP", None, 1),
        ("AP(rel=2)", (0, 1, 2), 2),
    ],
)
def test_one_grade_is_where_relevance_begins(measure: str, levels: tuple[float, ...] | None, grade: float) -> None:
    overview: Any = SimpleNamespace(measure=parse_measure(measure), scores=SimpleNamespace(levels=levels))
    assert Overview.relevant_from.fget(overview) == grade
