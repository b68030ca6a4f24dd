"""``gradeval explain``: a measure's documentation, parameters and a worked example."""

from __future__ import annotations

import click

from gradeval.cli.options.values import complete_measures
from gradeval.explanation.worked_example import explain as explain_measure


@click.command(
    epilog="""\b
Examples:
  gradeval explain nDCG
  gradeval explain "Q(beta=1)@10"
  gradeval explain "GAP(g=[0.1,0.9])"
  gradeval explain map_cut_100"""
)
@click.argument("measure", shell_complete=complete_measures)
def explain(measure: str) -> None:
    """Explain MEASURE: formula, conventions, source, parameters, and an example worked out on the spot."""
    click.echo(explain_measure(measure))
