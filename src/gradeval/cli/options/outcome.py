"""Where the result of a command goes: a format, a file, a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from glob import glob
from typing import Any, Self, TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.options.inputs import refuse_overwriting
from gradeval.cli.options.options import FILE, digits_option
from gradeval.cli.options.values import format_by_ending
from gradeval.files.read import STANDARD
from gradeval.files.whole import whole_file
from gradeval.formats.run_files import list_run_files
from gradeval.formats.scores import list_score_files
from gradeval.tables.format import FORMATS
from gradeval.tables.table import Table

F = TypeVar("F", bound=Callable[..., Any])

ENDINGS = {name: FORMATS[name].ending for name in ("table", "tsv", "csv", "jsonl", "markdown", "latex", "html")}
"""The formats that every command writes, with the endings that choose them."""

output_option = click.option(
    "-o", "--output", type=FILE, default=STANDARD, metavar="FILE", help="Write a file, whole or not at all."
)


def outcome_options(digits: int, *, plot: bool = True) -> Callable[[F], F]:
    """The options of the output; ``digits``: the default of --digits; ``plot``: is there a picture?"""
    picture = click.option("--plot", type=FILE, metavar="FILE", help="Draw a picture, too: .png, .svg, .pdf or .html.")
    options = [
        click.option(
            "--format",
            "form",
            type=click.Choice(list(ENDINGS)),
            help="tsv, csv, jsonl: a value a line, exact; html: a page.  [default: as FILE ends, or table]",
        ),
        output_option,
        *([picture] if plot else []),
        digits_option(digits, "table, markdown and latex"),
    ]

    def add(command: F) -> F:
        for decorate in reversed(options):
            command = decorate(command)
        return command

    return add


@dataclass(frozen=True)
class Output:
    """The values of ``outcome_options``."""

    form: str | None
    output: str
    digits: int
    plot: str | None = None

    @classmethod
    def of(cls, options: dict[str, Any], inputs: Sequence[str] | None = None) -> Self:
        """Take these options out of those of a command; an error where the picture cannot be drawn.

        ``inputs``: the files that the command reads, by default those of ``collection_options``.
        """
        output = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__ if name in options})
        inputs = _inputs(click.get_current_context().params) if inputs is None else inputs
        refuse_overwriting(output.output, inputs)
        if output.format == "html":
            require_page(output.output)
        if output.plot is not None:
            from gradeval.display.charts.rendering import require_charts

            refuse_overwriting(output.plot, inputs, "--plot")
            require_charts(output.plot)
        return output

    @property
    def format(self) -> str:
        """The value of --format, else the format by the ending of the file."""
        return self.form or format_by_ending(self.output, ENDINGS)

    @property
    def exact(self) -> bool:
        """Are values written one a line, rather than shown in tables?"""
        return FORMATS[self.format].exact

    @contextmanager
    def open(self) -> Iterator[Callable[[Table, Callable[[], Any]], None]]:
        """Open the files, and yield a function that writes a table and, with --plot, the chart that ``draw`` returns.

        Files are opened before the work begins, so that one that cannot be written is an error at once.
        """
        format = self.format
        with whole_file(self.output) as file, ExitStack() as pictures:
            picture = pictures.enter_context(whole_file(self.plot)) if self.plot is not None else None

            def write(table: Table, draw: Callable[[], Any]) -> None:
                if picture is not None:
                    from gradeval.display.charts.rendering import render

                    picture.write(render(draw(), str(self.plot)))
                    pictures.close()  # finishes the picture, even if the reader of the table closes its pipe
                if format == "html":
                    file.write(page_of(table, draw))
                else:
                    table.write(file, format)

            yield write


def require_page(place: str) -> None:
    """Refuse to go on where a package is missing that a page needs."""
    from gradeval.display.charts.rendering import require_packages

    require_packages(f"-o {place}", "altair", "jinja2", "vl_convert")


def page_of(table: Table, draw: Callable[[], Any]) -> bytes:
    """The result of the command as a page: its tables, and its chart where it has one."""
    from gradeval.display.page.writing import result_page

    context, notes = click.get_current_context(), list(table.notes)
    try:
        chart = draw()
    except InputError as error:  # what cannot be drawn was not asked for alone
        chart = None
        notes.append(str(error))
    return result_page(context.command_path, context.command.get_short_help_str(200), table, chart, notes).encode()


def _inputs(parameters: dict[str, Any]) -> list[str]:
    """The files that a command reads, by the values of ``collection_options``."""
    scores = [
        place
        for text in parameters.get("scores") or ()
        for place in (text, text.partition("=")[2], text.rpartition("=")[2])  # a measure's name or a path may have a =
        if place
    ]
    scores += [file.rpartition("=")[2] for file in list_score_files(parameters.get("scores") or ())]
    single = [place for name in ("qrels", "topics") if isinstance(place := parameters.get(name), str)]
    runs = parameters.get("run_files") or ()
    named = [
        place for _, qrels, pattern in parameters.get("collections") or () for place in (qrels, pattern, *glob(pattern))
    ]
    return [*single, *runs, *list_run_files(runs), *scores, *named]
