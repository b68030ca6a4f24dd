from __future__ import annotations

import numpy as np
import pytest

from gradeval.studies.position_model import fit_by_em


def test_em_finds_the_likeliest_model() -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(3)
    shown = rng.integers(50, 300, size=(4, 3)).astype(float)
    truth = np.outer([0.9, 0.6, 0.4, 0.3], [0.1, 0.4, 0.9])
    clicked = rng.binomial(shown.astype(int), truth).astype(float)

    def surprise(logits: np.ndarray) -> float:
        shares = 1 / (1 + np.exp(-logits))
        click = np.outer(shares[:4], shares[4:])
        return float(-(clicked * np.log(click) + (shown - clicked) * np.log1p(-click)).sum())

    best = 1 / (1 + np.exp(-minimize(surprise, np.zeros(7), method="BFGS").x))
    examined, attraction = fit_by_em(shown, clicked)
    assert np.outer(examined, attraction) == pytest.approx(np.outer(best[:4], best[4:]), abs=1e-4)
