"""topic_set_size and equivalence: what the functions give, with notes where assumptions fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gradeval import equivalence, evaluate
from gradeval.studies.equivalence import Equivalence

from .conftest import Gradeval, records, refusal


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


def test_failing_assumptions_are_said(gradeval: Gradeval, collection: list[Path]) -> None:
    said = gradeval("topic_set_size", *collection, "-m", "AP gmAP").stderr
    assert "note: 12 topics tell little of the variance" in said
    assert "note: differences by gmAP are differences of mean logarithms" in said
    said = gradeval("equivalence", *collection, "-m", "AP gmAP", "--margin", "0.0001").stderr
    assert "note: t tests over 12 topics" in said
    assert "gradeval: warning: take a larger margin than 0.0001, or more topics; no pair can be equivalent" in said


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
