"""A file that is looked at before it is read."""

from __future__ import annotations

import os
from functools import cached_property

from gradeval.files.compressed import kind_of_compression
from gradeval.files.read import Buffer, name_place, read_content, steady_file
from gradeval.files.steady import SteadyFile
from gradeval.whole import Path

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
