"""Standard streams that are closed (``2>&-``): opened again, so that the rest of a command need not ask."""

from __future__ import annotations

import os
import sys

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
        stream = open(descriptor, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
