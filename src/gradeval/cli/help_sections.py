"""Help in sections: -h shows the options that matter most and two examples, --help all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import click

from gradeval.cli.given_options import StrictCommand

HEADINGS = ("What to study", "Statistics", "Reading", "Output")
"""The headings of all commands; one that trains rankers has OF_RANKERS in place of Statistics and Reading."""
OF_RANKERS = ("Training", "Ranker")
STUDIED = {"measures", "scores", "topics", "runs", "by", "queries", "preset", "collections", "qrels"}
WRITTEN = {"form", "output", "plot", "digits", "caption", "label", "verbose", "brief", "help"}
OFTEN = (
    "measures scores topics runs by skip_bad ranker epochs output plot form preset alpha samples seed depth digits"
).split()
"""Options that most people need, in this order."""
MANY, OWN, EXAMPLES = 10, 3, 2  # options of the short help, how many of them the command has alone, examples


@cache
def _read_options() -> frozenset[str]:
    """The options that say how files are read."""
    from gradeval.cli.reading import READ  # here, as completion in a shell needs no NumPy

    return frozenset(READ) - {"threads"}


class SectionedCommand(StrictCommand):
    """A command whose help has a heading for each kind of options.

    Attributes
    ----------
    sections : by the names of options the headings below which they stand, where that does not follow from the name.
    own : the heading of the options that belong to this command alone.
    daily : the options of the short help, where its rule would leave out what most people need.
    """

    def __init__(
        self,
        *args: Any,
        sections: dict[str, str] | None = None,
        own: str = HEADINGS[1],
        daily: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.daily = daily
        self.sections = sections or {}
        self.own = own
        show: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_brief}
        self.params.append(click.Option(["-h", "brief"], **show, help="Show the options that matter most."))

    def get_help_option_names(self, _: click.Context) -> list[str]:
        """-h is an option of its own."""
        return ["--help"]

    def section_of(self, option: click.Parameter) -> str:
        """The heading below which an option stands."""
        name = "help" if option.is_eager else str(option.name)
        known = ((STUDIED, HEADINGS[0]), (_read_options(), HEADINGS[2]), (WRITTEN, HEADINGS[3]))
        return self.sections.get(name) or next((heading for names, heading in known if name in names), self.own)

    def shown(self, ctx: click.Context) -> list[click.Parameter]:
        """The options that the help shows."""
        options: list[click.Parameter] = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        if not ctx.meta.get(__name__):
            return options
        by_name = {str(one.name): one for one in options}
        common = {*OFTEN, "brief", "help", *_read_options(), *STUDIED, *WRITTEN, "threads"}
        own = [name for name, one in by_name.items() if name not in common and not one.is_eager]
        own.sort(key=lambda name: not by_name[name].required)
        usual = [name for name in OFTEN if name in by_name]
        needed = self.daily or [*own[:OWN], *usual, *own[OWN:]][:MANY]
        return [one for one in options if one.name in needed]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each below its heading."""
        options = self.shown(ctx)
        more = [heading for heading in self.sections.values() if heading not in HEADINGS]
        for heading in dict.fromkeys([HEADINGS[0], self.own, *more, *HEADINGS[1:]]):
            listed = [one.get_help_record(ctx) for one in options if self.section_of(one) == heading]
            records = [record for record in listed if record is not None]
            if records:
                with formatter.section(heading):
                    formatter.write_dl([shorten(*one) for one in records] if ctx.meta.get(__name__) else records)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; in brief the first paragraph."""
        if not ctx.meta.get(__name__):
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text((self.help or "").split("\n\n")[0])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples; in brief two of them, and where the rest is."""
        if not ctx.meta.get(__name__):
            formatter.write_paragraph()
            formatter.write((self.epilog or "").removeprefix("\b\n") + "\n" * bool(self.epilog))
            return
        lines = (self.epilog or "").partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
        formatter.write_paragraph()
        formatter.write("".join(f"{line}\n" for line in ["Examples:", *lines[:EXAMPLES]]))
        formatter.write(f"\n'{ctx.command_path} --help' shows all options.\n")


def shorten(name: str, text: str) -> tuple[str, str]:
    """The record of an option with its first sentence, and its default."""
    sentences, _, default = text.partition("  [")
    first = re.split(r"(?<![.])[.] ", sentences, maxsplit=1)[0].removesuffix(".")
    return name, first + (f"  [{default}" if default else "")


def _show_brief(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[__name__] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
