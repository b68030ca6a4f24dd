"""``gradeval measures``: list the measures."""

from __future__ import annotations

import shutil
import sys
from itertools import groupby

import click

from gradeval.cli.help_sections import SectionedCommand
from gradeval.formula.aliases import ALIASES, CUT_ALIASES
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure


@click.command(
    cls=SectionedCommand,
    epilog="""\b
Examples:
  gradeval measures
  gradeval measures | grep -i precision
  gradeval explain GAP""",
)
def measures() -> None:
    """List the measures by family: what each is, in a line, and from which grade documents are relevant.

    'gradeval explain MEASURE' shows formula, parameters and a worked example.
    """
    # In a pipe every measure has one line, so that grep works.
    paper = click.HelpFormatter(width=shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000)
    for module, family in groupby(REGISTRY.values(), key=lambda measure: measure.definition.formula.__module__):
        with paper.section(_title(module)):
            paper.write_dl([(_spelling(measure), measure.meaning) for measure in family])
    with paper.section("Names of other tools that are read, too"):
        paper.write_text(" ".join(dict.fromkeys([*ALIASES, *(f"{stem}_K" for stem in CUT_ALIASES)])))
    click.echo(paper.getvalue().strip())


def _spelling(measure: Measure) -> str:
    """The name with the cutoff it takes: in brackets where it may be left out."""
    at = measure.definition.at
    if at is None:
        return measure.name
    letter = "k" if at == "cutoff" else at
    return f"{measure.name}@{letter}" if measure.parameters[at] is REQUIRED else f"{measure.name}[@{letter}]"


def _title(module: str) -> str:
    """The first line of a family's file says what the family is."""
    return (sys.modules[module].__doc__ or module).strip().split("\n")[0].rstrip(".")
