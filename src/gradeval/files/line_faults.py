"""Every wrong line of TREC text: the reader names the first one only."""

from __future__ import annotations

from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import BytesIO
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np

from gradeval._core import InputError, Lines, Pools
from gradeval.collection.qrels import rule_of_judgments
from gradeval.files.column_names import InputKind
from gradeval.files.plain_text import quote
from gradeval.files.source import Source, changed, open_unpacked
from gradeval.formula.arithmetic import Array

NumberedLine: TypeAlias = tuple[int, bytes]
"""A line that says something, without blanks around it, and its number, from 1."""
AT_ONCE = 1000
"""Lines that are read at once to see whether one of them is wrong."""
MOST_KEPT = 1 << 27
"""Bytes of a text up to which its lines are kept."""


class LineFaults(NamedTuple):
    """What is wrong with the lines of a text.

    Attributes
    ----------
    said : a sentence of each wrong line, as the reader says it of the first; in their order, and not of all where
        fewer are asked for.
    number, right : how many lines are wrong, and how many are not.
    numbers : the numbers of the lines of which something is said, from 1.
    tagged : of how many nothing is said, as their tag alone is another one, which is said of a line before them.
    topics : what stands first in these lines.
    repeats : the numbers of the lines of which is said that they repeat a document.
    repeated : how many lines do.
    brief : ``said``, but of repeated documents the remedy is said once.
    rest : the lines that are right, where documents may come again; None: the text is too large to keep them.
    """

    said: list[str]
    number: int
    right: int
    topics: set[str]
    rest: bytes | None
    tagged: int = 0
    numbers: Sequence[int] = ()
    repeats: Sequence[int] = ()
    repeated: int = 0
    brief: Sequence[str] = ()


def _read_run(text: bytes, place: str) -> None:
    Lines.of_bytes(text, place).topics()


def _read_distinct(text: bytes, place: str) -> None:
    Lines.of_bytes(text, place).keeping("first").topics()


def _read_qrels(text: bytes, place: str) -> None:
    Pools.of_bytes(text, place, rule_of_judgments(None))


def _read_first_judgments(text: bytes, place: str) -> None:
    Pools.of_bytes(text, place, "first")


READERS: Mapping[InputKind, Callable[[bytes, str], None]] = {"qrels": _read_qrels, "run": _read_run}
OF_LINES: Mapping[InputKind, Callable[[bytes, str], None]] = {"qrels": _read_first_judgments, "run": _read_distinct}
"""The same for lines of which documents may come again."""


def find_line_faults(source: Source, kind: InputKind, most: int | None = None, again: bool = False) -> LineFaults:
    """The lines that have to be changed or left out for a text to be read: each of them cannot be read alone, has
    another tag than the first line that can be, or repeats a document; a judgment may come again as it is.

    The file is read line by line, twice where documents are repeated. That takes 24 bytes of memory for each line.

    ``most``: of how many lines something is said, and but once of another tag; None: of all. ``again``: may documents
    come again?
    """
    wrong = array("Q")
    first_wrong: list[NumberedLine] = []
    hashes, judgments = array("q"), array("q")
    size, rest, topics, alike = 0, bytearray(), set[str](), 0
    opening: NumberedLine | None = None
    with numbered_lines(source) as lines:
        while several := [*islice(lines, AT_ONCE)]:
            opening, bad = _part(several, opening, kind)
            wrong.extend(number for number, _ in bad)
            if most is None:
                first_wrong += bad
            else:
                tags, others = _part_by_tag(bad, opening, kind)
                alike += len(tags)
                first_wrong += sorted([*others, *(tags[:1] if alike == len(tags) else [])])[: most - len(first_wrong)]
            right = [*_without(several, [number for number, _ in bad])]
            hashes.extend(hash(_pair(line)) for _, line in right)
            if kind == "qrels":
                judgments.extend(hash(_judgment(line)) for _, line in right)
            size += sum(len(line) for _, line in several)
            if size < MOST_KEPT:
                topics.update(line.split(None, 1)[0].decode("utf-8", "replace") for _, line in bad)
                rest += b"".join(line + b"\n" for _, line in right)
            else:
                rest.clear()
    pairs, known = np.frombuffer(hashes, np.int64), np.frombuffer(judgments, np.int64)
    twice, repeated = ([], 0) if again else _find_repeated(pairs, known, most)
    faulty: list[list[NumberedLine]] = [[line] for line in first_wrong]
    if twice:
        with numbered_lines(source) as lines:
            faulty += _look_up(_without(lines, wrong), twice, source.place)
    faulty = sorted(faulty, key=lambda lines: lines[-1])[:most]
    said = [_say(lines, opening, source.place, kind) for lines in faulty]
    kept = bytes(rest) if size < MOST_KEPT else None
    numbers = [lines[-1][0] for lines in faulty]
    repeats = [lines[-1][0] for lines in faulty if len(lines) > 1]
    later = {*repeats[1:]}
    tagged = max(alike - 1, 0)
    brief = [
        _say_again(lines, source.place) if number in later else one
        for number, lines, one in zip(numbers, faulty, said, strict=True)
    ]
    return LineFaults(
        said, len(wrong) + repeated, len(hashes) - repeated, topics, kept, tagged, numbers, repeats, repeated, brief
    )


@contextmanager
def numbered_lines(source: Source) -> Iterator[Iterator[NumberedLine]]:
    """The lines of a text, in UTF-8, that are neither blank nor comments, while they are read from first to last."""
    with nullcontext(BytesIO(source.data)) if source.plain is None else open_unpacked(source) as file:
        yield _number(file)


def _number(file: Iterable[bytes]) -> Iterator[NumberedLine]:
    for number, whole in enumerate(file, 1):
        line = whole.removeprefix(BOM_UTF8) if number == 1 else whole
        line = line.removesuffix(b"\n").removesuffix(b"\r").lstrip(b" \t")
        if line and not line.startswith(b"#"):
            yield number, line


def _without(lines: Iterable[NumberedLine], numbers: Iterable[int]) -> Iterator[NumberedLine]:
    """The lines except those with some numbers, which ascend."""
    others = iter(numbers)
    other = next(others, 0)
    for number, line in lines:
        if number == other:
            other = next(others, 0)
        else:
            yield number, line


def _pair(line: bytes) -> tuple[bytes, bytes]:
    """The topic and the document of a line."""
    topic, _, document, *_ = line.split(None, 3)
    return topic, document


def _judgment(line: bytes) -> tuple[bytes, float]:
    """What a line of judgments says of its document."""
    _, iteration, _, grade = line.split()
    return iteration, float(grade)


def _part(
    lines: Sequence[NumberedLine], opening: NumberedLine | None, kind: InputKind
) -> tuple[NumberedLine | None, list[NumberedLine]]:
    """The first line that can be read, and those that are wrong."""
    bad: list[NumberedLine] = []
    left = iter(lines)
    while opening is None and (line := next(left, None)) is not None:
        if _can_read([line], b"", kind):
            opening = line
        else:
            bad.append(line)
    above = b"" if opening is None or kind == "qrels" else opening[1] + b"\n"
    return opening, [*bad, *_find_wrong([*left], above, kind)]


def _part_by_tag(
    bad: Sequence[NumberedLine], opening: NumberedLine | None, kind: InputKind
) -> tuple[list[NumberedLine], list[NumberedLine]]:
    """Of wrong lines those that have but another tag than the first one, so that each can be read alone; and others."""
    tags: list[NumberedLine] = []
    others: list[NumberedLine] = []
    for line in bad:
        after = opening is not None and line[0] > opening[0]
        (tags if after and _can_read([line], b"", kind) else others).append(line)
    return tags, others


def _find_wrong(lines: Sequence[NumberedLine], above: bytes, kind: InputKind) -> Iterator[NumberedLine]:
    """Those of some lines that cannot be read below another one, searched by halves."""
    if not lines or _can_read(lines, above, kind):
        return
    if len(lines) == 1:
        yield lines[0]
        return
    half = len(lines) // 2
    yield from _find_wrong(lines[:half], above, kind)
    yield from _find_wrong(lines[half:], above, kind)


def _can_read(lines: Sequence[NumberedLine], above: bytes, kind: InputKind) -> bool:
    try:
        OF_LINES[kind](b"\n" + above + b"\n".join(line for _, line in lines), "")  # no line begins the text
    except InputError:
        return False
    return True


def _find_repeated(hashes: Array, judgments: Array, most: int | None) -> tuple[list[tuple[int, int]], int]:
    """Which of these come again, as places of the first one and of this one, in their order; and how many do. What has
    judgments comes again with another one."""
    order = np.argsort(hashes, kind="stable")
    ascending = hashes[order]
    again = np.sort(order[1:][ascending[1:] == ascending[:-1]])
    first = order[np.searchsorted(ascending, hashes[again])]
    if len(judgments):
        other = judgments[first] != judgments[again]
        first, again = first[other], again[other]
    return [*zip(first[:most].tolist(), again[:most].tolist(), strict=True)], len(again)


def _say_again(lines: Sequence[NumberedLine], place: str) -> str:
    """Where a document comes again, without what to do about it."""
    (first, line), (number, _) = lines
    topic, document = (part.decode("utf-8", "replace") for part in _pair(line))
    return f"{place}:{number}: document {quote(document)} of topic {topic} again, as in line {first}"


def _look_up(lines: Iterable[NumberedLine], pairs: Sequence[tuple[int, int]], where: str) -> list[list[NumberedLine]]:
    """The lines at places in the file called ``where``."""
    wanted = {place for pair in pairs for place in pair}
    found = {place: line for place, line in enumerate(lines) if place in wanted}
    if len(found) < len(wanted):
        raise changed(where)
    return [[found[place] for place in pair] for pair in pairs]


def _say(lines: Sequence[NumberedLine], opening: NumberedLine | None, place: str, kind: InputKind) -> str:
    """What the reader says of a text with these lines only: the others are blank. The first right line is there, too,
    which tells the kind of the file."""
    if opening is not None and len(lines) == 1:
        lines = sorted([opening, *lines])
    text = bytearray(BOM_UTF8 if lines[0][1].startswith(BOM_UTF8) else b"")  # which the reader takes off
    above = 0
    for number, line in lines:
        text += b"\n" * (number - above - 1) + line + b"\n"
        above = number
    try:
        READERS[kind](bytes(text), place)
    except InputError as error:
        return str(error)
    raise changed(place)  # what could not be read can be read now
