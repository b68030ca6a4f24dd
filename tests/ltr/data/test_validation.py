"""Validation gives the numbers of evaluate() under LETOR's rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, evaluate, parse_measure, read_letor
from gradeval.ltr.data.validation import Validation

MEASURES = (
    "AP",
    "GAP(g=[0.5,0.5])",
    "nDCG(dcg='exp-log2',discount='letor')@10",
    "ERR",
    "Q",
    "Bpref",
    "gmAP",
    "NumRelRet",
)


def empty_and_unsorted() -> Features:
    """Topics whose names are in no order, one without a relevant document, one of a single document."""
    return Features.from_arrays(
        np.zeros((7, 1)), [0, 1, 2, 0, 0, 1, 0], topics=["10", "10", "10", "9", "9", "b", "a"], docs=list("gfedcba")
    )


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("make_features", [graded_features, empty_and_unsorted])
def test_validation_is_evaluation_with_ties_in_file_order_and_empty_queries_0(
    make_features: Callable[[], Features], measure: str
) -> None:
    features = make_features()
    validation = Validation.of(features, parse_measure(measure))
    rng = np.random.default_rng(1)
    for digits in (0, 1, 9):
        scores = np.round(rng.normal(size=len(features)), digits)
        expected = evaluate(features.qrels, features.run(scores), measure, ties="order", empty="zero").mean()[0, 0]
        assert validation(scores) == expected


def test_each_row_is_a_document_of_its_own_even_where_two_have_the_same_id() -> None:
    grades, topics = [0, 2, 1, 0, 1], ["b", "b", "b", "a", "a"]
    alike = Features.from_arrays(np.zeros((5, 1)), grades, topics=topics, docs=["x", "x", "y", "x", "x"])
    apart = Features.from_arrays(np.zeros((5, 1)), grades, topics=topics)
    scores = np.array([3.0, 1.0, 2.0, 0.5, 0.5])
    expected = evaluate(apart.qrels, apart.run(scores), "nDCG", ties="order").mean()[0, 0]
    assert Validation.of(alike, parse_measure("nDCG"))(scores) == expected


@pytest.mark.realdata
def test_validation_is_evaluation_on_ohsumed(data: Callable[[str], Path]) -> None:
    features = read_letor(data("ohsumed-letor3") / "S1.txt")
    for column in (1, 9, 25):
        scores = features.column(column).astype(float)
        for measure in MEASURES:
            expected = evaluate(features.qrels, features.run(scores), measure, ties="order").mean()[0, 0]
            assert Validation.of(features, parse_measure(measure))(scores) == expected
