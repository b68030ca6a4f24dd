"""Ctrl-C ends a command in one line, also where an import or a thread turns it into another error."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """While the block runs, Ctrl-C raises KeyboardInterrupt in it.

    An interrupted import may come out as another error; it is a KeyboardInterrupt again when it leaves the block.
    Nothing is done where signals belong to another owner: in other threads than the main one, and where they are
    ignored (``nohup``).
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield
        return
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception as error:  # whatever was interrupted may raise
        if interrupted:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
