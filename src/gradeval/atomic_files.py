"""Atomic writes: whole files and folders, or none.

What is written stands next to its target until it is whole, as ``.gradeval-NAME-1a2b3c4d.part``, with the name of the
target in it. An error or Ctrl-C removes it; a kill may leave it behind, to be deleted by hand.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, TypeAlias

from gradeval._core import InputError

Path: TypeAlias = str | os.PathLike[str]
STANDARD = "-"
"""The place that stands for standard input or output."""

LONGEST = 50
"""Characters of a target's name that the name next to it repeats: file systems allow 255 bytes."""


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A binary file to write, which is renamed to ``path`` only when the block ends without an error.

    The bytes are written to a file next to it, which is then renamed: nobody ever sees it half-written, and an
    error or an interruption leaves what was there before. An existing file keeps its permissions, a link its
    target; ``-`` is standard output. Devices, pipes, open descriptors (``/dev/fd/3``) and the files behind standard
    output and standard error are written to and not replaced. A place that cannot be written is an InputError before
    the block begins.
    """
    place = os.fspath(path)
    descriptor = 1 if place == STANDARD else _descriptor(place)
    if descriptor == 1:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    mode = _mode_of_existing(place) if descriptor is None else None
    if descriptor is not None or (mode is not None and not stat.S_ISREG(mode)):  # nothing to keep whole
        with _name_place_in_errors(place), open(place if descriptor is None else os.dup(descriptor), "wb") as stream:
            yield stream
        return
    target = os.path.realpath(place)
    part = _name_beside(target, "part")
    try:  # from before the file is made: an interruption may come while it is opened
        with _make_file(part, place, os.path.dirname(target)) as new:
            yield new
        if mode is not None:
            os.chmod(part, stat.S_IMODE(mode))
        os.replace(part, target)
    except BaseException as error:  # an interruption, too, leaves no part behind
        with suppress(OSError):
            os.unlink(part)
        # Failures to write carry no file name (disk full, quota), failures to rename the part's name.
        if isinstance(error, OSError) and error.filename in (None, part):
            raise _unwritable(place, error) from error
        raise


def _name_beside(target: str, ending: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".gradeval-{name[:LONGEST]}-{os.urandom(4).hex()}.{ending}")


def _descriptor(place: str) -> int | None:
    """The open descriptor that a path stands for: by its name, or as the file behind standard output or error."""
    named = re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]+)", os.path.normpath(place))
    if named:
        return int(named[1])
    for stream in (1, 2):
        with suppress(OSError):  # one of the two may not exist
            if os.path.samestat(os.stat(place), os.fstat(stream)):
                return stream
    return None


@contextmanager
def _name_place_in_errors(place: str) -> Iterator[None]:
    """Add the place to errors of writing; a reader that closes its pipe is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, place):
            raise
        raise _unwritable(place, error) from error


def _unwritable(place: str, error: OSError) -> InputError:
    return InputError(f"{place}: cannot be written ({error.strerror}); choose another place")


def _mode_of_existing(place: str) -> int | None:
    """The mode of what is there already, None if nothing is; an error if it may not be replaced."""
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _unwritable(place, error) from error
    if (mode is not None and stat.S_ISDIR(mode)) or not os.path.basename(place):
        raise InputError(f"{place}: is a folder; name a file in it, as in {os.path.join(place, 'FILE')}")
    if mode is not None and not os.access(place, os.W_OK):
        raise InputError(f"{place}: is write-protected; change its permissions or choose another place")
    return mode


def _make_file(part: str, place: str, folder: str) -> IO[bytes]:
    try:
        return open(part, "xb")
    except FileNotFoundError:
        if os.path.isdir(folder):  # /proc and the like
            raise InputError(f"{place}: no file can be made in {folder}; choose another place") from None
        raise InputError(f"{place}: there is no folder {folder} to write it to; create it first") from None
    except OSError as error:
        raise _unwritable(place, error) from error


@contextmanager
def whole_folder(path: Path) -> Iterator[str]:
    """A new folder to fill, which is renamed to ``path`` when the block ends without an error.

    Until then it has another name in the same parent folder, so an error, an interruption or a kill leaves an earlier
    folder whole. A replaced folder passes on its permissions and a link its target, but its contents are lost: check
    first that it may be replaced. It is renamed before the new one takes its place, and then deleted.
    """
    place = os.fspath(path)
    target = os.path.realpath(place)
    part = _name_beside(target, "part")
    try:
        mode = _mode_of_folder(place)
        os.mkdir(part)
        yield part
        if mode is not None:
            os.chmod(part, mode)
        _take_place(part, target)
    except OSError as error:
        # Failures to write carry no file name (disk full, quota), others the name of a file of ours.
        if error.filename is None or str(error.filename).startswith((part, target)):
            raise InputError(
                f"{place}: cannot be written ({error.strerror}); name a folder that can be made"
            ) from error
        raise
    finally:
        _remove_tree(part)


def _take_place(new: str, target: str) -> None:
    """Rename a folder to ``target``; the folder there before gets another name, and is deleted afterwards."""
    before = _name_beside(target, "before")
    try:
        while True:
            with suppress(FileNotFoundError):
                os.rename(target, before)
            try:
                os.rename(new, target)
                break
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                _remove_tree(before)  # another process has replaced it in between: then its folder goes
    except BaseException:  # an interruption, too, brings back what was there
        with suppress(OSError):
            os.rename(before, target)
        raise
    _remove_tree(before)


def _mode_of_folder(place: str) -> int | None:
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(mode):
        raise InputError(f"{place}: is no folder; name a new folder, or one to replace")
    return stat.S_IMODE(mode)


def _remove_tree(folder: str) -> None:
    import shutil  # here, because it imports all compression modules, which most programs do not need

    shutil.rmtree(folder, ignore_errors=True)
