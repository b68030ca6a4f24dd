"""Options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click
from click.shell_completion import CompletionItem

from gradeval._core import InputError
from gradeval.cli.notices import tell
from gradeval.cli.values import AUTO, complete_measures

if TYPE_CHECKING:
    from gradeval.studies.correlation import Statistic

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


def grid_option(what: str) -> Callable[[F], F]:
    """The option --grid, with a step or without: see ``grid_step``."""
    return click.option("--grid", is_flag=False, flag_value=AUTO, metavar="[STEP]", help=what)


def statistic_option(what: str) -> Callable[[F], F]:
    """The option --statistic: how orders of runs are correlated."""
    from gradeval.studies.correlation import Statistic

    words = click.Choice(list(get_args(Statistic)))
    return click.option("--statistic", type=words, default="kendall", show_default=True, help=what)


def statistics_option(what: str) -> Callable[[F], F]:
    """The option --statistic where several may stand side by side, with commas."""
    return click.option(
        "--statistic",
        "statistics",
        default="kendall",
        show_default=True,
        callback=_read_statistics,
        shell_complete=_complete_statistics,
        metavar="LIST",
        help=what,
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


def _read_statistics(_: click.Context, __: click.Parameter, text: str) -> tuple[Statistic, ...]:
    from gradeval.studies.correlation import Statistic

    statistics = tuple(part.strip() for part in text.split(","))
    accepted = get_args(Statistic)
    for statistic in statistics:
        if statistic not in accepted:
            raise InputError(
                f"--statistic {text}: {statistic!r} is none; accepted: {', '.join(accepted)}, several with commas"
            )
        if statistics.count(statistic) > 1:
            raise InputError(f"--statistic {text}: {statistic} is given twice")
    return cast("tuple[Statistic, ...]", statistics)


def _complete_statistics(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from gradeval.studies.correlation import Statistic

    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(before + comma + word) for word in get_args(Statistic) if word.startswith(last)]


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


def _read_samples(_: click.Context, __: click.Parameter, samples: int) -> int:
    if samples == 1:
        raise InputError("--samples 1: one resample has no spread; accepted: 0 (no intervals), or 2 and more")
    return samples
