"""The start of the command: Ctrl-C during its imports is one line without a traceback, and no memory is collected.

This module is imported before all others. It does nothing unless this process is the command ``gradeval``, since a
library leaves signals alone. Once a command runs, ``gradeval.cli.interruption`` takes over.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import suppress

INTERRUPTED = 128 + 2  # as shells report a process that SIGINT ended


def is_command() -> bool:
    """Is this process ``gradeval`` or ``python -m gradeval``, rather than a program that imports gradeval?"""
    words = sys.orig_argv[1:]
    options = words[: words.index("-m")] if "-m" in words else words
    if len(options) < len(words) and all(word.startswith("-") for word in options):
        return words[len(options) + 1 :][:1] == ["gradeval"]
    return os.path.basename(sys.argv[0] if sys.argv else "").removesuffix(".exe") == "gradeval"


def end_at_once(*_: object) -> None:
    """End the process at once, which is safe here: nothing has been opened or written yet."""
    os.write(2, b"gradeval: interrupted\n")
    os._exit(INTERRUPTED)


AMPLE = 4e9  # bytes of address space: with less, as on machines to log in, many threads of OpenBLAS are too many


def spare_address_space() -> None:
    """Where ``ulimit -v`` leaves little, let OpenBLAS have one thread: each takes its memory before it works."""
    with suppress(ImportError, OSError):  # there are no limits on Windows
        import resource

        if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < AMPLE:  # -1: as much as there is
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def keep_imported() -> None:
    """Collect garbage from now on, but not among what has been imported, which stays.

    Imports make many objects and no garbage: to look through them again and again takes a tenth of a short command.
    """
    gc.freeze()
    gc.enable()


if is_command():
    spare_address_space()
    gc.disable()
if (
    is_command()
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, end_at_once)
