"""The arithmetic of scales, against loops over columns."""

from __future__ import annotations

from statistics import fmean, pstdev

import numpy as np
import pytest

from gradeval import InputError
from gradeval.features import scaling

X = np.array([[3.0, 5.0, 0.0], [1.0, 5.0, 4.0], [2.0, 5.0, 8.0], [6.0, 5.0, 1.0]])


@pytest.mark.parametrize("block", [1, 2**20])
@pytest.mark.parametrize("kind", ["min-max", "z-score"])
def test_each_feature_has_its_own_scale_and_a_constant_one_is_0(
    kind, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "BLOCK", block)
    shift, width = scaling.fit_scale(X, kind)
    scaled = scaling.apply_scale(X, shift, width, "X")
    for place in (0, 2):
        column = X[:, place].tolist()
        low, reach = (min(column), max(column) - min(column)) if kind == "min-max" else (fmean(column), pstdev(column))
        assert scaled[:, place] == pytest.approx([(x - low) / reach for x in column], rel=1e-6)
    assert scaled[:, 1].tolist() == [0] * 4


def test_each_query_has_its_own_scale() -> None:
    scaled = scaling.scale_by_query(X, np.array([0, 2, 4]), "min-max", "X")
    assert scaled[:, 0].tolist() == [1, 0, 0, 1]
    assert scaled[:, 2].tolist() == [0, 1, 1, 0]


def test_what_single_precision_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="X: on this scale a feature is beyond single precision"):
        scaling.apply_scale(np.array([[1e300]]), np.array([0.0]), np.array([1e-5]), "X")
