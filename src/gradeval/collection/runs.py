"""Run: one system's ranked documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gradeval._core import InputError, Lines


@dataclass(frozen=True, eq=False)
class Run:
    """One system's documents with their scores, by topic.

    The lines are parsed only when they are needed: when the run is judged (every line is then checked), or for
    ``topics``, ``of`` and ``len``.

    Attributes
    ----------
    lines : the lines, from a file, a mapping or a table.
    name : what the run is called in tables: its tag, its file name, or a name that the caller chose.
    place : where it came from, for messages.
    header : the comments above the first line, such as those of ir_metadata (``# tag: bm25``), each with its #; they
        are written back.
    """

    lines: Lines
    name: str
    place: str = ""
    header: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], name: str = "run") -> Self:
        """A run from ``{topic: {document: score}}``; scores are any int, float or NumPy number."""
        return cls(Lines.of_mapping(scores, name), name, name)

    @property
    def topics(self) -> list[str]:
        """Topics in the order in which they first appear."""
        return self.lines.topics()

    def of(self, topic: str) -> dict[str, float]:
        """``{document: score}`` of one topic."""
        try:
            return self.lines.of(topic)
        except KeyError:
            raise InputError(f"{self.place or self.name}: no topic {topic!r} among its {len(self.topics)}") from None

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.lines)

    def __repr__(self) -> str:
        return f"Run({self.name!r})"
