"""Padded queries that the tests of objectives share, and features that those of rankers learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features
from gradeval.formula.arithmetic import Array
from gradeval.kernels.pairs import pool_of

LEVELS = (0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Queries:
    """Queries of 0 to 12 documents: grades and their mask [query, n], and pools that may hold more documents."""

    grades: Array
    mask: Array
    pool: Array
    levels: tuple[float, ...] = LEVELS

    @property
    def level(self) -> Array:
        return np.where(self.mask, self.grades, -1)

    def __len__(self) -> int:
        return len(self.grades)


@pytest.fixture(scope="session")
def queries() -> Queries:
    """Twenty of them; the first has no relevant document, the second one document, the third none."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(2, 13, 20)
    lengths[:4] = 5, 1, 0, 12
    grades = rng.integers(0, len(LEVELS), (20, 12))
    grades[0] = 0
    mask = np.arange(12) < lengths[:, None]
    listed = pool_of(np.where(mask, grades, -1), LEVELS)
    elsewhere = rng.integers(0, 3, listed.shape) * (rng.random((20, 1)) < 0.5)
    elsewhere[0] = 0
    return Queries(grades, mask, listed + elsewhere)


@pytest.fixture
def train() -> Features:
    return graded_features(20)


@pytest.fixture
def valid() -> Features:
    return graded_features(15, seed=1, prefix="v")
