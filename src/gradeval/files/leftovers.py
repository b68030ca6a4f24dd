"""Unfinished files and folders: how they are named, locked by their writer, and removed when it is gone."""

from __future__ import annotations

import os
import time
from contextlib import suppress

BEGIN, END = ".gradeval-", ".part"
OLD = 3600.0
"""Seconds after which a part without a lock is removed; a younger one may be new and not locked yet."""


def part_name() -> str:
    """A random name for a new file or folder until it is finished."""
    return f"{BEGIN}{os.urandom(6).hex()}{END}"


def hold(descriptor: int) -> bool:
    """Lock an open part until this process closes it; False where another process has locked it."""
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
    """Remove from a folder the old parts whose writers were killed."""
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
            import shutil  # here, because it imports all compression modules, which most programs do not need

            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    finally:
        os.close(descriptor)
