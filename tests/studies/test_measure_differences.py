"""Differences between measures, against differences sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError
from gradeval.formula.spelling import parse_measures
from gradeval.studies.measure_differences import MeasureDifferences, differences_of_measures

VALUES = np.array([[0.9, 0.1], [0.4, 0.2], [0.5, 0.6]])


def found(resampled: np.ndarray, measures: str = "AP P@5 RR", *, centred: bool = False) -> MeasureDifferences:
    return differences_of_measures(
        "tau", parse_measures(measures), VALUES, resampled, centred=centred, resample_runs=False, alpha=0.1, seed=0
    )


@pytest.mark.parametrize("centred", [False, True])
def test_a_difference_is_drawn_on_the_same_resamples(centred: bool) -> None:
    resampled = np.random.default_rng(0).normal(size=(201, 3, 2))
    made = found(resampled, centred=centred)
    for place, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        by_hand = VALUES[first] - VALUES[second]
        drawn = np.sort(resampled[:, first] - resampled[:, second], axis=0)
        ends = drawn[[10, 190]].T  # of 201: 5 % and 95 %
        assert made.difference[place] == pytest.approx(by_hand)
        expected = by_hand[:, None] + ends - drawn[100][:, None] if centred else ends
        assert made.interval[place] == pytest.approx(expected)


def test_no_interval_ends_beyond_what_is_possible() -> None:
    """Powers of 1 and 0, of .8 and .3 in most resamples: moved around 1, percentiles would end at 1.1 to 1.3."""
    resampled = np.tile([[[0.8], [0.3]]], (101, 1, 1)) + np.linspace(-0.2, 0.2, 101)[:, None, None] * [[[1.0], [-1.0]]]
    values = np.array([[1.0], [0.0]])
    how = {"centred": True, "resample_runs": False, "alpha": 0.1, "seed": 0}
    made = differences_of_measures("power", parse_measures("AP P@5"), values, resampled, possible=(0.0, 1.0), **how)
    free = differences_of_measures("power", parse_measures("AP P@5"), values, resampled, **how)
    assert free.interval[0, 0] == pytest.approx([0.64, 1.36])  # 1 -+ 2 * 0.18
    assert made.interval[0, 0] == pytest.approx([0.64, 1.0])
    assert free.bounds[:, 0] == pytest.approx(np.array([[0.82, 1.18], [-0.18, 0.18]]))
    assert made.bounds[:, 0] == pytest.approx(np.array([[0.82, 1.0], [0.0, 0.18]]))


def test_resamples_without_a_value_are_counted_and_left_out() -> None:
    resampled = np.random.default_rng(0).normal(size=(50, 3, 2))
    resampled[:7, 2, 1] = np.nan
    assert found(resampled).undefined.tolist() == [[0, 0], [0, 7], [0, 7]]
    resampled[:, 2, 1] = np.nan
    with pytest.raises(InputError, match="AP less RR: no resample has a value of both"):
        found(resampled)


def test_one_measure_differs_from_no_other() -> None:
    with pytest.raises(InputError, match="here is 1; give at least 2"):
        found(np.ones((5, 1, 2)), "AP")
