"""Options that several commands have, and what the values of options mean: grades, topics, numbers, files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, get_args

import click

from gradeval._core import InputError
from gradeval.cli.score.explain import measure_names
from gradeval.cli.screen.notices import tell

F = TypeVar("F", bound=Callable[..., Any])

# The readers say what is wrong with a file; the type completes names in a shell.
FILE = click.Path(allow_dash=True, readable=False)

MOST_SAMPLES = 10_000_000
"""Resamples that fit into memory, for some hundred topics."""
FINEST = 1e-6  # level

AUTO = "auto"  # --grid without a step


def measures_option(default: str) -> Callable[[F], F]:
    """The option -m; ``default``: what is measured where nobody says, in words."""
    return click.option(
        "-m",
        "--measures",
        multiple=True,
        metavar="MEASURES",
        shell_complete=measure_names,
        help=f"Measures, separated by blanks; may be repeated.  [default: {default}]",
    )


def grid_option(what: str) -> Callable[[F], F]:
    """The option --grid, with a step or without: see ``grid_step``."""
    return click.option("--grid", is_flag=False, flag_value=AUTO, metavar="[STEP]", help=what)


def grid_step(grid: str) -> str | None:
    """The step of the grid that --grid asks for; None: that of the papers."""
    return None if grid == AUTO else grid


def statistic_option(what: str) -> Callable[[F], F]:
    """The option --statistic: how orders of runs are correlated."""
    from gradeval.studies.agreement.correlation import Statistic

    words = click.Choice(list(get_args(Statistic)))
    return click.option("--statistic", type=words, default="kendall", show_default=True, help=what)


def alpha_option(what: str) -> Callable[[F], F]:
    """The option --alpha: a level between 0 and 1."""
    return click.option(
        "--alpha", type=float, default=0.05, show_default=True, callback=_read_alpha, metavar="LEVEL", help=what
    )


def number_option(name: str, least: int, default: int | None, what: str, most: int | None = None) -> Callable[[F], F]:
    """An option that takes a whole number from ``least``, up to ``most``."""
    shown, kind = default is not None, click.IntRange(least, most)
    return click.option(name, type=kind, default=default, show_default=shown, metavar="N", help=what)


def samples_option(default: int, what: str) -> Callable[[F], F]:
    """The option --samples of intervals: resamples, or 0 for none; one resample has no spread."""
    return click.option(
        "--samples",
        type=click.IntRange(0, MOST_SAMPLES),
        default=default,
        show_default=True,
        callback=_read_samples,
        metavar="N",
        help=f"{what}, for 95% intervals; 0: no intervals.",
    )


def seed_option(what: str, default: int = 0) -> Callable[[F], F]:
    """The option --seed."""
    return number_option("--seed", 0, default, what)


def digits_option(default: int, formats: str) -> Callable[[F], F]:
    """The option --digits: decimals in the formats for people."""
    kind, what = click.IntRange(0, 17), f"Decimals in {formats}."
    return click.option("--digits", type=kind, default=default, show_default=True, metavar="N", help=what)


def choice_option(name: str, words: Any, what: str) -> Callable[[F], F]:
    """An option that takes one of a few words, the first by default."""
    accepted = list(get_args(words))
    return click.option(name, type=click.Choice(accepted), default=accepted[0], show_default=True, help=what)


def require_resolution(alpha: float, samples: int) -> None:
    """Refuse a level finer than the shares of so many resamples."""
    if alpha * samples < 1 - 1e-9:
        needed = math.ceil(1 / alpha - 1e-9)
        raise InputError(
            f"--alpha {alpha:g}: {samples} samples show no level finer than {1 / samples:g}; "
            f"give --samples {needed} or more"
        )


def is_set(ctx: click.Context, name: str) -> bool:
    """Was the option given by the user, rather than taken by default?"""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def refuse_unused(names: Sequence[str], why: str) -> None:
    """Refuse options that the user gave and that would do nothing."""
    for name in names:
        if is_set(click.get_current_context(), name):
            raise InputError(f"--{name.replace('_', '-')} {why}; leave it out")


def note_unused(names: Sequence[str], why: str) -> None:
    """Tell of options that the user gave and that do nothing here."""
    context = click.get_current_context()
    tell(f"--{name.replace('_', '-')} {why}; it is ignored" for name in names if is_set(context, name))


@contextmanager
def errors_name(option: str, text: str | None, named: str | None = None) -> Iterator[None]:
    """Let an error about the value of an option name the option as it was typed; ``named``: what the error calls it."""
    try:
        yield
    except InputError as error:
        if text is None:
            raise
        raise InputError(f"{option} {text}: {str(error).removeprefix(f'{named or text}: ')}") from None


def _read_alpha(_: click.Context, __: click.Parameter, alpha: float) -> float:
    if not 0 < alpha < 1:
        raise InputError(f"--alpha {alpha:g} is not between 0 and 1, as in 0.05")
    if alpha < FINEST:
        raise InputError(f"--alpha {alpha:g} is finer than any test shows; accepted: from {FINEST:g}, as in 0.05")
    return alpha


def _read_samples(_: click.Context, __: click.Parameter, samples: int) -> int:
    if samples == 1:
        raise InputError("--samples 1: one resample has no spread; accepted: 0 (no intervals), or 2 and more")
    return samples


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
    from gradeval.files.read import read_bytes

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
