"""Write whole files or none."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from gradeval._core import InputError
from gradeval.files.leftovers import hold, part_name, sweep
from gradeval.files.read import STANDARD, Path

DESCRIPTORS = ("/dev/fd", "/proc/self/fd")  # where the open files of this process have paths
MANY_LINKS = 40  # as Linux follows

_unfinished: set[str] = set()


def remove_unfinished() -> None:
    """Remove the files that are being written; call it before ending the process inside a ``whole_file`` block."""
    for place in list(_unfinished):
        with suppress(OSError):
            os.unlink(place)


@contextmanager
def whole_file(path: Path, *, lasting: bool = False) -> Iterator[IO[bytes]]:
    """A binary file to write, which is renamed to ``path`` only when the block ends without an error.

    The bytes are written to a file beside it, which is then renamed: nobody ever sees it half-written, and an
    error or an interruption leaves what was there before. An existing file keeps its permissions, a link its
    target; ``-`` is standard output. Devices, pipes and open descriptors (``/dev/stdout``, ``/dev/fd/3``) are written
    to and not replaced. A place that cannot be written is an InputError before the block begins.
    ``lasting``: the bytes are flushed to the disk before the file is renamed, so that not even a power cut leaves it
    half-written.
    """
    place = os.fspath(path)
    if place == STANDARD:
        yield from _standard_output()
        return
    descriptor = _descriptor(place)
    if descriptor is not None:
        yield from _standard_output() if descriptor == 1 else _stream(place, descriptor)
        return
    mode = _mode_of_existing(place)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe: nothing to keep whole
        with _name_place_in_errors(place), _special_file(place) as file:
            yield file
        return
    target = os.path.realpath(place)
    sweep(os.path.dirname(target))
    beside, descriptor = _open_beside(place, os.path.dirname(target))
    _unfinished.add(beside)
    try:
        with os.fdopen(descriptor, "wb") as file:
            hold(descriptor)
            yield file
            if lasting:
                file.flush()
                os.fsync(descriptor)
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
        if lasting:
            flush_to_disk(os.path.dirname(target))
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        # Failures to write carry no file name (disk full, quota), those to rename the name beside.
        if isinstance(error, OSError) and error.filename in (None, beside):
            raise _unwritable(place, error) from error
        raise
    finally:
        _unfinished.discard(beside)


def flush_to_disk(path: str) -> None:
    """Flush to the disk what was written to a file, or the names in a folder."""
    if os.name != "posix" and os.path.isdir(path):  # Windows opens no folders
        return
    descriptor = os.open(path, os.O_RDONLY)
    with suppress(OSError):  # some file systems cannot, and then nothing can be done
        os.fsync(descriptor)
    os.close(descriptor)


def _standard_output() -> Iterator[IO[bytes]]:
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def _stream(place: str, descriptor: int) -> Iterator[IO[bytes]]:
    """A file that writes to an open descriptor, at its current position; the descriptor stays open."""
    try:
        file = os.fdopen(os.dup(descriptor), "wb")
    except OSError as error:
        raise _unwritable(place, error) from error
    with _name_place_in_errors(place), file:
        yield file


@contextmanager
def _name_place_in_errors(place: str) -> Iterator[None]:
    """Add the place to errors of writing; a reader that closes its pipe is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:
            raise
        raise _unwritable(place, error) from error


def _descriptor(place: str) -> int | None:
    """The open descriptor that a path stands for, by itself or by links: 1 for /dev/stdout, else None.

    The links are followed one by one, so as to stop before the last: that from the descriptor to its file.
    """
    folders = {os.path.realpath(folder) for folder in DESCRIPTORS if os.path.isdir(folder)}
    for _ in range(MANY_LINKS if folders else 0):
        folder, name = os.path.split(place)
        folder = os.path.realpath(folder)
        if folder in folders and name.isdecimal():
            return int(name)
        try:
            place = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:
            return None
    return None


def _unwritable(place: str, error: OSError) -> InputError:
    return InputError(f"{place}: cannot be written ({error.strerror}); choose another place")


def _special_file(place: str) -> IO[bytes]:
    try:
        return open(place, "wb")
    except OSError as error:
        raise _unwritable(place, error) from error


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


def _open_beside(place: str, folder: str) -> tuple[str, int]:
    beside = os.path.join(folder, part_name())
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return beside, os.open(beside, flags, 0o666)
    except FileNotFoundError:
        if os.path.isdir(folder):  # /proc and the like
            raise InputError(f"{place}: no file can be made in {folder}; choose another place") from None
        raise InputError(f"{place}: there is no folder {folder} to write it to; create it first") from None
    except OSError as error:
        raise _unwritable(place, error) from error
