"""Ctrl-C ends a command within a second, also inside a long call of compiled code, and leaves no unfinished file."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import glob
from typing import NoReturn

import click

from gradeval.files.whole import remove_unfinished
from gradeval.startup import INTERRUPTED, is_command

PATIENCE = 0.6  # seconds in which an interrupted command may clean up and end by itself
CURSOR = b"\x1b[?25h"  # shows the cursor again, which progress bars hide

_reported = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """While the block runs, Ctrl-C raises KeyboardInterrupt in it, and ends the process where the block goes on.

    Python raises it between two of its own instructions, so a long call of compiled code, or waiting for threads,
    delays it. Therefore a thread watches for the signal. An interrupted import may come out as another
    error; it is a KeyboardInterrupt again when it leaves the block. Nothing is done where signals belong to another
    owner: in other threads than the main one, and where Ctrl-C is ignored (``nohup``).
    """
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
    if ignored or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        with _watch_for_interruption():
            yield
    except Exception as error:
        if interrupted:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def _watch_for_interruption() -> Iterator[None]:
    """While the block runs, a thread watches for Ctrl-C, and then for the end of the block.

    Not on Windows, which cannot wait for a pipe with a limit: there Ctrl-C takes effect at the next Python instruction.
    """
    if os.name != "posix":
        yield
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(read,), name="gradeval-interruption", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        os.close(write)


def end_interrupted() -> NoReturn:
    """Say that the command was interrupted, and end the process at once: a regular exit may take seconds."""
    _reported.set()
    click.echo("gradeval: interrupted", err=True)
    if is_command():
        _end()
    sys.exit(INTERRUPTED)


def _wait(read: int) -> None:
    """Wait for Ctrl-C or for the end of the block, which closes the pipe; after Ctrl-C end the process if need be."""
    try:
        while (signals := os.read(read, 64)) and signal.SIGINT not in signals:
            pass
        if not signals:
            return
        late = time.monotonic() + PATIENCE
        while (left := late - time.monotonic()) > 0 and select.select([read], [], [], left)[0]:
            if not os.read(read, 64):
                return
        _end()
    finally:
        os.close(read)


def _end() -> NoReturn:
    """End this process and those that it started, without the files that are not finished."""
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, CURSOR)
        if not _reported.is_set():
            os.write(2, b"gradeval: interrupted\n")
    _end_children()
    _release_names()
    remove_unfinished()
    os._exit(INTERRUPTED)


def _end_children() -> None:
    """End the processes of Python's multiprocessing, also those that are just being started."""
    if "multiprocessing.process" not in sys.modules:
        return
    from multiprocessing import active_children

    for child in {*_children(), *(child.pid for child in active_children() if child.pid)}:
        with suppress(OSError):
            os.kill(child, signal.SIGTERM)


def _children() -> Iterator[int]:
    """The numbers of the processes that this one started, from /proc, which Linux has."""
    for place in glob("/proc/[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError), open(place) as file:
            words = file.read().rpartition(")")[2].split()  # the name before may hold blanks
            if int(words[1]) == os.getpid():
                yield int(os.path.basename(os.path.dirname(place)))


def _release_names() -> None:
    """Release the names that multiprocessing holds in the system, or it warns at exit that they leaked."""
    if "multiprocessing.util" in sys.modules:
        from multiprocessing import util

        util._run_finalizers(0)  # type: ignore[attr-defined]
