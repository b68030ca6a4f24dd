"""``gradeval robustness``: do runs keep their order where part of the pool was never judged?"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import click
from click.core import ParameterSource

from gradeval._core import InputError
from gradeval.cli.collection import Given, chosen_topics, collection_options
from gradeval.cli.explain import measure_names
from gradeval.cli.notices import tell
from gradeval.cli.options import numbers
from gradeval.cli.outcome import Output, outcome_options, seed_option
from gradeval.cli.progress import watched
from gradeval.meta.rank_correlation import Statistic
from gradeval.meta.robustness import Robustness
from gradeval.meta.robustness import robustness as thinned_orders
from gradeval.meta.thinning import RATES, Depth, Random, Sampling, Stratified
from gradeval.notation import parse_measures
from gradeval.report.grid import Grid
from gradeval.report.outcome import Cell, Outcome

MEASURES = "AP nDCG GAP xGAP eGAP RBP Bpref"
Method: TypeAlias = Literal["stratified", "random", "depth"]
DEPTHS = Depth().depths


@click.command(
    epilog="""\b
Examples:
  gradeval robustness qrels.txt runs/*
  gradeval robustness qrels.txt runs/* -m "AP GAP nDCG infAP" --rates 100,50,20,10,5 --samples 50
  gradeval robustness qrels.txt runs/* --floor 0 --topics few:2 --plot robustness.pdf
  gradeval robustness qrels.txt runs/* --method depth --rates 50,20,10"""
)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="MEASURES",
    shell_complete=measure_names,
    help=f"Measures, separated by blanks; may be repeated.  [default: {MEASURES}]",
)
@click.option(
    "--rates",
    metavar="LIST",
    help=f"Percentages of the pool; ranks for --method depth.  [default: {','.join(f'{rate:g}' for rate in RATES)}; "
    f"{','.join(f'{depth:g}' for depth in DEPTHS)} for depth]",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Thinned pools at each rate.",
)
@click.option(
    "--method",
    type=click.Choice(list(get_args(Method))),
    default="stratified",
    show_default=True,
    help="So many percent of each grade of each topic, of each topic's pool, or what the runs have at the top.",
)
@click.option(
    "--floor",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="N",
    help="stratified: keep this many of each positive grade; 0 shows what scarce grades are worth.",
)
@click.option(
    "--floor-nonrelevant",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="stratified: keep this many of grade 0.",
)
@click.option(
    "--statistic",
    type=click.Choice(list(get_args(Statistic))),
    default="kendall",
    show_default=True,
    help="How orders are correlated; the full pool is the truth.",
)
@seed_option("Seed of the samples.")
@collection_options(ready=False)
@outcome_options(digits=3)
@click.pass_context
def robustness(
    ctx: click.Context,
    /,
    measures: tuple[str, ...],
    rates: str | None,
    samples: int,
    method: Method,
    floor: int,
    floor_nonrelevant: int,
    statistic: Statistic,
    seed: int,
    **options: Any,
) -> None:
    """Thin the judgments and correlate the order of the runs with that under the full pool, measure by measure.

    Topics and runs are chosen on the full pool. The samples of one draw are nested. A floor of 1 keeps a document of
    every grade that a topic has: measures that live on a scarce grade look more robust than they are; see --floor 0.
    """
    given, output = Given.of(options), Output.of(options)
    sampling = _sampling(ctx, method, rates, floor, floor_nonrelevant)
    chosen = parse_measures(measures or MEASURES)
    with output.opened() as write:
        judged = given.judged()
        scores = given.score(judged, chosen)
        topics = chosen_topics(given.selection(), judged)
        with watched("thinning", "pools") as progress:
            found = thinned_orders(
                judged,
                chosen,
                sampling,
                samples=samples,
                statistic=statistic,
                topics=topics,
                runs=scores.runs,
                missing=given.missing,
                empty=given.empty,
                seed=seed,
                threads=given.threads,
                progress=progress,
            )
        if sampling.random:
            tell([f"{method} sampling: {samples} thinned pools at each rate, seed {seed}"])
        if found.undefined.any():
            number, total = int(found.undefined.sum()), found.undefined.size
            tell([f"{number} of {total} correlations are undefined (all runs equal in the sample) and left out"])
        write(_outcome(found, output), lambda: _picture(found))


def _sampling(ctx: click.Context, method: Method, rates: str | None, floor: int, floor_nonrelevant: int) -> Sampling:
    floors = [name for name in ("floor", "floor_nonrelevant") if _set(ctx, name)]
    if method != "stratified" and floors:
        raise InputError(f"--{floors[0].replace('_', '-')} belongs to --method stratified; leave it out")
    if method == "depth":
        return Depth(numbers("--rates", rates, "ranks as in 50,20,10") if rates is not None else DEPTHS)
    chosen = numbers("--rates", rates, "percentages as in 100,50,10") if rates is not None else RATES
    return Random(chosen) if method == "random" else Stratified(chosen, floor, floor_nonrelevant)


def _set(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def step_name(found: Robustness) -> str:
    """What the steps of the study are."""
    return "depth" if isinstance(found.sampling, Depth) else "rate"


def _outcome(found: Robustness, output: Output) -> Outcome:
    mean, spread = found.mean(), found.spread()
    random = found.sampling.random
    rows = []
    for place, step in enumerate(found.sampling.steps):
        shown = [f"{step:g}", f"{found.kept[place].mean():.1%}"]
        for value, deviation in zip(mean[place].tolist(), spread[place].tolist(), strict=True):
            shown.append(output.number(value) + (f" ±{output.number(deviation)}" if random else ""))
        rows.append(shown)
    head = [step_name(found), "judged", *map(str, found.measures)]
    records: list[list[Cell]] = [
        [float(step), sample, float(found.kept[place, sample]), str(measure), value]
        for place, step in enumerate(found.sampling.steps)
        for sample in range(found.values.shape[1])
        for column, measure in enumerate(found.measures)
        for value in [None if found.undefined[place, sample, column] else float(found.values[place, sample, column])]
    ]
    fields = [step_name(found), "sample", "judged", "measure", found.statistic]
    return Outcome([("", Grid(head, rows, names=0))], fields, records)


def _picture(found: Robustness) -> Any:
    from gradeval.report.charts.robustness import robustness_chart

    return robustness_chart(found)
