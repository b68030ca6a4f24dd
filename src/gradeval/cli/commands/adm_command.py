"""``gradeval adm``: how near the scores of runs come to the grades."""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import print_notes, take_notes
from gradeval.cli.options import FILE, ci_option, per_topic_option
from gradeval.cli.output import Output, outcome_options
from gradeval.cli.reading import Collection, open_collection, reading_options, require_topics
from gradeval.collection.average_distance import ScoreScaling, adm
from gradeval.scores.adm_scores import score_distances
from gradeval.scores.evaluation import choose_input


@click.command(
    "adm",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  gradeval adm qrels.txt runs/* --scaling minmax
  gradeval adm qrels.txt runs/* --levels 0,1,2,3 -q -o adm.tsv
  gradeval adm qrels.txt runs/* --scaling minmax --ci""",
)
@click.argument("qrels", type=FILE)
@click.argument("run_files", metavar="RUNS...", type=FILE, nargs=-1, required=True)
@declared_options(declared_by(adm), "scaling")
@per_topic_option
@ci_option
@reading_options("topics", "runs", "exclude", "repeated", "levels", "recode", "shift")
@reading_options("names", "input_format", "columns", "encoding", "folder", "skip_bad")
@outcome_options(4)
def command(scaling: ScoreScaling, per_topic: bool, ci: bool, **options: Any) -> None:
    """Average distance measure: how near the scores of RUNS come to the grades of QRELS.

    It is 1 minus the mean distance, over the judged documents of a topic, between the score (from 0 to 1; 0 where the
    document is not retrieved) and the grade over the top level. It looks at scores, not at the ranking, so that it is
    no measure of 'gradeval evaluate'.
    """
    collection = Collection.take(options)
    output = Output.of(options)
    with output.open() as write:
        judgments, runs, notes = open_collection(collection)
        collection.recode.require_met()
        take_notes(notes)
        require_topics(collection.topics, judgments.topics, judgments.name)
        how = collection.scoring()
        chosen, kept, about = choose_input(judgments, runs, how["topics"], how["runs"], None)
        take_notes(about)
        scores = score_distances(chosen, kept, scaling=scaling)
        print_notes(scores.notes)
        write(scores.table(output.digits, by_topic=per_topic, ci=ci), lambda: scores.plot().altair)
