"""``gradeval robustness``: do runs keep their order where part of the pool was never judged?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

import click

from gradeval.cli.collection import Given, collection_options
from gradeval.cli.notices import counted, tell
from gradeval.cli.options import (
    blaming,
    measures_option,
    number_option,
    numbers,
    refuse_idle,
    seed_option,
    statistic_option,
)
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress import watched
from gradeval.meta.correlation import Statistic
from gradeval.meta.robustness import Robustness
from gradeval.meta.robustness import robustness as thinned_orders
from gradeval.meta.thinning import RATES, Depth, Random, Sampling, Stratified
from gradeval.notation import parse_measures
from gradeval.report.grid import Grid
from gradeval.report.outcome import Cell, Outcome

MEASURES = "AP nDCG GAP xGAP eGAP RBP Bpref"
Method: TypeAlias = Literal["stratified", "random", "depth"]
DEPTHS = Depth().depths
KINDS = {"stratified": Stratified, "random": Random, "depth": Depth}
FIELDS = ("measure method step sample judged statistic value floor floor_nonrelevant samples seed runs topics").split()


@click.command(
    epilog="""\b
Examples:
  gradeval robustness qrels.txt runs/*
  gradeval robustness qrels.txt runs/* -m "AP GAP nDCG infAP" --rates 100,50,20,10,5 --samples 50
  gradeval robustness qrels.txt runs/* --floor 0 --topics few:2 --plot robustness.pdf
  gradeval robustness qrels.txt runs/* --method depth --rates 50,20,10"""
)
@measures_option(MEASURES)
@click.option(
    "--rates",
    metavar="LIST",
    help=f"Percentages of the pool; ranks for --method depth.  [default: {','.join(f'{rate:g}' for rate in RATES)}; "
    f"{','.join(f'{depth:g}' for depth in DEPTHS)} for depth]",
)
@number_option("--samples", 1, 10, "Thinned pools at each rate, where they are random.")
@click.option(
    "--method",
    type=click.Choice(list(get_args(Method))),
    default="stratified",
    show_default=True,
    help="So many percent of each grade of each topic, of each topic's pool, or what the runs have at the top.",
)
@number_option(
    "--floor", 0, 1, "stratified: keep this many of each positive grade; 0 shows what scarce grades are worth."
)
@number_option("--floor-nonrelevant", 0, 10, "stratified: keep this many of grade 0.")
@statistic_option("How orders are correlated; the full pool is the truth.")
@seed_option("Seed of the samples.")
@collection_options(ready=False)
@outcome_options(digits=3)
def robustness(
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
    sampling = _sampling(method, rates, floor, floor_nonrelevant)
    chosen = parse_measures(measures or MEASURES)
    with output.opened() as write:
        judged = given.judged()
        scores = given.score(judged, chosen)
        topics = given.chosen_topics(judged)
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
            tell([f"{method} sampling: {counted(samples, 'thinned pool')} at each rate, seed {seed}"])
        if found.undefined.any():
            number, total = int(found.undefined.sum()), found.undefined.size
            tell([f"left out as undefined (all runs equal in the sample): {number} of {counted(total, 'correlation')}"])
        write(_outcome(found, output), lambda: _picture(found))


def _sampling(method: Method, rates: str | None, floor: int, floor_nonrelevant: int) -> Sampling:
    if method != "stratified":
        refuse_idle(["floor", "floor_nonrelevant"], "belongs to --method stratified")
    if method == "depth":
        refuse_idle(["samples", "seed"], "belongs to random samples, and nothing is random in --method depth")
    accepts = "ranks as in 50,20,10" if method == "depth" else "percentages as in 100,50,10"
    steps = numbers("--rates", rates, accepts) if rates is not None else DEPTHS if method == "depth" else RATES
    with blaming("--rates", rates):
        if method == "depth":
            return Depth(steps)
        return Random(steps) if method == "random" else Stratified(steps, floor, floor_nonrelevant)


def step_name(found: Robustness) -> str:
    """What the steps of the study are."""
    return "depth" if isinstance(found.sampling, Depth) else "rate"


def _outcome(found: Robustness, output: Output) -> Outcome:
    mean, spread = found.mean(), found.spread()
    several = found.values.shape[1] > 1  # one sample has no spread
    rows = []
    for place, step in enumerate(found.sampling.steps):
        shown = [f"{step:g}", f"{found.kept[place].mean():.1%}"]
        for value, deviation in zip(mean[place].tolist(), spread[place].tolist(), strict=True):
            shown.append(output.number(value) + (f" ±{output.number(deviation)}" if several else ""))
        rows.append(shown)
    head = [step_name(found), "judged", *map(str, found.measures)]
    return Outcome([("", Grid(head, rows, names=0))], FIELDS, list(_records(found)))


def _records(found: Robustness) -> Iterator[list[Cell]]:
    steps, samples, _ = found.values.shape
    sampling = found.sampling
    floors: list[Cell] = [None, None]
    if isinstance(sampling, Stratified):
        floors = [sampling.floor, sampling.floor_nonrelevant]
    random: list[Cell] = [samples, found.seed] if sampling.random else [None, None]
    method = next(name for name, kind in KINDS.items() if isinstance(sampling, kind))
    size = [len(found.runs), len(found.topics)]
    for step, sample in product(range(steps), range(samples)):
        for place, measure in enumerate(found.measures):
            undefined = found.undefined[step, sample, place]
            yield [
                str(measure),
                method,
                float(sampling.steps[step]),
                sample,
                float(found.kept[step, sample]),
                found.statistic,
                None if undefined else float(found.values[step, sample, place]),
                *floors,
                *random,
                *size,
            ]


def _picture(found: Robustness) -> Any:
    from gradeval.report.charts.robustness import robustness_chart

    return robustness_chart(found)
