"""Compressed data: recognised by their first bytes, unpacked member after member, up to a share of the memory.

The readers of the standard library (``bz2.open``, ``lzma.open``) ignore whatever follows the first member if they
cannot read it: a file with a damaged end would pass for a shorter one. Hence the loop over members here.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeAlias

from gradeval._core import InputError

CompressionName: TypeAlias = Literal["gzip", "bzip2", "xz", "Zstandard"]

CHUNK = 1 << 12  # compressed bytes at a time: at most some 100 MB unpacked
MOST = 1 << 24  # unpacked bytes at a time, where a decompressor takes a limit
SHARE = 0.5  # of the memory that unpacked data may take


class Decompression(NamedTuple):
    """A function that makes the decompressor of a new member, and the errors that this raises for damaged data."""

    member: Callable[[], Any]
    refusals: tuple[type[Exception], ...]


def kind_of_compression(data: bytes | bytearray) -> CompressionName | None:
    """How data are compressed, recognised by their first bytes; None: not at all."""
    head = data[:10]
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"BZh") and head[4:] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return "bzip2"
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    # A frame, or a skippable frame as parallel compressors put first.
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        return "Zstandard"
    return None


def decompress(data: bytes | bytearray, kind: CompressionName, place: str) -> bytearray:
    """Unpack compressed data: one member or several in a row, with zeros as padding between them.

    ``place`` names the file in errors. Data that end too early, are damaged, or unpack to more than half of the free
    memory are InputErrors, and so is a missing package.
    """
    view, limit = memoryview(data), memory_at_hand() * SHARE
    chunks = (view[at : at + CHUNK] for at in range(0, len(view), CHUNK))
    unpacked = bytearray()
    for piece in unpack(chunks, kind, place):
        unpacked += piece
        if len(unpacked) > limit:
            raise InputError(
                f"{place}: the {kind} data unpack to more than {round(limit / 1e6)} MB, {SHARE:.0%} of the memory at "
                "hand; unpack the file on disk and name that one"
            )
    return unpacked


def unpack(chunks: Iterable[memoryview | bytes], kind: CompressionName, place: str) -> Iterator[bytes]:
    """The pieces of what compressed data unpack to, as the data come; errors as in ``decompress``."""
    form = FORMATS[kind]()
    if form is None:
        from gradeval.extras import install_hint  # here, as most have it

        raise InputError(
            f"{place}: reading {kind} data needs the package zstandard (or Python 3.14): {install_hint('zstd')}"
        )
    try:
        yield from _members(iter(chunks), form.member)
    except EOFError:
        raise InputError(f"{place}: the {kind} data end too early (truncated?); copy the file again") from None
    except form.refusals as error:
        raise InputError(f"{place}: the {kind} data are damaged ({error}); copy the file again") from error


def memory_at_hand() -> float:
    """Bytes of memory that this process may fill, as far as the system says: less than the machine has where a
    container or ``ulimit -v`` sets a limit. Infinity on Windows, which refuses memory that it does not have."""
    limits = [math.inf]
    if hasattr(os, "sysconf"):
        limits.append(float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")))
    with suppress(OSError, ValueError, IndexError), open("/proc/meminfo", encoding="ascii") as file:
        limits += [float(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            limits.append(float(file.read()))  # not a number where there is no limit
    with suppress(ImportError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits += [float(soft)] if soft != resource.RLIM_INFINITY else []
    return min(limits)


def _members(chunks: Iterator[memoryview | bytes], begin: Callable[[], Any]) -> Iterator[bytes]:
    chunk: memoryview | bytes | None = next(chunks, None)
    while chunk is not None:
        member = begin()
        while not member.eof:
            if chunk is None:
                raise EOFError
            yield from _pieces(member, chunk)
            chunk = member.unused_data if member.eof else next(chunks, None)
        while chunk is not None and not (chunk := bytes(chunk).lstrip(b"\0")):
            chunk = next(chunks, None)


def _pieces(member: Any, chunk: memoryview | bytes) -> Iterator[bytes]:
    """Unpack some more bytes of a member, in pieces where its decompressor can limit its output."""
    if not hasattr(member, "needs_input"):
        yield member.decompress(chunk)
        return
    yield member.decompress(chunk, MOST)
    while not (member.needs_input or member.eof):
        yield member.decompress(b"", MOST)


def _gzip() -> Decompression:
    import zlib

    return Decompression(lambda: zlib.decompressobj(wbits=16 + zlib.MAX_WBITS), (zlib.error,))


def _bzip2() -> Decompression:
    from bz2 import BZ2Decompressor

    return Decompression(BZ2Decompressor, (OSError, ValueError))


def _xz() -> Decompression:
    from lzma import FORMAT_XZ, LZMADecompressor, LZMAError

    return Decompression(lambda: LZMADecompressor(FORMAT_XZ), (LZMAError,))


def _zstandard() -> Decompression | None:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor, ZstdError

        return Decompression(ZstdDecompressor, (ZstdError,))
    try:
        import zstandard
    except ImportError:
        return None
    return Decompression(lambda: zstandard.ZstdDecompressor().decompressobj(), (zstandard.ZstdError,))


FORMATS: dict[CompressionName, Callable[[], Decompression | None]] = {
    "gzip": _gzip,
    "bzip2": _bzip2,
    "xz": _xz,
    "Zstandard": _zstandard,
}
