"""Products cut into small ones are the products."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval.studies.parallel import inner_products, product


@pytest.mark.parametrize("small", [1, 7, 40, 2**18])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 8), (13, 4, 11), (2, 30, 1)])
def test_cutting_changes_nothing(small: int, shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.studies.parallel.SMALL", small * 64)
    monkeypatch.setattr("gradeval.studies.parallel.COLUMNS", 3)
    n, k, s = shape
    rng = np.random.default_rng(0)
    a, b = rng.random((n, k)), rng.random((k, s))
    assert product(a, b) == pytest.approx(a @ b)
    assert product(a, b.T.copy().T) == pytest.approx(a @ b)
    x, y = rng.random((2, n, k)), rng.random((2, s, k))
    assert inner_products(x, y) == pytest.approx(np.einsum("lak,lbk->lab", x, y))


def test_there_may_be_nothing_to_multiply() -> None:
    assert product(np.ones((0, 3)), np.ones((3, 4))).shape == (0, 4)
