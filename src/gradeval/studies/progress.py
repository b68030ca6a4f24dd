"""How a long study reports its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from typing import Any, TypeAlias, TypeVar, cast

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from any thread, but from one at a time."""

Step: TypeAlias = Callable[[int], None]
"""Called by a task after each piece of its work, with the size of the piece; it raises when the task has to stop."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """The progress of one of several parts of equal size, reported as that of the whole; ``place``: counted from 0."""
    return lambda done, total: progress(place * total + done, parts * total)


def ignore_step(_: int) -> None:
    """A step that reports nothing."""


F = TypeVar("F", bound=Callable[..., Any])


def with_progress_bar(study: F) -> F:
    """Let a study also take progress=True: a bar on stderr, in a terminal and in a notebook."""

    @wraps(study)
    def run(*args: Any, **options: Any) -> Any:
        progress = options.get("progress")
        if progress is not True:
            return study(*args, **{**options, "progress": progress or None} if "progress" in options else options)
        with _bar(study.__name__) as tell:
            return study(*args, **{**options, "progress": tell})

    return cast(F, run)


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter and find_spec("ipywidgets") is None:  # without widgets it is a line of text
        console = Console(stderr=True, force_jupyter=False, force_terminal=True, width=80)
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console) as bars:
        bar = bars.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total)

        yield tell
