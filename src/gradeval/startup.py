"""Ctrl-C while the command line is still being imported: one line and the status of an interruption, no traceback.

This module is imported before all others. It does nothing unless this process is the command ``gradeval``, since a
library leaves signals alone. Once a command runs, ``gradeval.cli.screen.interruption`` takes over.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

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


if (
    is_command()
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, end_at_once)
