"""Where a study's findings go: a format, a file, a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import click

from gradeval.cli.options.inputs import refuse_overwriting
from gradeval.cli.options.options import FILE, digits_option, format_by_ending
from gradeval.files.read import STANDARD
from gradeval.files.whole import whole_file
from gradeval.tables.format import FORMATS
from gradeval.tables.table import Table

F = TypeVar("F", bound=Callable[..., Any])

ENDINGS = {name: FORMATS[name].ending for name in ("table", "tsv", "csv", "jsonl", "markdown", "latex")}
"""The formats that every command writes, and how files end that are written so where nobody says."""


def outcome_options(digits: int) -> Callable[[F], F]:
    """The options of the output; ``digits``: decimals where nobody says."""
    options = [
        click.option(
            "--format",
            "form",
            type=click.Choice(list(ENDINGS)),
            help="tsv, csv, jsonl: a value a line, exact.  [default: as FILE ends, or table]",
        ),
        click.option(
            "-o", "--output", type=FILE, default=STANDARD, metavar="FILE", help="Write a file, whole or not at all."
        ),
        click.option("--plot", type=FILE, metavar="FILE", help="Draw a picture, too: .png, .svg, .pdf or .html."),
        digits_option(digits, "table, markdown and latex"),
    ]

    def add(command: F) -> F:
        for decorate in reversed(options):
            command = decorate(command)
        return command

    return add


@dataclass(frozen=True)
class Output:
    """What the user asked of the output, as the options of ``outcome_options`` have it."""

    form: str | None
    output: str
    plot: str | None
    digits: int

    @classmethod
    def of(cls, options: dict[str, Any]) -> Self:
        """Take what belongs here out of the options of a command; a picture that cannot be drawn is said now."""
        asked = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__})
        inputs = _inputs(click.get_current_context().params)
        refuse_overwriting(asked.output, inputs)
        if asked.plot is not None:
            from gradeval.display.charts.rendering import require_charts

            refuse_overwriting(asked.plot, inputs, "--plot")
            require_charts(asked.plot)
        return asked

    @property
    def format(self) -> str:
        """The format asked for, or the one that the file's name speaks of."""
        return self.form or format_by_ending(self.output, ENDINGS)

    @property
    def exact(self) -> bool:
        """Are values written one a line, rather than shown in tables?"""
        return FORMATS[self.format].exact

    @contextmanager
    def opened(self) -> Iterator[Callable[[Table, Callable[[], Any]], None]]:
        """Gives what writes a table, and the picture that a function draws where one was asked for.

        The file is opened now: where it cannot be written, that is said before the work is done.
        """
        format = self.format
        with whole_file(self.output) as file, ExitStack() as pictures:
            picture = pictures.enter_context(whole_file(self.plot)) if self.plot is not None else None

            def write(table: Table, draw: Callable[[], Any]) -> None:
                if picture is not None:
                    from gradeval.display.charts.rendering import render

                    picture.write(render(draw(), str(self.plot)))
                    pictures.close()  # whole now, even where nobody reads the table to its end
                table.write(file, format)

            yield write

    def number(self, value: float) -> str:
        """A value as tables show it."""
        return f"{value:.{self.digits}f}"


def _inputs(given: dict[str, Any]) -> list[str]:
    """The files that a study was given to read, as the options of ``collection_options`` have them."""
    scores = [
        place
        for text in given.get("scores") or ()
        for place in (text, text.partition("=")[2], text.rpartition("=")[2])  # a measure's name or a path may have a =
        if place
    ]
    single = [place for name in ("qrels", "topics") if isinstance(place := given.get(name), str)]
    return [*single, *(given.get("run_files") or ()), *scores]
