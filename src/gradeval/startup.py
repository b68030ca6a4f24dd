"""Ctrl-C while the command line is still being imported: one line and the status of an interruption, no traceback.

And libraries that crash or wait for ever where ``ulimit -v`` leaves them too little: they are refused before.

This module is imported before all others. It does nothing unless this process is the command ``gradeval``, since a
library leaves signals alone. Once a command runs, ``gradeval.cli.interruption`` takes over.
"""

from __future__ import annotations

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


NEEDED = {"scipy": 400e6, "torch": 900e6, "vl_convert": 72e9}
"""Bytes of address space with which a library works at all: below, it waits for ever or ends the process.

Most of it is never filled: the engine of JavaScript that draws pictures sets 64 GB of addresses aside.
"""
AMPLE = 4e9  # with less, each thread of OpenBLAS, which takes its memory before it works, is one too many


class AddressSpaceTooSmall(MemoryError):
    """A library cannot work here; the message says all."""


class _Refusal:
    """What imports ask first: it refuses the libraries that do not work in the address space that there is."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse a library, or leave it to those that find it."""
        if self.limit < NEEDED.get(name, 0):
            raise AddressSpaceTooSmall(
                f"{name}, a library that this takes, needs {NEEDED[name] / 1e6:,.0f} MB of address space, and ulimit "
                f"-v leaves this command {self.limit / 1e6:,.0f} MB; raise that limit"
            )


def prepare_for_little_memory() -> None:
    """Where the address space is limited, refuse libraries that need more, and let OpenBLAS have one thread."""
    with suppress(ImportError, OSError):  # there are no limits on Windows
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            sys.meta_path.insert(0, _Refusal(limit))
            if limit < AMPLE:
                os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


if is_command():
    prepare_for_little_memory()
if (
    is_command()
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, end_at_once)
