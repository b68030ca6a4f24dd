"""``gradeval discriminate``: how many pairs of runs does a measure tell apart, beyond chance?"""

from __future__ import annotations

from typing import Any, get_args

import click

from gradeval.cli.collection import Collection, collection_options
from gradeval.cli.differences_options import DifferencesAsked, differences_options
from gradeval.cli.notices import tell
from gradeval.cli.options import (
    MOST_SAMPLES,
    alpha_option,
    measures_option,
    note_unused,
    number_option,
    require_resolution,
    seed_option,
)
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.steps import scores_to_study
from gradeval.cli.values import name_option_in_errors
from gradeval.scores.selection import Top
from gradeval.studies.differences import with_differences
from gradeval.studies.discriminate import RESAMPLES, Method, discriminate, power_differences
from gradeval.studies.requirements import STUDIED


@click.command(
    "discriminate",
    epilog="""\b
Examples:
  gradeval discriminate qrels.txt runs/* -m "GAP(g=[0.2,0.3,0.5]) nDCG AP"
  gradeval discriminate qrels.txt runs/* -m "GAP nDCG" --top 15 --plot asl.svg
  gradeval discriminate qrels.txt runs/* --method tukey-hsd --samples 10000 --alpha 0.01
  gradeval discriminate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv""",
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
@differences_options("power(A) - power(B)")
@number_option("--resamples", 2, RESAMPLES, "Resamples of the topics for --differences; each repeats all tests.")
@collection_options(ready=True)
@outcome_options(digits=4)
def command(
    measures: tuple[str, ...],
    method: Method,
    samples: int,
    alpha: float,
    top: int | None,
    seed: int,
    resamples: int,
    **options: Any,
) -> None:
    """Test all pairs of runs by each measure: discriminative power is the share of pairs that are told apart.

    Give QRELS and RUNS, or --scores. The bootstrap does not correct for the number of pairs: it is an index that
    compares measures, not a set of findings ('gradeval compare' is for those). tsv, csv and jsonl hold the achieved
    significance level (asl) of every pair; the table, what is made of them.
    """
    collection, output = Collection.take(options), Output.of(options)
    differences = DifferencesAsked.take(options)
    if not differences.shown:
        note_unused(["resamples"], "does not apply without --differences")
    require_resolution(alpha, samples)
    with output.open() as write:
        scores, notes = scores_to_study(collection, measures, STUDIED)
        tell(notes)
        everything = scores
        if top is not None:
            with name_option_in_errors("--top", f"{top}", str(Top(top))):
                scores = scores.sel(runs=Top(top).runs(scores))
            tell([f"runs: the best {top} of {len(everything.runs)} by all measures: {', '.join(scores.runs)}"])
        settings: dict[str, Any] = {"samples": samples, "alpha": alpha, "seed": seed, "threads": collection.threads}
        unit = "pairs" if method == "bootstrap" else "shuffles"
        with show_progress("testing", unit) as progress:
            discrimination = discriminate(scores, method, **settings, progress=progress)
        tell([discrimination.description])

        def draw() -> Any:
            from gradeval.charts.asl_chart import INSET, asl_chart

            inset = None
            if top is None and len(scores.runs) > 2 * INSET:
                best = scores.sel(runs=Top(INSET).runs(scores))
                with show_progress("testing the best", unit) as progress:
                    inset = discriminate(best, method, **settings, progress=progress)
            return asl_chart(discrimination, inset)

        table = discrimination.table(output.digits)
        if differences.shown:
            with show_progress("resampling", "tests") as progress:
                of_measures = power_differences(
                    scores, method, **settings, runs=differences.runs, resampled=resamples, progress=progress
                )
            tell([of_measures.description])
            table = with_differences(table, of_measures, output.digits)
        write(table, draw)
