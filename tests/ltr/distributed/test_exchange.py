"""The meeting of the workers: nobody waits for a worker that is gone."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Any

import pytest

from gradeval.ltr.distributed import exchange
from gradeval.ltr.distributed.exchange import Member


class Late:
    """An actor whose answer comes after some looks, or never."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def share(self, *_: Any) -> Any:
        return self

    def result(self, timeout: float | None = None) -> list[Any]:
        assert timeout is not None
        self.looks -= 1
        if self.looks < 0:
            return ["all"]
        raise TimeoutError


def test_a_member_waits_as_long_as_the_worker_with_the_actor_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "LOOK", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        place = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert Member(Late(3), 1, 2, place).share(1) == ["all"]
    with pytest.raises(RuntimeError, match=f"worker {place}, where the others met, was lost"):
        Member(Late(1000), 1, 2, place).share(1)
    assert Member(Late(3), 1, 2, "inproc://10.0.0.1/1/2").share(1) == ["all"]
