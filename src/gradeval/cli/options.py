"""What the values of options mean: grades, tables of grades, topics, files."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any

import click

from gradeval._core import InputError

FILE = click.Path(
    allow_dash=True
)  # the readers say what is wrong with a file; the type completes names in a shell


class Grades(click.ParamType[Any]):
    """Grades separated by commas: 0,1,2."""

    name = "grades"

    def convert(self, value: Any, param: click.Parameter | None, _: click.Context | None) -> Any:
        """The grades as numbers."""
        accepts = "grades that ascend from 0, as in 0,1,2"
        return (
            value
            if isinstance(value, tuple)
            else tuple(_grade(part, value, param, accepts) for part in value.split(","))
        )


class Recoding(click.ParamType[Any]):
    """Grades and what they become: 4=3, or several as in 4=3,-2=0."""

    name = "old=new"

    def convert(self, value: Any, param: click.Parameter | None, _: click.Context | None) -> Any:
        """The pairs (old, new)."""
        if isinstance(value, tuple):
            return value
        accepts = "a grade and what it becomes, as in 4=3 or 4=3,-2=0"
        pairs = []
        for part in value.split(","):
            old, _, new = part.partition("=")
            pairs.append((_grade(old, value, param, accepts), _grade(new, value, param, accepts)))
        return tuple(pairs)


def merged(recodings: Iterable[Iterable[tuple[float, float]]]) -> dict[float, float]:
    """All recodings as one table; a grade cannot become two."""
    table: dict[float, float] = {}
    for old, new in (pair for pairs in recodings for pair in pairs):
        if table.setdefault(old, new) != new:
            raise InputError(
                f"--recode turns grade {old:g} into both {table[old]:g} and {new:g}; give one of the two"
            )
    return table


def _grade(text: str, value: str, param: click.Parameter | None, accepts: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{_name(param)} {value}: {text.strip()!r} is not a grade; accepted: {accepts}")
    return number


def _name(param: click.Parameter | None) -> str:
    return param.opts[-1] if param is not None else "option"


def topic_list(given: str) -> list[str]:
    """Topics from a file (the first word of each line; # begins a comment), else from a list with commas."""
    if not os.path.exists(given):
        topics = [topic.strip() for topic in given.split(",")]
        return [topic for topic in topics if topic]
    from gradeval.formats.files import read_bytes

    try:
        text = bytes(read_bytes(given)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"{given}: is not text; --topics takes a file with a topic a line, or a list as in 301,302"
        ) from None
    words = [line.split() for line in text.splitlines()]
    topics = [word[0] for word in words if word and not word[0].startswith("#")]
    if not topics:
        raise InputError(
            f"{given}: names no topic; --topics takes a file with a topic a line, or a list as in 301,302"
        )
    return topics
