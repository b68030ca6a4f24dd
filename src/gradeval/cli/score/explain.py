"""``gradeval explain``: a measure's documentation, parameters and a worked example."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from gradeval.cli.options.options import note_unused, number_option, seed_option
from gradeval.cli.options.values import complete_measures
from gradeval.explanation.acting import MOST
from gradeval.explanation.explaining import explain as explain_by_name
from gradeval.explanation.judge_statistics import PARTS, STATISTICS


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Measures and statistics whose names begin as typed."""
    statistics = [CompletionItem(name) for name in (*STATISTICS, *PARTS) if name.startswith(incomplete)]
    return [*complete_measures(ctx, parameter, incomplete), *statistics]


@click.command(
    epilog="""\b
Examples:
  gradeval explain nDCG
  gradeval explain "Q(beta=1)@10"
  gradeval explain "GAP(g=[0.1,0.9])"
  gradeval explain map_cut_100
  gradeval explain skill
  gradeval explain "xGAP(g=[0.5,0.5])" --experiment 10000 --seed 1"""
)
@click.argument("measure", shell_complete=_complete)
@number_option(
    "--experiment", 2, None, "Make the random experiment that defines AP, GAP, xGAP, eGAP or muAP N times.", MOST
)
@seed_option("Seed of the experiment.")
def explain(measure: str, experiment: int | None, seed: int) -> None:
    """Explain MEASURE: formula, conventions, source, parameters, and an example worked out on the spot.

    With --experiment: the steps of the random experiment whose expectation the measure is, a few draws in words, the
    share of draws that ended in 1 with its standard error, and the exact value.

    MEASURE may be a statistic of 'gradeval judges', too: its meaning and source.
    """
    if experiment is None:
        note_unused(["seed"], "does not apply without --experiment")
    click.echo(explain_by_name(measure, experiment=experiment, seed=seed))
