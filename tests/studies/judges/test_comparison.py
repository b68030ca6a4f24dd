from __future__ import annotations

import re
from dataclasses import replace

import pytest
from two_assessors import TwoAssessors, two_assessors

from gradeval import InputError, judges
from gradeval.studies.judges.comparison import Second, judge_order, judge_scores
from gradeval.studies.judges.conclusions import OrderAgreement
from gradeval.studies.judges.favours import Shift
from gradeval.tables.grid import Estimate


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4, topics=20, runs=10)


def orders(tau: float, low: float) -> OrderAgreement:
    return OrderAgreement(Estimate(tau), Estimate(0.5), None, (low, 1.0))


@pytest.mark.parametrize(
    ("tau", "low", "verdict"),
    [
        (0.95, 0.6, "as good as a second assessor"),
        (0.9, 0.6, "as good as a second assessor"),
        (0.85, 0.6, "nearly that of the humans, below a second assessor"),
        (0.7, 0.1, "no"),
        (0.95, -0.1, "no, not shown to be better than knowing nothing"),
    ],
)
def test_the_order_is_judged_by_tau_and_by_what_it_is_above_the_floor(tau: float, low: float, verdict: str) -> None:
    said = judge_order(orders(tau, low), "model by AP")
    assert said.startswith(f"Order: {verdict} (model by AP: tau .")
    assert said.endswith("floor .50, ceiling taken as .90)")


def test_a_second_assessor_is_the_ceiling() -> None:
    second = Second("anna", 0.8, 0.5)
    said = judge_order(orders(0.82, 0.2), "model by AP", second)
    assert said == "Order: as good as a second assessor (model by AP: tau .82, floor .50, ceiling of anna .80)"
    assert judge_order(orders(0.7, 0.2), "model by AP", second).startswith("Order: no (")


@pytest.mark.parametrize(
    ("level", "interval", "slope", "verdict"),
    [
        (0.01, (0.005, 0.015), 1.0, "yes"),
        (0.01, (-0.005, 0.025), 1.0, "not shown"),
        (0.03, (0.005, 0.055), 1.0, "no"),
        (0.01, (0.005, 0.015), 0.8, "no"),
    ],
)
def test_means_are_those_of_the_humans_within_five_percent(
    level: float, interval: tuple[float, float], slope: float, verdict: str
) -> None:
    said = judge_scores(Shift(level, interval, slope, human=0.4))  # noticeable: from .02 on
    assert said.startswith(f"absolute scores: {verdict} (+.0")
    assert said.endswith("; noticeable from .020)")
    assert ("slope" in said) == (slope != 1)


def test_the_verdict_is_the_first_note_and_has_three_parts(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", samples=50, draws=0)
    parts = re.split(r"; (?=absolute|labels)", str(found.notes[0]))
    assert [part.partition(":")[0] for part in parts] == ["Order", "absolute scores", "labels"]
    assert str(found.notes[0]) == found.verdict("model", "AP")
    labels = judges(drawn.human, {"model": drawn.judge}, samples=50)
    assert str(labels.notes[0]).startswith("labels: no (kappa .")


def test_a_named_second_assessor_is_what_others_are_compared_with(drawn: TwoAssessors) -> None:
    others = {"model": drawn.judge, "anna": drawn.judge}
    found = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0, second="anna")
    assert "as good as a second assessor" in found.verdict("model")
    assert "ceiling of anna ." in found.verdict("model")
    assert "ceiling taken as .90" in found.verdict("anna")
    assert not any("two halves of the topics" in str(note) for note in found.notes)
    alone = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0)
    assert any("says only how far topics leave the order open: AP 0." in str(note) for note in alone.notes)
    assert replace(alone, notes=[]).to_dict()["statistic"].count("split-halves") == 1
    with pytest.raises(InputError, match=r"second=ana: no such judge \(did you mean anna\?\); the judges are model"):
        judges(drawn.human, others, drawn.runs, "AP", second="ana")
