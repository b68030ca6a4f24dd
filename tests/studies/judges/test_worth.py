from __future__ import annotations

import numpy as np
import pytest

from gradeval import parse_measure
from gradeval.studies.judges.labels import compute_worth

LEVELS = (0.0, 1.0, 2.0)
CONFUSION = np.array([[6, 3, 1], [2, 2, 4], [0, 1, 9]])
TOPIC = CONFUSION[None]


def test_the_worth_of_a_grade_is_the_mean_share_of_users_that_the_judges_grades_satisfy() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), TOPIC, LEVELS)
    assert worth is not None
    expected = [(3 * 0.2 + 1) / 10, (2 * 0.2 + 4) / 8, (0.2 + 9) / 10]
    assert worth.value.tolist() == pytest.approx(expected)
    rise = expected[2] - expected[0]
    assert worth.shares.tolist() == pytest.approx(
        [(expected[1] - expected[0]) / rise, (expected[2] - expected[1]) / rise]
    )


def test_gains_count_as_shares_of_the_highest() -> None:
    worth = compute_worth(parse_measure("nDCG(dcg='exp-log2')@10"), TOPIC, LEVELS)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([(3 / 3 + 1) / 10, (2 / 3 + 4) / 8, (1 / 3 + 9) / 10])


def test_a_perfect_judge_has_the_g_of_the_measure() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), np.diag([5, 4, 3])[None], LEVELS)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([0, 0.2, 1])
    assert worth.shares.tolist() == pytest.approx([0.2, 0.8])


def test_a_grade_without_pairs_is_worth_nothing_known() -> None:
    worth = compute_worth(parse_measure("GAP"), np.array([[[5, 1, 0], [0, 0, 0], [0, 1, 2]]]), LEVELS)
    assert worth is not None
    assert np.isnan(worth.value).tolist() == [False, True, False]
    assert np.isnan(worth.shares).all()


@pytest.mark.parametrize("measure", ["AP", "P@5", "Bpref"])
def test_measures_with_a_threshold_weigh_no_grades(measure: str) -> None:
    assert compute_worth(parse_measure(measure), TOPIC, LEVELS) is None


def test_the_interval_of_worth_is_that_of_topics_drawn_anew() -> None:
    counts = np.random.default_rng(0).integers(1, 9, (6, 3, 3)) + 20.0 * np.eye(3)
    weights = np.random.default_rng(1).multinomial(6, np.full(6, 1 / 6), size=50).astype(float)
    measure = parse_measure("GAP(g=[0.2,0.8])")
    worth = compute_worth(measure, counts, LEVELS, weights, 0.1)
    assert worth is not None
    drawn = [compute_worth(measure, np.repeat(counts, row.astype(int), axis=0), LEVELS) for row in weights]
    for bounds, of in ((worth.bounds, "value"), (worth.share_bounds, "shares")):
        np.testing.assert_allclose(bounds.T, np.quantile([getattr(one, of) for one in drawn], [0.05, 0.95], axis=0))
