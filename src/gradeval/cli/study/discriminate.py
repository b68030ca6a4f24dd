"""``gradeval discriminate``: how many pairs of runs does a measure tell apart, beyond chance?"""

from __future__ import annotations

from typing import Any, get_args

import click
import numpy as np

from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.options import (
    MOST_SAMPLES,
    STUDIED,
    alpha_option,
    errors_name,
    measures_option,
    number_option,
    require_resolution,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import counted, tell
from gradeval.cli.screen.progress import watched
from gradeval.cli.study.steps import scores_to_study
from gradeval.scores.selection import Top
from gradeval.studies.significance.discrimination import Discrimination, Method
from gradeval.studies.significance.discrimination import discriminate as told_apart
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

FIELDS = "measure run other statistic value significant required method alpha samples seed topics".split()


@click.command(
    epilog="""\b
Examples:
  gradeval discriminate qrels.txt runs/* -m "GAP(g=[0.5,0.5]) nDCG AP"
  gradeval discriminate qrels.txt runs/* -m "GAP nDCG" --top 15 --plot asl.svg
  gradeval discriminate qrels.txt runs/* --method tukey-hsd --samples 10000 --alpha 0.01
  gradeval discriminate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv"""
)
@measures_option(STUDIED)
@click.option(
    "--method",
    type=click.Choice(list(get_args(Method))),
    default="bootstrap",
    show_default=True,
    help="Sakai's paired bootstrap test, pair by pair, or the randomised Tukey test, which counts all pairs at once.",
)
@number_option("--samples", 1, 1000, "Resamples; no level is finer than 1/N.", MOST_SAMPLES)
@alpha_option("Level below which a pair is told apart.")
@number_option("--top", 2, None, "Only the N best runs by all measures of -m, of those that --runs leaves.")
@seed_option("Seed of the resamples.")
@collection_options(ready=True)
@outcome_options(digits=4)
def discriminate(
    measures: tuple[str, ...],
    method: Method,
    samples: int,
    alpha: float,
    top: int | None,
    seed: int,
    **options: Any,
) -> None:
    """Test all pairs of runs by each measure: discriminative power is the share of pairs that are told apart.

    Give QRELS and RUNS, or --scores. The bootstrap does not correct for the number of pairs: it is an index that
    compares measures, not a set of findings ('gradeval compare' is for those). tsv, csv and jsonl hold the achieved
    significance level (asl) of every pair; the table, what is made of them.
    """
    collection, output = Collection.take(options), Output.of(options)
    require_resolution(alpha, samples)
    with output.opened() as write:
        scores, notes = scores_to_study(collection, measures, STUDIED)
        tell(notes)
        everything = scores
        if top is not None:
            with errors_name("--top", f"{top}", str(Top(top))):
                scores = scores.sel(runs=Top(top).runs(scores))
            tell([f"runs: the best {top} of {len(everything.runs)} by all measures: {', '.join(scores.runs)}"])
        settings: dict[str, Any] = {"samples": samples, "alpha": alpha, "seed": seed, "threads": collection.threads}
        unit = "pairs" if method == "bootstrap" else "shuffles"
        with watched("testing", unit) as progress:
            found = told_apart(scores, method, **settings, progress=progress)
        pairs = f"{counted(len(found.pairs), 'pair')} of {len(found.runs)} runs"
        size = f"{pairs}, {counted(len(found.topics), 'topic')}"
        tell([f"{method}: {samples} samples, seed {seed}; {size}"])

        def draw() -> Any:
            from gradeval.display.charts.asl import INSET, asl_chart

            inset = None
            if top is None and len(scores.runs) > 2 * INSET:
                best = scores.sel(runs=Top(INSET).runs(scores))
                with watched("testing the best", unit) as progress:
                    inset = told_apart(best, method, **settings, progress=progress)
            return asl_chart(found, inset)

        write(_outcome(found, output), draw)


def _outcome(found: Discrimination, output: Output) -> Table:
    power = found.power.tolist()
    told = (found.asl < found.alpha).sum(-1).tolist()
    order = np.argsort(-found.power, kind="stable").tolist()
    best = {place for place in order if power[place] == max(power) and min(power) < max(power)}
    rows = [
        [
            str(found.measures[place]),
            f"{power[place]:.1%}",
            f"{told[place]} of {len(found.pairs)}",
            output.number(float(found.required[place])),
        ]
        for place in order
    ]
    head = ["measure", f"power at {found.alpha:g}", "pairs told apart", "required difference"]
    marked = frozenset((row, 1) for row, place in enumerate(order) if place in best)
    settings: list[Value] = [found.method, found.alpha, found.samples, found.seed, len(found.topics)]
    records: list[list[Value]] = [
        [str(measure), found.runs[first], found.runs[second], "asl", asl, asl < found.alpha, required, *settings]
        for measure, levels, required in zip(found.measures, found.asl.tolist(), found.required.tolist(), strict=True)
        for (first, second), asl in zip(found.pairs.tolist(), levels, strict=True)
    ]
    return Table([Grid.of_texts(head, rows, best=marked)], Records.of(FIELDS, records))
