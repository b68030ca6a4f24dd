"""The best runs: which they are, and how far a judge agrees on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau
from two_assessors import TwoAssessors, two_assessors

from gradeval import compare, evaluate, judges


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4, topics=20, runs=10)


def test_the_best_runs_are_those_by_the_humans_and_have_the_tau_and_the_differences_of_them_alone() -> None:
    drawn = two_assessors(1, topics=30, runs=16)
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP nDCG@10", samples=50, draws=0, top_runs=8)
    sides = [evaluate(one, drawn.runs, "AP nDCG@10") for one in (drawn.human, drawn.judge)]
    for place, measure in enumerate(("AP", "nDCG@10")):
        human, judge = (dict(zip(one.runs, one.mean()[:, place], strict=True)) for one in sides)
        best = sorted(human, key=lambda run: -human[run])[:8]
        top = found.of("model", measure).top
        assert sorted(top.runs) == sorted(best)
        assert top.tau is not None
        expected = kendalltau([human[run] for run in best], [judge[run] for run in best]).statistic
        assert top.tau.value == pytest.approx(expected)
        signs = [
            np.where(one.significant, np.sign(one.difference), 0)[place]
            for one in (compare(side.sel(runs=sorted(best)), correction="none") for side in sides)
        ]
        assert top.significant == (signs[0] != 0).sum()
        assert top.kept is not None
        assert top.kept.value == pytest.approx((signs[0] * signs[1] > 0).sum() / (signs[0] != 0).sum())


@pytest.mark.parametrize(
    ("runs", "asked", "best"), [(14, 15, 7), (14, 6, 6), (14, 4, 4), (11, 15, 5), (9, 15, 4), (2, 15, 1)]
)
def test_the_best_runs_are_at_most_half_and_of_fewer_than_five_nothing_is_said(
    runs: int, asked: int, best: int
) -> None:
    drawn = two_assessors(4, topics=12, runs=runs)
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=20, draws=0, top_runs=asked)
    one = found.of("same", "AP")
    assert len(one.top.runs) == best
    assert (one.top.tau is None) == (one.order.top is None) == (best < 5)
    if best < 5:
        assert one.order.answer == "not decided"
        few = "Order: not decided, as it takes 10 runs or more"
        said = one.order.sentence("same by AP")
        assert said.startswith(few)
        assert "best" not in said.removeprefix(few)
        assert one.differences.answer == "not decided"


@pytest.mark.parametrize(("swapped", "answer"), [(1, "not decided"), (2, "below")])
def test_one_pair_of_runs_in_another_order_puts_no_judge_below(swapped: int, answer: str) -> None:
    """All topics are alike, so that nothing varies: among five runs one pair is .2 of tau."""
    grades = list(range(12))
    for first in range(0, 2 * swapped, 2):
        grades[11 - first], grades[10 - first] = grades[10 - first], grades[11 - first]
    sides = (
        {f"t{topic}": {f"d{run}": grade for run, grade in enumerate(one)} for topic in range(12)}
        for one in (range(12), grades)
    )
    human, judge = sides
    runs = {f"run{run}": {topic: {f"d{run}": 1.0} for topic in human} for run in range(12)}
    found = judges(human, {"model": judge}, runs, "CG@1", samples=20, draws=0, top_runs=5).of("model", "CG@1")
    assert found.top.tau is not None
    assert found.top.tau.value == pytest.approx(1 - 0.2 * swapped)
    assert found.order.top is not None
    assert found.order.top.answer == answer


def test_equal_means_at_the_border_of_the_best_are_no_matter_of_the_order_of_runs(drawn: TwoAssessors) -> None:
    twins = {**drawn.runs, "run4b": drawn.runs["run4"]}
    found = [
        judges(drawn.human, {"model": drawn.judge}, runs, "AP", samples=20, draws=0).of("model", "AP")
        for runs in (twins, dict(reversed(twins.items())))
    ]
    assert sorted(found[0].top.runs) == sorted(found[1].top.runs)
    assert found[0].order.answer == found[1].order.answer
