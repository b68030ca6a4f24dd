"""topic_set_size and equivalence: what the functions give, with notes where assumptions fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gradeval import equivalence, evaluate, topic_set_size
from gradeval.studies.equivalence import Equivalence

from .conftest import Gradeval, records, refusal


def test_topics_needed_are_those_of_the_function(gradeval: Gradeval, collection: list[Path]) -> None:
    args = [
        *collection,
        "-m",
        "AP nDCG",
        "--differences",
        "0.03,0.2",
        "--beta",
        "0.1",
        "--alpha",
        "0.01",
        "--format",
        "tsv",
    ]
    lines = records(gradeval("topic_set_size", *args))
    scores = evaluate(collection[0], collection[1:], "AP nDCG")
    needed = topic_set_size(scores, differences=[0.03, 0.2], alpha=0.01, beta=0.1)
    assert [(line["measure"], float(line["difference"]), int(line["value"])) for line in lines] == [
        (str(measure), difference, int(needed.needed[place, column]))
        for place, measure in enumerate(needed.measures)
        for column, difference in enumerate(needed.differences)
    ]
    assert {line["beta"] for line in lines} == {"0.1"}


def test_topics_needed_are_found_by_literal_search(gradeval: Gradeval, collection: list[Path]) -> None:
    args = [*collection, "-m", "AP", "--differences", "0.1", "--format", "tsv"]
    (line,) = records(gradeval("topic_set_size", *args))
    values = evaluate(collection[0], collection[1:], "AP").values[:, :, 0].T  # [topic, run]
    topics, runs = values.shape
    rest = [
        values[i, j] - values[i].mean() - values[:, j].mean() + values.mean()
        for i in range(topics)
        for j in range(runs)
    ]
    variance = sum(one**2 for one in rest) / ((topics - 1) * (runs - 1))
    number = 2
    while True:
        critical, shift = stats.t.ppf(0.975, number - 1), 0.1 / np.sqrt(2 * variance) * np.sqrt(number)
        if stats.nct.sf(critical, number - 1, shift) + stats.nct.cdf(-critical, number - 1, shift) >= 0.8:
            break
        number += 1
    assert int(line["value"]) == number


def test_equivalence_is_that_of_the_function_and_of_two_tests(gradeval: Gradeval, collection: list[Path]) -> None:
    name = evaluate(collection[0], collection[1:2], "AP").runs[0]
    args = [*collection, "-m", "AP nDCG", "--baseline", name, "--margin", "0.2", "--format", "tsv"]
    lines = records(gradeval("equivalence", *args))
    scores = evaluate(collection[0], collection[1:], "AP nDCG")
    expected = equivalence(scores, margin=0.2, baseline=name)
    assert [float(line["corrected"]) for line in lines] == expected.corrected.ravel().tolist()
    assert [line["equivalent"] for line in lines] == [str(bool(one)) for one in expected.equivalent.ravel()]
    for line in lines:
        difference = scores.sel(runs=line["run"], measures=line["measure"]).values.ravel() - (
            scores.sel(runs=name, measures=line["measure"]).values.ravel()
        )
        low = stats.ttest_1samp(difference, -0.2, alternative="greater").pvalue
        high = stats.ttest_1samp(difference, 0.2, alternative="less").pvalue
        assert float(line["p"]) == pytest.approx(max(low, high), abs=1e-12)


def test_failing_assumptions_are_said(gradeval: Gradeval, collection: list[Path]) -> None:
    said = gradeval("topic_set_size", *collection, "-m", "AP gmAP").stderr
    assert "note: 12 topics tell little of the variance" in said
    assert "note: by gmAP differences are of mean logarithms" in said
    said = gradeval("equivalence", *collection, "-m", "AP gmAP", "--margin", "0.0001").stderr
    assert "note: t tests over 12 topics" in said
    assert "gradeval: warning: margin 0.0001: no pair can be equivalent by AP ±" in said


@pytest.mark.parametrize(
    ("command", "args", "message"),
    [
        ("topic_set_size", ["--differences", "1e-9"], "an effect of"),
        ("equivalence", ["--margin", "0"], "--margin 0 is not a number above 0"),
        ("equivalence", [], "missing option '--margin'"),
    ],
)
def test_what_cannot_be_is_an_error(
    gradeval: Gradeval, collection: list[Path], command: str, args: list[str], message: str
) -> None:
    assert message in refusal(gradeval(command, *collection, "-m", "AP", *args))


def test_all_pairs_of_many_runs_are_counted() -> None:
    rng = np.random.default_rng(5)
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    runs = {
        f"r{run}": {topic: {"a": float(rng.random()), "b": float(rng.random())} for topic in qrels} for run in range(22)
    }
    equal: Equivalence = equivalence(evaluate(qrels, runs, "AP"), margin=0.9, correction="none")
    (grid,) = equal.table().grids
    assert grid.rows[0][1:] == [231, int(equal.equivalent.sum()), 231 - int(equal.equivalent.sum())]
    assert len(equal.to_frame()) == 231
