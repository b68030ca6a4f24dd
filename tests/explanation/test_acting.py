"""Experiments in words: each draw that is told is one that was made, and the estimate meets the measure."""

from __future__ import annotations

import re

import pytest

from gradeval import InputError, JudgedRankings, explain, parse_measure
from gradeval.explanation.acting import act_out

JUDGED = JudgedRankings.of([2, 0, None, 3, 1, 0, 1], pool=[3, 3, 2, 2])
MEASURES = ["AP", "AP(rel=2)", "GAP", "GAP(g=[0.1,0.2,0.7])", "xGAP", "eGAP(g={2:1})", "muAP", "AP@4", "GAP@3"]


@pytest.mark.parametrize("spelling", MEASURES)
def test_the_estimate_meets_the_exact_value(spelling: str) -> None:
    measure = parse_measure(spelling)
    acted = act_out(measure, JUDGED, trials=40_000, seed=1)
    assert acted.exact == measure(JUDGED)[0]
    assert abs(acted.estimate.value - acted.exact) <= 5 * acted.estimate.error
    assert acted.estimate.trials == 40_000
    assert 3 <= len(acted.steps) <= 4


@pytest.mark.parametrize("spelling", MEASURES)
def test_draws_are_told_as_they_happened(spelling: str) -> None:
    measure = parse_measure(spelling)
    outcomes = []
    for seed in range(40):
        acted = act_out(measure, JUDGED, trials=4, seed=seed)
        told = [int(words[-1]) for words in acted.described]
        assert sum(told) / 4 == acted.estimate.value
        outcomes += told
        for words in acted.described:
            _require_true(words)
    assert set(outcomes) == {0, 1}


def _require_true(words: str) -> None:
    """Check a draw by the ranking 2 0 - 3 1 0 1."""
    grades = {1: "grade 2", 2: "grade 0", 3: "unjudged", 4: "grade 3", 5: "grade 1", 6: "grade 0", 7: "grade 1"}
    look = re.search(r"at rank (\d) of 1 to (\d): (grade \d|unjudged), (not )?relevant: ([01])", words)
    if look is None:
        assert words.endswith(("not retrieved: 0", "no document is relevant: 0"))
        return
    seen, last, what, no, outcome = look.groups()
    assert 1 <= int(seen) <= int(last)
    assert what == grades[int(seen)]
    assert f"a document of {grades[int(last)]} at rank {last}" in words
    threshold = int(re.findall(r"threshold (\d)", words)[-1])
    assert (no is None) == (outcome == "1") == (what != "unjudged" and int(what[-1]) >= threshold)


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("nDCG", "nDCG is defined by no random experiment; these are: AP, GAP, xGAP, eGAP, muAP"),
        ("GAP(norm='min')@3", "knows no norm"),
        ("eGAP(renormalise=True)", "knows no renormalise"),
        ("AP(judged_only=True)", "knows no judged_only"),
        ("GAP(g=[0.5,0.5])", "g has 2 probabilities"),
    ],
)
def test_what_no_experiment_defines_is_refused(spelling: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        act_out(parse_measure(spelling), JUDGED, trials=10, seed=0)


def test_numbers_are_checked() -> None:
    with pytest.raises(InputError, match="trials=1"):
        act_out(parse_measure("AP"), JUDGED, trials=1, seed=0)


def test_explain_makes_the_experiment_on_its_example() -> None:
    explained = explain("GAP(g=[0.1,0.2,0.7])", experiment=40_000, seed=2)
    acted = act_out(parse_measure("GAP(g=[0.1,0.2,0.7])"), JUDGED, trials=40_000, seed=2)
    assert explained.acted is not None
    assert explained.acted.estimate == acted.estimate
    assert f"{acted.estimate.value:.4f} of them ended in 1" in str(explained)
    assert explain("GAP").acted is None
    with pytest.raises(InputError, match="nDCG is defined by no random experiment"):
        explain("nDCG", experiment=100)
    with pytest.raises(InputError, match="trials"):
        explain("AP", experiment=1)
