"""Formulas that were recorded give the values of the formulas, to the last bit, for every registered measure."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_measures import configured

from gradeval import (
    AP,
    GAP,
    RBP,
    InputError,
    JudgedRankings,
    P,
    Q,
    Qrels,
    Run,
    evaluate,
    judge,
    judge_arrays,
    measure,
    nDCG,
)
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.formula.levels import Levels
from gradeval.formula.recording import LONGEST, record
from gradeval.scores.scoring import FEW, of_formulas, run, score_rows

SCALES: list[Levels] = [(0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (0.0, 0.5, 2.0, 7.25)]
RECORDED = "AP ERR GAP P Q RBP RR nDCG"
"""Measures that people call in loops: to record them is what recording is for."""


def drawn(levels: Levels, rng: np.random.Generator, topics: int = 12) -> JudgedRuns:
    """Two runs of short and long rankings; some topics hold nothing relevant, some documents are of negative grade."""
    qrels: dict[str, dict[str, float]] = {}
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for topic in range(topics):
        documents = [f"d{number}" for number in range(int(rng.integers(1, 60)))]
        grades = rng.choice([-1.0, *levels][: rng.integers(2, len(levels) + 2)], len(documents))
        pooled = [d for d in documents if rng.random() < 0.8] or documents
        qrels[f"t{topic}"] = dict(zip(pooled, grades.tolist(), strict=False))
        for one in runs:
            listed = rng.permutation(documents)[: rng.integers(0, len(documents) + 1)]
            one[f"t{topic}"] = {str(document): float(rng.integers(0, 30)) for document in listed}
    collection = Qrels.from_dict(qrels).with_levels(levels)
    return judge(
        collection, [Run.from_dict(one, name) for one, name in zip(runs, "ab", strict=True)], negative="unjudged"
    )


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.parametrize("levels", SCALES, ids=str)
def test_a_recorded_formula_gives_the_same_bits(name: str, levels: Levels) -> None:
    rng = np.random.default_rng(len(name) + len(levels))
    judged = drawn(levels, rng)
    measures = tuple({configured(REGISTRY[name], levels, rng) for _ in range(12)})
    recording = record(measures, judged.levels)
    if recording.places:
        expected = of_formulas(judged, tuple(measures[place] for place in recording.places))
        np.testing.assert_array_equal(run(recording, judged), expected)


@pytest.mark.parametrize("levels", SCALES, ids=str)
def test_all_formulas_as_one_program_give_the_same_bits(levels: Levels) -> None:
    rng = np.random.default_rng(len(levels))
    judged = drawn(levels, rng)
    measures = tuple({configured(one, levels, rng) for one in REGISTRY.values() for _ in range(4)})
    recording = record(measures, judged.levels)
    assert len(recording.places) > len(measures) / 2
    expected = of_formulas(judged, tuple(measures[place] for place in recording.places))
    np.testing.assert_array_equal(run(recording, judged), expected)


def test_what_people_call_in_loops_is_recorded() -> None:
    for levels in SCALES:
        for place in ({}, {"cutoff": 10}):
            chosen = [REGISTRY[name] for name in RECORDED.split()]
            several = tuple(one(**place) if place else one(cutoff=5) if one == P else one for one in chosen)
            assert record(several, levels).others == ()


def test_measures_share_steps_and_do_not_change_each_other() -> None:
    judged = drawn(SCALES[1], np.random.default_rng(7))
    several = (AP, nDCG, nDCG @ 5, AP @ 5, P @ 5, Q, GAP, RBP, AP(judged_only=True), nDCG(judged_only=True) @ 5)
    together = run(record(several, judged.levels), judged)
    for place, one in enumerate(several):
        np.testing.assert_array_equal(together[place], run(record((one,), judged.levels), judged)[0])


def test_the_size_of_a_call_does_not_change_values() -> None:
    judged = drawn(SCALES[1], np.random.default_rng(8), topics=40)
    assert len(judged.rank) < FEW
    several = (AP, nDCG, GAP, REGISTRY["infAP"])
    np.testing.assert_array_equal(score_rows(judged, several), of_formulas(judged, several))


def test_longer_rankings_than_tables_reach_are_scored_by_the_formula() -> None:
    length = LONGEST + 50
    run = {"q": {f"d{place}": float(-place) for place in range(length)}}
    value = evaluate({"q": {f"d{length - 1}": 1}}, run, [nDCG]).mean()[0, 0]
    assert value == pytest.approx(1 / np.log2(length + 1))


def test_formulas_of_users_are_left_as_they_are() -> None:
    weight = 1.0

    @measure
    def Weighed(judged: JudgedRankings) -> Array:
        """What it reads beside the ranking may change."""
        return weight * judged.hits(1).sum(-1)

    try:
        run = {"q": {"a": 1.0}}
        assert evaluate({"q": {"a": 1}}, run, [Weighed]).mean()[0, 0] == 1
        weight = 2.0
        assert evaluate({"q": {"a": 1}}, run, [Weighed]).mean()[0, 0] == 2
    finally:
        del REGISTRY["Weighed"]


def test_what_is_wrong_with_a_measure_is_said_as_before() -> None:
    with pytest.raises(InputError, match="names grade 9"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [nDCG(gains={9: 1})])


@pytest.mark.parametrize("levels", SCALES, ids=str)
def test_few_rankings_of_arrays_have_the_bits_of_the_formula(levels: Levels) -> None:
    rng = np.random.default_rng(len(levels))
    for shape in ((1, 10), (7,), (3, 4, 12)):
        rankings = judge_arrays(
            rng.choice(levels, shape), rng.random(shape), mask=rng.random(shape) < 0.9, levels=levels
        )
        shared = judge_arrays(rng.choice(levels, shape[-1:]), rng.random(shape), levels=levels)
        for one in REGISTRY.values():
            chosen = configured(one, levels, rng)
            for judged in (rankings, shared) if record((chosen,), levels).places else ():
                formula = chosen._apply(chosen.definition.formula, judged)
                np.testing.assert_array_equal(chosen(judged), formula, err_msg=str(chosen))
