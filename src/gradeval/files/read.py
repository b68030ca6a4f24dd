"""Read the bytes of files, plain or compressed."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from glob import has_magic
from io import FileIO
from itertools import islice
from typing import TypeAlias

from gradeval._core import InputError, read_file
from gradeval.checks import nearest
from gradeval.files.compressed import decompress, kind_of_compression, memory_at_hand

Path: TypeAlias = str | os.PathLike[str]
Buffer: TypeAlias = bytes | bytearray

STANDARD = "-"
BEGINNING = 1 << 16
LARGE = 1 << 30  # bytes from which on it is worth asking whether they fit into memory


def read_bytes(path: Path) -> Buffer:
    """The bytes of a file, unpacked where they begin as gzip, bzip2, xz or Zstandard data do.

    They are a copy: what happens to the file later does not change them. ``-`` is standard input. A file that is
    missing, that may not be read, that changes while it is read, or whose compressed data are truncated, damaged or too
    large for the memory is an InputError.
    """
    data = _standard_input() if os.fspath(path) == STANDARD else _content(os.fspath(path))
    kind = kind_of_compression(data)
    return data if kind is None else decompress(data, kind, name_place(path))


def read_beginning(path: Path) -> bytes | None:
    """The first bytes of a file of plain text, which the core can read in ranges.

    None for everything else (standard input, pipes, compressed and empty files): use ``read_bytes`` for these. A
    file that is missing or may not be read is an InputError.
    """
    place = os.fspath(path)
    if place == STANDARD:
        return None
    try:
        if not stat.S_ISREG(os.stat(place).st_mode):
            return None  # not opened: a pipe that is opened and closed again loses its writer
        with open(place, "rb", buffering=0) as file:
            beginning = file.read(BEGINNING)
    except OSError as error:
        raise InputError(f"{place}: {_unreadable(place, error)}") from error
    return None if not beginning or kind_of_compression(beginning) else beginning


def name_place(path: Path) -> str:
    """The name of a file in messages: its path, or "standard input"."""
    place = os.fspath(path)
    return "standard input" if place == STANDARD else place


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input: is closed; name a file")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); name a file") from error


def _content(place: str) -> bytes:
    try:
        with open(place, "rb", buffering=0) as file:
            # Special files may report a size of 0 and yield bytes all the same.
            if _is_regular(file) and (size := os.fstat(file.fileno()).st_size):
                _require_memory(size, place)
                return read_file(file.fileno(), place)
            return file.readall()
    except OSError as error:
        raise InputError(f"{place}: {_unreadable(place, error)}") from error


def _require_memory(size: int, place: str) -> None:
    if size > LARGE and size > memory_at_hand():
        raise InputError(
            f"{place}: {size / 1e9:.1f} GB do not fit into the memory at hand; give a plain run to evaluate() or the "
            "commands by its path: they read a few megabytes at a time"
        )


def _is_regular(file: FileIO) -> bool:
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _unreadable(place: str, error: OSError) -> str:
    match error:
        case FileNotFoundError() if has_magic(place):
            return "no such file, and no file fits it as a pattern"
        case FileNotFoundError():
            return f"no such file{_neighbours(place)}"
        case NotADirectoryError():
            return f"no such file ({os.path.dirname(place)} is not a folder)"
        case IsADirectoryError():
            return f"is a folder; name a file in it, as in {os.path.join(place, 'FILE')}"
        case PermissionError():
            return "may not be read (permission denied); change its permissions or name another file"
        case _:
            return f"cannot be read ({error.strerror}); name a file that can"


def _neighbours(place: str) -> str:
    folder, name = os.path.split(place)
    if folder and not os.path.isdir(folder):
        return f" (there is no folder {folder})"
    with suppress(OSError), os.scandir(folder or ".") as entries:
        return nearest(name, [entry.name for entry in islice(entries, 2000)])
    return ""
