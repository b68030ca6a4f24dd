"""Validation by the compiled core gives the numbers of evaluate() under LETOR's rules."""

from __future__ import annotations

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError, evaluate, parse_measure
from gradeval.ltr.data.validation import CompiledValidation

MEASURES = ("AP", "GAP(g=[0.5,0.5])", "nDCG(dcg='exp-log2',discount='letor')@10", "ERR", "ERR@3", "Q", "NDCNG", "P@5")


@pytest.mark.parametrize("text", MEASURES)
def test_it_is_evaluation(text: str) -> None:
    empty = Features.from_arrays(
        np.zeros((7, 1)), [0, 1, 2, 0, 0, 1, 0], topics=["10", "10", "10", "9", "9", "b", "a"], docs=list("gfedcba")
    )
    for features in (graded_features(12), empty):
        validation = CompiledValidation.of(features, parse_measure(text), 2)
        assert validation is not None
        rng = np.random.default_rng(1)
        for digits in (0, 1, 9):
            scores = np.round(rng.normal(size=len(features)), digits)  # with ties
            expected = evaluate(features.qrels, features.run(scores), text, ties="order", empty="zero").mean()[0, 0]
            assert validation(scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["Bpref", "gmAP", "NumRelRet"])
def test_measures_without_a_kernel_or_a_mean_are_left_to_evaluation(text: str) -> None:
    assert CompiledValidation.of(graded_features(5), parse_measure(text), 1) is None


def test_a_score_that_is_no_number_is_an_error() -> None:
    features = graded_features(5)
    validation = CompiledValidation.of(features, parse_measure("AP"), 1)
    assert validation is not None
    scores = np.zeros(len(features))
    scores[2] = np.nan
    with pytest.raises(InputError, match="the score of row 2 is not a number"):
        validation(scores)
    scores[2] = np.inf  # what overflows can be ranked
    assert 0 < validation(scores) <= 1
