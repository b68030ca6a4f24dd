"""Write whole folders or none."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gradeval._core import InputError
from gradeval.files.leftovers import hold, part_name, sweep
from gradeval.files.read import Path
from gradeval.files.whole import flush_to_disk

HERE = -100  # AT_FDCWD of Linux: paths are relative to the working folder
EXCHANGE = 2  # RENAME_EXCHANGE of Linux


@contextmanager
def whole_folder(path: Path, *, lasting: bool = False) -> Iterator[str]:
    """A new folder to fill, which is renamed to ``path`` when the block ends without an error.

    Until then it has another name in the same parent folder, so an error, an interruption or a kill at any moment
    leaves an earlier folder whole. A replaced folder passes on its permissions and a link its target, but its contents
    are lost: check first that it may be replaced. ``lasting``: the new folder is flushed to the disk before it is
    renamed, so that not even a power cut leaves it half-written.
    """
    place = os.fspath(path)
    target = os.path.realpath(place)
    parent = os.path.dirname(target)
    recover_folder(target)
    sweep(parent)
    beside = os.path.join(parent, part_name())
    descriptor = -1
    try:
        mode = _mode_of_existing(place)
        os.mkdir(beside)
        if os.name == "posix":
            descriptor = os.open(beside, os.O_RDONLY)
            hold(descriptor)
        yield beside
        if mode is not None:
            os.chmod(beside, mode)
        if lasting:
            _flush_tree_to_disk(beside)
        _take_place(beside, target)
        if lasting:
            flush_to_disk(parent)
    except OSError as error:
        # Failures to write carry no file name (disk full, quota), others that of a file of ours.
        if error.filename is None or str(error.filename).startswith((beside, target)):
            raise InputError(
                f"{place}: cannot be written ({error.strerror}); name a folder that can be made"
            ) from error
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        shutil.rmtree(beside, ignore_errors=True)  # the folder that was replaced, or one that was not finished


def recover_folder(path: Path) -> None:
    """Restore the old folder after a kill between the two renamings of ``_take_place``."""
    target = os.path.realpath(os.fspath(path))
    if not os.path.lexists(target) and os.path.isdir(_name_before(target)):
        with suppress(OSError):  # another process may have been faster
            os.rename(_name_before(target), target)


def _take_place(new: str, target: str) -> None:
    """Rename a folder to ``target``. A folder there before is afterwards named ``new``, or deleted."""
    if not os.path.lexists(target):
        os.rename(new, target)
        return
    if _exchange(new, target):
        return
    before = _name_before(target)
    shutil.rmtree(before, ignore_errors=True)
    os.rename(target, before)
    try:
        os.rename(new, target)
    except BaseException:
        os.rename(before, target)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _name_before(target: str) -> str:
    return os.path.join(os.path.dirname(target), f".gradeval-{os.path.basename(target)}.before")


def _exchange(first: str, second: str) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(HERE, os.fsencode(first), HERE, os.fsencode(second), EXCHANGE) == 0


def _mode_of_existing(place: str) -> int | None:
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(mode):
        raise InputError(f"{place}: is no folder; name a new folder, or one to replace")
    return stat.S_IMODE(mode)


def _flush_tree_to_disk(folder: str) -> None:
    for root, _, names in os.walk(folder):
        for name in names:
            flush_to_disk(os.path.join(root, name))
        flush_to_disk(root)
