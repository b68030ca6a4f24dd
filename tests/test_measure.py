"""Measures as values: configured or applied, never both; numbers that are too large; sums that round."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from gradeval import AP, GAP, InputError, JudgedRankings, P, Q, evaluate, nDCG, parse_measure, xGAP
from gradeval.measure import REGISTRY
from gradeval.measures.ap import mean_over_thresholds
from gradeval.measures.gap import normalise

JUDGED = JudgedRankings.of([2, 0, 1, None, 2], pool=[3, 2, 3])


def test_a_call_configures_or_scores_but_not_both() -> None:
    assert AP(rel=2)(JUDGED) == pytest.approx((1 / 1 + 2 / 5) / 3)
    with pytest.raises(InputError, match=r"not both at once: write AP\(\.\.\.\)\(judged\)"):
        AP(JUDGED, rel=2)  # type: ignore[call-overload]


@pytest.mark.parametrize("given", [3, [2, 0, 1], "AP"])
def test_what_is_no_judged_ranking_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=f"AP scores JudgedRankings or JudgedRuns, not {type(given).__name__}"):
        AP(given)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "text", ["P@1e30", "nDCG@99999999999999999999", "nDCG(discount='jk',base=1e300)", "AP@0", "P@1.5"]
)
def test_numbers_that_no_rank_can_have_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a"):
        parse_measure(text)


@pytest.mark.parametrize("text", ["SCU(A=1e300)", "SetF(beta=1e150)", "RBP@9e15", "P@9007199254740992"])
def test_the_largest_numbers_that_are_accepted_can_be_computed_with(text: str) -> None:
    assert np.isfinite(parse_measure(text)(JUDGED)).all()


def test_an_error_of_a_formula_names_the_measure() -> None:
    with pytest.raises(InputError, match=r"^GAP\(g=\[1\]\): g has 1 probabilities"):
        GAP(g=[1])(JUDGED)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_one_ranking_without_leading_axes_is_scored(name: str) -> None:
    measure = REGISTRY[name]
    if name in ("P", "R", "Success", "MeannDCG", "CG", "gP", "gR", "SR"):
        measure = measure @ 3
    if name == "IPrec":
        measure = measure @ 0.5
    bare = JudgedRankings(
        grades=JUDGED.grades[0],
        ranks=JUDGED.ranks[0],
        judged=JUDGED.judged[0],
        document=JUDGED.document[0],
        pool=JUDGED.pool[0],
        levels=JUDGED.levels,
        retrieved=JUDGED.retrieved[0],
    )
    assert np.shape(measure(bare)) == ()
    assert measure(bare) == measure(JUDGED)[0]


@pytest.mark.parametrize("measure", [GAP, Q, AP, nDCG, xGAP, GAP(norm="min") @ 2])
def test_an_ideal_list_scores_exactly_one(measure: object) -> None:
    for counts in product(range(5), repeat=3):
        if counts[2]:  # so that every user finds something
            ideal = [3] * counts[2] + [2] * counts[1] + [1] * counts[0]
            assert float(measure(JudgedRankings.of(ideal, pool=[0, *counts]))[0]) == 1.0  # type: ignore[operator]


def test_a_geometric_mean_over_no_topics_is_zero() -> None:
    scores = evaluate({"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}}, "AP gmAP", missing="skip")
    assert scores.aggregate(np.array([[0.0, 2.0]])).tolist() == [[[0.0, 0.0]]]
    assert scores.aggregate(np.array([[1.0, 1.0]])).tolist() == [[[1.0, 1.0]]]


def test_ties_are_those_of_the_whole_run_whatever_the_depth() -> None:
    run = {"1": {"a": 10.0, "b": 9.0, "c": 8.0, "d": 1.0, "e": 1.0, "f": 1.0}}
    for depth in (None, 2, 5):
        coverage = evaluate({"1": {"a": 1}}, run, "AP", depth=depth).coverage
        assert coverage is not None
        assert coverage.tied_share.tolist() == [3 / 6]


def test_weights_become_probabilities() -> None:
    assert normalise([1, 3]) == [0.25, 0.75]
    assert normalise({1: 2, 3: 2}) == {1: 0.5, 3: 0.5}
    with pytest.raises(InputError, match="sum above 0"):
        normalise([0, 0])


def test_scheel_table_1_mean_over_six_thresholds() -> None:
    judged = JudgedRankings.of([1, 0, 3, 3, 2, 0, 1, 4])
    # AP at threshold 0, where everything is relevant, is 1; at 5 nothing is.
    total = 4 * mean_over_thresholds(judged, [1, 2, 3, 4])[0] + 1
    assert total / 6 == pytest.approx(float(Fraction(3517, 7560)))


def test_numbers_of_topics_and_documents_follow_a_sampled_pool() -> None:
    pool = np.array([[[3, 2, 3]], [[3, 1, 1]]])  # two samples of one topic
    thinned = JudgedRankings(
        JUDGED.grades, JUDGED.ranks, JUDGED.judged, JUDGED.document, pool, JUDGED.levels, JUDGED.retrieved
    )
    assert {np.shape(REGISTRY[name](thinned)) for name in ("NumQ", "NumRet", "NumRel", "AP")} == {(2, 1)}


def test_precision_at_k_of_short_rankings_divides_by_k() -> None:
    assert P(rel=1)(cutoff=10)(JUDGED) == 3 / 10
