"""The random experiments against the formulas, and the relations between them that need no formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradeval import AP, GAP, InputError, JudgedRankings, eGAP, judge, muAP, xGAP
from gradeval.explanation.experiments import TrialOutcomes, draw_ap, draw_egap, draw_gap, draw_muap, draw_xgap

TRIALS = 60_000
RANKINGS = [
    JudgedRankings.of([2, 0, None, 1, 3, "U", 1, 0], pool=[5, 4, 3, 2]),
    JudgedRankings.of([1, 1, 0, 2], pool=[9, 10, 1]),
    JudgedRankings.of([0, 0, 1, 0, 2, 2, 1], pool=[4, 2, 2]),
    JudgedRankings.of([1, 0, 1], pool=[3, 2, 0, 0]),  # nothing above grade 1
    JudgedRankings.of([0, 0, 4, 1], pool=[2, 1, 1], levels=[0, 1, 4]),  # unequal distances
]


def near(draws: TrialOutcomes, value: float) -> bool:
    """Within five standard errors: a right estimate is not once in a million."""
    estimate = draws.estimate()
    return abs(estimate.value - value) <= 5 * estimate.error + 1e-12


def users(judged: JudgedRankings) -> list[float]:
    return {1: [1.0], 2: [0.3, 0.7], 3: [0.5, 0.3, 0.2]}[len(judged.positive)]


@pytest.mark.parametrize("judged", RANKINGS)
@pytest.mark.parametrize(("experiment", "measure"), [(draw_gap, GAP), (draw_xgap, xGAP), (draw_egap, eGAP)])
def test_graded_experiments_estimate_their_measures(
    judged: JudgedRankings, experiment: Callable[..., TrialOutcomes], measure: Any
) -> None:
    g = users(judged)
    assert near(experiment(judged, g, trials=TRIALS, seed=1), measure(g=g)(judged)[0])


@pytest.mark.parametrize("judged", RANKINGS)
def test_binary_and_uniform_experiments_estimate_their_measures(judged: JudgedRankings) -> None:
    for rel in judged.positive:
        assert near(draw_ap(judged, rel, trials=TRIALS, seed=1), AP(rel=rel)(judged)[0])
    assert near(draw_muap(judged, trials=TRIALS, seed=1), muAP(judged)[0])


def test_the_error_is_that_of_a_share() -> None:
    estimate = draw_ap(RANKINGS[0], trials=1000, seed=0).estimate()
    assert estimate.trials == 1000
    assert estimate.error == pytest.approx((estimate.value * (1 - estimate.value) / 1000) ** 0.5)


def test_an_empty_topic_ends_in_zero() -> None:
    nothing = JudgedRankings.of([0, None], pool=[3, 0, 0])
    empty = JudgedRankings.of([], pool=[3, 2, 1])
    for judged in (nothing, empty):
        kwargs: dict[str, int] = {"trials": 100, "seed": 0}
        estimates = [draw_ap(judged, **kwargs), draw_muap(judged, **kwargs)]
        for experiment in (draw_gap, draw_xgap, draw_egap):
            estimates.append(experiment(judged, [0.5, 0.5], **kwargs))
        assert [draws.estimate().value for draws in estimates] == [0] * 5
    assert draw_ap(nothing, 3, trials=100, seed=0).estimate().value == 0


def test_the_same_seed_gives_the_same_estimate() -> None:
    one, again, other = (draw_xgap(RANKINGS[0], users(RANKINGS[0]), trials=5000, seed=s).estimate() for s in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize(
    ("g", "message"), [([0.5, 0.5], "g has 2 probabilities"), ([0.5, 0.5, 0.5], "probabilities that sum to 1")]
)
def test_users_that_are_no_distribution_are_refused(g: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw_egap(RANKINGS[0], g, trials=10, seed=0)


def test_more_than_one_ranking_is_refused() -> None:
    many = judge({"1": {"a": 1}, "2": {"a": 1, "b": 0}}, {"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}).rectangle
    with pytest.raises(InputError, match="made on one ranking"):
        draw_ap(many, trials=10, seed=0)
