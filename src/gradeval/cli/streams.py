"""Standard streams as commands expect them: open, and in UTF-8."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

import click

STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""Their names, what is done with them, and how the device that stands in for them is opened: /dev/null."""


def reopen_streams() -> None:
    """Open the standard streams that this process was started without.

    Notes then go nowhere; to read standard input or to write standard output fails as any file does that cannot be
    read or written. Else the next file that is opened would take the number of the stream that is missing, and what
    compiled code writes to stderr would go into it.
    """
    for descriptor, (name, mode, flags) in enumerate(STREAMS):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, flags)
        if opened != descriptor:  # the number is taken, by a file that Python has open
            os.dup2(opened, descriptor)
            os.close(opened)
        stream = open(descriptor, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - stays open
        setattr(sys, name, stream)


def write_utf8(stream: TextIO) -> None:
    """Let what is written to a file or a pipe be what a terminal on Linux shows: UTF-8, and lines that end by ``\\n``.

    On Windows both differ by default, and a name in letters that the code page lacks would be an error.
    """
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8", newline="\n")


STATUS = "gradeval.status"
WAITING = "gradeval.waiting"
"""Notes that the command at hand has still to print."""
REMEDY = "gradeval.remedy"
"""A function that says what to do where the command at hand fails, as words behind the error; empty: nothing."""
ALL_NOTES = "gradeval.all_notes"
"""Does the command at hand print all notes? Commands without the option -v do."""


def end_with(status: int) -> None:
    """Let the command at hand go on, and end with this status."""
    click.get_current_context().meta[STATUS] = status
