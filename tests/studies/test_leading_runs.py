"""Which run leads at which weights: found again by brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gradeval
from gradeval import InputError
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.spelling import parse_measure
from gradeval.studies.grade_weights import GradeWeights, grade_weights
from gradeval.studies.leading_runs import stretches, triangle


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
