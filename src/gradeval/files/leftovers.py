"""Parts of files and folders that were never finished: how they are named, held by their writer, and swept."""

from __future__ import annotations

import os
import time
from contextlib import suppress

BEGIN, END = ".gradeval-", ".part"
OLD = 3600.0
"""Seconds after which a part may be swept that nobody holds; a younger one may just have been made."""


def part_name() -> str:
    """The name of a new file or folder that is renamed when it is whole."""
    return f"{BEGIN}{os.urandom(6).hex()}{END}"


def hold(descriptor: int) -> bool:
    """Lock an open part for as long as this process has it open; False where another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def sweep(folder: str) -> None:
    """Remove old parts whose writers were killed from a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(BEGIN) and entry.name.endswith(END):
                with suppress(OSError):
                    _remove_if_abandoned(entry.path)


def _remove_if_abandoned(path: str) -> None:
    if time.time() - os.lstat(path).st_mtime < OLD:
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        if not hold(descriptor):
            return
        if os.path.isdir(path):
            import shutil  # it loads every library of compression, for which most writers have no use

            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    finally:
        os.close(descriptor)
