"""How a long study reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from any thread, but from one at a time."""

Step: TypeAlias = Callable[[int], None]
"""Called by a task after each piece of its work, with the size of the piece; it raises when the task has to stop."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """The progress of one of several parts of equal size, reported as that of the whole; ``place``: counted from 0."""
    return lambda done, total: progress(place * total + done, parts * total)


def ignore_step(_: int) -> None:
    """A step that reports nothing."""
