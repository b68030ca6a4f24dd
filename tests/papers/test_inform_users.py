"""Informativeness for every g of a grid."""

from __future__ import annotations

import numpy as np

from gradeval import inform, inform_users, judge
from gradeval.papers.correlate_users import over_grid, user_grid
from gradeval.studies.simulate import simulate_collection


def test_it_is_inform_by_the_measures_and_the_grid() -> None:
    made = simulate_collection(topics=4, systems=2, levels=3, depth=25, documents=60, missing=0, seed=3)
    judged = judge(made.qrels, list(made.runs.values()))
    found = inform_users(judged, measures="AP", step=0.5, samples=0, least=1)
    grid = over_grid(["GAP", "xGAP", "eGAP"], user_grid(2, 0.5))
    expected = inform(judged, measures=["AP", *grid], samples=0, least=1)
    assert list(map(str, found.measures)) == list(map(str, expected.measures))
    np.testing.assert_array_equal(found.mean(), expected.mean())
