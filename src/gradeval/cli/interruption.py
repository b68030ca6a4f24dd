"""Ctrl-C ends a command within a second, also inside a long call of compiled code, and leaves no unfinished file.

So do the signals by which systems end programs, at once: after the files are removed the process dies by the signal.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import click

from gradeval._core import give_signals_back, remove_parts, take_signals
from gradeval.startup import INTERRUPTED, is_command

PATIENCE = 0.6  # seconds in which an interrupted command may clean up and end by itself
SAID = "gradeval: interrupted"
CURSOR = b"\x1b[?25h"  # shows the cursor again, which progress bars hide


@contextmanager
def interruptible() -> Iterator[None]:
    """While the block runs, Ctrl-C raises KeyboardInterrupt in it, and ends the process where the block goes on.

    Python raises it between two of its own instructions, so a long call of compiled code, or waiting for threads,
    delays it. Therefore the compiled core watches the time, and answers the signals that end programs. An interrupted
    import may come out as another error; it is a KeyboardInterrupt again when it leaves the block. Nothing is done
    where signals belong to another owner: in other threads than the main one, and where they are ignored (``nohup``).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    answered = before not in (signal.SIG_IGN, None)
    try:
        if answered:
            signal.signal(signal.SIGINT, interrupt)
        take_signals(f"{SAID}\n".encode(), INTERRUPTED, PATIENCE)
        yield
    except Exception as error:  # whatever was interrupted may raise
        if interrupted:
            raise KeyboardInterrupt from error
        raise
    finally:
        give_signals_back()
        if answered:
            signal.signal(signal.SIGINT, before)


def end_interrupted() -> NoReturn:
    """Say that the command was interrupted, and end the process at once: a regular exit may take seconds."""
    click.echo(SAID, err=True)
    if is_command():
        with suppress(OSError):
            if os.isatty(2):
                os.write(2, CURSOR)
        if "multiprocessing.util" in sys.modules:  # it holds names in the system, and warns at exit that they leaked
            from multiprocessing import util

            util._run_finalizers(0)  # type: ignore[attr-defined]  # private, as is
        remove_parts()
        os._exit(INTERRUPTED)
    sys.exit(INTERRUPTED)
