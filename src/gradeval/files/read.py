"""Read the bytes of files, plain or compressed."""

from __future__ import annotations

import os
import sys
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.files.compressed import decompress, kind_of_compression
from gradeval.files.steady import SteadyFile, read_stream
from gradeval.whole import STANDARD
from gradeval.whole import Path as Path

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


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input: is closed; name a file")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror}); name a file") from error
