"""What tests of learning to rank share: padded queries, features to learn from, and clusters of Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

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


@pytest.fixture(scope="session")
def clients() -> Iterator[Callable[[int], Any]]:
    """Clients of clusters with so many workers, in this process."""
    distributed = pytest.importorskip("distributed")
    opened: dict[int, Any] = {}

    def client(workers: int) -> Any:
        if workers not in opened:
            cluster = distributed.LocalCluster(
                n_workers=workers, processes=False, threads_per_worker=1, dashboard_address=":0"
            )
            opened[workers] = distributed.Client(cluster)
            assert len(opened[workers].ncores()) == workers
        return opened[workers]

    yield client
    for each in opened.values():
        cluster = each.cluster
        each.close()
        cluster.close()
