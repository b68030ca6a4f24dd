"""What a table or figure of a text is here: an existing study with its settings, its question, and what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gradeval._core import InputError
from gradeval.messages import nearest

TEXTS = ("robertson10", "ferro14", "scheel11", "sakai05", "zhai16")
"""The five texts, by the names under which the documentation cites them."""

Takes: TypeAlias = Literal[
    "QRELS RUNS...", "QRELS [RUNS...]", "QRELS RUNS... | --collection NAME QRELS RUNS ...", "FILES...", "PARTS...", ""
]
"""What an item is computed from, as its command writes it; nothing for simulations and worked examples."""

TypedParameters: TypeAlias = Mapping[str, str | Literal[True] | tuple[str, ...]]
"""Parameters of a study as they are typed on the command line; True for a flag, a tuple for an option given again."""


@dataclass(frozen=True)
class Printed:
    """How the numbers that a text prints are compared with numbers of one's own files.

    Attributes
    ----------
    contrast : the field of the records along which the text compares; None where numbers are to agree digit by digit.
    against : the word of that field with which the others are compared.
    trivial : columns in which that comparison says nothing.
    """

    contrast: str | None = None
    against: str = ""
    trivial: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """A table or figure of a text, for any collection.

    Attributes
    ----------
    text, name : its two words, as in ``ferro14 table2``.
    question : what it asks.
    study : the study that computes it, by its name; or "crossval".
    takes : what it needs.
    originals : what the text computed it from, and where to get that.
    settings : of the study, its defaults here.
    grades : the positive grades that the collection must have; 0 for any number of them.
    differs : what is not as in the text.
    printed : how its printed numbers are compared; None where the text has none.
    lost : why it has none.
    """

    text: str
    name: str
    question: str
    study: str
    takes: Takes
    originals: str
    settings: TypedParameters = field(default_factory=dict)
    grades: int = 0
    differs: str = ""
    printed: Printed | None = None
    lost: str = "a picture, which prints no numbers"

    def __str__(self) -> str:
        return f"{self.text} {self.name}"


def require_text(text: str) -> None:
    """An InputError where there is no such text."""
    if text not in TEXTS:
        raise InputError(f"there is no text {text!r}{nearest(text, TEXTS)}; there are {', '.join(TEXTS)}")
