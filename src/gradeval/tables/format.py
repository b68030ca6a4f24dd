"""The registry of formats: each is one decorated function that writes a result to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, TypeAlias

from gradeval.tables.result import Result

Writer: TypeAlias = Callable[[Result, IO[bytes]], None]
Text: TypeAlias = Callable[[Result], Iterable[str]]


@dataclass(frozen=True)
class Format:
    """How a result is written.

    Attributes
    ----------
    name : what the command line calls it.
    write : writes a result to a binary file.
    suffix : files that end so are written in this format where none is named.
    intervals : can it show confidence intervals?
    text : may it go to a terminal or a pipe?
    """

    name: str
    write: Writer
    suffix: str
    intervals: bool = True
    text: bool = True


FORMATS: dict[str, Format] = {}
"""Every format by its name."""


def binary_format(suffix: str, *, intervals: bool = True, text: bool = False) -> Callable[[Writer], Writer]:
    """Register a function that writes a result to a binary file; its name is the format's."""

    def register(write: Writer) -> Writer:
        FORMATS[write.__name__] = Format(write.__name__, write, suffix, intervals, text)
        return write

    return register


def text_format(suffix: str, *, intervals: bool = True) -> Callable[[Text], Text]:
    """Register a function that gives the text of a result in pieces; its name is the format's."""

    def register(text: Text) -> Text:
        def write(result: Result, file: IO[bytes]) -> None:
            for piece in text(result):
                file.write(piece.encode())

        FORMATS[text.__name__] = Format(text.__name__, write, suffix, intervals)
        return text

    return register
