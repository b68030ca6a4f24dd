"""What a command does with its options as typed: errors spell them so, and no value of one is lost to another."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import click

from gradeval._core import InputError
from gradeval.cli.streams import REMEDY
from gradeval.messages import Given

TYPED = f"{__name__}.typed"
"""What of a context holds the values of each option as they were typed, by its name."""


class StrictCommand(click.Command):
    """A command that refuses two values of an option that takes one, and whose errors spell options as it does.

    It keeps the values of its options as they were typed. ``scored``: how many of its last files may be scores.
    """

    scored: ClassVar[int] = 0

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        if not ctx.resilient_parsing:  # as a shell does that completes a line
            self._refuse_two_values(ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            from gradeval.cli.given_scores import about_scores  # here, as commands seldom fail

            if (scores := about_scores(ctx)) is not None:
                raise scores from None
            remedy = ctx.meta[REMEDY]() if REMEDY in ctx.meta else ""
            raise type(error)(error.write(lambda given: spell_option(given, ctx)), remedy) from None

    def _refuse_two_values(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse an option that is given twice with different values, unless its values add up."""
        parser, single = self.make_parser(ctx), {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and not option.multiple and not option.count:
                all_values = copy(option)
                all_values.multiple = True
                all_values.add_to_parser(parser, ctx)
                single[option.name] = option
        typed, _, _ = parser.parse_args(list(args))
        ctx.meta[TYPED] = typed
        for name, option in single.items():
            words = list(dict.fromkeys(typed.get(name) or ()))
            if len(words) < 2:
                continue
            values = [option.type_cast_value(ctx, one) for one in words]
            others = [word for word, value in zip(words, values, strict=True) if value != values[0]]
            if others:
                raise InputError(_about_two(option, words[0], others[0]))


def _about_two(option: click.Option, first: Any, other: Any) -> str:
    if option.secondary_opts:
        return f"{option.opts[-1]} and {option.secondary_opts[-1]} are both given; leave one of them out"
    return f"{option.opts[-1]} is given twice, as {first} and as {other}; give one value"


def spell_option(given: Given, ctx: click.Context) -> str:
    """A parameter as an option of the command; as in Python where the command has no such option."""
    option = next((one for one in ctx.command.params if one.name == given.parameter), None)
    if not isinstance(option, click.Option):
        return str(given)
    if isinstance(given.value, bool):
        return option.opts[-1]
    typed, words = ctx.params.get(given.parameter), spell_value(given)
    if isinstance(typed, str) and not isinstance(given.value, str):
        words = typed  # such as the file that the value was read from
    return f"{option.opts[-1]} {words}"


def spell_value(given: Given) -> str:
    """The value of a parameter as a command line has it."""
    if isinstance(given.value, str):
        return given.value
    if isinstance(given.value, list | tuple):
        return ",".join(f"{one:g}" if isinstance(one, float) else str(one) for one in given.value)
    return (
        f"{given.value:g}" if given.text is None and isinstance(given.value, float) else given.text or str(given.value)
    )
