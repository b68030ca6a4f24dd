"""The bytes of a file: looked at before it is read, plain or compressed, and read once."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from glob import glob, has_magic
from io import BufferedReader, BytesIO, FileIO, RawIOBase
from itertools import chain, islice
from shlex import quote
from types import MappingProxyType
from typing import Any, TypeAlias

from gradeval._core import InputError, read_file
from gradeval.atomic_files import STANDARD, Path
from gradeval.collection.qrels import RepeatedGrades
from gradeval.files.compressed import CHUNK, decompress, kind_of_compression, memory_at_hand, unpack
from gradeval.messages import nearest

BEGINNING = 1 << 16
PARQUET = b"PAR1"
FEATHER = (b"ARROW1", b"\xff\xff\xff\xff")
"""How a file of Feather begins, and a stream of Arrow."""
COLUMNAR = (PARQUET, *FEATHER)
"""How files of columns begin, which pyarrow reads."""


def are_alike(alike: Callable[[str, str], bool], place: str, other: str) -> bool:
    """Are both places files, and alike, as by ``os.path.samefile``?"""
    with suppress(OSError):
        return alike(place, other)
    return False


class Source(os.PathLike[str]):
    """A file of which the beginning is looked at first, to recognise its format, and then all bytes, once.

    So standard input, pipes and compressed files, which can be read but once, are recognised like any other. It is a
    path, too: a reader that takes a path takes it. What was read stays as it is, whatever happens to the file; where
    the bytes begin otherwise than before, that is an InputError.

    ``repeated``: what counts where a topic has a document several times; None: it may not. ``encoding``: of the text;
    default: UTF-8. Text that begins with the mark of UTF-16 is read as that, whatever is named. ``keys``: what the
    folders of a part are called after, as in ``topic=301/part-0.csv``. ``named_format``: does the user name the format?
    """

    keys: Mapping[str, str] = MappingProxyType({})
    named_format = False

    def __init__(self, path: Path, *, repeated: RepeatedGrades | None = None, encoding: str | None = None) -> None:
        self._path = os.fspath(path)
        self.repeated = repeated
        self.encoding = None if encoding is None else require_encoding(encoding)

    def __fspath__(self) -> str:
        return self._path

    @property
    def repeats(self) -> bool:
        """May a document come several times in a topic?"""
        return self.repeated is not None

    @property
    def place(self) -> str:
        """The name of the file in messages."""
        return name_place(self._path)

    @cached_property
    def plain(self) -> bytes | None:
        """The first bytes of a file of plain text, which the core can read by itself; None for what is compressed,
        in another encoding than UTF-8, empty or can be read but once."""
        if self.encoding is not None or not size_of(self._path):
            return None
        with open_file(self._path) as file:
            beginning = read_some(file, BEGINNING, self._path)
        return None if kind_of_compression(beginning) or beginning.startswith(UTF_16) else beginning

    @cached_property
    def data(self) -> Buffer:
        """All bytes, unpacked, and in UTF-8 where the encoding is known."""
        data = read_bytes(self._path)
        if self.plain is not None and not data.startswith(self.plain):
            raise changed(self.place)
        marked = data.startswith(UTF_16) and self.encoding != "utf-32"  # whose mark begins alike
        encoding = "utf-16" if marked else self.encoding
        return (
            data
            if encoding is None or data.startswith(COLUMNAR)
            else recode(data, encoding, self.place, named=encoding == self.encoding)
        )

    @property
    def is_folder(self) -> bool:
        """Is it a folder? Plain files are not asked again."""
        return self.plain is None and os.path.isdir(self._path)

    @property
    def parts(self) -> Sequence[Source]:
        """The files that make up this one: itself, unless it is a folder of parts."""
        return [self]

    @property
    def beginning(self) -> bytes:
        """The first bytes, unpacked."""
        return bytes(self.data[:BEGINNING]) if self.plain is None else self.plain


def as_source(path: Path) -> Source:
    """The path as a source; a source stays the same, with what it has read."""
    return path if isinstance(path, Source) else Source(path)


Buffer: TypeAlias = bytes | bytearray
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks that stand first in text in UTF-16, as Excel's "Unicode text" does."""


def require_encoding(name: str) -> str:
    """The name of an encoding of text that Python knows; an error for others."""
    try:
        known = codecs.lookup(name)
    except LookupError:
        raise InputError(
            f"encoding {name!r} is not known; accepted are names as utf-8, cp1252, utf-16, shift_jis"
        ) from None
    if not known._is_text_encoding:
        raise InputError(f"encoding {name!r} is none of text; accepted are names as utf-8, cp1252, utf-16, shift_jis")
    return known.name


def recode(data: Buffer, encoding: str, place: str, *, named: bool = False) -> bytes:
    """Text of another encoding in UTF-8; ``named``: does the user say so, of all files?"""
    for_all = "the encoding that you name is for all files: save each as UTF-8 (iconv -f ENCODING -t utf-8 FILE > NEW)"
    wide = encoding.startswith(("utf-16", "utf-32"))  # in which each digit has a byte 0
    if named and encoding != "utf-8" and (_is_plainly_utf_8(data) or (wide and data.isascii() and b"\0" not in data)):
        raise InputError(f"{place}: is UTF-8, and {encoding} would garble it; {for_all}, and name none")
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        line = data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        remedy = f"{for_all}, and name none" if named else "name its encoding, or save it as UTF-8"
        raise InputError(f"{place}:{line}: is not valid {encoding}; {remedy}") from None


def _is_plainly_utf_8(data: Buffer) -> bool:
    """Is it text with letters beyond ASCII in UTF-8? Such bytes mean nothing, or garbled letters, elsewhere."""
    if data.isascii() or b"\0" in data:  # as text in UTF-16 has
        return False
    with suppress(UnicodeDecodeError):
        data.decode()
        return True
    return False


def read_bytes(path: Path) -> Buffer:
    """The bytes of a file, unpacked where they begin as gzip, bzip2, xz or Zstandard data do.

    They are a copy: what happens to the file later does not change them. ``-`` is standard input. A file that is
    missing, that may not be read, that changes while it is read, or whose compressed data are truncated, damaged or too
    large for the memory is an InputError.
    """
    data = read_as_is(path)
    kind = kind_of_compression(data)
    return data if kind is None else decompress(data, kind, name_place(path))


@contextmanager
def open_unpacked(path: Path) -> Iterator[BufferedReader]:
    """The bytes of a file of any size, unpacked as ``read_bytes`` does, while they are read from first to last."""
    place = os.fspath(path)
    if place == STANDARD:
        yield BufferedReader(BytesIO(read_bytes(place)))
        return
    with open_file(place) as file:
        first = read_some(file, CHUNK, place)
        kind = kind_of_compression(first)
        size = BEGINNING if kind is None else CHUNK
        pieces = chain([first], iter(lambda: read_some(file, size, place), b""))
        yield BufferedReader(_Pieces(pieces if kind is None else unpack(pieces, kind, place)), BEGINNING)


class _Pieces(RawIOBase):
    """Bytes that come in pieces, as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        """Can it be read?"""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0: there are no more bytes."""
        while not self.rest:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.rest = memoryview(piece)
        size = min(len(buffer), len(self.rest))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size


def read_as_is(path: Path) -> bytes:
    """The bytes of a file, standard input or a pipe, packed or not."""
    place = os.fspath(path)
    if place == STANDARD:
        return _standard_input()
    with open_file(place) as file:
        status = os.fstat(file.fileno())
        size = status.st_size
        if not _has_size(status):
            return read_some(file, -1, place)
        if size > LARGE and size > memory_at_hand():
            raise InputError(
                f"{place}: {size / 1e9:.1f} GB do not fit into the memory at hand; give a plain run to evaluate() or "
                "the commands by its path: they read a few megabytes at a time"
            )
        return read_file(file.fileno(), place)


def size_of(path: Path) -> int:
    """The bytes of a file that can be read twice; 0 where it is empty, or a pipe, a device or standard input.

    A file that is missing or may not be looked at is an InputError.
    """
    place = os.fspath(path)
    if place == STANDARD:
        return 0
    try:  # nothing is opened: a pipe that is opened and closed again loses its writer
        status = os.stat(place)
    except OSError as error:
        raise unreadable(place, error) from error
    return status.st_size if _has_size(status) else 0


def _has_size(status: os.stat_result) -> bool:
    """Special files may look regular, report a size of 0 and yield bytes all the same."""
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def open_file(path: Path) -> FileIO:
    """A file, opened to be read."""
    place = os.fspath(path)
    try:
        return open(place, "rb", buffering=0)
    except OSError as error:
        raise unreadable(place, error) from error


def read_some(file: FileIO, size: int, place: str) -> bytes:
    """The next bytes of an open file, this many at most; -1: all."""
    try:
        return file.read(size) or b""
    except OSError as error:
        raise unreadable(place, error) from error


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


ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
"""How the address of a page or of a bucket begins."""
LARGE = 1 << 30  # bytes from which on it is worth asking whether they fit into memory


def changed(place: str) -> InputError:
    """The error for a file that changed."""
    return InputError(f"{place}: the file changed while it was read; wait until it is complete, then read it again")


def unreadable(place: str, error: OSError) -> InputError:
    """The error for a file that cannot be read."""
    match error:
        case FileNotFoundError() if has_magic(place) and (fitting := sorted(glob(place))):
            why = (
                "is a pattern, and one file is read here (for judgments: or a folder); name it, as in "
                f"{quote(fitting[0])}; if the files are folds, score each: docs/ratings.md, Folds"
            )
        case FileNotFoundError() if has_magic(place):
            why = "no such file, and no file fits it as a pattern"
        case FileNotFoundError() if ADDRESS.match(place):
            why = "is an address, and no file; download it, and name the file"
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


def _neighbours(place: str) -> str:
    folder, name = os.path.split(place)
    if folder and not os.path.isdir(folder):
        return f" (there is no folder {folder})"
    with suppress(OSError), os.scandir(folder or ".") as entries:
        return nearest(name, [entry.name for entry in islice(entries, 2000)])
    return ""
