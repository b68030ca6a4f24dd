"""``gradeval explain``: a measure's documentation, parameters and a worked example."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from gradeval.cli.options.options import note_unused, number_option, seed_option
from gradeval.cli.options.values import complete_measures
from gradeval.explanation.acting import MOST, act_out
from gradeval.explanation.judge_statistics import PARTS, STATISTICS, find_statistic
from gradeval.explanation.worked_example import explain as explain_measure
from gradeval.explanation.worked_example import small_ranking
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import show_levels
from gradeval.formula.spelling import parse_measure


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
    if experiment is not None:
        click.echo("\n".join(_experiment(parse_measure(measure), experiment, seed)))
        return
    note_unused(["seed"], "does not apply without --experiment")
    statistic = find_statistic(measure)
    click.echo(explain_measure(measure) if statistic is None else statistic.explain(measure))


def _experiment(measure: Measure, trials: int, seed: int) -> list[str]:
    """The random experiment that defines the measure, made on the small ranking."""
    ranking, pool, levels = small_ranking(measure)
    acted = act_out(measure, JudgedRankings.of(ranking, pool=pool, levels=levels), trials=trials, seed=seed)
    listed = " ".join("-" if grade is None else f"{grade:g}" for grade in ranking)
    return [
        f"{measure} as a random experiment",
        "",
        *(f"  {number}. {step}" for number, step in enumerate(acted.steps, 1)),
        f"  Source: {acted.source}.",
        "",
        f"Example: a ranking of the grades {listed} (-: unjudged)",
        f"  The pool holds, of the grades {show_levels(levels)}: {', '.join(map(str, pool))} documents.",
        "",
        *(f"  draw {number}: {told}" for number, told in enumerate(acted.told, 1)),
        "  ...",
        "",
        f"  {acted.estimate.trials} draws, seed {seed}: {acted.estimate.value:.4f} of them ended in 1, "
        f"standard error {acted.estimate.error:.4f}",
        f"  {measure} = {acted.exact:.4f}",
    ]
