"""Where the workers of a training meet: each gives a value, and each gets those of all."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

LOOK = 5.0  # seconds of waiting until a worker looks whether the one where all meet is still there


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
    """

    exchange: Any
    rank: int
    size: int
    _round: int = field(default=0, init=False)

    def share(self, value: Any) -> list[Any]:
        """The values of all workers, by rank; each must call this as often as the others."""
        self._round += 1
        answer = self.exchange.share(self._round, self.rank, value)
        while True:
            try:
                shared: list[Any] = answer.result(timeout=LOOK)
            except TimeoutError:
                # Dask would wait for an actor whose worker is gone, and so keep this worker busy for ever
                if _is_lost(self.exchange):
                    raise RuntimeError("the first worker, where all meet, was lost") from None
            else:
                return shared


def _is_lost(exchange: Any) -> bool:
    """Whether the worker that has the actor is gone; called in a task of Dask."""
    from distributed import get_client

    return exchange._address not in get_client().ncores()  # type: ignore[no-untyped-call]
