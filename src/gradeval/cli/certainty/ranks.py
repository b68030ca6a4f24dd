"""``gradeval ranks``: between which ranks does each run lie?"""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.options import (
    MOST_SAMPLES,
    alpha_option,
    measures_option,
    number_option,
    require_resolution,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.steps import scores_to_study
from gradeval.studies.certainty.ranks import MEASURES, rank_sets


@click.command(
    "ranks",
    epilog="""\b
Examples:
  gradeval ranks qrels.txt runs/*
  gradeval ranks qrels.txt runs/* -m "nDCG@10 GAP" --alpha 0.1
  gradeval ranks qrels.txt runs/* -m GAP --plot ranks.svg -o ranks.tsv
  gradeval ranks --scores scores.tsv""",
)
@measures_option(MEASURES)
@alpha_option("The probability that some interval of a measure misses.")
@number_option("--samples", 2, 2000, "Bootstrap samples of the topics.", MOST_SAMPLES)
@seed_option("Seed of the samples.")
@collection_options(ready=True)
@outcome_options(digits=4)
def command(measures: tuple[str, ...], alpha: float, samples: int, seed: int, **options: Any) -> None:
    """Give each run the interval of its rank, and say which runs cannot be told from the best.

    Give QRELS and RUNS, or --scores. The intervals of a measure hold for all its runs at once: with probability
    1 - alpha none misses. A run begins after those that are certainly better and ends before those that are
    certainly worse, by simultaneous tests over bootstrap samples of the topics. "best": its interval holds rank 1.
    """
    collection, output = Collection.take(options), Output.of(options)
    require_resolution(alpha, samples)
    with output.open() as write:
        scores, notes = scores_to_study(collection, measures, MEASURES)
        tell(notes)
        with show_progress("ranking", "pairs") as progress:
            ranks = rank_sets(
                scores, alpha=alpha, samples=samples, seed=seed, threads=collection.threads, progress=progress
            )
        tell([*(ranks.answer(measure) for measure in ranks.measures), ranks.description])

        def draw() -> Any:
            from gradeval.display.certainty.ranks import ranks_chart

            return ranks_chart(ranks)

        write(ranks.table(output.digits), draw)
