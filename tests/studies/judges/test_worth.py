from __future__ import annotations

import numpy as np
import pytest

from gradeval import parse_measure
from gradeval.studies.judges.labels import compute_worth

LEVELS = (0.0, 1.0, 2.0)
CONFUSION = np.array([[6, 3, 1], [2, 2, 4], [0, 1, 9]])


def test_the_worth_of_a_grade_is_the_mean_share_of_users_that_the_judges_grades_satisfy() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), CONFUSION, LEVELS)
    assert worth is not None
    expected = [(3 * 0.2 + 1) / 10, (2 * 0.2 + 4) / 8, (0.2 + 9) / 10]
    assert worth.value.tolist() == pytest.approx(expected)
    rise = expected[2] - expected[0]
    assert worth.shares.tolist() == pytest.approx(
        [(expected[1] - expected[0]) / rise, (expected[2] - expected[1]) / rise]
    )


def test_gains_count_as_shares_of_the_highest() -> None:
    worth = compute_worth(parse_measure("nDCG(dcg='exp-log2')@10"), CONFUSION, LEVELS)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([(3 / 3 + 1) / 10, (2 / 3 + 4) / 8, (1 / 3 + 9) / 10])


def test_a_perfect_judge_has_the_g_of_the_measure() -> None:
    worth = compute_worth(parse_measure("GAP(g=[0.2,0.8])"), np.diag([5, 4, 3]), LEVELS)
    assert worth is not None
    assert worth.value.tolist() == pytest.approx([0, 0.2, 1])
    assert worth.shares.tolist() == pytest.approx([0.2, 0.8])


def test_a_grade_without_pairs_is_worth_nothing_known() -> None:
    worth = compute_worth(parse_measure("GAP"), np.array([[5, 1, 0], [0, 0, 0], [0, 1, 2]]), LEVELS)
    assert worth is not None
    assert np.isnan(worth.value).tolist() == [False, True, False]
    assert np.isnan(worth.shares).all()


@pytest.mark.parametrize("measure", ["AP", "P@5", "Bpref"])
def test_measures_with_a_threshold_weigh_no_grades(measure: str) -> None:
    assert compute_worth(parse_measure(measure), CONFUSION, LEVELS) is None
