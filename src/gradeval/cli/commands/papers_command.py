"""``gradeval papers``: the tables and figures of five texts, for one's own files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from inspect import cleandoc
from typing import Any

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.derive import command_of
from gradeval.cli.given_options import StrictCommand
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes, say, take_notes
from gradeval.cli.options import refuse_unused
from gradeval.cli.output import ENDINGS, Output
from gradeval.papers.claims_register import claims as claims_of
from gradeval.papers.item import TEXTS, Item
from gradeval.papers.registry import (
    Reproduction,
    about_item,
    about_printed,
    find,
    for_its_grades,
    function_of,
    items,
    items_of,
    present,
    title_of,
)
from gradeval.studies.study import Study


class ItemCommand(SectionedCommand):
    """The command of a study with the settings of an item as its defaults, which options replace."""

    def __init__(self, item: Item, base: click.Command) -> None:
        self.item = item
        params = [copy(one) for one in base.params if one.name not in ("brief", "help")]
        for one in params:
            if isinstance(one, click.Option) and one.name in item.settings:
                words = item.settings[one.name]
                one.default = (words,) if one.multiple and isinstance(words, str) else words
                one.required, one.show_default = False, isinstance(words, str) and not one.multiple
                one.help = (one.help or "").partition("  [default")[0]
                if one.multiple:
                    one.help += f"  [default: {' '.join(words) if isinstance(words, tuple) else words}]"
        params.append(
            click.Option(
                ["--published"], is_flag=True, help="Compare your numbers with the numbers that the text prints."
            )
        )
        super().__init__(
            item.name,
            params=params,
            callback=without_published(base.callback),
            help=f"{item.question}\n\n{cleandoc(base.help or '')}",
            short_help=item.question,
            epilog=_examples(item),
            sections={**getattr(base, "sections", {}), "published": HEADINGS[3]},
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; what the item sets counts as asked for."""
        rest = super().parse_args(ctx, args)
        given = click.core.ParameterSource.COMMANDLINE
        for name in self.item.settings:
            if ctx.get_parameter_source(name) is not given:
                ctx.set_parameter_source(name, given)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Compute the item."""
        with for_its_grades(self.item):
            return super().invoke(ctx)


class TrainingCommand(ItemCommand):
    """The command of an item that trains rankers: it says itself what its study does not know."""

    def invoke(self, ctx: click.Context) -> Any:
        """Say which item it is, and compute it."""
        take_notes([*about_item(self.item), *(about_printed(self.item, None) if ctx.params["published"] else ())])
        return super().invoke(ctx)


def without_published(callback: Any) -> Callable[..., Any]:
    """The callback of a study, which knows nothing of printed numbers."""
    return lambda **values: callback(**{name: value for name, value in values.items() if name != "published"})


def present_as_asked(item: Item, result: Any, data: Sequence[Any]) -> Reproduction:
    """What a study found, as the item, and with the printed numbers where they are asked for."""
    return present(item, result, data, published=click.get_current_context().params["published"])


def _examples(item: Item) -> str:
    files = {"": "", "QRELS [RUNS...]": " qrels.txt", "FILES...": " ohsumed/S?.txt", "PARTS...": " ohsumed/S?.txt"}.get(
        item.takes, " qrels.txt runs/*"
    )
    command = f"gradeval papers {item}{files}"
    lines = [command, f"{command} -o {item.name}.tex"]
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines) + f"\n\nThe text's: {item.originals}."


def command_of_item(item: Item) -> click.Command:
    """The command of a table or figure."""
    function = function_of(item)
    if isinstance(function, Study):
        return ItemCommand(item, command_of(function, partial(present_as_asked, item)))
    from gradeval.cli.commands.crossval import command  # as learning to rank is slow to import

    return TrainingCommand(item, command)


class TextGroup(StrictCommand, click.Group):
    """The tables and figures of a text."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Their names, in the order of the text."""
        return [item.name for item in items_of(str(self.name))]

    def get_command(self, _: click.Context, name: str) -> click.Command:
        """One of them; an InputError where there is none."""
        return command_of_item(find(str(self.name), name))

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """List them without their studies."""
        with formatter.section("Tables and figures"):
            formatter.write_dl([(item.name, item.question) for item in items_of(str(self.name))])


class PapersGroup(StrictCommand, click.Group):
    """The texts."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Their names."""
        return list(TEXTS)

    def get_command(self, _: click.Context, name: str) -> click.Command:
        """The tables and figures of one; an InputError where there is no such text."""
        title = title_of(name)
        listing = click.pass_context(partial(_list_unless_chosen, name))
        return TextGroup(name, params=claims_options(), callback=listing, invoke_without_command=True, help=title)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """List them with their whole titles."""
        with formatter.section("Texts"):
            formatter.write_dl([(text, title_of(text)) for text in TEXTS])


def claims_options() -> list[click.Option]:
    """--claims, and how and where they are written."""
    return [
        click.Option(
            ["--claims"], is_flag=True, help="What of the claims holds on public collections, and by which rule."
        ),
        click.Option(["--format", "form"], type=click.Choice(list(ENDINGS)), help="Format of the claims."),
        click.Option(
            ["-o", "--output"], multiple=True, default=[STANDARD], metavar="FILE", help="Write the claims to a file."
        ),
    ]


def _list_unless_chosen(
    text: str | None, ctx: click.Context, *, claims: bool, form: str | None, output: Sequence[str]
) -> None:
    if not claims:
        refuse_unused(["form", "output"], "is for --claims, or belongs behind the name of a table or figure")
        if ctx.invoked_subcommand is None:
            list_items(items() if text is None else items_of(text))
        return
    if ctx.invoked_subcommand is not None:
        raise InputError(f"--claims lists claims; leave it or {ctx.invoked_subcommand!r} out")
    register = claims_of(text)
    written = Output.of({"form": form, "output": output, "digits": 3}, [])
    with written.open() as write:
        write(register.table(), lambda: None)
        print_notes(map(str, register.notes))


@click.group(
    cls=PapersGroup,
    params=claims_options(),
    invoke_without_command=True,
    epilog="""\b
Examples:
  gradeval papers
  gradeval papers ferro14 table2 qrels.txt runs/*
  gradeval papers sakai05 --claims""",
)
@click.pass_context
def papers(ctx: click.Context, /, **options: Any) -> None:
    """Compute the tables and figures of five texts on graded relevance from your own files.

    Without more words: list them, a line each. Each takes the options of the study behind it, and has the settings of
    the text by default; 'gradeval papers TEXT ITEM --help' shows them.
    """
    _list_unless_chosen(None, ctx, **options)


def list_items(chosen: Sequence[Item]) -> None:
    """Print a line an item, which begins with its two words."""
    width = max(len(str(item)) for item in chosen)
    for item in chosen:
        say(f"{item!s:{width}}  {item.question}")
