from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError
from gradeval.formula.levels import levels_of, require_levels


@pytest.mark.parametrize(
    ("grades", "levels"),
    [
        ([0, 3, 1], range(4)),
        ([1000, 3], range(1001)),
        ([1001, 3], [0, 3, 1001]),
        ([1000.5, 3], [0, 3, 1000.5]),
        ([0.5, 2], [0, 0.5, 2]),
        ([-2, 2], range(3)),
        ([-1, 0], [0, 1]),
        ([], [0, 1]),
    ],
)
def test_gaps_between_whole_grades_up_to_1000_are_filled(grades: list[float], levels: list[float]) -> None:
    assert levels_of(np.array(grades, float)) == tuple(map(float, levels))


@pytest.mark.parametrize("levels", [[], [0], [0, 2, 1], [0, 1, 1], [-1, 0, 1], [0, float("nan")]])
def test_levels_ascend_from_0(levels: list[float]) -> None:
    with pytest.raises(InputError, match="must ascend from 0, as in 0,1,2"):
        require_levels(levels)
