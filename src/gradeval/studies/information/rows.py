"""Dataclasses of arrays with one row for each list."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from gradeval.formula.arithmetic import Array


@dataclass(frozen=True, eq=False)
class Rows:
    """A dataclass of arrays, and of other ``Rows``, that all have one row for each list."""

    def take(self, which: Array | list[int] | slice) -> Self:
        """Some of the lists, by number or mask."""
        parts = {each.name: _take(getattr(self, each.name), which) for each in fields(self)}
        return type(self)(**parts)


def _take(value: Any, which: Array | list[int] | slice) -> Any:
    return value.take(which) if isinstance(value, Rows) else value[which]
