"""How long work reports its progress."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import wraps
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from gradeval._core import InputError
from gradeval.arguments import Given, require_arguments, visible

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from any thread, but from one at a time."""

ShowProgress: TypeAlias = Progress | bool | None
"""What long work takes as ``progress``: True shows a bar on stderr, in a terminal and in a notebook."""

PATIENCE = 1.0  # seconds before the bar of a command appears


class Report(Protocol):
    """Called by long work with how much is done, and optionally with a description of where it is."""

    def __call__(self, done: int, total: int, words: str = "", /) -> None:
        """Report progress."""


Step: TypeAlias = Callable[[int], None]
"""Called by a task after each piece of its work, with the size of the piece; it raises when the task has to stop."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """The progress of one of several parts of equal size, reported as that of the whole; ``place``: counted from 0."""
    return lambda done, total: progress(place * total + done, parts * total)


def ignore_step(_: int) -> None:
    """A step that reports nothing."""


F = TypeVar("F", bound=Callable[..., Any])


def with_progress_bar(study: F) -> F:
    """Let a study take progress=True: what it is given is a function then."""

    @wraps(study)
    def run(*args: Any, **options: Any) -> Any:
        progress = options.pop("progress", None)
        with progress_of(progress, study.__name__) as tell:
            try:
                return study(*args, **options, progress=tell)
            except TypeError:
                require_arguments(study, args, {**options, "progress": tell}, {})
                raise

    return cast(F, run)


def progress_of(progress: Any, what: str) -> AbstractContextManager[Any]:
    """The function that is told, of what a user gave: for True that of a bar called ``what``; None: there is none."""
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
def show_progress(what: str, unit: str = "", total: int | None = None) -> Iterator[Report]:
    """Yield a function that a command tells its progress: a bar appears after a second, where somebody looks.

    It is removed at the end. ``unit``: the unit of its numbers. ``total``: where it is known, the bar does not wait for
    the first report.
    """
    if sys.stderr.isatty():
        with _bar(what, unit, total, patience=PATIENCE) as tell:
            yield tell
    else:
        yield lambda *_: None


@contextmanager
def _bar(what: str, unit: str = "", total: int | None = None, *, patience: float | None = None) -> Iterator[Report]:
    """A bar on stderr: at once and to stay, or where the work takes longer than ``patience``, removed at the end."""
    begin = time.monotonic()
    one_at_a_time = threading.Lock()
    bars: list[tuple[Any, Any]] = []
    with ExitStack() as stack:

        def show(words: str, done: int, total: int | None) -> None:
            with one_at_a_time:
                if not bars:
                    bar = stack.enter_context(_bars(unit, transient=patience is not None))
                    bars.append((bar, bar.add_task(visible(words), completed=done, total=total)))

        def tell(done: int, total: int, words: str = "", /) -> None:
            if patience is not None and not bars and done < total and time.monotonic() - begin > patience:
                show(words or what, done, total)
            for bar, task in bars:
                bar.update(task, description=visible(words or what), completed=done, total=total)

        if patience is None:
            show(what, 0, total)
        elif total is not None:
            timer = threading.Timer(max(patience, 0), show, [what, 0, total])
            timer.daemon = True
            timer.start()
            stack.callback(timer.join)
            stack.callback(timer.cancel)  # which comes first
        yield tell


def _bars(unit: str, *, transient: bool) -> Any:
    """Bars of rich's; ``unit``: that of their numbers; ``transient``: they are removed at the end."""
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
