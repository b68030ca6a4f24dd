"""How a long study tells where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from whichever thread has just done something, one at a time."""

Step: TypeAlias = Callable[[int], None]
"""What a task calls after each piece of its work, with how much that was; it raises where the task is to stop."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """What tells the progress of one of several parts of like size as that of the whole; ``place``: from 0."""
    return lambda done, total: progress(place * total + done, parts * total)


def unwatched(_: int) -> None:
    """A step that nobody watches."""
