"""Comments in TREC text that have the columns of data: perhaps they are data whose topics begin with ``#``."""

from __future__ import annotations

from typing import NamedTuple


class SkippedLines(NamedTuple):
    """How many such lines a file has, as trec_eval skips them, too.

    Attributes
    ----------
    number : how many.
    line : the number of the first, from 1.
    text : that line, or its beginning.
    """

    number: int
    line: int
    text: str

    def __str__(self) -> str:
        """What a reader should know, in a line."""
        lines = "1 line that begins" if self.number == 1 else f"{self.number} lines that begin"
        return (
            f"{lines} with # {'is' if self.number == 1 else 'are'} skipped, as trec_eval does (line {self.line}: "
            f"{self.text!r}); write such topics as csv or JSON"
        )
