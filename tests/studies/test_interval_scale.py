"""Values at equal steps, against all lists written out."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_rel

from gradeval import InputError, JudgedRankings, interval_scale, judge, parse_measure
from gradeval.studies.interval_scale import list_values, observed_steps

LEVELS = (0.0, 1.0, 2.0)


def drawn(topics: int = 12, runs: int = 6, seed: int = 4) -> Any:
    """Judged runs of eight documents, their qualities apart."""
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(8)]
    qrels = {f"{topic}": {name: int(rng.integers(0, 3)) for name in documents} for topic in range(topics)}
    ranked = {
        f"run{run}": {
            topic: {name: grade * run / 4 + rng.normal() for name, grade in grades.items()}
            for topic, grades in qrels.items()
        }
        for run in range(runs)
    }
    return judge(qrels, ranked)


@pytest.mark.parametrize(
    "text",
    ["P@3", "P(rel=2)@3", "RR@4", "RR(rel=2)@3", "AP@3", "AP(rel=2)@3", "nDCG@3", "ERR@3", "RBP@2", "GAP@3", "Q@3"],
)
@pytest.mark.parametrize("pool", [(2, 1, 1), (0, 5, 5), (3, 0, 2), (1, 2, 0)])
def test_attainable_values_are_those_of_all_lists_that_a_pool_allows(text: str, pool: tuple[int, ...]) -> None:
    measure = parse_measure(text)
    cutoff, rel = measure.cutoff, measure.parameters.get("rel")
    assert cutoff is not None
    values = set()
    for grades in product((0, 1, 2), repeat=cutoff):
        if all(grades.count(level) <= pool[level] for level in (1, 2)):
            # further documents of grade 0 are those that nobody judged
            ranking = [None if grade == 0 else grade for grade in grades]
            values.add(round(float(measure(JudgedRankings.of(ranking, pool=pool))[0]), 12))
    scale = [0, 1, 2] if rel is None else [0, 1 if rel == 1 else 2]
    assert list_values(measure, np.array(pool), LEVELS, scale, cutoff).tolist() == pytest.approx(sorted(values))


@pytest.mark.parametrize("text", ["P@5", "RBP(p=0.5,rel=1)@5"])
def test_measures_of_equal_steps_stay_as_they_are(text: str) -> None:
    """Precision counts, and RBP(p=0.5) writes a list as a binary number; the pool must allow all lists."""
    measure = parse_measure(text)
    listed = list_values(measure, np.array([5, 5, 5]), LEVELS, [0, 1], 5)
    steps = [high - low for low, high in pairwise(listed.tolist())]
    assert steps == pytest.approx([steps[0]] * len(steps))
    assert len(steps) == (5 if text == "P@5" else 31)


def test_means_tau_and_tests_are_those_of_the_steps() -> None:
    judged = drawn()
    found = interval_scale(judged, measures="RR@4 AP", alpha=0.01)
    assert found.among == ["attainable", "observed"]
    values = parse_measure("RR@4")(judged)
    steps = np.searchsorted([0, 1 / 4, 1 / 3, 1 / 2, 1], values - 1e-9) / 4
    assert found.means[0] == pytest.approx(values.mean(1))
    assert found.steps[0] == pytest.approx(steps.mean(1))
    assert found.tau[0] == pytest.approx(kendalltau(values.mean(1), steps.mean(1)).statistic)
    first, second = found.pairs.T
    with np.errstate(invalid="ignore"):  # of pairs that no topic tells apart
        p = np.nan_to_num(ttest_rel(steps[first], steps[second], axis=1).pvalue, nan=1.0)
    ordered = np.sort(p) * np.arange(len(p), 0, -1)
    holm = np.minimum(np.maximum.accumulate(ordered), 1)
    assert np.sort(found.corrected[0, 1]) == pytest.approx(holm)
    signs = np.sign(np.stack([one.mean(1)[first] - one.mean(1)[second] for one in (values, steps)]).round(12))
    assert found.swaps[0] == ((signs[0] * signs[1]) < 0).sum()


def test_the_scale_of_a_measure_does_not_matter_to_its_steps() -> None:
    values = np.random.default_rng(1).random((5, 4)).round(1)
    steps, fewest, most, *_ = observed_steps(values)
    assert observed_steps(values**3).values.tolist() == steps.tolist()
    assert (steps.min(), steps.max()) == (0, 1)
    assert fewest == most == len(set(values.ravel().tolist()))


@pytest.mark.parametrize("empty", ["zero", "skip", "one"])
def test_what_cannot_be_listed_takes_observed_values_and_says_why(empty: Any) -> None:
    """Three of eight documents are judged by no one, and one topic has nothing relevant."""
    rng = np.random.default_rng(4)
    documents = [f"d{number}" for number in range(8)]
    qrels = {f"{topic}": {name: int(rng.integers(0, 3)) for name in documents[:5]} for topic in range(12)}
    qrels["empty"] = dict.fromkeys(documents[:5], 0)
    runs = {
        f"run{run}": {
            topic: {name: grades.get(name, 0) * run / 4 + rng.normal() for name in documents}
            for topic, grades in qrels.items()
        }
        for run in range(6)
    }
    measures = "P@3 RR@4 gmAP@4 AP GAP nDCG@15 Judged@3"
    found = interval_scale.silently(judge(qrels, runs), measures=measures, empty=empty)
    said = {
        name: reason
        for names, _, reason in (
            str(note).partition(": steps count the values of the runs, as ") for note in found.notes
        )
        if reason
        for name in names.split(", ")
    }
    expected = {"gmAP@4": "a geometric mean", "AP": "there is no cutoff", "GAP": "there is no cutoff"}
    expected |= {"nDCG@15": "there are more than 1,048,576 lists", "Judged@3": "a run has a value that no list of 3"}
    if empty == "one":
        expected |= dict.fromkeys(("P@3", "RR@4"), "an empty topic counts 1")
    assert said.keys() == expected.keys()
    assert all(said[name].startswith(reason) for name, reason in expected.items())
    assert found.among == ["observed" if name in expected else "attainable" for name in measures.split()]


def test_observed_steps_are_said_to_change_with_the_runs() -> None:
    for measures, among, changes in (
        ("nDCG@4 P@4", "attainable", False),
        ("P@4 AP", "attainable", True),
        ("nDCG@4 P@4", "observed", True),
    ):
        found = interval_scale.silently(drawn(), measures=measures, among=among)
        assert any("change with the runs at hand" in str(note) for note in found.notes) == changes
        assert ("observed" in found.among) == changes
    assert not any("steps count the values of the runs" in str(note) for note in found.notes)  # which were asked for


def test_runs_that_are_equal_by_a_measure_are_refused() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(3)}
    run = {topic: {"a": 1.0} for topic in qrels}
    with pytest.raises(InputError, match="RR@2: all 2 runs have the same mean 1"):
        interval_scale(judge(qrels, {"x": run, "y": run}), measures="RR@2")


def test_a_measure_by_which_all_runs_are_equal_is_left_out_with_a_note() -> None:
    qrels = {str(topic): {"a": 1, "b": 1} for topic in range(4)}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    other = run | {"0": {"a": 2.0, "c": 1.0}}
    runs = judge(qrels, {"x": run, "y": other})
    found = interval_scale(runs, measures="RR@2 P@2 P@1")
    assert "left out, as all 2 runs have the same mean: RR@2, P@1" in map(str, found.notes)
    alone = interval_scale(runs, measures="P@2")
    assert list(map(str, found.measures)) == ["P@2"]
    assert found.table().to_dict() == alone.table().to_dict()
