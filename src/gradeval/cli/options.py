"""Options that several commands have, what their texts mean, and checks of a command's inputs."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gradeval._core import InputError
from gradeval.arguments import read_decimal
from gradeval.atomic_files import STANDARD
from gradeval.cli.notices import print_notes
from gradeval.files.readers import file_of, has_prefix
from gradeval.formula.definition import REGISTRY
from gradeval.formula.spelling import parse_measure

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

# Checks nothing, as the readers do; the type completes file names in a shell.
FILE = click.Path(allow_dash=True, readable=False)


def measures_option(default: str) -> Callable[[F], F]:
    """The option -m; ``default``: the default measures, for the help."""
    return click.option(
        "-m",
        "--measures",
        multiple=True,
        metavar="MEASURES",
        shell_complete=complete_measures,
        help=f"Measures, separated by blanks; may be repeated.  [default: {default}]",
    )


def number_option(name: str, least: int, default: int | None, what: str, most: int | None = None) -> Callable[[F], F]:
    """An option that takes a whole number from ``least``, up to ``most``; ``name``: one or several, with blanks."""
    shown, kind = default is not None, click.IntRange(least, most)
    return click.option(*name.split(), type=kind, default=default, show_default=shown, metavar="N", help=what)


def seed_option(what: str, default: int = 0) -> Callable[[F], F]:
    """The option --seed."""
    return number_option("--seed", 0, default, what)


def digits_option(default: int, formats: str) -> Callable[[F], F]:
    """The option --digits: decimals in the formats for people."""
    return number_option("--digits", 0, default, f"Decimals in {formats}.", 17)


def is_set(ctx: click.Context, name: str) -> bool:
    """Was the option given by the user, rather than taken by default?"""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def refuse_unused(names: Sequence[str], why: str) -> None:
    """Refuse options that the user gave and that would do nothing."""
    context = click.get_current_context()
    spelled = {option.name: option.opts[-1] for option in context.command.params}
    for name in names:
        if is_set(context, name):
            raise InputError(f"{spelled[name]} {why}; leave it out")


def note_unused(names: Sequence[str], why: str) -> None:
    """Tell of options that the user gave and that do nothing here."""
    context = click.get_current_context()
    print_notes(f"--{name.replace('_', '-')} {why}; it is ignored" for name in names if is_set(context, name))


def read_recoding(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> dict[float, float]:
    """The values of --recode: grades and their replacements, 4=3 or 4=3,-2=0; a grade has one replacement."""
    table: dict[float, float] = {}
    for text in texts:
        for part in text.split(","):
            before, _sign, after = part.partition("=")
            old, new = (_grade(grade, text) for grade in (before, after))
            if table.setdefault(old, new) != new:
                raise InputError(
                    f"--recode turns grade {old:g} into {table[old]:g} and into {new:g}; give one of the two"
                )
    return table


def _grade(text: str, value: str) -> float:
    number = read_decimal(text)
    if math.isnan(number):
        accepted = "a grade and what it becomes, as in 4=3 or 4=3,-2=0"
        raise InputError(f"--recode {value}: {text.strip()!r} is not a grade; accepted: {accepted}")
    return number


def read_topics(place: str) -> list[str]:
    """Topics from a file (a line each, up to a tab; nothing is a comment), else from a list with commas."""
    if not os.path.exists(place):
        topics = [topic.strip() for topic in place.split(",") if topic.strip()]
        if not topics:
            raise InputError(
                f"--topics {place!r}: names no topic; accepted: a file with a topic a line, or a list as in 301,302"
            )
        return topics
    accepted = "--topics takes a file with a topic a line, or a list as in 301,302"
    topics = [line.partition("\t")[0].strip(" \r") for line in _read_lines(place, accepted)]
    if not topics:
        raise InputError(f"{place}: names no topic; {accepted}")
    return topics


def read_first_words(place: str, accepted: str) -> list[str]:
    """The first word of each line of a file that is not blank; ``accepted``: what the option takes."""
    return [line.split(None, 1)[0] for line in _read_lines(place, accepted)]


def _read_lines(place: str, accepted: str) -> list[str]:
    """The lines of a file that are not blank."""
    from gradeval.files.source import read_bytes

    try:
        lines = bytes(read_bytes(place)).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; {accepted}") from None
    return [line for line in lines if line.strip()]


def format_by_ending(output: str, endings: Mapping[str, str]) -> str:
    """The format of a file by its ending, out of ``{format: ending}``; "table" where the name has no ending."""
    ending = os.path.splitext(output)[1].lower()
    by_ending = {written: format for format, written in endings.items()}
    if ending and ending not in by_ending:
        accepted = f"{', '.join(by_ending)}, or --format NAME with any"
        raise InputError(f"-o {output}: no format has the ending {ending}; accepted: {accepted}")
    return by_ending.get(ending, "table")


def complete_measures(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Measures whose names begin as typed, for completion in a shell."""
    from click.shell_completion import CompletionItem

    last = incomplete.rpartition(" ")[2]
    before = incomplete[: len(incomplete) - len(last)]
    return [CompletionItem(before + name) for name in REGISTRY if name.startswith(last)]


STANDARD_INPUT = (STANDARD, "/dev/stdin", "/dev/fd/0")


def require_inputs(inputs: Sequence[str], measures: Sequence[str] = ()) -> None:
    """Refuse to read standard input twice, and a measure among the files."""
    streams = [place for place in inputs if file_of(place) in STANDARD_INPUT]
    if len(streams) > 1:
        raise InputError(f"{' '.join(streams)}: standard input can be read once; name a file for the others")
    misplaced = [place for place in inputs if _reads_as_measure(place)] if measures else []
    if misplaced:
        written = " ".join([*measures, *misplaced])
        raise InputError(f'{misplaced[0]}: no such file (measures go in one quoted argument: -m "{written}")')


def refuse_overwriting(output: str, inputs: Iterable[str], option: str = "-o") -> None:
    """Refuse an output that would replace one of the inputs, under whatever path, or lie in a folder that is one.

    A folder that the command replaces as a whole may stand among the inputs, too.
    """
    if output == STANDARD:
        return
    folders = list(_folders_of(output))
    for place in inputs:
        path = file_of(place)
        if os.path.isfile(path) and os.path.isfile(output) and os.path.samefile(output, path):
            raise InputError(f"{option} {output}: would replace the input {place}; choose another place")
        if os.path.isdir(path) and any(os.path.samefile(folder, path) for folder in folders):
            raise InputError(
                f"{option} {output}: lies in the folder {place}, which is read or replaced whole; choose another place"
            )


def _folders_of(place: str) -> Iterator[str]:
    """The existing folders that a place lies in, the nearest first, with links followed."""
    folder = os.path.realpath(place)
    while folder != (folder := os.path.dirname(folder)):
        if os.path.isdir(folder):
            yield folder


def _reads_as_measure(place: str) -> bool:
    if place in STANDARD_INPUT or has_prefix(place) or os.path.exists(place):
        return False
    try:
        parse_measure(place)
    except InputError:
        return False
    return True
