"""Atomic writes: whole files and folders, or none."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, TypeAlias, TypeVar

from gradeval._core import InputError, begin_part, end_part, part_made

Path: TypeAlias = str | os.PathLike[str]
STANDARD = "-"
"""The place that stands for standard input or output."""

T = TypeVar("T")

DESCRIPTORS = ("/dev/fd", "/proc/self/fd")  # where the open files of this process have paths
MANY_LINKS = 40  # as Linux follows


def part_beside(folder: str, make: Callable[[str], T]) -> tuple[int, str, T]:
    """Make a file or a folder of a random name there: its number, its path, and what ``make`` returned.

    A signal that ends the process removes it, until ``end_part(number)``.
    """
    part = os.path.join(folder, f".gradeval-{os.urandom(6).hex()}.part")
    number = begin_part(os.fsencode(part))
    try:
        made = make(part)
    except Exception:  # after an interruption it may be there
        end_part(number)
        raise
    part_made(number)
    return number, part, made


def _remove_tree(folder: str) -> None:
    import shutil  # here, because it imports all compression modules, which most programs do not need

    shutil.rmtree(folder, ignore_errors=True)


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
    number, beside, descriptor = _open_beside(place, os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
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
        end_part(number)


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
    """A device or a pipe, opened to be written to; a pipe waits for its reader."""
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


def _open_beside(place: str, folder: str) -> tuple[int, str, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return part_beside(folder, lambda part: os.open(part, flags, 0o666))
    except FileNotFoundError:
        if os.path.isdir(folder):  # /proc and the like
            raise InputError(f"{place}: no file can be made in {folder}; choose another place") from None
        raise InputError(f"{place}: there is no folder {folder} to write it to; create it first") from None
    except OSError as error:
        raise _unwritable(place, error) from error


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
    number, beside = -1, None
    try:
        mode = _mode_of_folder(place)
        number, beside, _ = part_beside(parent, os.mkdir)
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
        if error.filename is None or str(error.filename).startswith((beside or parent, target)):
            raise InputError(
                f"{place}: cannot be written ({error.strerror}); name a folder that can be made"
            ) from error
        raise
    finally:
        if beside is not None:
            _remove_tree(beside)  # the folder that was replaced, or one that was not finished
            end_part(number)


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
    _remove_tree(before)
    os.rename(target, before)
    try:
        os.rename(new, target)
    except BaseException:
        os.rename(before, target)
        raise
    _remove_tree(before)


def _name_before(target: str) -> str:
    return os.path.join(os.path.dirname(target), f".gradeval-{os.path.basename(target)}.before")


def _exchange(first: str, second: str) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(HERE, os.fsencode(first), HERE, os.fsencode(second), EXCHANGE) == 0


def _mode_of_folder(place: str) -> int | None:
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
