"""Progress bars on stderr, where the work is long and stderr is a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from gradeval.arguments import visible

PATIENCE = 1.0  # seconds before a bar appears


class Report(Protocol):
    """Called by long work with how much is done, and optionally with a description of where it is."""

    def __call__(self, done: int, total: int, words: str = "", /) -> None:
        """Report progress."""


@contextmanager
def show_progress(what: str, unit: str = "", total: int | None = None) -> Iterator[Report]:
    """Yield a function that long work calls as progress(done, total); a bar appears after a second.

    ``what``: the description until the work reports its own. ``total``: where it is known, the bar does not wait for
    the first report.
    """
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with ExitStack() as stack:
        begin = time.monotonic()
        one_at_a_time = threading.Lock()
        bars: list[tuple[Any, Any]] = []

        def show(words: str, done: int, total: int) -> None:
            with one_at_a_time:
                if not bars:
                    bar = stack.enter_context(progress_bar(unit))
                    bars.append((bar, bar.add_task(visible(words), completed=done, total=total)))

        def tell(done: int, total: int, words: str = "", /) -> None:
            if not bars and done < total and time.monotonic() - begin > PATIENCE:
                show(words or what, done, total)
            for bar, task in bars:
                bar.update(task, description=visible(words or what), completed=done, total=total)

        if total is not None:
            timer = threading.Timer(max(PATIENCE, 0), show, [what, 0, total])
            timer.daemon = True
            timer.start()
            stack.callback(_stop, timer)
        yield tell


def _stop(timer: threading.Timer) -> None:
    timer.cancel()
    timer.join()


def progress_bar(unit: str) -> Any:
    """A bar on stderr, removed at the end; ``unit``: the unit of its numbers."""
    from rich.console import Console

    from gradeval.progress import progress_bars

    return progress_bars(Console(stderr=True), unit, transient=True)
