"""What the values of options mean: grades, tables of grades, topics, files."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence

import click

from gradeval._core import InputError

# The readers say what is wrong with a file; the type completes names in a shell.
FILE = click.Path(allow_dash=True, readable=False)


def read_levels(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    """The value of --levels: grades separated by commas."""
    accepts = "grades that ascend from 0, as in 0,1,2"
    return None if text is None else tuple(_grade(part, "--levels", text, accepts) for part in text.split(","))


def read_recoding(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[float, float]:
    """The values of --recode: grades and what they become, 4=3 or 4=3,-2=0; a grade cannot become two."""
    accepts = "a grade and what it becomes, as in 4=3 or 4=3,-2=0"
    table: dict[float, float] = {}
    for text in texts:
        for part in text.split(","):
            before, _sign, after = part.partition("=")
            old, new = (_grade(grade, "--recode", text, accepts) for grade in (before, after))
            if table.setdefault(old, new) != new:
                raise InputError(
                    f"--recode turns grade {old:g} into {table[old]:g} and into {new:g}; give one of the two"
                )
    return table


def _grade(text: str, option: str, value: str, accepts: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{option} {value}: {text.strip()!r} is not a grade; accepted: {accepts}")
    return number


def topic_list(given: str) -> list[str]:
    """Topics from a file (the first word of each line; # begins a comment), else from a list with commas."""
    if not os.path.exists(given):
        topics = [topic.strip() for topic in given.split(",") if topic.strip()]
        if not topics:
            raise InputError(
                f"--topics {given!r}: names no topic; accepted: a file with a topic a line, or a list as in 301,302"
            )
        return topics
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
        raise InputError(f"{given}: names no topic; --topics takes a file with a topic a line, or a list as in 301,302")
    return topics


def format_by_ending(output: str, endings: Mapping[str, str]) -> str:
    """The format that the ending of a file's name speaks of, of ``{format: ending}``; the table where it has none."""
    ending = os.path.splitext(output)[1].lower()
    by_ending = {written: format for format, written in endings.items()}
    if ending and ending not in by_ending:
        accepted = f"{', '.join(by_ending)}, or --format NAME with any"
        raise InputError(f"-o {output}: no format has the ending {ending}; accepted: {accepted}")
    return by_ending.get(ending, "table")


def numbers(option: str, text: str, accepts: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            found.append(math.nan)
        if not math.isfinite(found[-1]):
            raise InputError(f"{option} {text}: {part.strip()!r} is not a number; accepted: {accepts}")
    return tuple(found)


def whole_numbers(option: str, text: str, accepts: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    found = numbers(option, text, accepts)
    for number in found:
        if number != int(number):
            raise InputError(f"{option} {text}: {number:g} is not a whole number; accepted: {accepts}")
    return tuple(map(int, found))
