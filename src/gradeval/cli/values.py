"""What the texts of options mean: grades, topics, numbers, formats."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.formula.definition import REGISTRY


@contextmanager
def name_option_in_errors(option: str, text: str | None, named: str | None = None) -> Iterator[None]:
    """Begin errors about the value of an option with the option as typed; ``named``: what errors call the value."""
    try:
        yield
    except InputError as error:
        if text is None:
            raise
        raise InputError(f"{option} {text}: {str(error).removeprefix(f'{named or text}: ')}") from None


def read_levels(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, ...] | None:
    """The value of --levels: grades separated by commas."""
    accepts = "grades that ascend from 0, as in 0,1,2"
    return None if text is None else tuple(_grade(part, "--levels", text, accepts) for part in text.split(","))


def read_recoding(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[float, float]:
    """The values of --recode: grades and their replacements, 4=3 or 4=3,-2=0; a grade has one replacement."""
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


def read_topics(place: str) -> list[str]:
    """Topics from a file (the first word of each line; # begins a comment), else from a list with commas."""
    if not os.path.exists(place):
        topics = [topic.strip() for topic in place.split(",") if topic.strip()]
        if not topics:
            raise InputError(
                f"--topics {place!r}: names no topic; accepted: a file with a topic a line, or a list as in 301,302"
            )
        return topics
    accepted = "--topics takes a file with a topic a line, or a list as in 301,302"
    topics = [topic for topic in read_first_words(place, accepted) if not topic.startswith("#")]
    if not topics:
        raise InputError(f"{place}: names no topic; {accepted}")
    return topics


def read_first_words(place: str, accepted: str) -> list[str]:
    """The first word of each line of a file that is not blank; ``accepted``: what the option takes."""
    from gradeval.files.source import read_bytes

    try:
        lines = bytes(read_bytes(place)).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; {accepted}") from None
    return [word for line in lines for word in line.split(None, 1)[:1]]


def format_by_ending(output: str, endings: Mapping[str, str]) -> str:
    """The format of a file by its ending, out of ``{format: ending}``; "table" where the name has no ending."""
    ending = os.path.splitext(output)[1].lower()
    by_ending = {written: format for format, written in endings.items()}
    if ending and ending not in by_ending:
        accepted = f"{', '.join(by_ending)}, or --format NAME with any"
        raise InputError(f"-o {output}: no format has the ending {ending}; accepted: {accepted}")
    return by_ending.get(ending, "table")


def parse_numbers(option: str, text: str, accepts: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    values = []
    for part in text.split(","):
        try:
            values.append(float(part))
        except ValueError:
            values.append(math.nan)
        if not math.isfinite(values[-1]):
            raise InputError(f"{option} {text}: {part.strip()!r} is not a number; accepted: {accepts}")
    return tuple(values)


def parse_whole_numbers(option: str, text: str, accepts: str) -> tuple[int, ...]:
    """Whole numbers separated by commas."""
    values = parse_numbers(option, text, accepts)
    for number in values:
        if number != int(number):
            raise InputError(f"{option} {text}: {number:g} is not a whole number; accepted: {accepts}")
    return tuple(map(int, values))


def complete_measures(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Measures whose names begin as typed, for completion in a shell."""
    last = incomplete.rpartition(" ")[2]
    before = incomplete[: len(incomplete) - len(last)]
    return [CompletionItem(before + name) for name in REGISTRY if name.startswith(last)]
