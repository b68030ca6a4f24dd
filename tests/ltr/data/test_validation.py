"""Validation gives the numbers of evaluate() over all orders of equal scores, by the compiled core, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate, parse_measure, read_letor
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.validation import Validation

KERNELS = ("AP", "GAP(g=[0.5,0.5])", "nDCG(dcg='exp-log2',discount='letor')@10", "ERR", "ERR@3", "Q", "NDCNG", "P@5")
OTHERS = ("gmAP", "NumRelRet")
"""Measures without a mean."""
DRAWN = ("Bpref", "infAP")
"""Measures without a kernel."""


def empty_and_unsorted() -> Features:
    """Topics whose names are in no order, one without a relevant document, one of a single document."""
    return Features.from_arrays(
        np.zeros((7, 1)), [0, 1, 2, 0, 0, 1, 0], topics=["10", "10", "10", "9", "9", "b", "a"], docs=list("gfedcba")
    )


WAYS: dict[str, Callable[[Features, str], Any]] = {
    "evaluation": lambda features, measure: Validation.of(features, parse_measure(measure)),
    "core": lambda features, measure: Validation.of(features, parse_measure(measure)).mean_function(2),
}


def evaluated(features: Features, scores: Array, measure: str) -> float:
    """Expected over the orders of ties; queries with nothing to be found count 0."""
    run = features.run(scores)
    return float(evaluate(features.qrels, run, measure, ties="expected", empty="zero").mean()[0, 0])


def require_evaluation(validation: Any, features: Features, measure: str) -> None:
    rng = np.random.default_rng(1)
    for digits in (0, 1, 9):
        scores = np.round(rng.normal(size=len(features)), digits)  # with ties
        assert validation(scores) == pytest.approx(evaluated(features, scores, measure), abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("measure", [*KERNELS, *OTHERS])
def test_validation_is_evaluation(way: str, measure: str) -> None:
    for features in (graded_features(12), empty_and_unsorted()):
        require_evaluation(WAYS[way](features, measure), features, measure)


@pytest.mark.parametrize("empty", ["one", "skip"])
@pytest.mark.parametrize("measure", ["GAP(g=[0.5,0.5])", "ERR", "gmAP"])
def test_empty_queries_count_as_in_evaluation(measure: str, empty: Any) -> None:
    features, scores = empty_and_unsorted(), np.array([0.0, 1, 1, 1, 2, 2, 0])
    mean = Validation.of(features, parse_measure(measure), empty=empty).mean_function(1)
    expected = evaluate(features.qrels, features.run(scores), measure, ties="expected", empty=empty).mean()[0, 0]
    assert mean(scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["ERR", "nERR", "RR", "GAP(g=[0.5,0.5])", "GAP@70"])
@pytest.mark.parametrize("documents", [90, 700])
def test_long_ties_are_evaluated_as_closely(measure: str, documents: int) -> None:
    rng = np.random.default_rng(documents)
    grades = rng.choice(3, documents, p=[0.9, 0.06, 0.04])
    features = Features.from_arrays(np.zeros((documents, 1)), grades, sizes=[documents])
    for values in (1, 2, 30):
        scores = rng.integers(0, values, documents).astype(float)
        mean = Validation.of(features, parse_measure(measure)).mean_function(1)
        assert mean(scores) == pytest.approx(evaluated(features, scores, measure), abs=1e-12)


@pytest.mark.parametrize("measure", DRAWN)
def test_measures_without_a_closed_form_are_estimated_by_orders_that_rows_do_not_decide(measure: str) -> None:
    rng = np.random.default_rng(3)
    grades = np.sort(rng.choice(3, (400, 10), p=[0.6, 0.3, 0.1]))
    for ordered in (grades, grades[:, ::-1]):  # rows come worst first, or best first
        features = Features.from_arrays(np.zeros((4000, 1)), ordered.ravel(), sizes=[10] * 400)
        mean = Validation.of(features, parse_measure(measure)).mean_function(1)
        none, some = np.zeros(4000), rng.permutation(4000).astype(float)
        assert mean(none) == pytest.approx(evaluated(features, none, measure), abs=0.03)
        assert mean(some) == pytest.approx(evaluated(features, some, measure), abs=1e-12)


def test_a_geometric_mean_is_not_biased_by_drawn_orders() -> None:
    features = graded_features(12)
    mean = Validation.of(features, parse_measure("gmBpref")).mean_function(1)
    none = np.zeros(len(features))
    assert mean(none) == pytest.approx(evaluated(features, none, "gmBpref"), abs=0.03)


def test_few_queries_without_a_closed_form_are_estimated_closely() -> None:
    """Of 30 queries one order would be off by some .05."""
    grades = np.random.default_rng(5).choice(3, 300, p=[0.6, 0.3, 0.1])
    features = Features.from_arrays(np.zeros((300, 1)), grades, sizes=[10] * 30)
    for measure in DRAWN:
        mean = Validation.of(features, parse_measure(measure)).mean_function(1)
        assert mean(np.zeros(300)) == pytest.approx(evaluated(features, np.zeros(300), measure), abs=0.02)


def test_a_score_that_is_no_number_is_an_error() -> None:
    features = graded_features(5)
    validation = WAYS["core"](features, "AP")
    scores = np.zeros(len(features))
    scores[2] = np.nan
    with pytest.raises(InputError, match="the score of row 2 is not a number"):
        validation(scores)
    scores[2] = np.inf  # what overflows can be ranked
    assert 0 < validation(scores) <= 1


def test_each_row_is_a_document_of_its_own_even_where_two_have_the_same_id() -> None:
    grades, topics = [0, 2, 1, 0, 1], ["b", "b", "b", "a", "a"]
    alike = Features.from_arrays(np.zeros((5, 1)), grades, topics=topics, docs=["x", "x", "y", "x", "x"])
    apart = Features.from_arrays(np.zeros((5, 1)), grades, topics=topics)
    scores = np.array([3.0, 1.0, 2.0, 0.5, 0.5])
    assert Validation.of(alike, parse_measure("nDCG"))(scores) == evaluated(apart, scores, "nDCG")


@pytest.mark.realdata
def test_validation_is_evaluation_on_ohsumed(data: Callable[[str], Path]) -> None:
    features = read_letor(data("ohsumed-letor3") / "S1.txt")
    for column in (1, 9, 25):
        scores = features.column(column).astype(float)
        for measure in (*KERNELS, *OTHERS):
            value = WAYS["evaluation"](features, measure)(scores)
            assert value == pytest.approx(evaluated(features, scores, measure), abs=1e-13)
