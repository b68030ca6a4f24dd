"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from importlib.util import find_spec
from typing import Any, TypeAlias, TypeVar, cast

from gradeval._core import InputError
from gradeval.arguments import require_arguments, shown

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total), from any thread, but from one at a time."""

ShowProgress: TypeAlias = Progress | bool | None
"""What long work takes as ``progress``: True shows a bar on stderr, in a terminal and in a notebook."""

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
    raise InputError(f"progress={shown(progress)}: accepted are True, False, or a function to call")


SILENCE = nullcontext()
"""The progress of work that reports none."""


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter and find_spec("ipywidgets") is None:  # without widgets it is a line of text
        console = Console(stderr=True, force_jupyter=False, force_terminal=True, width=80)
    with progress_bars(console) as bars:
        bar = bars.add_task(what, total=None)

        def tell(done: int, total: int, words: str = "", /) -> None:
            bars.update(bar, description=words or what, completed=done, total=total)

        yield tell


def progress_bars(console: Any, unit: str = "", *, transient: bool = False) -> Any:
    """Bars of rich's; ``unit``: that of their numbers; ``transient``: they are removed at the end."""
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description}", markup=False),  # a name with brackets is no markup
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        *([rich.TextColumn(unit)] if unit else []),
        rich.TimeRemainingColumn(),
    )
    return rich.Progress(*columns, console=console, transient=transient)
