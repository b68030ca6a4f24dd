"""Every wrong line of csv and of JSON with a record a line: their readers name the first one only."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from gradeval._core import InputError
from gradeval.collection.qrels import RepeatedGrades
from gradeval.files.column_names import InputKind
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import decode
from gradeval.files.readers import RecordReader, record_reader
from gradeval.files.separated_rows import rows_as_lines
from gradeval.files.source import Buffer, Source
from gradeval.messages import join_names

NumberedText: TypeAlias = tuple[int, str]
"""A line that is not blank, and its number, from 1; all lines of a row of csv whose cells hold line ends."""
QUOTING = ",;"
"""What separates columns whose cells may hold line ends, in quotes."""
TRIED = 1000
"""Lines among which one is looked for that can be read."""
SHOWN = 100
"""Right lines beside which a line is read: what columns and fields mean, a reader tells by several."""


ROUNDS = 4
"""How often words among the grades are looked for: a reader names some at a time."""


class RecordFaults(NamedTuple):
    """What is wrong with the lines of a text: a sentence of each, and whether there are further ones.

    ``bad``: the numbers of these lines. ``worded``: the numbers of lines with words among the grades, of which nothing
    is said; empty where there are too many.
    """

    said: list[str]
    more: bool
    bad: frozenset[int] = frozenset()
    worded: tuple[int, ...] = ()


class _Excerpt(Source):
    """Some lines of a file, as if it held no others."""

    def __init__(self, whole: Source, text: str, repeated: RepeatedGrades | None) -> None:
        super().__init__(whole, repeated=repeated)
        self._text = text

    @cached_property
    def plain(self) -> bytes | None:
        """Nothing: the core does not read it by itself."""
        return None

    @cached_property
    def data(self) -> Buffer:
        """The text in UTF-8."""
        return self._text.encode()


def find_record_faults(
    given: object,
    kind: InputKind,
    format: str | None,
    columns: Columns,
    encoding: str | None,
    repeated: RepeatedGrades | None,
    most: int | None,
) -> RecordFaults:
    """The wrong lines of a file of csv or JSON that cannot be read; none where it is another one, or no file.

    ``most``: of how many lines something is said; None: of all. ``repeated``: what counts of a repeated document.
    """
    if isinstance(given, str | os.PathLike):
        with suppress(InputError):  # which its reader has said
            how: dict[str, Any] = {"format": format, "encoding": encoding}
            if (one := record_reader(kind, os.fspath(given), columns=columns, **how)) is None:
                return RecordFaults([], False)
            words: dict[str, float] = {}
            worded: tuple[int, ...] = ()
            for _ in range(ROUNDS):
                numbered = columns.with_words(words)
                beyond = record_reader(kind, os.fspath(given), columns=numbered, **how) or one
                found = _find_faults(_Text(beyond, numbered.unnumbered), most, repeated)
                if numbered.words.keys() >= (more := dict.fromkeys(numbered.unnumbered, 0.0)).keys():
                    break
                worded = worded or found.worded
                words |= more
            return _with_words(_Text(one, columns.unnumbered), found, worded) if words else found
    return RecordFaults([], False)


def _with_words(text: _Text, other: RecordFaults, worded: Sequence[int]) -> RecordFaults:
    """The faults, and before them what is said of words among the grades: once, as one option reads them all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = text.say([line for line in text.lines if line[0] not in other.bad], "first")
    where = f"; words stand in lines {join_names([*map(str, worded)])}" if len(worded) > 1 else ""
    return other._replace(said=[f"{said}{where}", *other.said]) if said else other


def _find_faults(text: _Text, most: int | None, repeated: RepeatedGrades | None) -> RecordFaults:
    """The lines that have to be changed or left out for a text to be read: each cannot be read beside right ones.

    Of documents that are repeated only the first is found. Nothing is, where lines do not stand for themselves, as in a
    list of JSON. Of words among the grades nothing is said here.
    """
    text.unnumbered.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the reader warns of, it says of the whole
        beside = text.find_right()
        if not beside:
            return RecordFaults([], False)
        wrong = [*islice(text.find_wrong(text.lines, beside), None if most is None else most + 1)]
        told = wrong[:most]
        lone = [line for line in beside if "\n" not in line[1]] or beside  # an open quote would end in cells of others
        said = {number: text.say_of_other([*lone, (number, line)], "first") for number, line in told}
        worded = tuple(number for number, one in said.items() if not one)
        bad = {number for number, _ in wrong}
        if len(told) == len(wrong):  # else there is more to mend before
            right = [line for line in text.lines if line[0] not in bad]
            said[text.last + 1] = text.say_of_other(right, repeated)
    every = [one for _, one in sorted(said.items()) if one]
    of_lines = len({*every}) == len(every)  # else the reader says the same of each: it is about the whole file
    more = len(told) < len(wrong)
    return RecordFaults(every if of_lines else [], of_lines and more, frozenset(bad), () if more else worded)


class _Text:
    """The lines of a text, and what its reader says of some of them.

    ``unnumbered``: where the reader puts words among the grades that have no number.
    """

    def __init__(self, of: RecordReader, unnumbered: dict[str, None]) -> None:
        self.unnumbered = unnumbered
        lines = [line.rstrip("\r") for line in decode(of.source.data, of.source.place).split("\n")]
        first = next((line for line in lines if line.strip()), "")
        delimiter = max(QUOTING, key=first.count)
        quoting = of.head > 0 and delimiter in first and "\t" not in first
        rows = rows_as_lines(lines, delimiter) if quoting else enumerate(lines, 1)
        filled = [row for row in rows if row[1].strip()]
        self.source, self.read, self.last = of.source, of.read, len(lines)
        self.head, self.lines = filled[: of.head], filled[of.head :]

    def say(self, lines: Sequence[NumberedText], repeated: RepeatedGrades | None) -> str:
        """What the reader says of a text with these lines only, where they stand; empty: it can be read."""
        text: list[str] = []
        for number, line in [*self.head, *sorted(lines)]:
            text += [""] * (number - 1 - len(text)) + line.split("\n")
        return self._read(text, repeated)

    def say_of_other(self, lines: Sequence[NumberedText], repeated: RepeatedGrades | None) -> str:
        """The same, but nothing of words among the grades."""
        before = {*self.unnumbered}
        self.unnumbered.clear()
        said = self.say(lines, repeated)
        of_words = bool(self.unnumbered)
        self.unnumbered.update(dict.fromkeys(before))
        return "" if of_words else said

    def _can_read(self, lines: Sequence[NumberedText]) -> bool:
        """Can these lines be read, of which none stands where it stood? A reader is faster without blank lines."""
        return not self._read([line for _, line in [*self.head, *lines]], "first")

    def _read(self, text: Sequence[str], repeated: RepeatedGrades | None) -> str:
        try:
            self.read(_Excerpt(self.source, "\n".join(text) + "\n", repeated))
        except InputError as error:
            return str(error)
        return ""

    def find_right(self) -> list[NumberedText]:
        """Some right lines, with the first one that can be read by itself; empty: there is none."""
        first = next((line for line in self.lines[:TRIED] if self._can_read([line])), None)
        if first is None:
            return []
        bad = {number for number, _ in self.find_wrong(self.lines[:SHOWN], [first])}
        return [first, *(line for line in self.lines[:SHOWN] if line[0] not in bad and line != first)]

    def find_wrong(self, lines: Sequence[NumberedText], beside: Sequence[NumberedText]) -> Iterator[NumberedText]:
        """Those of some lines that cannot be read beside others, searched by halves."""
        known = {number for number, _ in lines}
        if not lines or self._can_read([*(line for line in beside if line[0] not in known), *lines]):
            return
        if len(lines) == 1:
            yield lines[0]
            return
        half = len(lines) // 2
        yield from self.find_wrong(lines[:half], beside)
        yield from self.find_wrong(lines[half:], beside)
