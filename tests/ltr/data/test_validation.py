"""Validation gives the numbers of evaluate() under LETOR's rules, by the compiled core, too."""

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
OTHERS = ("Bpref", "gmAP", "NumRelRet")
"""Measures without a kernel, or without a mean."""


def empty_and_unsorted() -> Features:
    """Topics whose names are in no order, one without a relevant document, one of a single document."""
    return Features.from_arrays(
        np.zeros((7, 1)), [0, 1, 2, 0, 0, 1, 0], topics=["10", "10", "10", "9", "9", "b", "a"], docs=list("gfedcba")
    )


WAYS: dict[str, Callable[[Features, str], Any]] = {
    "evaluation": lambda features, measure: Validation.of(features, parse_measure(measure)),
    "core": lambda features, measure: Validation.of(features, parse_measure(measure)).by_kernel(2),
}


def evaluated(features: Features, scores: Array, measure: str) -> float:
    """Ties in the order of the file, and queries with nothing to be found count 0."""
    run = features.run(scores)
    return float(evaluate(features.qrels, run, measure, ties="order", empty="zero").mean()[0, 0])


def require_evaluation(validation: Any, features: Features, measure: str) -> None:
    rng = np.random.default_rng(1)
    for digits in (0, 1, 9):
        scores = np.round(rng.normal(size=len(features)), digits)  # with ties
        assert validation(scores) == pytest.approx(evaluated(features, scores, measure), abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("measure", [*KERNELS, *OTHERS])
def test_validation_is_evaluation_or_left_to_it(way: str, measure: str) -> None:
    for features in (graded_features(12), empty_and_unsorted()):
        validation = WAYS[way](features, measure)
        if way != "evaluation" and measure in OTHERS:
            assert isinstance(validation, Validation)
        require_evaluation(validation, features, measure)


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
            assert WAYS["evaluation"](features, measure)(scores) == evaluated(features, scores, measure)
