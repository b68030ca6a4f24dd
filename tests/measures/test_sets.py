from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, topics

from gradeval import JudgedRankings, SetAP, SetF, SetP, SetR, SetRelP


def test_golden_set_precision_and_recall(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "precision"):
        assert SetP(rel=params["k"])(judged) == pytest.approx(value, abs=1e-12), what
    for what, judged, _, params, value in golden_cases(golden, "recall"):
        assert SetR(rel=params["k"])(judged) == pytest.approx(value, abs=1e-12), what


@given(topics(), st.integers(1, 3), st.sampled_from([0, 0.5, 1, 2, 4]))
def test_set_measures_follow_their_definitions(topic: Topic, rel: int, beta: float) -> None:
    found = topic.count(len(topic.ranking), rel)
    precision, recall = share(found, len(topic.ranking)), share(found, topic.base(rel))
    weight = Fraction(beta)
    mean = share((weight + 1) * precision * recall, weight * precision + recall)
    judged = topic.judged
    assert SetP(rel=rel)(judged) == pytest.approx(float(precision))
    assert SetR(rel=rel)(judged) == pytest.approx(float(recall))
    assert SetF(rel=rel, beta=beta)(judged) == pytest.approx(float(mean))
    assert SetAP(rel=rel)(judged) == pytest.approx(float(precision * recall))
    assert SetRelP(rel=rel)(judged) == pytest.approx(float(max(precision, recall)))
    assert [measure(judged) for measure in (SetP, SetR, SetF, SetAP, SetRelP)] == [
        measure(rel=1)(judged) for measure in (SetP, SetR, SetF, SetAP, SetRelP)
    ]


def test_the_f_measure_is_the_harmonic_mean_and_beta_squares_van_rijsbergens() -> None:
    judged = JudgedRankings.of([1, 0, 0, 1], pool=[3, 3])
    precision, recall = 2 / 4, 2 / 3
    assert SetF(judged) == pytest.approx(2 / (1 / precision + 1 / recall))
    assert SetF(beta=4)(judged) == pytest.approx((1 + 2**2) * precision * recall / (2**2 * precision + recall))
    assert SetF(beta=0)(judged) == SetP(judged)
