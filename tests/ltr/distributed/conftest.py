"""Clusters in this process, and the training on one machine with which those on them are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gradeval.ltr import TreeRanker


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def one_machine() -> TreeRanker:
    from dask_tables import ROUNDS, SETTINGS, TRAIN, VALID

    return TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(TRAIN, VALID)
