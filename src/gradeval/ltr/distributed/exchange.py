"""Where the workers of a training meet: each gives a value, and each gets those of all."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field
from typing import Any

LOOK = 2.0  # seconds from one look to the next whether the worker with the actor is there


class Exchange:
    """An actor of Dask, on the first worker.

    LightGBM and XGBoost add up histograms by themselves; what they do not know of, the values of our measures, ports
    and checkpoints, passes through here: one message for each worker and tree.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.rounds: dict[int, dict[int, Any]] = {}
        self.complete: dict[int, asyncio.Event] = {}
        self.seen: dict[int, int] = {}
        self.left: dict[int, int] = {}
        self.reason: str | None = None

    async def share(self, number: int, rank: int, value: Any) -> list[Any]:
        """The values of all workers in round ``number``, by rank, as soon as the last has come."""
        if number <= self.seen.get(rank, 0):
            raise RuntimeError("a worker was lost and began again, which the others cannot follow")
        self.seen[rank] = number
        values = self.rounds.setdefault(number, {})
        complete = self.complete.setdefault(number, asyncio.Event())
        values[rank] = value
        if len(values) == self.size or self.reason is not None:
            complete.set()
        await complete.wait()
        if self.reason is not None:
            raise RuntimeError(self.reason)
        shared = [values[each] for each in range(self.size)]
        self.left[number] = self.left.get(number, 0) + 1
        if self.left[number] == self.size:  # all have it
            del self.rounds[number], self.complete[number], self.left[number]
        return shared

    async def stop(self, reason: str) -> None:
        """Let nobody wait any longer: whoever does gets an error."""
        self.reason = reason
        for complete in self.complete.values():
            complete.set()


@dataclass
class Member:
    """One worker's side of the meeting.

    Attributes
    ----------
    exchange : the actor.
    rank, size : which of how many workers this is, counted from 0.
    place : the address of the worker that has the actor.
    """

    exchange: Any
    rank: int
    size: int
    place: str
    _round: int = field(default=0, init=False)

    def share(self, value: Any) -> list[Any]:
        """The values of all workers, by rank; each must call this as often as the others."""
        self._round += 1
        shared = self.exchange.share(self._round, self.rank, value)
        while True:
            try:
                values: list[Any] = shared.result(timeout=LOOK)
            except TimeoutError:  # others may take long; but Dask waits for ever for an actor that is lost
                _require_worker(self.place)
            else:
                return values


def _require_worker(address: str) -> None:
    """A RuntimeError where nothing listens any longer at the address of a worker."""
    protocol, _, place = address.partition("://")
    if protocol not in ("tcp", "tls"):  # in this process
        return
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK).close()
    except OSError:
        raise RuntimeError(f"worker {address}, where the others met, was lost") from None
