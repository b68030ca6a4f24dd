"""The bytes of a file: looked at before it is read, plain or compressed, and of one state of it from first to last."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from glob import has_magic
from io import FileIO
from itertools import islice
from typing import NamedTuple, Self, TypeAlias

from gradeval._core import InputError, read_file
from gradeval.arguments import nearest
from gradeval.atomic_files import STANDARD, Path
from gradeval.files.compressed import decompress, kind_of_compression, memory_at_hand

BEGINNING = 1 << 16


class Source(os.PathLike[str]):
    """A file of which the beginning is looked at first, to recognise its format, and then all bytes, each read once.

    So standard input, pipes and compressed files, which can be read but once, are recognised like any other. It is a
    path, too: a reader that takes a path takes it. Beginning and bytes are of one state of the file: where it changes
    in between, that is an InputError.
    """

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)

    def __fspath__(self) -> str:
        return self._path

    @property
    def place(self) -> str:
        """The name of the file in messages."""
        return name_place(self._path)

    @cached_property
    def file(self) -> SteadyFile | None:
        """The file as it was first seen; None where it is empty or can be read but once."""
        return steady_file(self._path)

    @cached_property
    def plain_file(self) -> SteadyFile | None:
        """The file where it is plain text, which the core can read by itself; None for everything else."""
        return None if self.plain is None else self.file

    @cached_property
    def plain(self) -> bytes | None:
        """The first bytes of a file of plain text; None for what is compressed, empty or can be read but once."""
        if self.file is None:
            return None
        beginning = self.file.read_beginning(BEGINNING)
        return None if kind_of_compression(beginning) else beginning

    @cached_property
    def data(self) -> Buffer:
        """All bytes, unpacked."""
        return read_content(self._path, self.file)

    @property
    def beginning(self) -> bytes:
        """The first bytes, unpacked."""
        return bytes(self.data[:BEGINNING]) if self.plain is None else self.plain


def as_source(path: Path) -> Source:
    """The path as a source; a source stays the same, with what it has read."""
    return path if isinstance(path, Source) else Source(path)


Buffer: TypeAlias = bytes | bytearray


def read_bytes(path: Path) -> Buffer:
    """The bytes of a file, unpacked where they begin as gzip, bzip2, xz or Zstandard data do.

    They are a copy: what happens to the file later does not change them. ``-`` is standard input. A file that is
    missing, that may not be read, that changes while it is read, or whose compressed data are truncated, damaged or too
    large for the memory is an InputError.
    """
    return read_content(path, steady_file(path))


def read_content(path: Path, file: SteadyFile | None) -> Buffer:
    """The bytes of ``read_bytes``, where ``steady_file`` of the path is known."""
    if file is not None:
        data = file.read()
    else:
        data = _standard_input() if os.fspath(path) == STANDARD else read_stream(path)
    kind = kind_of_compression(data)
    return data if kind is None else decompress(data, kind, name_place(path))


def steady_file(path: Path) -> SteadyFile | None:
    """The file at a path; None where it is empty or can be read but once: standard input, pipes."""
    return None if os.fspath(path) == STANDARD else SteadyFile.at(path)


def name_place(path: Path) -> str:
    """The name of a file in messages: its path, or "standard input"."""
    place = os.fspath(path)
    return "standard input" if place == STANDARD else place


def without_folders(place: str) -> str:
    """A place without the folders of this machine."""
    return os.path.basename(place) if os.path.isabs(place) else place


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input: is closed; name a file")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); name a file") from error


LARGE = 1 << 30  # bytes from which on it is worth asking whether they fit into memory


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    device: int
    inode: int
    size: int
    nanoseconds: int  # of the last change

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        """The stamp in what the system says of a file."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class SteadyFile:
    """A regular file in the state in which it was first seen.

    It may be read several times, in whole or in pieces: where the file has another size or time of change by then, or
    another file stands in its place, that is an InputError. It is not kept open in between.
    """

    def __init__(self, path: Path, status: os.stat_result | None = None) -> None:
        self.place = os.fspath(path)
        self._stamp = Stamp.of(_describe(self.place) if status is None else status)

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """The file at a path; None where it has no bytes or is none that can be read twice (a pipe, a device).

        A file that is missing or may not be looked at is an InputError.
        """
        status = _describe(os.fspath(path))
        # Special files may look regular, report a size of 0 and yield bytes all the same. None is opened here: a pipe
        # that is opened and closed again loses its writer.
        return cls(path, status) if stat.S_ISREG(status.st_mode) and status.st_size else None

    @property
    def size(self) -> int:
        """Its bytes."""
        return self._stamp.size

    def read(self) -> bytes:
        """All bytes."""
        if self.size > LARGE and self.size > memory_at_hand():
            raise InputError(
                f"{self.place}: {self.size / 1e9:.1f} GB do not fit into the memory at hand; give a plain run to "
                "evaluate() or the commands by its path: they read a few megabytes at a time"
            )
        with self.open() as opened:
            return read_file(opened.fileno(), self.place)

    def read_beginning(self, size: int) -> bytes:
        """The first bytes, this many at most."""
        with self.open() as opened:
            return _read(opened, size, self.place)

    def pieces(self, size: int) -> Iterator[bytes]:
        """All bytes, so many at a time."""
        with self.open() as opened:
            while piece := _read(opened, size, self.place):
                self._require_state(opened.fileno())
                yield piece

    @contextmanager
    def open(self) -> Iterator[FileIO]:
        """The file, to be read in the block; that it has not changed is known when the block has ended."""
        try:
            opened = open(self.place, "rb", buffering=0)  # noqa: SIM115 - closed below
        except FileNotFoundError as error:
            raise changed(self.place) from error
        except OSError as error:
            raise unreadable(self.place, error) from error
        with opened, self._unchanged(opened.fileno()):
            yield opened

    @contextmanager
    def read_by_others(self) -> Iterator[str]:
        """The path, to be given in the block to what opens and reads the file by itself."""
        with self._unchanged(self.place):
            yield self.place

    @contextmanager
    def _unchanged(self, file: int | str) -> Iterator[None]:
        """An InputError where a descriptor or a path leads to another state before or after the block."""
        self._require_state(file)
        try:
            yield
        except Exception:  # what is found wrong in a file that changed is no fault of its content
            self._require_state(file)
            raise
        self._require_state(file)

    def _require_state(self, file: int | str) -> None:
        try:
            stamp = Stamp.of(os.stat(file))
        except OSError as error:
            raise changed(self.place) from error
        if stamp != self._stamp:
            raise changed(self.place)


def read_stream(path: Path) -> bytes:
    """All bytes of what ``SteadyFile.at`` is None for: each can be read once."""
    place = os.fspath(path)
    try:
        with open(place, "rb", buffering=0) as file:
            data = file.readall()
            status = os.fstat(file.fileno())
    except OSError as error:
        raise unreadable(place, error) from error
    if stat.S_ISREG(status.st_mode) and status.st_size:  # it was empty when it was looked at
        raise changed(place)
    return data


def changed(place: str) -> InputError:
    """The error for a file that changed."""
    return InputError(f"{place}: the file changed while it was read; wait until it is complete, then read it again")


def unreadable(place: str, error: OSError) -> InputError:
    """The error for a file that cannot be read."""
    match error:
        case FileNotFoundError() if has_magic(place):
            why = "no such file, and no file fits it as a pattern"
        case FileNotFoundError():
            why = f"no such file{_neighbours(place)}"
        case NotADirectoryError():
            why = f"no such file ({os.path.dirname(place)} is not a folder)"
        case IsADirectoryError():
            why = f"is a folder; name a file in it, as in {os.path.join(place, 'FILE')}"
        case PermissionError():
            why = "may not be read (permission denied); change its permissions or name another file"
        case _:
            why = f"cannot be read ({error.strerror}); name a file that can"
    return InputError(f"{place}: {why}")


def _describe(place: str) -> os.stat_result:
    try:
        return os.stat(place)
    except OSError as error:
        raise unreadable(place, error) from error


def _read(opened: FileIO, size: int, place: str) -> bytes:
    try:
        return opened.read(size) or b""
    except OSError as error:
        raise unreadable(place, error) from error


def _neighbours(place: str) -> str:
    folder, name = os.path.split(place)
    if folder and not os.path.isdir(folder):
        return f" (there is no folder {folder})"
    with suppress(OSError), os.scandir(folder or ".") as entries:
        return nearest(name, [entry.name for entry in islice(entries, 2000)])
    return ""
