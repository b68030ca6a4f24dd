"""LETOR text that breaks off in its last line, as a copy does that was stopped, where numbers are read all the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradeval.files.source import Source, open_file, read_some
from gradeval.warning_categories import FilesWarning, warn

TAIL = 1 << 18  # bytes at the end that are looked at
LEAST_LINES = 10
"""Lines above the last one that have to be alike."""
PIECE = 1 << 22  # bytes in which lines are counted
DECIMALS = re.compile(rb"\d+:[-+]?\d*[.](\d+)")


def warn_of_cut_line(source: Source) -> None:
    """A FilesWarning where a file ends without a line end, and its last line has less than all lines above it."""
    tail = _read_tail(source)
    if tail.endswith((b"\n", b"\r")):
        return
    lines = [line for line in tail.split(b"\n")[len(tail) == TAIL :] if line.split(b"#")[0].strip()]
    if len(lines) > LEAST_LINES and (said := describe_cut(lines[:-1], lines[-1])):
        warn(
            f"{source.place}:{_count_lines(source)}: seems to be cut, as the file ends without a line end, {said}; "
            "copy the file again, or end the line if it is whole",
            FilesWarning,
        )


def describe_cut(above: Sequence[bytes], last: bytes) -> str:
    """What the last line lacks that all lines above it have; empty: nothing."""
    ends = {_last_feature(line) for line in above}
    if len(ends) == 1 and _last_feature(last) < (end := ends.pop()):
        return f"and behind feature {_last_feature(last)}, where all lines above have {end}"
    words = {_words_of_comment(line) for line in above}
    if len(words) == 1 and _words_of_comment(last) < (many := words.pop()):
        return f"and with {_words_of_comment(last)} words behind #, where all lines above have {many}"
    decimals = {_last_decimals(line) for line in above}
    if b"#" not in last and len(decimals) == 1 and _last_decimals(last) < (places := decimals.pop()) > 1:
        return f"and its last number has fewer decimals than the {places} of all lines above"
    return ""


def _last_feature(line: bytes) -> int:
    """The number of the last feature of a line; -1: there is none."""
    words = line.split(b"#")[0].split()
    number = words[-1].partition(b":")[0] if words else b""
    return int(number) if number.isdigit() else -1


def _words_of_comment(line: bytes) -> int:
    return len(line.partition(b"#")[2].split())


def _last_decimals(line: bytes) -> int:
    """How many decimals the last number of a line has; -1: it has no point."""
    words = line.split(b"#")[0].split()
    found = DECIMALS.fullmatch(words[-1]) if words else None
    return -1 if found is None else len(found[1])


def _read_tail(source: Source) -> bytes:
    """The last bytes of a file."""
    if source.plain is None:
        return bytes(source.data[-TAIL:])
    with open_file(source) as file:
        file.seek(max(0, file.seek(0, 2) - TAIL))
        return read_some(file, TAIL, source.place)


def _count_lines(source: Source) -> int:
    if source.plain is None:
        return source.data.count(b"\n") + 1
    with open_file(source) as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: read_some(file, PIECE, source.place), b"")) + 1
