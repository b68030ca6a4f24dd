"""The meeting of the workers: everybody gets everybody's values, and nobody waits for a worker that is gone."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gradeval.ltr.distributed import exchange
from gradeval.ltr.distributed.exchange import Exchange, Member

distributed = pytest.importorskip("distributed")


def meet(actor: Any, rank: int, value: str) -> list[str]:
    return Member(actor, rank, 2).share(value)


def test_all_get_the_values_of_all_also_of_one_who_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LOOK", 0.1)
    with (
        distributed.LocalCluster(n_workers=2, processes=False, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        first, second = client.ncores()
        actor = client.submit(Exchange, 2, actor=True, workers=[first]).result()
        waiting = client.submit(meet, actor, 1, "b", workers=[second], pure=False)
        time.sleep(0.5)  # the other looks some times meanwhile
        assert client.submit(meet, actor, 0, "a", workers=[first], pure=False).result(timeout=20) == ["a", "b"]
        assert waiting.result(timeout=20) == ["a", "b"]


class Silent:
    """An actor whose worker is gone: Dask waits until it starts anew, which may be never."""

    _address = "inproc://gone"

    def share(self, *_: Any) -> Silent:
        return self

    def result(self, timeout: float = 1e9) -> Any:
        time.sleep(timeout)
        raise TimeoutError


def test_nobody_waits_for_a_worker_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LOOK", 0.1)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        waiting = client.submit(meet, Silent(), 1, "b", pure=False)
        with pytest.raises(RuntimeError, match="the first worker, where all meet, was lost"):
            waiting.result(timeout=20)
        assert client.submit(str, 1).result(timeout=20) == "1"  # the worker is free again
