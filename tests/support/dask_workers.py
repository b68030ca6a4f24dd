"""A Dask cluster of real worker processes, of which there are as many as asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def worker_cluster(workers: int, *imported: str) -> Iterator[Any]:
    """A client of a cluster of so many processes, each forked from one that has imported what takes seconds.

    It computes only what it is asked for by name: other tables stay with Dask's own threads.
    """
    import dask
    import distributed

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        forks = distributed.utils.get_mp_context()
        forks.set_forkserver_preload(["distributed", "dask.dataframe", "pyarrow.parquet", "gradeval.dask", *imported])
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def worker_processes(*imported: str) -> Iterator[Callable[[int], Any]]:
    """A client of a cluster of so many processes: of four at first."""
    with worker_cluster(4, *imported) as client:

        def scaled(workers: int) -> Any:
            client.cluster.scale(workers)
            while len(client.ncores()) != workers:
                time.sleep(0.02)
            return client

        yield scaled
