"""A Dask cluster of real worker processes, of which there are as many as asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def worker_processes() -> Iterator[Callable[[int], Any]]:
    """A client of a cluster of so many processes: of four at first, as each imports for seconds."""
    import distributed

    with (
        distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):

        def scaled(workers: int) -> Any:
            cluster.scale(workers)
            while len(client.ncores()) != workers:
                time.sleep(0.02)
            return client

        yield scaled
