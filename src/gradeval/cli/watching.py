"""A progress bar for a study: on stderr, where it takes long and somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from gradeval.cli.progress import PATIENCE, progress_bar
from gradeval.meta.progress import Progress


@contextmanager
def watched(what: str, unit: str = "") -> Iterator[Progress]:
    """Gives what a study calls as progress(done, total); a bar appears once it has taken a second."""
    with ExitStack() as stack:
        begin = time.monotonic()
        bars: list[tuple[Any, Any]] = []

        def tell(done: int, total: int) -> None:
            if not sys.stderr.isatty():
                return
            if not bars and done < total and time.monotonic() - begin > PATIENCE:
                bar = stack.enter_context(progress_bar(unit))
                bars.append((bar, bar.add_task(what)))
            for bar, task in bars:
                bar.update(task, completed=done, total=total)

        yield tell
