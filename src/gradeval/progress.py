"""How long work reports its progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from gradeval._core import InputError
from gradeval.arguments import require_arguments
from gradeval.messages import Given, visible

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from any thread, but from one at a time."""

ShowProgress: TypeAlias = Progress | bool | None
"""What long work takes as ``progress``: True shows a bar on stderr, in a terminal and in a notebook."""

PATIENCE = 1.0  # seconds before the bar of a command appears


class ProgressReport(Protocol):
    """Called by long work with how much is done, and optionally with a description of where it is."""

    def __call__(self, done: int, total: int, words: str = "", /) -> None:
        """Report progress."""


Step: TypeAlias = Callable[[int], None]
"""Called by a task after each piece of its work, with the size of the piece; it raises when the task has to stop."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """The progress of one of several parts of equal size, reported as the whole's; ``place``: counted from 0."""
    return lambda done, total: progress(place * total + done, parts * total)


def ignore_step(_: int) -> None:
    """A step that reports nothing."""


F = TypeVar("F", bound=Callable[..., Any])


def with_progress_bar(study: F) -> F:
    """Let a study take progress=True: what it is given is a function then."""

    @wraps(study)
    def run(*args: Any, **options: Any) -> Any:
        progress = options.pop("progress", None)
        with progress_of(progress, study.__name__) as report:
            try:
                return study(*args, **options, progress=report)
            except TypeError:
                require_arguments(study, args, {**options, "progress": report}, {})
                raise

    return cast(F, run)


def progress_of(progress: Any, what: str) -> AbstractContextManager[Any]:
    """The function to report to, by what a user gave: for True a bar called ``what``; None: there is none."""
    if progress is True:
        return _bar(what)
    if progress is None or progress is False:
        return SILENCE
    if callable(progress):
        return nullcontext(progress)
    raise InputError(Given("progress", progress), ": accepted are True, False, or a function to call")


SILENCE = nullcontext()
"""The progress of work that reports none."""


@contextmanager
def show_progress(what: str, unit: str = "", total: int | None = None) -> Iterator[ProgressReport]:
    """Yield a function that a command tells its progress: a bar appears where somebody looks, and goes at the end.

    ``unit``: the unit of its numbers. ``total``: where it is known, the bar appears at once; else at the first report
    after a second.
    """
    if sys.stderr.isatty():
        with _bar(what, unit, total, patience=PATIENCE if total is None else 0, transient=True) as report:
            yield report
    else:
        yield lambda *_: None


@contextmanager
def _bar(
    what: str, unit: str = "", total: int | None = None, *, patience: float = 0, transient: bool = False
) -> Iterator[ProgressReport]:
    """A bar on stderr, from the first report after ``patience`` on (0: at once); ``transient``: it goes at the end."""
    begin = time.monotonic()
    bar: Any = None

    def report(done: int, most: int | None, words: str = "", /) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - begin >= patience and done != most:
            bar = _rich_bar(unit, transient=transient)
            bar.add_task(visible(words or what), completed=done, total=most)
            bar.start()
        elif bar is not None:
            bar.update(bar.task_ids[0], description=visible(words or what), completed=done, total=most)

    report(0, total)
    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


def _rich_bar(unit: str, *, transient: bool) -> Any:
    from importlib.util import find_spec

    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter and find_spec("ipywidgets") is None:  # without widgets it is a line of text
        console = Console(stderr=True, force_jupyter=False, force_terminal=True, width=80)
    columns = (
        rich.TextColumn("{task.description}", markup=False),  # a name with brackets is no markup
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        *([rich.TextColumn(unit)] if unit else []),
        rich.TimeRemainingColumn(),
    )
    return rich.Progress(*columns, console=console, transient=transient)
