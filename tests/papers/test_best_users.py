"""The search for the most informative g: against an exhaustive one, with an interval over topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradeval import GAP, InputError, JudgedRuns, inform, judge
from gradeval.papers.best_users import BestUsers, best_users
from gradeval.papers.correlate_users import over_grid, user_grid
from gradeval.studies.simulate import simulate_collection


@pytest.fixture(scope="module")
def judged() -> JudgedRuns:
    drawn = simulate_collection(topics=6, systems=3, levels=3, depth=40, documents=200, missing=0, seed=3)
    return judge(drawn.qrels, list(drawn.runs.values()))


@pytest.fixture(scope="module")
def best(judged: JudgedRuns) -> BestUsers:
    return best_users(judged, step=0.5, least=1, finest=0.05, samples=200, seed=1)


def test_the_best_is_that_of_an_exhaustive_search(judged: JudgedRuns, best: BestUsers) -> None:
    every = user_grid(2, "1/16")
    sums = inform(judged, over_grid(["GAP"], every), least=1, samples=0).mean().sum(-1)
    assert best.g == pytest.approx(every[int(sums.argmin())])
    assert best.errors[best.order[0]].sum() == pytest.approx(sums.min())
    assert len(best.points) < len(every)  # which is why it is a search


def test_the_interval_is_that_of_the_best_over_resamples(best: BestUsers) -> None:
    low, high = best.interval.T
    assert (low <= high).all()
    assert (low[0], high[0]) == pytest.approx((1 - high[1], 1 - low[1]))
    shares = {share for point in best.points for share in point}
    assert set(np.round(best.interval[:1].ravel(), 6)) <= {round(share, 6) for share in shares}


def test_no_measure_is_recommended_where_topics_leave_g_open(best: BestUsers) -> None:
    assert best.interval.tolist() == [[0, 1], [0, 1]]
    assert str(best.notes[-1]).startswith(
        "g is not known well enough: the interval of grade 1, [0.0000, 1.0000], is wider"
    )
    with pytest.raises(InputError, match=r"^best_users: g is not known well enough: .* give more topics"):
        _ = best.measure
    told = replace(best, interval=np.array([[0.5, 1.0], [0.0, 0.5]]))
    assert str(told.measure) == str(GAP(g=best.g))


def test_one_grade_has_nothing_to_be_shared() -> None:
    flat = judge({"1": {"a": 1, "b": 0}}, [{"1": {"a": 2.0, "b": 1.0}}])
    with pytest.raises(InputError, match="a grid of 1 point has no best one"):
        best_users(flat, least=1)
