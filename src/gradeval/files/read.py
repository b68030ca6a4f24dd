"""Files: their bytes in, plain or compressed; whole files out, or none."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from itertools import islice
from mmap import ACCESS_READ, mmap
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.checks import nearest
from gradeval.files.compressed import decompressed, kind_of_compression

Path: TypeAlias = str | os.PathLike[str]
Buffer: TypeAlias = bytes | bytearray | mmap

STANDARD = "-"
MAPPED_FILES = 128  # each mapping holds a descriptor; macOS gives a process 256


def read_bytes(path: Path) -> Buffer:
    """The bytes of a file, unpacked where they begin as gzip, bzip2, xz or Zstandard data do.

    A plain file is mapped into memory, not copied. ``-`` is standard input. A file that is missing, that may
    not be read, or whose compressed data are truncated or damaged is an InputError.
    """
    data = _standard_input() if os.fspath(path) == STANDARD else _content(os.fspath(path))
    kind = kind_of_compression(data)
    return data if kind is None else decompressed(data, kind, name_place(path))


def name_place(path: Path) -> str:
    """How messages call a file: its path as given, or standard input."""
    place = os.fspath(path)
    return "standard input" if place == STANDARD else place


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input: is closed; name a file")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); name a file") from error


def _content(place: str) -> Buffer:
    try:
        with open(place, "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            # Pipes and empty files cannot be mapped.
            if stat.S_ISREG(status.st_mode) and status.st_size and file.fileno() < MAPPED_FILES:
                with suppress(OSError):
                    return mmap(file.fileno(), 0, access=ACCESS_READ)
            return file.readall()
    except OSError as error:
        raise InputError(f"{place}: {_unreadable(place, error)}") from error


def _unreadable(place: str, error: OSError) -> str:
    match error:
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
