"""Comparing runs: which pairs and families; errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from score_tables import drawn_scores

from gradeval import InputError
from gradeval.studies.compare import compare


def test_a_baseline_is_compared_with_every_other_run() -> None:
    scores = drawn_scores(runs=4)
    result = compare(scores, baseline="C")
    assert result.pairs.tolist() == [[0, 2], [1, 2], [3, 2]]
    means = scores.mean()
    assert result.difference[1] == pytest.approx(means[[0, 1, 3], 1] - means[2, 1])


def test_without_a_baseline_all_pairs_are_compared() -> None:
    assert compare(drawn_scores(runs=4)).pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_the_pairs_of_one_measure_are_the_family() -> None:
    scores = drawn_scores(runs=4)
    result = compare(scores, correction="bonferroni")
    assert result.corrected == pytest.approx(np.minimum(1, result.p * 6))
    assert compare(scores).correction == "holm"
    assert np.array_equal(result.significant, result.corrected < 0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "A, B"}, "baseline=A, B: joins 2 runs; give each by itself: baseline=.'A', 'B'.$"),
        ({"baseline": "Z"}, "no run 'Z' to compare with; the runs are A, "),
        ({"baseline": 3}, "baseline=3 is not a name"),
        ({"baseline": ["A", None]}, "baseline=None is not a name"),
        ({"test": "tukey-hsd", "correction": "holm"}, "tukey-hsd corrects for the number of pairs by itself"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(drawn_scores(), **options)
