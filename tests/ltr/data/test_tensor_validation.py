"""Validation on a device gives the numbers of evaluate() under LETOR's rules, to 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, evaluate, parse_measure

torch = pytest.importorskip("torch")

from gradeval.ltr.data import validation as tensor_validation  # noqa: E402
from gradeval.ltr.data.validation import TensorValidation  # noqa: E402

MEASURES = ("AP", "GAP(g=[0.5,0.5])", "nDCG(dcg='exp-log2',discount='letor')@10", "ERR", "ERR@3", "Q", "NDCNG", "P@5")


def with_empty_topics() -> Features:
    """Topics in no order, one without a relevant document, one of a single document."""
    return Features.from_arrays(
        np.zeros((7, 1)), [0, 1, 2, 0, 0, 1, 0], topics=["10", "10", "10", "9", "9", "b", "a"], docs=list("gfedcba")
    )


@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("cells", [1, 60, 1 << 20])
def test_it_is_evaluation_whatever_is_ranked_at_a_time(text: str, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_validation, "CELLS", cells)
    for features in (graded_features(12), with_empty_topics()):
        validation = TensorValidation.of(features, parse_measure(text), "cpu")
        assert validation is not None
        rng = np.random.default_rng(1)
        for digits in (0, 1, 9):
            scores = np.round(rng.normal(size=len(features)), digits)  # with ties
            expected = evaluate(features.qrels, features.run(scores), text, ties="order", empty="zero").mean()[0, 0]
            assert validation(torch.from_numpy(scores)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["Bpref", "gmAP", "NumRelRet"])
def test_measures_without_a_kernel_or_a_mean_are_left_to_evaluation(text: str) -> None:
    assert TensorValidation.of(graded_features(5), parse_measure(text), "cpu") is None
