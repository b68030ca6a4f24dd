"""Options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from gradeval._core import InputError
from gradeval.cli.notices import tell
from gradeval.cli.values import complete_measures

if TYPE_CHECKING:
    pass

F = TypeVar("F", bound=Callable[..., Any])

# Checks nothing, as the readers do; the type completes file names in a shell.
FILE = click.Path(allow_dash=True, readable=False)

MOST_SAMPLES = 10_000_000
"""Resamples that fit into memory, for some hundred topics."""
FINEST = 1e-6  # the smallest --alpha


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


def alpha_option(what: str) -> Callable[[F], F]:
    """The option --alpha: a level between 0 and 1."""
    return click.option(
        "--alpha", type=float, default=0.05, show_default=True, callback=_read_alpha, metavar="LEVEL", help=what
    )


def number_option(name: str, least: int, default: int | None, what: str, most: int | None = None) -> Callable[[F], F]:
    """An option that takes a whole number from ``least``, up to ``most``."""
    shown, kind = default is not None, click.IntRange(least, most)
    return click.option(name, type=kind, default=default, show_default=shown, metavar="N", help=what)


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


def shift_option(command: F) -> F:
    """The option --shift: added to every grade."""
    return click.option(
        "--shift",
        type=float,
        default=0.0,
        callback=_read_shift,
        metavar="X",
        help="Add X to every grade, before --recode: -1 turns ratings from 1 to 10 into grades from 0 to 9.",
    )(command)


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
    tell(f"--{name.replace('_', '-')} {why}; it is ignored" for name in names if is_set(context, name))


def _read_shift(_: click.Context, __: click.Parameter, shift: float) -> float:
    if not math.isfinite(shift):
        raise InputError(f"--shift {shift}: is no finite number; accepted: numbers as in -1 or -0.5")
    return shift


def _read_alpha(_: click.Context, __: click.Parameter, alpha: float) -> float:
    if not 0 < alpha < 1:
        raise InputError(f"--alpha {alpha:g} is not between 0 and 1, as in 0.05")
    if alpha < FINEST:
        raise InputError(f"--alpha {alpha:g} is finer than any test shows; accepted: from {FINEST:g}, as in 0.05")
    return alpha
