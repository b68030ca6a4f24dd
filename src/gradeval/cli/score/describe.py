"""``gradeval describe``: what is a collection like?"""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.options.collection import judgments_options
from gradeval.cli.options.inputs import read_judgments, require_inputs, require_known
from gradeval.cli.options.options import FILE, choice_option, number_option
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.options.values import complete_measures, read_topics
from gradeval.cli.screen.notices import about_names, tell
from gradeval.collection.meeting import Ties
from gradeval.formats.places import Names, open_runs
from gradeval.formula.spelling import parse_measure
from gradeval.scores.scores import Empty, Missing
from gradeval.studies.description import describe


@click.command(
    "describe",
    epilog="""\b
Examples:
  gradeval describe qrels.txt
  gradeval describe qrels.txt runs/*
  gradeval describe qrels.txt --recode 4=3 --format latex
  gradeval describe ratings.txt --shift -1""",
)
@click.argument("qrels", metavar="QRELS", type=FILE)
@click.argument("run_files", metavar="[RUNS...]", type=FILE, nargs=-1)
@click.option(
    "-m",
    "--measure",
    default="AP",
    show_default=True,
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="The measure of the runs above the first quartile.",
)
@judgments_options
@click.option("--topics", metavar="FILE|LIST", help="Only these topics: a file with one a line, or 301,302.")
@choice_option("--missing", Missing, "Topics that a run misses count 0, or are left out of its mean.")
@choice_option("--empty", Empty, "Topics that hold nothing relevant count 0, are left out, or count 1.")
@choice_option("--ties", Ties, "Equal scores by document id, descending (in single precision), or as in the file.")
@choice_option("--names", Names, "Call runs by their tags or files.")
@number_option("--threads", 0, 0, "Cores; 0 takes all.")
@outcome_options(digits=2, plot=False)
def command(
    qrels: str,
    run_files: tuple[str, ...],
    measure: str,
    levels: tuple[float, ...] | None,
    recode: dict[float, float],
    shift: float,
    topics: str | None,
    names: Names,
    **options: Any,
) -> None:
    """Describe a collection: topics, judged documents by grade, runs, and how much of the runs is judged.

    few:2 are the topics with few documents of grade 2: R(1) >= 10 R(2) > 0. above-q1:AP are the runs whose mean AP is
    above the first quartile of all RUNS. tsv, csv and jsonl hold the numbers of each topic and run, too.
    """
    output = Output.of(options)
    require_inputs([qrels, *run_files])
    chosen = parse_measure(measure)
    selected = read_topics(topics) if topics is not None else None
    with output.open() as write:
        judgments, notes = read_judgments(qrels, levels, recode, shift)
        tell(notes)
        if topics is not None and selected is not None:
            require_known(topics, selected, judgments.topics, judgments.name)
            judgments = judgments.select(selected)
        opened = open_runs(run_files, names) if run_files else None
        if opened is not None:
            tell(about_names(opened.renamed))
        description = describe(judgments, opened, measure=chosen, **options)
        tell([description.description])
        write(description.table(output.digits), lambda: None)
